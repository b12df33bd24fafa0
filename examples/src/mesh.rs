//! Indexed triangle meshes: the shapes that scenes collide with and pictures show.
//!
//! Lengths are in `[m]`, y points up, and a triangle's corners run counter-clockwise when seen from
//! outside.

mod ball;
mod bounds;
mod crossings;
mod load;
mod statue;
mod torus;
mod weld;

use glam::Vec3;

pub use ball::ball;
pub use bounds::Bounds;
pub use crossings::{count_crossings, count_mutual_crossings};
pub use load::{LoadError, load};
pub use statue::statue;
pub use torus::torus;

/// Vertices `[m]` and the triangles that join them.
///
/// Every index in `triangles` must be below `positions.len()`; the methods panic otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions `[m]`.
    pub positions: Vec<Vec3>,
    /// Three vertex indices per triangle, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Returns the corner positions of `triangle` `[m]`.
    pub fn corners(&self, triangle: [u32; 3]) -> [Vec3; 3] {
        triangle.map(|index| self.positions[index as usize])
    }

    /// Returns the unit vertex normals `[1]`, each the area-weighted mean over the triangles around its vertex.
    ///
    /// A vertex without any area around it gets `Vec3::Y`.
    pub fn normals(&self) -> Vec<Vec3> {
        let mut sums = vec![Vec3::ZERO; self.positions.len()];
        for &triangle in &self.triangles {
            let [a, b, c] = self.corners(triangle);
            let twice_area = (b - a).cross(c - a);
            for index in triangle {
                sums[index as usize] += twice_area;
            }
        }
        sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y)).collect()
    }

    /// Returns the smallest axis-aligned box `[m]` around all vertices, empty for a mesh without vertices.
    pub fn bounds(&self) -> Bounds {
        Bounds::from_points(&self.positions)
    }

    /// Scales uniformly and translates, so that the mesh is `height_m` `[m]` tall, stands on y = 0
    /// and is centred in x and z.
    ///
    /// A mesh without height is only translated.
    pub fn fit(mut self, height_m: f32) -> Self {
        let bounds = self.bounds();
        if bounds.is_empty() {
            return self;
        }
        let height = bounds.size().y;
        let scale = if height > 0.0 { height_m / height } else { 1.0 };
        let center = bounds.center();
        let foot = Vec3::new(center.x, bounds.min.y, center.z);
        for position in &mut self.positions {
            *position = (*position - foot) * scale;
        }
        self
    }

    /// Returns whether every edge is shared by exactly two triangles that run along it in opposite
    /// directions. A mesh without triangles is not closed.
    pub fn is_closed(&self) -> bool {
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        edges.sort_unstable();
        let distinct = edges.windows(2).all(|pair| pair[0] != pair[1]);
        let paired = edges.iter().all(|&[from, to]| edges.binary_search(&[to, from]).is_ok());
        !edges.is_empty() && distinct && paired
    }

    /// Returns the enclosed volume `[m³]`, positive where the triangles face outward.
    ///
    /// Meaningful only for a closed mesh. It is the divergence theorem on the field x / 3: each
    /// triangle adds a · (b × c) / 6.
    pub fn signed_volume(&self) -> f32 {
        let origin = self.bounds().center();
        let six_volumes: f64 = self
            .triangles
            .iter()
            .map(|&triangle| {
                let [a, b, c] = self.corners(triangle).map(|p| (p - origin).as_dvec3());
                a.dot(b.cross(c))
            })
            .sum();
        (six_volumes / 6.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the unit tetrahedron: volume 1/6.
    fn tetrahedron() -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn tetrahedron_is_closed_with_volume_one_sixth() {
        let mesh = tetrahedron();
        assert!(mesh.is_closed());
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-6);
    }

    #[test]
    fn a_missing_or_flipped_triangle_opens_the_mesh() {
        let mut holed = tetrahedron();
        holed.triangles.pop();
        assert!(!holed.is_closed());
        let mut flipped = tetrahedron();
        flipped.triangles[3] = [2, 1, 3];
        assert!(!flipped.is_closed());
    }

    #[test]
    fn normals_are_weighted_by_area() {
        let mesh = tetrahedron();
        let slanted = mesh.normals()[1];
        let expected = Vec3::new(1.0, 1.0 - 1.0, 1.0 - 1.0);
        assert!(slanted.distance(expected) < 1e-6, "{slanted}");
        assert!(mesh.normals().iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
    }

    #[test]
    fn fit_stands_on_the_ground_centred() {
        let bounds = tetrahedron().fit(2.5).bounds();
        assert!((bounds.size().y - 2.5).abs() < 1e-6);
        assert!(bounds.min.y.abs() < 1e-6);
        assert!(bounds.center().x.abs() < 1e-6 && bounds.center().z.abs() < 1e-6);
    }

    #[test]
    fn queries_of_an_empty_mesh_do_not_panic() {
        let mesh = Mesh::default();
        assert!(mesh.normals().is_empty());
        assert!(mesh.bounds().is_empty());
        assert!(!mesh.is_closed());
        assert_eq!(mesh.signed_volume(), 0.0);
        assert_eq!(mesh.clone().fit(1.0), mesh);
    }
}
