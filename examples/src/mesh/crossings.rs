//! The number of intersections between triangles: every edge with every triangle, in double precision.

use glam::{DVec3, Vec3};

use super::Mesh;

/// Returns how many edges run through how many triangles that they share no vertex with.
///
/// An edge runs through a triangle if its ends are on two sides of the plane, and the lines from one of
/// them to the corners have it between them: five signs of volumes.
pub fn count_crossings(positions: &[Vec3], triangles: &[[u32; 3]]) -> usize {
    let shares = |edge: [u32; 2], triangle: [u32; 3]| triangle.iter().any(|corner| edge.contains(corner));
    count((positions, triangles), (positions, triangles), shares)
}

/// Returns how many edges of each of two meshes run through how many triangles of the other.
pub fn count_mutual_crossings(a: &Mesh, b: &Mesh) -> usize {
    let [a, b] = [a, b].map(|mesh| (mesh.positions.as_slice(), mesh.triangles.as_slice()));
    count(a, b, |_, _| false) + count(b, a, |_, _| false)
}

/// Returns how many edges of the first triangles run through how many of the second, but for pairs to be left out.
fn count(
    (ends, of): (&[Vec3], &[[u32; 3]]),
    (corners, triangles): (&[Vec3], &[[u32; 3]]),
    is_left_out: impl Fn([u32; 2], [u32; 3]) -> bool,
) -> usize {
    let end = |k: u32| ends[k as usize].as_dvec3();
    let corner = |k: u32| corners[k as usize].as_dvec3();
    let mut edges: Vec<[u32; 2]> =
        of.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])).collect();
    edges.sort_unstable();
    edges.dedup();
    let spans = |x: &[f64]| [x.iter().copied().fold(f64::MAX, f64::min), x.iter().copied().fold(f64::MIN, f64::max)];
    let mut sorted: Vec<([f64; 2], [u32; 3])> =
        triangles.iter().map(|&t| (spans(&t.map(|k| corner(k).x)), t)).collect();
    sorted.sort_unstable_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    let widest = sorted.iter().map(|(span, _)| span[1] - span[0]).fold(0.0, f64::max);
    let mut count = 0;
    for edge in edges {
        let [low, high] = spans(&edge.map(|k| end(k).x));
        let first = sorted.partition_point(|(span, _)| span[0] < low - widest);
        for &(_, triangle) in sorted[first..].iter().take_while(|(span, _)| span[0] <= high) {
            let runs = !is_left_out(edge, triangle) && runs_through(edge.map(end), triangle.map(corner));
            count += usize::from(runs);
        }
    }
    count
}

/// Returns the six times the signed volume of a tetrahedron.
fn volume(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

fn runs_through([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (above, below) = (volume(a, b, c, p), volume(a, b, c, q));
    if above * below >= 0.0 {
        return false;
    }
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    around.iter().all(|&v| v > 0.0) || around.iter().all(|&v| v < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_triangles_are_counted_and_near_ones_are_not() {
        let floor = [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, -1.0), Vec3::new(0.0, 0.0, 1.0)];
        let at = |low: f32, aside: f32| {
            let blade =
                [Vec3::new(aside, low, 0.0), Vec3::new(aside + 0.1, low + 1.0, 0.0), Vec3::new(aside, low + 1.0, 0.2)];
            let [one, other] = [floor, blade].map(|x| Mesh { positions: x.to_vec(), triangles: vec![[0, 1, 2]] });
            let count = count_crossings(&[floor, blade].concat(), &[[0, 1, 2], [3, 4, 5]]);
            assert_eq!([count_mutual_crossings(&one, &other), count_mutual_crossings(&other, &one)], [count; 2]);
            count
        };
        // Two edges of the blade run through the floor, none of the floor through it.
        assert_eq!([at(-0.5, 0.0), at(0.1, 0.0), at(-1.5, 0.0), at(-0.5, 2.0)], [2, 0, 0, 0]);
        // At the rim an edge of the floor runs through the blade, and one of the blade through the floor.
        let blade = floor.map(|x| Vec3::new(x.y, x.x + 0.1, x.z - 1.5));
        assert_eq!(count_crossings(&[floor, blade].concat(), &[[0, 1, 2], [3, 4, 5]]), 2);
    }
}
