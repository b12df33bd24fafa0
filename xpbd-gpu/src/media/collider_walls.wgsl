// Walls of colliders that cannot be pushed, from the contacts of the particles.

@group(1) @binding(2) var<storage, read_write> walls: Walls;

fn find_walls(i: u32) {
    let object = object_vector(owner_of(i), 2u);
    if object.y != MEDIUM {
        walls.records[wall_record(i, 0u) + 1u].w = NOT_OF_MEDIUM;
        return;
    }
    medium_reach = bitcast<f32>(object_vector(owner_of(i), 3u).w);
    count = 0u;
    dropped = 0u;
    let contacts_here = contact_count(i);
    for (var rank = 0u; rank < contacts_here; rank++) {
        let record = contact_record(i, rank);
        let first = contacts.records[record];
        let point = bitcast<vec3f>(contacts.records[record + 1u].xyz);
        let plane = plane_at(bitcast<vec3f>(first.xyz), point, collider_at(first.w));
        let coverage = bitcast<f32>(contacts.records[record + 2u].w);
        let gap = dot3(plane.normal, (anchor[i].xyz - plane.center) - plane.arm) - substep.radius;
        let height = (gap + substep.radius) + dot3(plane.normal, offset[i].xyz);
        add_wall(plane.normal, height, plane.slide / substep.h, coverage, rank);
    }
    store_walls(i);
}

@compute @workgroup_size($group)
fn collider_walls(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        find_walls(i);
    }
}
