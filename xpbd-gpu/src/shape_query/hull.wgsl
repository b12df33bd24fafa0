// Twin of `hull.rs`: signed distance and nearest point of a convex polyhedron by its face planes.
//
// Numbers of a hull: faces, points, then for each face its normal, the place of its first corner
// and how many there are, then the points. Corners are stored by position.

fn hull_height(row: u32, x: vec3f) -> f32 {
    return dot3(vector(row), x - vector(geometry[row + 3u]));
}

/// The greatest height above a face plane and the row of that face.
struct Highest {
    row: u32,
    height: f32,
}

fn hull_highest(at: u32, x: vec3f) -> Highest {
    let rows = at + 2u;
    var best = Highest(rows, hull_height(rows, x));
    for (var i = 1u; i < geometry[at]; i++) {
        let row = rows + i * HULL_FACE_WORDS;
        let height = hull_height(row, x);
        if height > best.height {
            best = Highest(row, height);
        }
    }
    return best;
}

/// Nearest point of one face, as a fan of triangles.
fn polygon(row: u32, height: f32, x: vec3f) -> Nearest {
    let normal = vector(row);
    let first = geometry[row + 3u];
    let corner = vector(first);
    var best = Nearest(corner, normal, 0.0);
    for (var k = 2u; k < geometry[row + 4u]; k++) {
        let fan = Triangle(corner, vector(first + 3u * k - 3u), vector(first + 3u * k));
        let found = triangle_near(fan, x);
        if found.feature == FACE {
            return Nearest(x - normal * height, normal, height);
        }
        if k == 2u || found.nearest.distance < best.distance {
            best = found.nearest;
        }
    }
    return sharp(x, best.point, normal);
}

fn hull_near(at: u32, x: vec3f) -> Nearest {
    let highest = hull_highest(at, x);
    if highest.height <= 0.0 {
        let normal = vector(highest.row);
        return Nearest(x - normal * highest.height, normal, highest.height);
    }
    var best = Nearest();
    // The highest face comes first, then the others in their order.
    for (var i = 0u; i <= geometry[at]; i++) {
        let row = select(at + 2u + (i - 1u) * HULL_FACE_WORDS, highest.row, i == 0u);
        let height = hull_height(row, x);
        let other = row != highest.row && height > 0.0 && height < best.distance;
        if i == 0u || other {
            let found = polygon(row, height, x);
            if i == 0u || found.distance < best.distance {
                best = found;
            }
        }
    }
    return best;
}
