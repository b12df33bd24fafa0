// Moves a particle or body of the remainder by its corrections one after the other. Every correction is
// a displacement and a rotation.
fn gather_node(k: u32) {
    let word = data[range.gather_table + 2u * k];
    let node = word & 0x7fffffffu;
    let end = data[range.gather_table + 2u * k + 3u];
    var w = 0.0;
    if word == node {
        w = anchor[node].w;
    } else {
        w = bodies[of_body(BODY_ANCHOR, node)].w;
    }
    if w <= 0.0 {
        return;
    }
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        let place = 2u * data[range.entries + entry];
        if word == node {
            shift_particle(node, corrections[place] * substep.omega);
        } else {
            shift_body(node, corrections[place] * substep.omega, corrections[place + 1u] * substep.omega);
        }
    }
}
