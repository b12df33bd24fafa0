//! Colliders from numbers, points and meshes.

use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_core::collide::{DecompositionSettings, MeshError, convex_decomposition, open_mesh, solid_mesh};

use super::{Collider, mesh};

impl Collider {
    /// Creates a ball of this radius.
    pub fn ball(radius: f32) -> Self {
        Self::Ball { radius }
    }

    /// Creates a box from its *half* extents \[m\]: `cuboid(0.5, 0.5, 0.5)` is a cube of 1 m. avian takes whole lengths.
    pub fn cuboid(x: f32, y: f32, z: f32) -> Self {
        Self::Cuboid { half_extents: Vec3::new(x, y, z) }
    }

    /// Creates a capsule along y from half of the length of its straight part and its radius \[m\].
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self::capsule_between(Vec3::NEG_Y * half_height, Vec3::Y * half_height, radius)
    }

    /// Creates a capsule about a line from `a` to `b`.
    pub fn capsule_between(a: Vec3, b: Vec3, radius: f32) -> Self {
        Self::Capsule { a, b, radius }
    }

    /// Creates a cylinder along y.
    pub fn cylinder(half_height: f32, radius: f32) -> Self {
        Self::Cylinder { half_height, radius }
    }

    /// Creates a cone along y, its tip up, its origin in the middle of its height.
    pub fn cone(half_height: f32, radius: f32) -> Self {
        Self::Cone { half_height, radius }
    }

    /// Creates a half-space: all on one side of a plane through the origin; the normal points out of it.
    pub fn half_space(normal: Vec3) -> Self {
        Self::HalfSpace { normal: normal.normalize_or(Vec3::Y) }
    }

    /// Creates the convex hull of points; none if they lie in one plane.
    pub fn convex_hull(points: &[Vec3]) -> Option<Self> {
        let finite = points.len() > 3 && points.iter().all(|point| point.is_finite());
        if !finite {
            return None;
        }
        let properly = |shape: &SharedShape| shape.mass_properties(1.0).mass() > 0.0;
        SharedShape::convex_hull(points).filter(properly).map(Self::from)
    }

    /// Creates a triangle mesh: solid if it is closed, with two sides otherwise.
    ///
    /// # Errors
    /// The vertex or triangle that is at fault.
    pub fn triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        let shape = match solid_mesh(positions, triangles) {
            Err(MeshError::Open { .. } | MeshError::InsideOut { .. }) => open_mesh(positions, triangles)?,
            shape => shape?,
        };
        Ok(shape.into())
    }

    /// Divides a triangle mesh into convex parts, for bodies that move.
    ///
    /// # Errors
    /// The vertex or triangle that is at fault.
    pub fn convex_decomposition(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        settings: DecompositionSettings,
    ) -> Result<Self, MeshError> {
        convex_decomposition(positions, triangles, settings).map(Self::from)
    }

    /// Heights \[m\] over a rectangle about the origin, of this size along x and z: rows of as many heights each,
    /// one row after the other along z. None if there are not two rows of two at least, all of one length.
    pub fn height_field(rows: &[Vec<f32>], size: Vec2) -> Option<Self> {
        let columns = rows.first()?.len();
        let sound = |row: &Vec<f32>| row.len() == columns && row.iter().all(|height| height.is_finite());
        if rows.len() < 2 || columns < 2 || !rows.iter().all(sound) {
            return None;
        }
        // The array is stored by columns: the rows of the field go along z.
        let by_column = (0..columns).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
        let heights = Array2::new(rows.len(), columns, by_column);
        Some(SharedShape::heightfield(heights, Vec3::new(size.x, 1.0, size.y)).into())
    }

    /// Joins several in one, each where it is with respect to the whole, its scale left out. None if there are none, or
    /// one of them is itself made of parts.
    pub fn compound(parts: impl IntoIterator<Item = (Transform, Self)>) -> Option<Self> {
        let place = |at: Transform| Pose::from_parts(at.translation, at.rotation);
        let parts: Vec<_> = parts.into_iter().map(|(at, part)| (place(at), part.shape())).collect();
        let simple = parts.iter().all(|(_, shape)| shape.as_composite_shape().is_none());
        (simple && !parts.is_empty()).then(|| SharedShape::compound(parts).into())
    }

    /// Takes the triangles of a mesh: solid if it is closed, with two sides otherwise.
    ///
    /// # Errors
    /// The part of the mesh that is invalid.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self, BevyError> {
        mesh::triangles(mesh)
    }

    /// Takes the convex hull of a mesh.
    ///
    /// # Errors
    /// It has no positions, or they lie in one plane.
    pub fn hull_of_mesh(mesh: &Mesh) -> Result<Self, BevyError> {
        mesh::hull(mesh)
    }
}
