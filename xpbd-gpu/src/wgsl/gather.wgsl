// Adds up the corrections of a particle of the remainder in a fixed order and moves it.
fn gather_node(k: u32) {
    let node = data[range.gather_table + 2u * k];
    let end = data[range.gather_table + 2u * k + 3u];
    var sum = vec4f();
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        sum += corrections[data[range.entries + entry]];
    }
    shift_particle(node, sum * substep.omega);
}
