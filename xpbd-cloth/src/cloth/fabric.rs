//! Properties that differ from place to place in a cloth: the direction of its threads, and its stiffness.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::{Cloth, ClothError};
use crate::mesh::Mesh;

/// The direction in which the warp of woven cloth runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum WarpDirection {
    /// Along the part of this vector in the plane of each triangle, in the frame of the rest shape.
    Along(Vec3),
    /// Along growing u of these texture coordinates, one pair per vertex.
    Texture(Vec<Vec2>),
}

/// A warp along x.
impl Default for WarpDirection {
    fn default() -> Self {
        Self::Along(Vec3::X)
    }
}

impl Cloth {
    /// Lets the warp of [`Stretch::Woven`](super::Stretch::Woven) run along the part of a vector in the plane of each
    /// triangle, in the frame of the rest shape.
    #[must_use]
    pub fn warp_along(mut self, direction: Vec3) -> Self {
        self.warp = WarpDirection::Along(direction);
        self
    }

    /// Lets the warp run along growing u of texture coordinates, one pair per vertex.
    #[must_use]
    pub fn warp_from_texture(mut self, coordinates: &[Vec2]) -> Self {
        self.warp = WarpDirection::Texture(coordinates.to_vec());
        self
    }

    /// Multiplies the stiffness of stretch and bending by a factor \[1\] for each vertex, a function of its index and
    /// its position in the world \[m\]. Calls before this one have placed it.
    #[must_use]
    pub fn stiffness_map(mut self, factor: impl Fn(u32, Vec3) -> f32) -> Self {
        let placed = self.particles.placed(&self.rest_positions);
        self.stiffness_factors = (0..).zip(placed).map(|(index, x)| factor(index, x)).collect();
        self
    }

    pub(super) fn check_fabric(&self) -> Result<(), ClothError> {
        let vertices = self.rest_positions.len();
        let is_wrong = |factor: &f32| !(*factor > 0.0 && factor.is_finite());
        if let Some(vertex) = self.stiffness_factors.iter().position(is_wrong) {
            return Err(ClothError::StiffnessFactor { vertex: vertex as u32, factor: self.stiffness_factors[vertex] });
        }
        let found = self.stiffness_factors.len();
        if found != 0 && found != vertices {
            return Err(ClothError::StiffnessFactors { found, vertices });
        }
        match &self.warp {
            WarpDirection::Texture(coordinates) if coordinates.len() != vertices => {
                Err(ClothError::TextureCoordinates { coordinates: coordinates.len(), vertices })
            }
            _ => Ok(()),
        }
    }

    /// Returns the direction of the warp in a triangle, which is zero where the texture has none.
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

    /// Divides compliances by the mean stiffness factor of these vertices.
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
