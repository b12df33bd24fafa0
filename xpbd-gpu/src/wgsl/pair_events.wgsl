// Lists the pairs of particles that pushed in the frame. Their order is free: the host sorts them.

@group(1) @binding(0) var<storage, read> lists: array<u32>;
@group(1) @binding(1) var<storage, read_write> pair_state: array<vec2f>;

@compute @workgroup_size($group)
fn list_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        for (var k = lists[FIRST + i]; k < lists[FIRST + i + 1u]; k++) {
            let j = lists[partners_begin() + k];
            let state = pair_state[substep.particles + k];
            if j <= i {
                continue;
            }
            if state.y != 0.0 {
                atomicAdd(&outcome[ACTIVE_PAIRS], 1u);
            }
            if state.x <= 0.0 {
                continue;
            }
            let slot = atomicAdd(&outcome[EVENT_COUNT], 1u);
            if slot < substep.event_capacity {
                let event = FROZEN_MARKS + substep.object_count + EVENT * slot;
                atomicStore(&outcome[event], i);
                atomicStore(&outcome[event + 2u], j);
                atomicStore(&outcome[event + 3u], bitcast<u32>(state.x));
                atomicStore(&outcome[event + 7u], 1u);
            }
        }
    }
}
