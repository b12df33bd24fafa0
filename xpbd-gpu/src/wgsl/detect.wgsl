// Finds the contacts of each particle with colliders for the frame that begins; the twin of
// `xpbd_core::collide::shape_contacts`.

@group(1) @binding(2) var<storage, read_write> geometry: array<u32>;

// True if the device has left a loop before its end: some do after 65,535 iterations.
var<private> loop_was_cut: bool;

fn allows(object: vec4u, collider: Collider) -> bool {
    return (object.z & collider.filters) != 0u && (collider.memberships & object.w) != 0u;
}

// Stores a plane, if there is room.
fn store(i: u32, rank: u32, number: u32, collider: Collider, normal: vec3f, point: vec3f) {
    if rank >= substep.contact_capacity {
        return;
    }
    let record = contact_record(i, rank);
    let fixed = collider.body == STATIC;
    let n = select(normal, rotate(collider.from_rotation, normal), fixed);
    let p = select(point, rotate(collider.from_rotation, point), fixed);
    contacts.records[record] = vec4u(bitcast<vec3u>(n), number);
    contacts.records[record + 1u] = vec4u(bitcast<vec3u>(p), 0u);
    contacts.records[record + 2u] = vec4u();
}

fn search(i: u32, object: vec4u, margin: f32) -> u32 {
    let position = anchor[i].xyz;
    let particle_offset = offset[i].xyz;
    let velocity = motion[motion_index(VELOCITY, i)].xyz + motion[motion_index(ACCELERATION, i)].xyz * substep.dt;
    let from_here = position + particle_offset;
    let to_there = from_here + velocity * substep.dt;
    let displacement = to_there - from_here;
    let reach = vec3f(substep.radius + margin);
    let low = min(from_here, to_there) - reach;
    let high = max(from_here, to_there) + reach;
    var rank = 0u;
    for (var number = 0u; number < substep.colliders; number++) {
        let collider = collider_at(number);
        if !allows(object, collider) || !(all(collider.low <= high) && all(collider.high >= low)) {
            continue;
        }
        let from_local = rotate(conjugate(collider.from_rotation), ((position - collider.from_position) + particle_offset) + vec3f());
        let to_local = rotate(conjugate(collider.to_rotation), ((position - collider.to_position) + particle_offset) + displacement);
        let found = contact_planes(collider.shape, from_local, to_local, substep.radius, margin);
        loop_was_cut = loop_was_cut || mode != DONE;
        for (var k = 0u; k < found; k++) {
            store(i, rank, number, collider, plane_normals[k], plane_points[k]);
            rank++;
        }
    }
    return rank;
}

@compute @workgroup_size($group)
fn detect(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        var found = 0u;
        if anchor[i].w > 0.0 && !is_frozen(owner_of(i)) {
            let owner = owner_of(i);
            found = search(i, object_vector(owner, 1u), bitcast<f32>(object_vector(owner, 2u).z));
        }
        let kept = min(found, substep.contact_capacity);
        contacts.records[contact_record(i, 0u) + 1u].w = kept;
        if found > 0u {
            atomicAdd(&contacts.counters[FOUND], found);
            atomicMax(&contacts.counters[MAX_FOUND], found);
            atomicAdd(&contacts.counters[DROPPED], found - kept);
        }
        if loop_was_cut {
            atomicAdd(&contacts.counters[CUT_SHORT], 1u);
            // The next particles of this thread would be cut short too.
            return;
        }
    }
}
