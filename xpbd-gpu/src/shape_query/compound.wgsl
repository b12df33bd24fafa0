// Twin of `compound.rs`: the parts near a path, and the way out of the union of the parts.
//
// Words of a compound: kind, nodes, their place, place of the parts, and a distance that leads from
// any point of the compound out of it. Words of a part: its shape, rotation, translation.

fn select_part() {
    let at = geometry[set_shape + 3u] + PART_WORDS * leaf_item();
    piece_rotation = vec4f(vector(at + 1u), number(at + 4u));
    piece_translation = vector(at + 5u);
    select_shape(geometry[at]);
}

/// A feature of the compound, and how far it is along a way out.
struct Exit {
    found: bool,
    s: f32,
    place: u32,
    nearest: Nearest,
}

/// The deepest part around the start.
var<private> deepest: Exit;
/// The part whose nearest face is tried as the way out, and those already tried: the nearest faces
/// come first, of equal ones the last.
var<private> tried: Exit;
var<private> last_tried: Exit;
var<private> leads_inside: bool;
/// The present direction, how far it leads without a gap, the farthest side met from there, and the
/// shortest of the ways so far.
var<private> way: u32;
var<private> reached: Exit;
var<private> side: Exit;
var<private> shortest: Exit;

fn way_direction() -> vec3f {
    var direction = vec3f();
    direction[way / 2u] = select(1.0, -1.0, way % 2u == 1u);
    return direction;
}

fn reset_exits() {
    deepest = Exit();
    tried = Exit();
    last_tried = Exit();
    way = 0u;
    reached = Exit();
    side = Exit();
    shortest = Exit();
}

/// Queries whether the start is in a part.
fn enclose_visit() -> Visit {
    return probe(query.start, resolution(query.start));
}

fn take_enclosing(nearest: Nearest) {
    if thin() {
        return;
    }
    if !deepest.found || order(nearest.distance) < order(deepest.nearest.distance) {
        deepest = Exit(true, 0.0, piece, nearest);
    }
    let part = Exit(true, 0.0, piece, nearest);
    if (!last_tried.found || comes_after(part, last_tried)) && (!tried.found || comes_after(tried, part)) {
        tried = part;
    }
}

/// Returns whether `a` is tried later than `b`.
fn comes_after(a: Exit, b: Exit) -> bool {
    let depth = order(a.nearest.distance);
    let other = order(b.nearest.distance);
    return depth < other || (depth == other && a.place < b.place);
}

/// Queries whether the point beyond the face that is tried is in a part.
fn inside_visit() -> Visit {
    let found = tried.nearest;
    let outside = found.point + found.normal * (4.0 * resolution(found.point));
    return probe(outside, resolution(outside));
}

/// Queries where a part around the point reached ends along the direction.
fn side_visit() -> Visit {
    let x = query.start;
    let direction = way_direction();
    let back = new_path(x + direction * number(set_shape + 4u), x);
    let place = x + direction * reached.s;
    return Visit(true, true, place, 4.0 * resolution(x), back, Reach(resolution(x), FARTHEST));
}

fn take_side(visit: Visit, met: Approach) {
    let s = visit.path.length - met.s;
    if !side.found || order(s) >= order(side.s) {
        side = Exit(true, s, piece, met.nearest);
    }
}

/// Returns, after all parts were queried for the farthest side, whether another direction has to be tried.
fn goes_on() -> bool {
    let farther = side.found && (!reached.found || side.s > reached.s + resolution(query.start));
    if farther {
        reached = side;
    } else {
        if side.found && (!shortest.found || order(reached.s) < order(shortest.s)) {
            shortest = reached;
        }
        reached = Exit();
        way += 1u;
    }
    side = Exit();
    return way < 6u;
}
