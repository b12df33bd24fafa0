// Solves one pass: its stages and its colours one after the other, then its remainder.

@group(1) @binding(0) var<uniform> range: Range;

@compute @workgroup_size($group)
fn colours(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let first = data[range.colours];
    let end = first + data[range.colours + 1u];
    for (var slot = first + id.x; slot < end; slot += groups.x * $groupu) {
        solve(slot);
    }
}

// A stage: each patch is solved by one workgroup, its colours one after the other. Small colours are one patch.
@compute @workgroup_size($patch_group)
fn patches(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let table = range.colours + 2u * range.count * group.x;
    var slots = vec2u(data[table], data[table + 1u]);
    for (var colour = 0u; colour < range.count; colour++) {
        // Those of the next colour are read before the barrier, to be there after it.
        let next = table + 2u * min(colour + 1u, range.count - 1u);
        let next_slots = vec2u(data[next], data[next + 1u]);
        for (var slot = slots.x + lane; slot < slots.x + slots.y; slot += $patch_groupu) {
            solve(slot);
        }
        slots = next_slots;
        storageBarrier();
    }
}

@compute @workgroup_size($group)
fn remainder(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.remainder; k += groups.x * $groupu) {
        correct(range.first + k);
    }
}

@compute @workgroup_size($group)
fn gather(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.gathers; k += groups.x * $groupu) {
        gather_node(k);
    }
}
