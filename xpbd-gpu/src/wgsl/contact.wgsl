// Contacts of particles with colliders. Each particle solves its own, one after the other: as no
// other particle takes part, that is the order of the CPU, whose n-th contacts are colour n.

struct Contacts {
    counters: array<atomic<u32>, COUNTERS>,
    // RECORD vectors a contact.
    records: array<vec4u>,
}

@group(1) @binding(1) var<storage, read_write> contacts: Contacts;

// Vectors of a contact: normal and collider; point of the plane, and in the first contact of a
// particle how many it has; multipliers and impulse [N s].
// The plane of a moving collider is local to it; that of one at rest is in the world, its point
// relative to the collider.

fn contact_count(particle: u32) -> u32 {
    if !COLLIDERS {
        return 0u;
    }
    return contacts.records[contact_record(particle, 0u) + 1u].w;
}

fn contact_record(particle: u32, rank: u32) -> u32 {
    return (rank * substep.particles + particle) * RECORD;
}

// A contact plane at the end of the substep, and the displacement of its surface in the substep.
struct Plane {
    normal: vec3f,
    center: vec3f,
    arm: vec3f,
    slide: vec3f,
}

// Returns the way along a plane of a surface of this velocity in the substep [m].
fn surface_way(velocity: vec3f, normal: vec3f) -> vec3f {
    return (velocity - normal * dot3(normal, velocity)) * substep.h;
}

fn plane_at(normal: vec3f, point: vec3f, collider: Collider) -> Plane {
    if collider.body == STATIC {
        let slide = surface_way(rotate(collider.from_rotation, collider.surface_velocity), normal);
        return Plane(normal, collider.from_position, point, vec3f() + slide);
    }
    let b = collider.body;
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let position = (bodies[body_index(BODY_ANCHOR, b)] + bodies[body_index(BODY_OFFSET, b)]).xyz;
    let whole_rotation = multiply_quaternions(rotation, collider.local_rotation);
    let whole_position = position + rotate(rotation, collider.local_position);
    let local = rotate(collider.local_rotation, point) + collider.local_position;
    let swept = rotate(rotation, local) - rotate(bodies[body_index(BODY_START_ROTATION, b)], local);
    let shift = (bodies[body_index(BODY_OFFSET, b)] - bodies[body_index(BODY_START, b)]).xyz;
    let turned = rotate(whole_rotation, normal);
    let slide = surface_way(rotate(whole_rotation, collider.surface_velocity), turned);
    return Plane(turned, whole_position, rotate(whole_rotation, point), (shift + swept) + slide);
}
