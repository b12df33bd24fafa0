// Which pairs are kept, in the operations and the order of `particle_contacts.rs`. Both are the same
// seen from either particle.

// Returns whether layers, pins and the rest shape let two particles touch.
fn may_touch(j: u32) -> bool {
    if own.anchor.w + anchor[j].w == 0.0 {
        return false;
    }
    let objects = 4u * search.particles;
    let a = objects + 4u * own.owner;
    let b = objects + 4u * setup[j];
    if a != b {
        if setup[a + 3u] != NONE && setup[a + 3u] == setup[b + 3u] {
            return false;
        }
        return (setup[a] & setup[b + 1u]) != 0u && (setup[b] & setup[a + 1u]) != 0u;
    }
    if setup[a + 2u] != AMONG_ITSELF {
        return false;
    }
    return squared(rest(own.index) - rest(j)) >= search.diameter * search.diameter;
}

fn rest(i: u32) -> vec3f {
    let at = search.particles + 3u * i;
    return bitcast<vec3f>(vec3u(setup[at], setup[at + 1u], setup[at + 2u]));
}

// Returns whether two particles come nearer than `touching` in the frame. A relative displacement longer than two
// diameters is cut short.
fn come_near(j: u32, relative: vec3f) -> bool {
    let apart = (anchor[j].xyz - own.anchor.xyz) + (offset[j].xyz - own.offset);
    let longest = 2.0 * search.diameter;
    var way = relative;
    var square = squared(way);
    if square > longest * longest {
        way = longest * (way / sqrt(square));
        square = squared(way);
    }
    var when = 0.0;
    if square > 0.0 {
        when = -inner(apart, way) / square;
        if when < 0.0 {
            when = 0.0;
        }
        if when > 1.0 {
            when = 1.0;
        }
    }
    return squared(apart + way * when) < search.touching * search.touching;
}

fn squared(a: vec3f) -> f32 {
    return inner(a, a);
}

// Returns a · b; the built-in `dot` may round in any order.
fn inner(a: vec3f, b: vec3f) -> f32 {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// Returns whether the particle of lower index keeps the pair.
fn kept(i: u32, j: u32, square: u32) -> bool {
    let cutoff = search.cutoffs + 2u * min(i, j);
    let farthest = lists[cutoff];
    return square < farthest || (square == farthest && max(i, j) <= lists[cutoff + 1u]);
}
