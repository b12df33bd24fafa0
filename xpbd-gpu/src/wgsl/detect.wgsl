// Finds the contacts of each particle with colliders for the frame that begins, and again if the particle leaves the path on
// which they were looked for; the twin of `xpbd_core::collide::shape_contacts`.

@group(1) @binding(2) var<storage, read_write> geometry: array<u32>;

// True if the device has left a loop before its end: some do after 65,535 iterations.
var<private> loop_was_cut: bool;

fn allows(object: vec4u, collider: Collider) -> bool {
    return (object.z & collider.filters) != 0u && (collider.memberships & object.w) != 0u;
}

// Returns which part of what lies behind a plane a shape fills for a particle at x [1]; the twin of
// `xpbd_core::medium::coverage`.
fn coverage_of_shape(shape: u32, point: vec3f, normal: vec3f, x: vec3f, reach: f32) -> f32 {
    let kind = geometry[shape];
    if reach == 0.0 || !(kind == CUBOID || kind == CYLINDER) || geometry[shape + 1u] != 0u {
        return 1.0;
    }
    let height = min(max(dot3(normal, x - point), 0.0), HIGHEST * reach);
    let at = point + normal * height;
    let per_reach = 1.0 / reach;
    var place = at * per_reach;
    var half = vector(shape + HEADER_WORDS) * per_reach;
    if kind == CYLINDER {
        place = vec3f(sqrt(at.x * at.x + at.z * at.z) * per_reach, place.y, 0.0);
        half.z = ENDLESS;
    }
    return coverage_of_box(place, half, height * per_reach);
}

// Stores a plane and its coverage, if there is room.
fn store(i: u32, rank: u32, number: u32, collider: Collider, normal: vec3f, point: vec3f, coverage: f32) {
    if rank >= substep.contact_capacity {
        return;
    }
    let record = contact_record(i, rank);
    let fixed = collider.body == STATIC;
    let n = select(normal, rotate(collider.from_rotation, normal), fixed);
    let p = select(point, rotate(collider.from_rotation, point), fixed);
    contacts.records[record] = vec4u(bitcast<vec3u>(n), number);
    contacts.records[record + 1u] = vec4u(bitcast<vec3u>(p), 0u);
    contacts.records[record + 2u] = vec4u(0u, 0u, 0u, bitcast<u32>(coverage));
}

// The path of a particle along which its contacts are looked for.
struct SearchPath {
    // Where it begins, from the anchor of the particle [m].
    offset: vec3f,
    // Where it begins and ends [m].
    from_here: vec3f,
    to_there: vec3f,
}

// Returns the path from where a particle is to where it will be at the end of the frame if nothing stops it.
fn expected_path(i: u32) -> SearchPath {
    let particle_offset = offset[i].xyz;
    let velocity = motion[vector_index(VELOCITY, i)].xyz + motion[vector_index(ACCELERATION, i)].xyz * substep.dt;
    let from_here = anchor[i].xyz + particle_offset;
    return SearchPath(particle_offset, from_here, from_here + velocity * substep.dt);
}

// Returns the path from where a particle began the substep through where it is now, on to the end of the frame.
fn continued_path(i: u32) -> SearchPath {
    let from_here = anchor[i].xyz + start[i].xyz;
    let step = offset[i].xyz - start[i].xyz;
    return SearchPath(start[i].xyz, from_here, from_here + step * substep.substeps_left);
}

// Returns whether a particle is farther than a margin [m] from the path along which its contacts are known; the twin of
// `xpbd_core::collide::shape_contacts::strayed`, where the formulas stand.
fn has_strayed(i: u32, margin: f32) -> bool {
    let way = start[vector_index(SEARCHED_WAY, i)].xyz;
    let apart = (anchor[i].xyz - start[vector_index(SEARCHED_START, i)].xyz) + offset[i].xyz;
    let squared = dot3(apart, apart);
    let limit = margin * margin;
    if squared <= limit {
        return false;
    }
    let along = dot3(apart, way);
    let whole = dot3(way, way);
    if along <= 0.0 {
        return true;
    }
    if along >= whole {
        let beyond = apart - way;
        return dot3(beyond, beyond) > limit;
    }
    let beside = cross3(apart, way);
    return dot3(beside, beside) > limit * whole;
}

// Moves the start of a collider on a body to where it began the substep.
fn at_substep_start(collider: Collider) -> Collider {
    if collider.body == STATIC {
        return collider;
    }
    let rotation = bodies[body_index(BODY_START_ROTATION, collider.body)];
    let position = (bodies[body_index(BODY_ANCHOR, collider.body)] + bodies[body_index(BODY_START, collider.body)]).xyz;
    var moved = collider;
    moved.from_rotation = multiply_quaternions(rotation, collider.local_rotation);
    moved.from_position = position + rotate(rotation, collider.local_position);
    return moved;
}

