// Twin of `pieces.rs`: the question, and the pieces of a shape near a path, one after the other.
//
// The CPU gathers the pieces in a list. Here nothing is stored: each round of the sweep visits
// them again, as whether a piece is open follows from the path they are gathered for, the planes
// found and the pieces hit. So no list can overflow.

/// Coordinates beyond this are as good as infinite: their squares leave `f32`.

struct Query {
    start: vec3f,
    end: vec3f,
    radius: f32,
    margin: f32,
}

var<private> query: Query;
/// The shape of the query and its kind.
var<private> set_shape: u32;
var<private> set_kind: u32;
/// The path for which pieces are gathered, and the distance from it.
var<private> set_path: Path;
var<private> set_reach: f32;
var<private> set_tube: Tube;
/// Place of the piece to look at next.
var<private> cursor: u32;

/// Stores the query, and returns whether it is valid.
fn ask(start: vec3f, end: vec3f, radius: f32, margin: f32) -> bool {
    let finite = is_finite(radius) && is_finite(margin) && is_finite3(start) && is_finite3(end);
    if !finite || !(max_element(abs(start)) <= MAX_COORDINATE) {
        return false;
    }
    let offset = end - start;
    let extent = max_element(abs(offset));
    let to = select(end, start + offset * (MAX_COORDINATE / extent), extent > MAX_COORDINATE);
    query = Query(start, to, within(radius, resolution(start), MAX_COORDINATE), within(margin, 0.0, MAX_COORDINATE));
    return true;
}

fn query_limit() -> f32 {
    return query.radius + query.margin;
}

fn query_span() -> f32 {
    return query_limit() + query.margin;
}

fn query_depth() -> f32 {
    return DEPTH * query.radius;
}

fn query_slack(point: vec3f) -> f32 {
    return SLACK * query.radius + resolution(point);
}

/// Returns whether the pieces are triangles of a mesh or of a height field.
fn of_surface() -> bool {
    return set_kind == MESH || set_kind == HEIGHT_FIELD;
}

fn gather(path: Path, reach: f32) {
    set_path = path;
    set_reach = reach;
    set_tube = new_tube(path, reach);
}

fn rewind() {
    cursor = 0u;
    if set_kind == HEIGHT_FIELD {
        rewind_cells();
    }
}

/// Moves to the next piece that may be gathered, and returns whether there is one.
fn next_place() -> bool {
    if set_kind == HEIGHT_FIELD {
        return next_cell();
    }
    if set_kind == MESH || set_kind == COMPOUND {
        return next_leaf();
    }
    piece = 0u;
    cursor += 1u;
    return cursor == 1u;
}

/// Selects the present piece, and returns whether there is one.
fn select_piece() -> bool {
    if set_kind == HEIGHT_FIELD {
        return cell_triangle();
    }
    if set_kind == MESH {
        piece_triangle = mesh_triangle(leaf_item());
    } else if set_kind == COMPOUND {
        select_part();
    }
    return true;
}

/// Returns whether the present triangle is gathered. For other pieces only their distance decides.
fn is_gathered() -> bool {
    return !of_surface() || ((set_kind == MESH || is_under_path()) && triangle_in_reach());
}

/// Returns whether a piece is near enough to the path, by its distance from the start.
fn in_reach(distance: f32) -> bool {
    return distance <= set_reach + set_path.length;
}

/// Returns whether the present triangle is near enough to the path.
fn triangle_in_reach() -> bool {
    let far = set_reach + set_path.length;
    return triangle_square(piece_triangle, set_path.start) <= far * far;
}

/// Returns whether bounds may hold a piece that shares the point of the plane that is judged.
fn holds_plane(low: vec3f, high: vec3f) -> bool {
    // Twice as far as counts as sharing, so that no rounding decides.
    let reach = query_slack(plane.point) + 2.0 * resolution(plane.point);
    return all(low <= plane.point + reach) && all(high >= plane.point - reach);
}

/// Moves to the next leaf in the tube.
fn next_leaf() -> bool {
    let nodes = geometry[set_shape + 2u];
    let count = geometry[set_shape + 1u];
    while cursor < count {
        let node = nodes + cursor * NODE_WORDS;
        let low = vector(node);
        let high = vector(node + 4u);
        if tube_meets(set_tube, low, high) && (mode != RECALL || holds_plane(low, high)) {
            piece = cursor;
            cursor += 1u;
            if geometry[node + 7u] != BRANCH {
                return true;
            }
        } else {
            cursor = geometry[node + 3u];
        }
    }
    return false;
}

/// Returns the item of the present leaf.
fn leaf_item() -> u32 {
    return geometry[geometry[set_shape + 2u] + piece * NODE_WORDS + 7u];
}
