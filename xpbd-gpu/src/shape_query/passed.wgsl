// Second part of the twin of `sweep.rs`: separating planes of the pieces passed, nearest first.

/// Pieces passed that are held at a time, the nearest. Those beyond are found again once these are
/// done with.
const MAX_PASSED = 16u;

/// Pieces that the path passes within the margin, nearest first, and their distances by `order`.
var<private> passed_pieces: array<u32, MAX_PASSED>;
var<private> passed_distances: array<i32, MAX_PASSED>;
var<private> passed_count: u32;
/// True if there are more of them.
var<private> overflowed: bool;
/// The last piece that is finished, if others were held before.
var<private> resumed: bool;
var<private> last_distance: i32;
var<private> last_piece: u32;
/// The one that is judged, and whether it has a plane.
var<private> candidate: u32;
var<private> judged: bool;

/// Returns whether the present piece, at a distance, comes before another.
fn comes_before(distance: i32, other: i32, other_piece: u32) -> bool {
    return distance < other || (distance == other && piece < other_piece);
}

/// Sorts a piece into those passed. The farthest is left for later when there are too many.
fn keep_passed(nearest: Nearest) {
    let distance = order(nearest.distance);
    if resumed && (piece == last_piece || comes_before(distance, last_distance, last_piece)) {
        return;
    }
    var carried = piece;
    var carried_distance = distance;
    var shifts = false;
    for (var i = 0u; i < MAX_PASSED; i++) {
        let held = passed_pieces[i];
        let held_distance = passed_distances[i];
        shifts = shifts || i >= passed_count || distance < held_distance;
        if shifts {
            passed_pieces[i] = carried;
            passed_distances[i] = carried_distance;
            carried = held;
            carried_distance = held_distance;
        }
    }
    overflowed = overflowed || passed_count == MAX_PASSED;
    passed_count = min(passed_count + 1u, MAX_PASSED);
}

fn begin_candidate() {
    if plane_count == MAX_CONTACT_PLANES {
        begin(DONE);
    } else if candidate < passed_count {
        judged = false;
        begin(JUDGE);
    } else if overflowed {
        resume();
    } else {
        begin(DONE);
    }
}

/// Looks for the pieces passed after those that were held.
fn resume() {
    resumed = true;
    last_distance = passed_distances[MAX_PASSED - 1u];
    last_piece = passed_pieces[MAX_PASSED - 1u];
    overflowed = false;
    passed_count = 0u;
    begin(SWEEP);
}

/// Queries a piece that is no longer held for the point at which it is passed.
fn recall_visit() -> Visit {
    var visit = shared_visit();
    visit.moves = true;
    visit.path = path;
    visit.reach = Reach(contact_distance(), query_limit());
    return visit;
}

fn take_recalled(found: Approach) {
    if comes_before(order(found.nearest.distance), order(plane.distance), passed_pieces[candidate]) {
        begin(REFUSED);
    }
}

/// Continues after a piece that is passed.
fn refuse() {
    if hit.found {
        begin(DONE);
        return;
    }
    candidate += 1u;
    begin_candidate();
}

fn next_judged() -> bool {
    index += 1u;
    piece = passed_pieces[candidate];
    return index == 1u;
}

/// Moves through the nearer pieces, the last first.
fn next_nearer() -> bool {
    index += 1u;
    piece = passed_pieces[candidate - min(index, candidate)];
    return index <= candidate;
}

fn shared_visit() -> Visit {
    return probe(plane.point, 0.5 * query_slack(plane.point) + resolution(plane.point));
}
