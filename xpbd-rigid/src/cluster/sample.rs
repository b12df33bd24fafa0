//! Particles inside a shape, each with its distance from the surface.

use glam::{Vec3, Vec4};
use parry3d::math::Pose;
use parry3d::shape::{Shape, SharedShape};
use serde::{Deserialize, Serialize};
use xpbd_core::collide::solid_mesh;
use xpbd_core::number::NumberError;

use super::error::ClusterError;

/// The most points of a lattice.
const MAX_POINTS: u32 = 1 << 24;

/// Particles of a body in the frame of its shape.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ParticleSample {
    /// Positions \[m\].
    pub positions: Vec<Vec3>,
    /// The signed distance of each from the surface \[m\], negative inside, behind its gradient
    /// (\[Unified14\] section 5); zero where there is no surface.
    pub distances: Vec<Vec4>,
    /// Volume \[m³\].
    pub volume: f32,
}

impl ParticleSample {
    /// Returns the lattice points inside a shape.
    pub fn of(shape: &dyn Shape, spacing: f32) -> Result<Self, ClusterError> {
        NumberError::check_positive("spacing", spacing)?;
        let bounds = shape.compute_aabb(&Pose::IDENTITY);
        let extents = bounds.extents();
        if !(bounds.mins.is_finite() && bounds.maxs.is_finite() && extents.max_element() < 1e30) {
            return Err(ClusterError::Unbounded);
        }
        let volume = shape.mass_properties(1.0).mass();
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(ClusterError::Volume(volume));
        }
        let counts = extents.to_array().map(|extent| f64::from(extent / spacing).round().max(1.0));
        let points = counts[0] * counts[1] * counts[2];
        if points > f64::from(MAX_POINTS) {
            return Err(ClusterError::TooMany { points, most: MAX_POINTS });
        }
        let first = bounds.center() - Vec3::from_array(counts.map(|n| (n - 1.0) as f32)) * (0.5 * spacing);
        let mut sample = Self { positions: Vec::new(), distances: Vec::new(), volume };
        let [columns, rows, layers] = counts.map(|n| n as u32);
        for x in 0..columns {
            for y in 0..rows {
                for z in 0..layers {
                    sample.keep(shape, first + Vec3::new(x as f32, y as f32, z as f32) * spacing, spacing);
                }
            }
        }
        if sample.positions.is_empty() { Err(ClusterError::Empty { spacing }) } else { Ok(sample) }
    }

    /// Returns particles at given positions.
    pub fn points(positions: &[Vec3], spacing: f32) -> Result<Self, ClusterError> {
        NumberError::check_positive("spacing", spacing)?;
        if positions.is_empty() {
            return Err(ClusterError::Empty { spacing });
        }
        if let Some(point) = positions.iter().position(|x| !x.is_finite()) {
            return Err(ClusterError::Position { point: point as u32, position: positions[point] });
        }
        let volume = positions.len() as f32 * (spacing * spacing * spacing);
        Ok(Self { positions: positions.to_vec(), distances: vec![Vec4::ZERO; positions.len()], volume })
    }

    /// Keeps a point if it is inside.
    fn keep(&mut self, shape: &dyn Shape, point: Vec3, spacing: f32) {
        if shape.contains_local_point(point) {
            self.positions.push(point);
            self.distances.push(gradient(shape, point, 0.5 * spacing).extend(signed_distance(shape, point, spacing)));
        }
    }
}

/// Returns the unit gradient of the signed distance by central differences over `reach` \[m\], which at an edge
/// is between its faces; zero where all sides are as near.
fn gradient(shape: &dyn Shape, point: Vec3, reach: f32) -> Vec3 {
    let slope = |axis: Vec3| {
        let [above, below] = [reach, -reach].map(|way| signed_distance(shape, point + axis * way, reach));
        above - below
    };
    let slopes = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
    if slopes.length() > 0.1 * reach { slopes.normalize_or_zero() } else { Vec3::ZERO }
}

/// Returns the distance \[m\] from the surface, negative inside.
fn signed_distance(shape: &dyn Shape, point: Vec3, spacing: f32) -> f32 {
    // Only by feature does parry look at the inside of a mesh; the middle of a ball has no nearest point.
    let nearest = |x: Vec3| shape.project_local_point_and_get_feature(x).0.point.distance(x);
    let places = [point, point + Vec3::X * (1e-3 * spacing)];
    let distance = places.map(nearest).into_iter().find(|distance| distance.is_finite()).unwrap_or(0.0);
    if shape.contains_local_point(point) { -distance } else { distance }
}

/// Returns a mesh as a shape with an inside.
pub(super) fn solid(positions: &[Vec3], indices: &[u32]) -> Result<SharedShape, ClusterError> {
    let (triangles, []) = indices.as_chunks::<3>() else { return Err(ClusterError::IndexCount(indices.len())) };
    Ok(solid_mesh(positions, triangles)?)
}
