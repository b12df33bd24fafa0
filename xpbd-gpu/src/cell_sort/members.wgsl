// The sort of the members of a medium. `setup` holds the material of each particle that takes part, and NONE for all
// others. `search.furthest` is the distance within which members see each other, and `search.capacity` the number of
// members in a section of `members`.

fn takes_part(i: u32) -> bool {
    return setup[i] != NONE && is_finite_vector(anchor[i].xyz + offset[i].xyz);
}

// Returns the vector whose bounds are taken.
fn bounded(i: u32) -> vec3f {
    return anchor[i].xyz;
}

// Distance beyond which members share a position [m].
const OUTSIDE = 1e12f;

// Returns the position of a particle relative to the middle of all members [m], which limits the rounding of distances.
fn position(i: u32) -> vec3f {
    let high = vec3f(bound_at(0u), bound_at(1u), bound_at(2u));
    let low = -vec3f(bound_at(3u), bound_at(4u), bound_at(5u));
    let middle = clamp(0.5 * low + 0.5 * high, vec3f(-OUTSIDE), vec3f(OUTSIDE));
    return clamp((anchor[i].xyz - middle) + offset[i].xyz, vec3f(-OUTSIDE), vec3f(OUTSIDE));
}

// Returns the distance within which members see each other [m].
fn reach() -> f32 {
    return search.furthest;
}

fn write_entry(number: u32, i: u32, key: u32) {
    work[ENTRIES + number] = i;
}
