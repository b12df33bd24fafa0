// Twin of `particle_shape.rs`: contact planes between a moving particle and a shape. The theory
// stands there.

/// Fills `plane_points` and `plane_normals`, and returns the number of planes. `shape` is the first
/// word of the shape, the points are in its frame.
fn contact_planes(shape: u32, start: vec3f, end: vec3f, radius: f32, margin: f32) -> u32 {
    // If it ends in another mode, the device has left the loops too early.
    mode = DONE;
    plane_count = 0u;
    set_shape = shape;
    set_kind = geometry[shape];
    if !ask(start, end, radius, margin) {
        return 0u;
    }
    path = new_path(query.start, query.end);
    gather(path, select(query_limit(), query_span(), set_kind >= MESH));
    piece_posed = set_kind == COMPOUND;
    if of_surface() {
        piece_kind = TRIANGLE;
    } else if set_kind != COMPOUND {
        select_shape(shape);
        if out_of_reach() {
            return 0u;
        }
    }
    corners[0] = query.start;
    corner_count = 1u;
    hit_count = 0u;
    begin_exit();
    run_visits();
    return plane_count;
}

/// Returns whether a cheap test shows that a single piece is too far from the path.
fn out_of_reach() -> bool {
    if set_kind != HULL || is_round() {
        return false;
    }
    return hull_highest(set_shape + HEADER_WORDS, query.start).height > query_limit() + path.length;
}

/// Begins with the way out for a centre inside the shape, where there may be one.
fn begin_exit() {
    item = Item();
    reset_exits();
    if is_solid_mesh() {
        exit_reach = query_span();
        begin(NEAREST);
    } else if set_kind == HEIGHT_FIELD && is_below_ground() {
        exit_reach = lesser(query_span(), -ground_above.height);
        begin(NEAREST);
    } else if set_kind == COMPOUND {
        begin(ENCLOSE);
    } else {
        begin_round();
    }
}

fn is_below_ground() -> bool {
    ground_above = ground(query.start);
    return ground_above.found && ground_above.height <= resolution(query.start);
}
