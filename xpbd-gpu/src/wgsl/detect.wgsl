// Finds the contacts of each particle with colliders for the frame that begins; the twin of
// `xpbd_core::collide::shape_contacts`.

@group(1) @binding(2) var<storage, read_write> geometry: array<u32>;

// Whether the device has left a loop before its end: some do after 65,535 turns.
var<private> is_cut_short: bool;

fn allows(object: vec4u, collider: Collider) -> bool {
    return (object.z & collider.mask) != 0u && (collider.groups & object.w) != 0u;
}

// Stores a plane, if there is room.
fn store(i: u32, rank: u32, number: u32, collider: Collider, normal: vec3f, point: vec3f) {
    if rank >= substep.ranks {
        return;
    }
    let record = contact_record(i, rank);
    let fixed = collider.body == STATIC;
    let n = select(normal, rotate(collider.from_turn, normal), fixed);
    let p = select(point, rotate(collider.from_turn, point), fixed);
    contacts.records[record] = vec4u(bitcast<vec3u>(n), number);
    contacts.records[record + 1u] = vec4u(bitcast<vec3u>(p), 0u);
    contacts.records[record + 2u] = vec4u();
}

fn search(i: u32, object: vec4u, margin: f32) -> u32 {
    let place = anchor[i].xyz;
    let rest = offset[i].xyz;
    let velocity = motion[moving(VELOCITY, i)].xyz + motion[moving(ACCELERATION, i)].xyz * substep.dt;
    let from_here = place + rest;
    let to_there = from_here + velocity * substep.dt;
    let way = to_there - from_here;
    let reach = vec3f(substep.radius + margin);
    let low = min(from_here, to_there) - reach;
    let high = max(from_here, to_there) + reach;
    var rank = 0u;
    for (var number = 0u; number < substep.colliders; number++) {
        let collider = collider_at(number);
        if !allows(object, collider) || !(all(collider.low <= high) && all(collider.high >= low)) {
            continue;
        }
        let from_local = rotate(conjugate(collider.from_turn), ((place - collider.from_place) + rest) + vec3f());
        let to_local = rotate(conjugate(collider.to_turn), ((place - collider.to_place) + rest) + way);
        let found = touches(collider.shape, from_local, to_local, substep.radius, margin);
        is_cut_short = is_cut_short || mode != DONE;
        for (var k = 0u; k < found; k++) {
            store(i, rank, number, collider, touch_normals[k], touch_points[k]);
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
        let kept = min(found, substep.ranks);
        contacts.records[contact_record(i, 0u) + 1u].w = kept;
        if found > 0u {
            atomicAdd(&contacts.counters[FOUND], found);
            atomicMax(&contacts.counters[MOST], found);
            atomicAdd(&contacts.counters[DROPPED], found - kept);
        }
        if is_cut_short {
            atomicAdd(&contacts.counters[CUT_SHORT], 1u);
            // What follows in this thread would be cut short too.
            return;
        }
    }
}
