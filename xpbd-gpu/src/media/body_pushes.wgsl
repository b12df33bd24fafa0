// The reactions of walls on the bodies that they belong to: a thread a body adds up all its contacts in their order. The
// twin of `apply_reactions` in `xpbd_core::media::medium_state`.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> records: array<vec4u>;
@group(1) @binding(3) var<storage, read_write> walls: Walls;

// Returns the wall of a particle that is this contact, or MAX_WALLS.
fn wall_of(i: u32, slot: u32) -> u32 {
    for (var n = 0u; n < count; n++) {
        if contacts_of[n] == (slot | ON_BODY) {
            return n;
        }
    }
    return MAX_WALLS;
}

fn push_back(b: u32) {
    let centre = bodies[body_index(BODY_ANCHOR, b)] + bodies[body_index(BODY_OFFSET, b)];
    var shift = vec3f();
    var angular = vec3f();
    for (var slot = 0u; slot < range.count; slot++) {
        let i = data[range.base + slot];
        if data[range.base + range.stride + slot] != b || anchor[i].w == 0.0 || !load_walls(i) {
            continue;
        }
        let n = wall_of(i, slot);
        if n == MAX_WALLS {
            continue;
        }
        let push = bitcast<f32>(walls.records[wall_record(i, n) + 2u].x);
        if push > 0.0 {
            let moved = push / anchor[i].w;
            let normal = planes[n].xyz;
            let by = -moved * normal;
            let arm = ((anchor[i] + offset[i]) - centre).xyz - planes[n].w * normal;
            shift += by;
            angular += cross3(arm, by);
            let record = range.first + slot * RECORD;
            records[record].w = bitcast<u32>(bitcast<f32>(records[record].w) + moved / substep.h);
            records[record + 2u] = vec4u(bitcast<vec3u>(normal), 0u);
        }
    }
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let local = rotate(conjugate(rotation), angular) * bodies[body_index(BODY_INERTIA, b)].xyz;
    let by = vec4f(shift * bodies[body_index(BODY_ANCHOR, b)].w, 0.0);
    shift_body(b, by, vec4f(rotate(rotation, local), 0.0));
}

@compute @workgroup_size($group)
fn body_pushes(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if bodies[body_index(BODY_ANCHOR, b)].w > 0.0 {
            push_back(b);
        }
    }
}
