// Where a particle is and where it goes, in the operations and the order of the CPU.

fn position(i: u32) -> vec3f {
    return anchor[i].xyz + offset[i].xyz;
}

// The way of a particle in the frame if nothing stops it [m].
fn travel(i: u32) -> vec3f {
    let velocity = motion[i].xyz + motion[search.particles + i].xyz * search.dt;
    return velocity * search.dt;
}

// By the exponents: compilers may assume that no number is infinite or NaN.
fn finite(v: vec3f) -> bool {
    let exponents = bitcast<vec3u>(v) & vec3u(0x7f800000u);
    return all(exponents != vec3u(0x7f800000u));
}

fn takes_part(i: u32) -> bool {
    return setup[i] != NONE && finite(position(i)) && finite(travel(i));
}
