// Walls of bodies that can be pushed, behind those of other colliders. Contacts are sorted by particle: the first
// of each does them all. Records are as in `particle_bodies.wgsl`.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> records: array<vec4u>;
@group(1) @binding(3) var<storage, read_write> walls: Walls;

fn touching_particle(slot: u32) -> u32 {
    return data[range.base + slot];
}

fn add_wall_of_body(slot: u32, i: u32) {
    let b = data[range.base + range.stride + slot];
    let record = range.first + slot * RECORD;
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let arm = rotate(rotation, bitcast<vec3f>(records[record].xyz));
    let normal = rotate(rotation, bitcast<vec3f>(records[record + 1u].xyz));
    let far = (anchor[i] - bodies[body_index(BODY_ANCHOR, b)]).xyz;
    let apart = far + (offset[i] - bodies[body_index(BODY_OFFSET, b)]).xyz;
    let angular_velocity = bodies[body_index(BODY_ANGULAR_VELOCITY, b)].xyz;
    let velocity = bodies[body_index(BODY_VELOCITY, b)].xyz + cross3(angular_velocity, arm);
    let coverage = bitcast<f32>(records[record + 3u].z);
    add_wall(normal, dot3(normal, apart - arm), velocity, coverage, slot | ON_BODY);
}

@compute @workgroup_size($group)
fn body_walls(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var first = id.x; first < range.count; first += groups.x * $groupu) {
        let i = touching_particle(first);
        if (first > 0u && touching_particle(first - 1u) == i) || !load_walls(i) {
            continue;
        }
        for (var slot = first; slot < range.count && touching_particle(slot) == i; slot++) {
            add_wall_of_body(slot, i);
        }
        store_walls(i);
    }
}