// The contacts of the particle that have been found again, or have taken the place of others, as bits.
var<private> in_use: array<u32, 4>;

const FOUND_AGAIN = 0xffffffffu;

fn use_contact(rank: u32) {
    if rank < 128u {
        in_use[rank >> 5u] |= 1u << (rank & 31u);
    }
}

fn is_in_use(rank: u32) -> bool {
    return rank >= 128u || (in_use[rank >> 5u] & (1u << (rank & 31u))) != 0u;
}

// Returns which contact of a particle a new plane is to be: the first that has not pushed and is not in use, or the next one;
// FOUND_AGAIN if the particle has a contact of nearly the same plane.
fn place_of(i: u32, count: u32, number: u32, collider: Collider, k: u32) -> u32 {
    let fixed = collider.body == STATIC;
    let n = select(plane_normals[k], rotate(collider.from_rotation, plane_normals[k]), fixed);
    let p = select(plane_points[k], rotate(collider.from_rotation, plane_points[k]), fixed);
    let stored = min(count, substep.contact_capacity);
    var free = count;
    for (var rank = 0u; rank < stored; rank++) {
        let record = contact_record(i, rank);
        let first = contacts.records[record];
        let normal = bitcast<vec3f>(first.xyz);
        let apart = p - bitcast<vec3f>(contacts.records[record + 1u].xyz);
        if first.w == number && dot3(normal, n) > SAME_DIRECTION
            && abs(dot3(normal, apart)) < SAME_HEIGHT * substep.radius {
            use_contact(rank);
            return FOUND_AGAIN;
        }
        if free == count && !is_in_use(rank) && bitcast<f32>(contacts.records[record + 2u].z) <= 0.0 {
            free = rank;
        }
    }
    return free;
}

// Finds the contacts of a particle on a path and stores them; those that it had stay where they have pushed. Returns how
// many it has then.
fn search(i: u32, object: vec4u, margin: f32, path: SearchPath, known: u32, is_first: bool) -> u32 {
    let position = anchor[i].xyz;
    let medium_reach = bitcast<f32>(object_vector(owner_of(i), 3u).w);
    let displacement = path.to_there - path.from_here;
    start[vector_index(SEARCHED_START, i)] = vec4f(path.from_here, 0.0);
    start[vector_index(SEARCHED_WAY, i)] = vec4f(displacement, 0.0);
    let reach = vec3f(substep.radius + margin);
    let low = min(path.from_here, path.to_there) - reach;
    let high = max(path.from_here, path.to_there) + reach;
    var rank = known;
    in_use = array<u32, 4>();
    for (var number = 0u; number < substep.colliders; number++) {
        var collider = collider_at(number);
        if !allows(object, collider) || !(all(collider.low <= high) && all(collider.high >= low)) {
            continue;
        }
        if !is_first {
            collider = at_substep_start(collider);
        }
        let from_local = rotate(conjugate(collider.from_rotation), ((position - collider.from_position) + path.offset) + vec3f());
        let to_local = rotate(conjugate(collider.to_rotation), ((position - collider.to_position) + path.offset) + displacement);
        let found = contact_planes(collider.shape, from_local, to_local, substep.radius, margin);
        loop_was_cut = loop_was_cut || mode != DONE;
        for (var k = 0u; k < found; k++) {
            var place = rank;
            if !is_first {
                place = place_of(i, rank, number, collider, k);
                if place == FOUND_AGAIN {
                    continue;
                }
                use_contact(place);
            }
            let coverage = coverage_of_shape(collider.shape, plane_points[k], plane_normals[k], from_local, medium_reach);
            store(i, place, number, collider, plane_normals[k], plane_points[k], coverage);
            rank = max(rank, place + 1u);
        }
    }
    return rank;
}

// Runs when a frame begins, and before contacts are solved in each substep.
@compute @workgroup_size($group)
fn detect(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        let is_first = start[vector_index(SEARCHED_WAY, i)].w == UNSEARCHED;
        let owner = owner_of(i);
        let margin = bitcast<f32>(object_vector(owner, 2u).z);
        let takes_part = anchor[i].w > 0.0 && !is_frozen(owner);
        if !is_first && !(takes_part && has_strayed(i, margin)) {
            continue;
        }
        var known = 0u;
        var path = expected_path(i);
        if !is_first {
            known = contact_count(i);
            path = continued_path(i);
        }
        var found = 0u;
        if takes_part {
            found = search(i, object_vector(owner, 1u), margin, path, known, is_first);
        }
        start[vector_index(SEARCHED_WAY, i)].w = 0.0;
        let kept = min(found, substep.contact_capacity);
        contacts.records[contact_record(i, 0u) + 1u].w = kept;
        if found > known {
            atomicAdd(&contacts.counters[FOUND], found - known);
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
