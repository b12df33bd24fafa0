// Contacts of particles with colliders. Each particle solves its own, one after the other: as no
// other particle takes part, that is the order of the CPU, whose n-th contacts are colour n.

struct Contacts {
    counters: array<atomic<u32>, 16>,
    // RECORD vectors a contact.
    records: array<vec4u>,
}

// Counters: contacts found, most that a particle found, contacts for which there was no room.
const FOUND = 0u;
const MOST = 1u;
const DROPPED = 2u;
// Particles for which the search was cut short.
const CUT_SHORT = 3u;

@group(1) @binding(1) var<storage, read_write> contacts: Contacts;

// Vectors of a contact: normal and collider; point of the plane, and in the first contact of a
// particle how many it has; multipliers and impulse [N s].
// The plane of a moving collider is local to it; that of one at rest is in the world, its point
// relative to the collider.
const RECORD = 3u;

fn contact_count(particle: u32) -> u32 {
    if !COLLIDERS {
        return 0u;
    }
    return contacts.records[contact_record(particle, 0u) + 1u].w;
}

fn contact_record(particle: u32, rank: u32) -> u32 {
    return (rank * substep.particles + particle) * RECORD;
}

// A contact plane at the end of the substep, and the way that its surface has come in it.
struct Plane {
    normal: vec3f,
    center: vec3f,
    arm: vec3f,
    slide: vec3f,
}

fn plane_at(normal: vec3f, point: vec3f, collider: Collider) -> Plane {
    if collider.body == STATIC {
        return Plane(normal, collider.from_place, point, vec3f());
    }
    let b = collider.body;
    let turn = bodies[of_body(BODY_ROTATION, b)];
    let place = (bodies[of_body(BODY_ANCHOR, b)] + bodies[of_body(BODY_OFFSET, b)]).xyz;
    let whole_turn = turn_by(turn, collider.local_turn);
    let whole_place = place + rotate(turn, collider.local_place);
    let local = rotate(collider.local_turn, point) + collider.local_place;
    let turned = rotate(turn, local) - rotate(bodies[of_body(BODY_START_ROTATION, b)], local);
    let shift = (bodies[of_body(BODY_OFFSET, b)] - bodies[of_body(BODY_START, b)]).xyz;
    return Plane(rotate(whole_turn, normal), whole_place, rotate(whole_turn, point), shift + turned);
}
