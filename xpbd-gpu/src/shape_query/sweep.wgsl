// Twin of `sweep.rs`: the rounds that find the planes of a path against the pieces of a shape.

var<private> plane_points: array<vec3f, 4>;
var<private> plane_normals: array<vec3f, 4>;
var<private> plane_count: u32;

/// The rest of the path, in a round up to the first hit.
var<private> path: Path;
var<private> path_rest: f32;
/// Places the particle passes: the start and the impacts so far.
var<private> corners: array<vec3f, 5>;
var<private> corner_count: u32;
/// Pieces hit since the pieces were gathered.
var<private> hits: array<u32, 4>;
var<private> hit_count: u32;
/// Planes at the beginning of the round.
var<private> round_planes: u32;
/// The first piece hit.
var<private> hit: Hit;
/// The plane that is judged: of the piece hit, or of one that is passed.
var<private> plane: Nearest;

struct Hit {
    found: bool,
    s: f32,
    place: u32,
    nearest: Nearest,
}

/// Adds a plane if it is finite; says whether it was.
fn push_plane(point: vec3f, normal: vec3f) -> bool {
    if !is_finite3(point) || !is_finite3(normal) {
        return false;
    }
    plane_points[plane_count] = point;
    plane_normals[plane_count] = normal;
    plane_count += 1u;
    return true;
}

fn contact_distance() -> f32 {
    return select(query.radius - query_depth(), query.radius, corner_count == 1u);
}

fn begin_round() {
    path_rest = path.length;
    hit = Hit();
    passed_count = 0u;
    overflowed = false;
    resumed = false;
    round_planes = plane_count;
    begin(SWEEP);
}

fn sweep_visit() -> Visit {
    return Visit(false, true, vec3f(), 0.0, path, Reach(contact_distance(), query_limit()));
}

/// Keeps the first impact; without one, the pieces that are passed.
fn take_approach(found: Approach) {
    let nearest = found.nearest;
    if found.outcome == MISS {
        keep_passed(nearest);
        return;
    }
    let deeper = found.s == hit.s && nearest.distance < hit.nearest.distance;
    if !hit.found || found.s < hit.s || deeper {
        path.length = found.s;
        hit = Hit(true, found.s, piece, nearest);
    }
}

/// Returns whether a piece was not hit yet and none of the planes keeps the particle from all of it.
fn is_open(planes: u32) -> bool {
    for (var i = 0u; i < hit_count; i++) {
        if hits[i] == piece {
            return false;
        }
    }
    for (var i = 0u; i < planes; i++) {
        if behind(plane_points[i], plane_normals[i], query_slack(plane_points[i])) {
            return false;
        }
    }
    return true;
}

fn end_sweep() {
    path.length = path_rest;
    if hit.found {
        plane = hit.nearest;
        begin(ADMIT);
    } else {
        candidate = 0u;
        begin_candidate();
    }
}

/// Moves to the next position of the particle that is below the plane: only where the piece itself is in
/// reach may it be.
fn next_corner() -> bool {
    let contact = query.radius - query_depth();
    if hit.found {
        piece = hit.place;
    } else {
        piece = passed_pieces[candidate];
    }
    while index < corner_count {
        let height = dot3(plane.normal, corners[index] - plane.point);
        index += 1u;
        if !(height >= contact - query_depth()) {
            return true;
        }
    }
    return false;
}

fn admit_visit() -> Visit {
    return probe(corners[index - 1u], query.radius - query_depth());
}

fn take_admission(found: Approach) {
    if found.outcome == FAR_OFF || !(found.nearest.distance < query.radius - query_depth()) {
        begin(REFUSED);
    }
}

/// Adds the plane, and goes on behind it if it is that of a hit.
fn accept() {
    let pushed = push_plane(plane.point, plane.normal);
    if mode == LED_OUT {
        begin(DONE);
    } else if hit.found && pushed && plane_count < MAX_CONTACT_PLANES {
        advance();
        begin_round();
    } else {
        begin(REFUSED);
    }
}

/// Continues from an impact along the planes found.
fn advance() {
    let impact = path_at(path, hit.s);
    let end = path_end(path);
    let rest = new_path(clear(impact), clear(end));
    let moved = length3(impact - rest.start) + length3(end - path_end(rest));
    corners[corner_count] = impact;
    corner_count += 1u;
    hits[hit_count] = hit.place;
    hit_count += 1u;
    if moved > query.margin && set_kind >= MESH {
        gather(rest, query_limit());
        hit_count = 0u;
    }
    path = rest;
}

/// Returns a point moved onto the planes that it is below by the radius.
fn clear(point: vec3f) -> vec3f {
    var x = point;
    for (var k = 0u; k < 4u; k++) {
        for (var i = 0u; i < plane_count; i++) {
            let height = dot3(plane_normals[i], x - plane_points[i]);
            x += plane_normals[i] * greater(query.radius - height, 0.0);
        }
    }
    return x;
}
