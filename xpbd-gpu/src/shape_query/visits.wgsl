// The order and purpose of queries of pieces. The processor nests loops over pieces where
// this is one loop over visits with a mode, so that the long functions stand in one place of it.

/// For the nearest triangle, to lead a centre out of a solid.
const NEAREST = 0u;
/// Again for the nearest triangle, found deep inside.
const DEEP = 1u;
/// For the parts of a compound around the start.
const ENCLOSE = 2u;
/// For the parts around the place beyond a face.
const INSIDE = 3u;
/// For the far sides of parts along a way.
const SIDE = 4u;
/// For the first hit of the path.
const SWEEP = 5u;
/// For a nearer piece that shares the point of a plane, among all pieces, as not all are held.
const RECALL = 6u;
/// For the plane of a piece passed.
const JUDGE = 7u;
/// For the places that a plane has to leave to the particle.
const ADMIT = 8u;
/// For a nearer piece that shares the point of a plane, among the pieces held.
const SHARED = 9u;
/// Not for pieces, but to go on: a triangle of a solid mesh is found, a plane is refused or accepted,
/// or it leads out of the shape.
const SOLID = 10u;
const REFUSED = 11u;
const ACCEPTED = 12u;
const LED_OUT = 13u;
const DONE = 14u;

var<private> mode: u32;
/// True if the mode has just begun.
var<private> is_fresh: bool;
/// Visits begun in this mode, where it does not visit all pieces.
var<private> index: u32;

fn probe(point: vec3f, limit: f32) -> Visit {
    return Visit(true, false, point, limit, set_path, Reach());
}

/// Returns whether all gathered pieces are visited, one after the other, instead of chosen ones.
fn visits_all() -> bool {
    return mode != DEEP && mode < JUDGE;
}

fn begin(next: u32) {
    mode = next;
    index = 0u;
    is_fresh = true;
}

fn run_visits() {
    while seek() {
        let visit = visit_at_hand();
        let found = approach(visit, visits_all() && !of_surface());
        if found.outcome != FAR_OFF || mode == ADMIT {
            take(visit, found);
        }
    }
}

/// Moves to the next piece to query, and returns whether there is one.
fn seek() -> bool {
    while mode != DONE {
        if is_fresh && visits_all() {
            rewind();
        }
        is_fresh = false;
        if !next_visit() {
            end_visits();
        } else if select_piece() && (!visits_all() || is_gathered()) && is_wanted() {
            return true;
        }
    }
    return false;
}

/// Returns whether the planes leave a piece to be queried.
fn is_wanted() -> bool {
    if mode != SWEEP && mode != RECALL && mode != JUDGE {
        return true;
    }
    let open = is_open(select(plane_count, round_planes, mode == RECALL));
    if !open && mode == JUDGE {
        begin(REFUSED);
    }
    return open;
}

/// Moves to the next piece of the mode, and returns whether there is one.
fn next_visit() -> bool {
    switch mode {
        case DEEP: {
            index += 1u;
            piece = item.place;
            return index == 1u;
        }
        case JUDGE: { return next_judged(); }
        case ADMIT: { return next_corner(); }
        case SHARED: { return next_nearer(); }
        case SOLID, REFUSED, ACCEPTED, LED_OUT: { return false; }
        default: { return next_place(); }
    }
}

fn visit_at_hand() -> Visit {
    switch mode {
        case ENCLOSE: { return enclose_visit(); }
        case INSIDE: { return inside_visit(); }
        case SIDE: { return side_visit(); }
        case SWEEP, JUDGE: { return sweep_visit(); }
        case RECALL: { return recall_visit(); }
        case SHARED: { return shared_visit(); }
        case ADMIT: { return admit_visit(); }
        default: { return probe(query.start, exit_reach); }
    }
}

fn take(visit: Visit, found: Approach) {
    switch mode {
        case ENCLOSE: { take_enclosing(found.nearest); }
        case INSIDE: { leads_inside = leads_inside || !thin(); }
        case SIDE: {
            if found.outcome == HIT {
                take_side(visit, found);
            }
        }
        case SWEEP: { take_approach(found); }
        case RECALL: { take_recalled(found); }
        case JUDGE: {
            judged = true;
            plane = found.nearest;
        }
        case ADMIT: { take_admission(found); }
        case SHARED: { begin(REFUSED); }
        default: { take_nearest(found.nearest); }
    }
}

fn end_visits() {
    switch mode {
        case NEAREST: { end_nearest(); }
        case DEEP: { begin(SOLID); }
        case ENCLOSE: { end_enclose(); }
        case INSIDE: { end_inside(); }
        case SIDE: { end_side(); }
        case SWEEP: { end_sweep(); }
        case JUDGE: { begin(select(REFUSED, ADMIT, judged)); }
        case ADMIT: { begin(select(SHARED, ACCEPTED, hit.found)); }
        case SHARED: { begin(select(ACCEPTED, RECALL, resumed)); }
        case RECALL: { begin(ACCEPTED); }
        case SOLID: { end_solid(); }
        case REFUSED: { refuse(); }
        default: { accept(); }
    }
}

fn end_nearest() {
    if set_kind == HEIGHT_FIELD {
        plane = ground_exit();
        begin(LED_OUT);
    } else if item.found {
        begin(SOLID);
    } else if inside_mesh(query.start) {
        item.place = deepest_place(query.start);
        exit_reach = FARTHEST;
        begin(DEEP);
    } else {
        begin_round();
    }
}

fn end_solid() {
    if leave_mesh() {
        begin(LED_OUT);
    } else {
        begin_round();
    }
}

fn end_enclose() {
    if tried.found {
        leads_inside = false;
        begin(INSIDE);
    } else if deepest.found {
        begin(SIDE);
    } else {
        begin_round();
    }
}

fn end_inside() {
    if leads_inside {
        last_tried = tried;
        tried = Exit();
        begin(ENCLOSE);
    } else {
        plane = tried.nearest;
        begin(LED_OUT);
    }
}

/// Tries another direction, or else leaves by the shortest one, or by the nearest face of the deepest part.
fn end_side() {
    if goes_on() {
        begin(SIDE);
        return;
    }
    plane = deepest.nearest;
    if shortest.found {
        plane = shortest.nearest;
    }
    begin(LED_OUT);
}
