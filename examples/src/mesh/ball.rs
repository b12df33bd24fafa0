//! A ball: an icosahedron whose triangles are divided into four repeatedly.

use std::collections::HashMap;

use glam::Vec3;

use super::Mesh;

/// (1 + √5)/2.
const GOLDEN: f32 = 1.618_034;

/// Returns a ball of a radius \[m\] about the origin, facing outwards, of 20 · 4ᵏ triangles.
pub fn ball(radius: f32, quarterings: u32) -> Mesh {
    let (mut positions, mut triangles) = icosahedron();
    for _ in 0..quarterings {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                positions.push((positions[a as usize] + positions[b as usize]).normalize());
                positions.len() as u32 - 1
            })
        };
        let quarters = |[a, b, c]: [u32; 3]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(quarters).collect();
    }
    positions.iter_mut().for_each(|x| *x *= radius);
    Mesh { positions, triangles }
}

/// Returns the corners of three golden rectangles, on the unit ball.
fn icosahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    for (a, b) in [(1.0, GOLDEN), (-1.0, GOLDEN), (1.0, -GOLDEN), (-1.0, -GOLDEN)] {
        positions.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)].map(Vec3::normalize));
    }
    let edge = |a: u32, b: u32| positions[a as usize].distance(positions[b as usize]) < 1.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in (b + 1..12).filter(|&c| edge(a, b) && edge(b, c) && edge(c, a)) {
                let [p, q, r] = [a, b, c].map(|k| positions[k as usize]);
                let faces_outwards = (q - p).cross(r - p).dot(p) > 0.0;
                triangles.push(if faces_outwards { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    (positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_is_closed_and_has_nearly_the_volume_of_a_sphere() {
        let mesh = ball(0.5, 3);
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (642, 1280));
        let closed = xpbd_cloth::Mesh::from_triangles(&mesh.positions, &mesh.triangles).unwrap();
        assert_eq!(closed.boundary().count(), 0);
        let sphere = std::f64::consts::PI / 6.0;
        assert!((0.98..1.0).contains(&(closed.volume() / sphere)), "{}", closed.volume());
    }
}
