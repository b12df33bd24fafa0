//! What differs from place to place in a cloth: the direction of its threads, and its stiffness.

use glam::{Vec2, Vec3};

use super::{Cloth, ClothError};
use crate::mesh::Mesh;

/// Where the warp of woven cloth runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum WarpDirection {
    /// Along the part of this vector in each triangle.
    Along(Vec3),
    /// Along growing u of these coordinates, one pair a vertex.
    Texture(Vec<Vec2>),
}

impl Cloth {
    /// The direction in which the warp of [`Stretch::Woven`](super::Stretch::Woven) runs in the rest shape; x if
    /// nothing is said. In each triangle it is the part of this vector in its plane.
    #[must_use]
    pub fn warp_along(mut self, direction: Vec3) -> Self {
        self.warp = WarpDirection::Along(direction);
        self
    }

    /// Lets the warp run along growing u of texture coordinates, one pair a vertex.
    #[must_use]
    pub fn warp_from_texture(mut self, coordinates: &[Vec2]) -> Self {
        self.warp = WarpDirection::Texture(coordinates.to_vec());
        self
    }

    /// Multiplies the stiffness of stretch and bending by a factor \[1\] for each vertex, of its index and
    /// its position \[m\] as the calls before this one have placed it. A constraint takes the mean of its
    /// vertices; what is rigid stays rigid.
    #[must_use]
    pub fn stiffness_map(mut self, factor: impl Fn(u32, Vec3) -> f32) -> Self {
        let placed = self.rest.iter().zip(0..).map(|(&x, index)| factor(index, x + self.offset));
        self.stiffness_factors = placed.collect();
        self
    }

    pub(super) fn check_fabric(&self) -> Result<(), ClothError> {
        let vertices = self.rest.len();
        let wrong = |factor: &f32| !(*factor > 0.0 && factor.is_finite());
        if let Some(vertex) = self.stiffness_factors.iter().position(wrong) {
            return Err(ClothError::StiffnessFactor { vertex: vertex as u32, factor: self.stiffness_factors[vertex] });
        }
        match &self.warp {
            WarpDirection::Texture(coordinates) if coordinates.len() != vertices => {
                Err(ClothError::TextureCoordinates { coordinates: coordinates.len(), vertices })
            }
            _ => Ok(()),
        }
    }

    /// Returns the direction of the warp in a triangle; 0 where the texture has none.
    pub(super) fn warp_of(&self, mesh: &Mesh, triangle: [u32; 3]) -> Vec3 {
        let coordinates = match &self.warp {
            WarpDirection::Along(direction) => return *direction,
            WarpDirection::Texture(coordinates) => triangle.map(|vertex| coordinates[vertex as usize]),
        };
        let [x0, x1, x2] = mesh.at(triangle);
        let (u1, u2) = (coordinates[1] - coordinates[0], coordinates[2] - coordinates[0]);
        let area = u1.perp_dot(u2);
        if area == 0.0 { Vec3::ZERO } else { ((x1 - x0) * u2.y - (x2 - x0) * u1.y) * area.signum() }
    }

    /// Divides compliances by the factors of these vertices.
    pub(super) fn apply_stiffness_map<const N: usize>(&self, vertices: &[[u32; N]], compliances: &mut [f32]) {
        if self.stiffness_factors.is_empty() {
            return;
        }
        for (compliance, vertices) in compliances.iter_mut().zip(vertices) {
            let sum: f32 = vertices.iter().map(|&vertex| self.stiffness_factors[vertex as usize]).sum();
            *compliance /= sum / N as f32;
        }
    }
}
