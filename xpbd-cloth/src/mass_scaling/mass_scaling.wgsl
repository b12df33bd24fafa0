// The twin of mass_scaling.rs. `lists` begins with the index of the first edge of each vertex and that of the end; behind them
// stand the edges: the other vertex, and the square of the length at rest. `scaled` holds the factor of each vertex and its
// inverse mass without it.

fn scale(vertex: u32) {
    let factor = scaled[vertex].x;
    let w = inverse_mass(vertex);
    scaled[vertex] = vec2f(factor, w);
    if factor > 1.0 {
        let part = 1.0 / factor;
        set_inverse_mass(vertex, w * part);
        set_acceleration(vertex, acceleration(vertex) * part);
    }
}

fn adapt(vertex: u32) {
    let factor = scaled[vertex].x;
    set_inverse_mass(vertex, scaled[vertex].y);
    let fall = acceleration(vertex) * (factor * frame_length());
    let moving = velocity(vertex);
    let moves = dot3(moving, moving) > dot3(fall, fall);
    let longest = 1.0 + input(0u);
    let slack = 1.0 + SLACK * input(0u);
    var is_long = false;
    var is_short = true;
    let edges = node_count() + 1u;
    for (var k = lists[vertex]; k < lists[vertex + 1u]; k++) {
        let apart = between(vertex, lists[edges + 2u * k]);
        let square = dot3(apart, apart);
        let rest = bitcast<f32>(lists[edges + 2u * k + 1u]);
        is_long = is_long || square > rest * (longest * longest);
        is_short = is_short && square < rest * (slack * slack);
    }
    if moves {
        scaled[vertex].x = max(factor * DECAY_IN_MOTION, 1.0);
    } else if is_short {
        scaled[vertex].x = max(factor * DECAY, 1.0);
    } else if is_long {
        scaled[vertex].x = min(factor * GROWTH, MAX_FACTOR);
    }
}
