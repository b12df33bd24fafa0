// Where a particle is and where it goes, in the operations and the order of the CPU.

fn position(i: u32) -> vec3f {
    return anchor[i].xyz + offset[i].xyz;
}

// The way of a particle in the frame if nothing stops it [m].
fn travel(i: u32) -> vec3f {
    let velocity = motion[i].xyz + motion[search.particles + i].xyz * search.dt;
    return velocity * search.dt;
}

// What the bounds are of.
fn bounded(i: u32) -> vec3f {
    return travel(i);
}

fn takes_part(i: u32) -> bool {
    return setup[i] != NONE && finite(position(i)) && finite(travel(i));
}
