// Moves a particle of the remainder by its corrections one after the other.
fn gather_node(k: u32) {
    let node = data[range.gather_table + 2u * k];
    let end = data[range.gather_table + 2u * k + 3u];
    if anchor[node].w <= 0.0 {
        return;
    }
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        shift_particle(node, corrections[data[range.entries + entry]] * substep.omega);
    }
}
