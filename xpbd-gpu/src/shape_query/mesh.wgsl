// Twin of `mesh.rs`: the triangles near a path, and the way out of a closed mesh.
//
// Words of a mesh: kind, nodes, their place, place of the vertices, place of the corners, place of
// the pseudo-normals of the vertices (zero for an open mesh), that of the edges, bounds.

fn mesh_triangle(id: u32) -> Triangle {
    let vertices = geometry[set_shape + 3u];
    let corners = geometry[set_shape + 4u] + 3u * id;
    return Triangle(
        vector(vertices + 3u * geometry[corners]),
        vector(vertices + 3u * geometry[corners + 1u]),
        vector(vertices + 3u * geometry[corners + 2u]),
    );
}

/// A triangle near the start of the path.
struct Item {
    found: bool,
    place: u32,
    triangle: Triangle,
    nearest: Nearest,
    feature: u32,
}

/// The first of the triangles nearest to the start of the path.
var<private> item: Item;
/// Distance up to which it is sought.
var<private> exit_reach: f32;
/// The greatest finite number, by a decimal that is not above it.
const FARTHEST = 3.4028234e38;

fn take_nearest(nearest: Nearest) {
    if !item.found || order(nearest.distance) < order(item.nearest.distance) {
        item = Item(true, piece, piece_triangle, nearest, piece_feature);
    }
}

/// Returns the leaf of the triangle nearest to a point far from all of them, of equal ones the lowest.
fn deepest_place(x: vec3f) -> u32 {
    let nodes = geometry[set_shape + 2u];
    var best = 0u;
    var place = 0u;
    var least = FARTHEST;
    var i = 0u;
    while i < geometry[set_shape + 1u] {
        let node = nodes + i * NODE_WORDS;
        let offset = x - lesser3(greater3(x, vector(node)), vector(node + 4u));
        let id = geometry[node + 7u];
        if !(dot3(offset, offset) * PRUNING <= least) {
            i = geometry[node + 3u];
            continue;
        }
        if id != BRANCH {
            let square = triangle_square(mesh_triangle(id), x);
            if square < least || (square == least && id < best) {
                least = square;
                best = id;
                place = i;
            }
        }
        i += 1u;
    }
    return place;
}

/// Less than one by more than the rounding of the distance to a triangle.

/// Leads a point inside a closed mesh out by its nearest triangle; says whether it was inside.
fn leave_mesh() -> bool {
    piece = item.place;
    let t = item.triangle;
    let outward = pseudo_normal(leaf_item(), t, item.feature);
    var normal = -item.nearest.normal;
    if item.nearest.distance <= resolution(query.start) {
        let scaled = scaled_normal(t);
        let r = reciprocal(length3(outward));
        let flat = reciprocal(length3(scaled));
        if r == 0.0 && flat == 0.0 {
            return false;
        }
        normal = select(outward * r, scaled * flat, r == 0.0);
    } else if !(dot3(item.nearest.normal, outward) < 0.0) {
        return false;
    }
    plane = Nearest(item.nearest.point, normal, item.nearest.distance);
    return true;
}

fn is_solid_mesh() -> bool {
    return set_kind == MESH && geometry[set_shape + 5u] != 0u;
}

/// Bærentzen, Aanæs: Signed Distance Computation Using the Angle Weighted Pseudonormal, 2005.
fn pseudo_normal(id: u32, t: Triangle, feature: u32) -> vec3f {
    if feature == FACE {
        return scaled_normal(t);
    }
    if feature < VERTEX {
        return vector(geometry[set_shape + 6u] + 9u * id + 3u * (feature - EDGE));
    }
    let vertex = geometry[geometry[set_shape + 4u] + 3u * id + (feature - VERTEX)];
    return vector(geometry[set_shape + 5u] + 3u * vertex);
}
