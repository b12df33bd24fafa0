// The impulses of walls, added to contacts with colliders that cannot be pushed.

@group(1) @binding(2) var<storage, read_write> walls: Walls;

// Adds the impulses of the walls of a particle to its contacts.
fn report_impulses(i: u32) {
    if !load_walls(i) || anchor[i].w == 0.0 {
        return;
    }
    for (var n = 0u; n < count; n++) {
        let push = bitcast<f32>(walls.records[wall_record(i, n) + 2u].x);
        if push > 0.0 && contacts_of[n] < ON_BODY {
            let record = contact_record(i, contacts_of[n]) + 2u;
            let impulse = bitcast<f32>(contacts.records[record].z) + (push / anchor[i].w) / substep.h;
            contacts.records[record].z = bitcast<u32>(impulse);
        }
    }
}

@compute @workgroup_size($group)
fn collider_pushes(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        report_impulses(i);
    }
}
