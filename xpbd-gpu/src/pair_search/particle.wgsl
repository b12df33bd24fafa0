// Positions and displacements of the particles that the search for pairs sorts, with the operations of the CPU in
// their order.

fn position(i: u32) -> vec3f {
    return anchor[i].xyz + offset[i].xyz;
}

// Returns the displacement of a particle in the frame if nothing stops it [m].
fn travel(i: u32) -> vec3f {
    let velocity = motion[i].xyz + motion[search.particles + i].xyz * search.dt;
    return velocity * search.dt;
}

// Returns the vector whose bounds are taken.
fn bounded(i: u32) -> vec3f {
    return travel(i);
}

fn takes_part(i: u32) -> bool {
    return setup[i] != NONE && is_finite_vector(position(i)) && is_finite_vector(travel(i));
}

// Returns the greatest distance of partners [m]. Two particles approach each other by at most the diagonal of the box
// of all displacements, and by at most two diameters. The rest allows for rounding, so that the reach never decides
// whether a pair is kept.
fn reach() -> f32 {
    let diameters = 2.0 * search.diameter;
    var square = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        let width = min(bound_at(axis) + bound_at(3u + axis), diameters);
        square += width * width;
    }
    let near = (search.touching + sqrt(square)) * 1.00001;
    return min(near + 16.0 * 1.1920929e-7 * bound_at(6u), search.furthest);
}

// Writes an entry of two quads: position [m], index and row; displacement in the frame [m], bucket and row.
fn write_entry(number: u32, i: u32, key: u32) {
    let entry = ENTRIES + 8u * number;
    let x = bitcast<vec3u>(position(i));
    let displacement = bitcast<vec3u>(travel(i));
    for (var axis = 0u; axis < 3u; axis++) {
        work[entry + axis] = x[axis];
        work[entry + 4u + axis] = displacement[axis];
    }
    work[entry + 3u] = i | ((key & 15u) << INDEX_BITS);
    work[entry + 7u] = key;
}
