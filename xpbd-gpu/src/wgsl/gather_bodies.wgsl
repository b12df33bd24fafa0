// Adds up the corrections of a particle or body of the remainder in a fixed order and moves it. Every
// correction is a displacement and a rotation.
fn gather_node(k: u32) {
    let word = data[range.gather_table + 2u * k];
    let node = word & 0x7fffffffu;
    let end = data[range.gather_table + 2u * k + 3u];
    var shift = vec4f();
    var rotate = vec4f();
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        let place = 2u * data[range.entries + entry];
        shift += corrections[place];
        rotate += corrections[place + 1u];
    }
    if word == node {
        shift_particle(node, shift * substep.omega);
    } else {
        shift_body(node, shift * substep.omega, rotate * substep.omega);
    }
}
