// Solves the contacts of one particle with colliders; `solve_contact` is the recorded update.

// Returns how far a particle rebounds from a plane in the substep [m].
fn rebound_from(i: u32, plane: Plane, restitution: f32) -> f32 {
    if restitution <= 0.0 {
        return 0.0;
    }
    let velocity = motion[vector_index(VELOCITY, i)].xyz - plane.slide * (1.0 / substep.h);
    let added = dot3(plane.normal, motion[vector_index(ACCELERATION, i)].xyz) * substep.h;
    return rebound_way(restitution, dot3(plane.normal, velocity), added);
}

// A contact: its record, its collider, the plane, and the height [m] of the particle's surface above it at the anchor.
struct ColliderContact {
    record: u32,
    collider: Collider,
    plane: Plane,
    gap: f32,
}

fn collider_contact(i: u32, rank: u32) -> ColliderContact {
    let record = contact_record(i, rank);
    let first = contacts.records[record];
    let collider = collider_at(first.w);
    let plane = plane_at(bitcast<vec3f>(first.xyz), bitcast<vec3f>(contacts.records[record + 1u].xyz), collider);
    let gap = dot3(plane.normal, (anchor[i].xyz - plane.center) - plane.arm) - substep.radius;
    return ColliderContact(record, collider, plane, gap);
}

fn solve_collider_contacts(i: u32) {
    if PAIRS {
        offset[i] = vec4f(motion[vector_index(CORRECTED, i)].xyz, 0.0);
    }
    let friction = bitcast<vec2f>(object_vector(owner_of(i), 1u).xy);
    let restitution = restitution_of(owner_of(i));
    let count = contact_count(i);
    for (var rank = 0u; rank < count; rank++) {
        let contact = collider_contact(i, rank);
        let plane = contact.plane;
        let combined = sqrt(friction * contact.collider.friction);
        let before = bitcast<vec4f>(contacts.records[contact.record + 2u]);
        let rebound = rebound_from(i, plane, max(restitution, contact.collider.restitution));
        let step = solve_contact(i, plane.normal, contact.gap, plane.slide, combined, rebound, before.xy);
        offset[i] += step.shift;
        contacts.records[contact.record + 2u] = bitcast<vec4u>(vec4f(step.lambda, before.zw));
    }
}

// Notes along which normals colliders hold a particle, and their surface; the twin of `held_particles.rs`.
fn hold(i: u32) {
    let friction = bitcast<vec2f>(object_vector(owner_of(i), 1u).xy);
    var along = vec4f();
    var surface = vec4f();
    let count = contact_count(i);
    for (var rank = 0u; rank < count; rank++) {
        let contact = collider_contact(i, rank);
        let plane = contact.plane;
        let push = bitcast<f32>(contacts.records[contact.record + 2u].x);
        if push > 0.0 || dot3(plane.normal, offset[i].xyz) + contact.gap < HELD_REACH * substep.radius {
            let combined = sqrt(friction * contact.collider.friction);
            let is_impact = push * anchor[i].w > IMPACT * substep.radius;
            along = vec4f(along.xyz + plane.normal, select(combined.x, IS_IMPACT, is_impact));
            surface = vec4f(plane.slide, combined.y);
        }
    }
    motion[vector_index(HELD_ALONG, i)] = along;
    motion[vector_index(HELD_SURFACE, i)] = surface;
}

// Adds the impulses of the substep, and returns whether the particle was pushed. Contacts with bodies that move have
// marked it already.
fn accumulate_impulses(i: u32) -> bool {
    var touched = PAIRS && motion[vector_index(CORRECTED, i)].w == 1.0;
    touched = touched || (SECOND_ORDER && motion[vector_index(PREVIOUS_VELOCITY, i)].w == 1.0);
    let count = contact_count(i);
    for (var rank = 0u; rank < count; rank++) {
        let record = contact_record(i, rank) + 2u;
        var state = bitcast<vec4f>(contacts.records[record]);
        if state.x > 0.0 {
            touched = true;
            state.z += state.x * substep.inverse_h;
            contacts.records[record] = bitcast<vec4u>(state);
        }
    }
    return touched;
}
