// Twin of `general.rs` and of the parts of `compound.rs`: the piece at hand, which is a triangle of
// a mesh or of a height field, a part of a compound, or the whole shape.

/// Its place among the pieces; the order of places is the order of visits.
var<private> piece: u32;
var<private> piece_kind: u32;
/// Header of its shape, unless it is a triangle of a mesh or of a height field.
var<private> piece_shape: u32;
var<private> piece_triangle: Triangle;
/// The feature of the triangle with the nearest point.
var<private> piece_feature: u32;
var<private> piece_posed: bool;
var<private> piece_rotation: vec4f;
var<private> piece_translation: vec3f;

fn select_shape(shape: u32) {
    piece_shape = shape;
    piece_kind = geometry[shape];
    if piece_kind == TRIANGLE {
        let at = shape + HEADER_WORDS;
        piece_triangle = Triangle(vector(at), vector(at + 3u), vector(at + 6u));
    }
}

fn thin() -> bool {
    return piece_kind == TRIANGLE && !is_round();
}

fn is_round() -> bool {
    return !of_surface() && geometry[piece_shape + 1u] != 0u;
}

fn near(x: vec3f) -> Nearest {
    var p = x;
    if piece_posed {
        p = rotate(conjugate(piece_rotation), x - piece_translation);
    }
    var found = near_shape(p);
    if is_round() {
        let border = number(piece_shape + 2u);
        found = Nearest(found.point + found.normal * border, found.normal, found.distance - border);
    }
    if piece_posed {
        let point = rotate(piece_rotation, found.point) + piece_translation;
        found = Nearest(point, rotate(piece_rotation, found.normal), found.distance);
    }
    return found;
}

fn near_shape(x: vec3f) -> Nearest {
    let at = piece_shape + HEADER_WORDS;
    switch piece_kind {
        case BALL: { return ball_near(at, x); }
        case CAPSULE: { return capsule_near(at, x); }
        case CUBOID: { return cuboid_near(at, x); }
        case CYLINDER: { return cylinder_near(at, x); }
        case CONE: { return cone_near(at, x); }
        case HALF_SPACE: { return half_space_near(at, x); }
        case HULL: { return hull_near(at, x); }
        default: {
            let found = triangle_near(piece_triangle, x);
            piece_feature = found.feature;
            return found.nearest;
        }
    }
}

/// Returns whether no part of the piece rises more than the slack above the plane.
fn behind(point: vec3f, normal: vec3f, slack: f32) -> bool {
    if of_surface() {
        let t = piece_triangle;
        let a = dot3(normal, t.a - point);
        let b = dot3(normal, t.b - point);
        return greater(greater(a, b), dot3(normal, t.c - point)) <= slack;
    }
    if !piece_posed {
        return true;
    }
    let inverse = conjugate(piece_rotation);
    let p = rotate(inverse, point - piece_translation);
    let n = rotate(inverse, normal);
    if piece_kind == HALF_SPACE {
        let aligned = dot3(n, vector(piece_shape + HEADER_WORDS)) > 1.0 - 1e-6;
        return aligned && dot3(n, -p) <= slack;
    }
    if piece_kind == HULL && !is_round() {
        return hull_behind(piece_shape + HEADER_WORDS, p, n, slack);
    }
    return dot3(n, support(n) - p) <= slack;
}
