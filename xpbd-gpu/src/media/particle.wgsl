// Members of a medium as its sort sees them. `setup` holds the material of each particle that takes part, and
// NONE for all others: who is a member is decided there alone. `search.furthest` is the reach, and
// `search.capacity` how many members a section of `members` holds.

fn takes_part(i: u32) -> bool {
    return setup[i] != NONE && finite(anchor[i].xyz + offset[i].xyz);
}

// What the bounds are of.
fn bounded(i: u32) -> vec3f {
    return anchor[i].xyz;
}

// How far out members can be told apart [m].
const OUTSIDE = 1e12f;

// Where a particle is, from a place in the middle of all members [m]: distances are as exact as that.
fn position(i: u32) -> vec3f {
    let high = vec3f(largest(0u), largest(1u), largest(2u));
    let low = -vec3f(largest(3u), largest(4u), largest(5u));
    let middle = clamp(0.5 * low + 0.5 * high, vec3f(-OUTSIDE), vec3f(OUTSIDE));
    return clamp((anchor[i].xyz - middle) + offset[i].xyz, vec3f(-OUTSIDE), vec3f(OUTSIDE));
}
