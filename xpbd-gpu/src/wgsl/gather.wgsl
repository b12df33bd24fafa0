// Moves the nodes of a remainder by their corrections. Constants of the text are `VECTORS`, the vectors of a correction
// (a displacement, and a rotation where there are bodies), and `IN_ORDER`.

// Moves a particle or body by corrections, over-relaxed.
fn move_node(word: u32, shift: vec4f, rotation: vec4f) {
    let node = word & ~BODY_BIT;
    if word == node {
        shift_particle(node, shift * substep.omega);
    } else {
        shift_body(node, shift * substep.omega, rotation * substep.omega);
    }
}

fn inverse_mass_of(word: u32) -> f32 {
    let node = word & ~BODY_BIT;
    if word == node {
        return anchor[node].w;
    }
    return bodies[body_index(BODY_ANCHOR, node)].w;
}

// Returns the rotation of a correction, 0 where there are no bodies.
fn rotation_at(correction: u32) -> vec4f {
    if VECTORS == 1u {
        return vec4f();
    }
    return corrections[VECTORS * correction + 1u];
}

// Moves a node by the sum of its corrections, which is taken in a fixed order, or by one after the other.
fn gather_node(k: u32) {
    let word = data[range.gather_table + 2u * k];
    let begin = data[range.gather_table + 2u * k + 1u];
    let end = data[range.gather_table + 2u * k + 3u];
    if IN_ORDER && inverse_mass_of(word) <= 0.0 {
        return;
    }
    var shift = vec4f();
    var rotation = vec4f();
    for (var entry = begin; entry < end; entry++) {
        let correction = data[range.entries + entry];
        if IN_ORDER {
            move_node(word, corrections[VECTORS * correction], rotation_at(correction));
        } else {
            shift += corrections[VECTORS * correction];
            rotation += rotation_at(correction);
        }
    }
    if !IN_ORDER {
        move_node(word, shift, rotation);
    }
}
