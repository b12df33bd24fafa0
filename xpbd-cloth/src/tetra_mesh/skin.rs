//! A surface that follows a body of tetrahedra.

mod locate;

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::TetraMesh;
use crate::mesh::Mesh;
use locate::TetraLocator;

/// An error of a skin.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum SkinError {
    /// A list has another length than the vertices of the skin, or of the body to which it is bound.
    #[error("there are {found} positions for {expected} vertices; give one per vertex")]
    Length {
        /// Number of positions given.
        found: usize,
        /// Number of vertices of the skin.
        expected: usize,
    },
}

/// A triangle mesh whose vertices are each in a tetrahedron of a body, or beside the nearest: they keep their
/// barycentric coordinates in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// The tetrahedron's vertices, for each vertex.
    bonds: Vec<[u32; 4]>,
    /// Barycentric coordinates, for each vertex; they sum to 1.
    weights: Vec<[f32; 4]>,
    triangles: Vec<[u32; 3]>,
    vertices: usize,
}

impl Skin {
    /// Binds a surface to a body, both at rest.
    pub fn bind(body: &TetraMesh, surface: &Mesh) -> Self {
        let finder = TetraLocator::new(body);
        let bound = surface.positions().iter().map(|&vertex| finder.find(vertex.as_dvec3()));
        let (bonds, weights) = bound.map(|(t, w)| (body.tetrahedra()[t], weights(w))).unzip();
        let (triangles, vertices) = (surface.triangles().to_vec(), body.positions().len());
        Self { bonds, weights, triangles, vertices }
    }

    /// Returns the triangles, those of the surface.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns for each vertex the vertices of the body that it follows and its weights, which sum to 1.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = ([u32; 4], [f32; 4])> + '_ {
        self.bonds.iter().copied().zip(self.weights.iter().copied())
    }

    /// Returns the positions \[m\] of the vertices for positions `body` \[m\] of those of the body.
    ///
    /// # Errors
    /// The body has another number of vertices.
    pub fn positions(&self, body: &[Vec3]) -> Result<Vec<Vec3>, SkinError> {
        if body.len() != self.vertices {
            return Err(SkinError::Length { found: body.len(), expected: self.vertices });
        }
        let place = |(bonds, weights): ([u32; 4], [f32; 4])| {
            let [first, others @ ..] = bonds.map(|vertex| body[vertex as usize]);
            // From the first one: exact far from the origin.
            others.iter().zip(&weights[1..]).fold(first, |sum, (x, weight)| sum + (*x - first) * *weight)
        };
        Ok(self.bindings().map(place).collect())
    }

    /// Returns the unit normals of the vertices at these positions \[m\], those of the triangles around each weighed by
    /// area; zero where these have none.
    ///
    /// # Errors
    /// Another number of positions than the skin has vertices.
    pub fn normals(&self, positions: &[Vec3]) -> Result<Vec<Vec3>, SkinError> {
        if positions.len() != self.bonds.len() {
            return Err(SkinError::Length { found: positions.len(), expected: self.bonds.len() });
        }
        let mut sums = vec![Vec3::ZERO; positions.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
            let twice_area = (b - a).cross(c - a);
            triangle.iter().for_each(|&vertex| sums[vertex as usize] += twice_area);
        }
        Ok(sums.into_iter().map(Vec3::normalize_or_zero).collect())
    }
}

/// Returns weights that sum to 1 after rounding, as far as possible.
fn weights(exact: [f64; 4]) -> [f32; 4] {
    let [_, b, c, d] = exact.map(|weight| weight as f32);
    [(1.0 - f64::from(b) - f64::from(c) - f64::from(d)) as f32, b, c, d]
}

/// Returns the barycentric coordinates of a point in a tetrahedron.
fn coordinates([a, b, c, d]: [DVec3; 4], point: DVec3) -> [f64; 4] {
    let (e1, e2, e3, x) = (b - a, c - a, d - a, point - a);
    let six = e1.dot(e2.cross(e3));
    let [u, v, w] = [x.dot(e2.cross(e3)), x.dot(e3.cross(e1)), x.dot(e1.cross(e2))].map(|part| part / six);
    [1.0 - u - v - w, u, v, w]
}
