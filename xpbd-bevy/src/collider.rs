//! Shapes that things collide with.
//!
//! A collider belongs to the body of its entity, or else to that of the nearest ancestor that is one, and moves with
//! it; without a body it stands where its transform is. The scale of transforms is that of the shape.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn dumbbell(mut commands: Commands) {
//!     commands.spawn((RigidBody::Dynamic, Collider::cuboid(0.5, 0.05, 0.05))).with_children(|ends| {
//!         ends.spawn((Collider::ball(0.2), ColliderDensity(7800.0), Transform::from_xyz(-0.5, 0.0, 0.0)));
//!         ends.spawn((Collider::ball(0.2), ColliderDensity(7800.0), Transform::from_xyz(0.5, 0.0, 0.0)));
//!     });
//! }
//! ```
//!
//! Beside it [`Friction`](crate::material::Friction), [`Restitution`](crate::material::Restitution),
//! [`CollisionLayers`](crate::material::CollisionLayers) and [`ColliderDensity`](crate::material::ColliderDensity) say what it is
//! made of, and may be changed at any time.
//!
//! Beside a [`Sensor`] it reports what overlaps it and pushes nothing:
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn goal(mut commands: Commands) {
//!     let score = |goal: On<SensorEntered>| info!("{} is in the goal", goal.other);
//!     commands.spawn((Collider::cuboid(2.0, 1.0, 0.5), Sensor)).observe(score);
//! }
//! ```

mod attach;
mod build;
mod mesh;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_core::collide::{DecompositionSettings, MeshError, convex_decomposition, open_mesh, solid_mesh};

pub use mesh::ColliderFromMesh;

use crate::body::{BodySystems, ColliderPart};
pub use crate::handle::{ColliderId, SensorId};
use crate::schedule::{PrepareSystems, XpbdSystems};
use crate::snapshot::save_component;

/// A shape that bodies and particles collide with \[m\].
#[derive(Component, Clone, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform)]
pub struct Collider(pub SharedShape);

impl std::fmt::Debug for Collider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Collider({:?})", self.0.shape_type())
    }
}

impl From<SharedShape> for Collider {
    fn from(shape: SharedShape) -> Self {
        Self(shape)
    }
}

impl Collider {
    /// Creates a ball of this radius.
    pub fn ball(radius: f32) -> Self {
        Self(SharedShape::ball(radius))
    }

    /// Creates a box from its *half* extents \[m\]: `cuboid(0.5, 0.5, 0.5)` is a cube of 1 m. avian takes whole lengths.
    pub fn cuboid(x: f32, y: f32, z: f32) -> Self {
        Self(SharedShape::cuboid(x, y, z))
    }

    /// Creates a capsule along y from half of the length of its straight part and its radius \[m\].
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self(SharedShape::capsule_y(half_height, radius))
    }

    /// Creates a capsule about a line from `a` to `b`.
    pub fn capsule_between(a: Vec3, b: Vec3, radius: f32) -> Self {
        Self(SharedShape::capsule(a, b, radius))
    }

    /// Creates a cylinder along y.
    pub fn cylinder(half_height: f32, radius: f32) -> Self {
        Self(SharedShape::cylinder(half_height, radius))
    }

    /// Creates a cone along y, its tip up, its origin in the middle of its height.
    pub fn cone(half_height: f32, radius: f32) -> Self {
        Self(SharedShape::cone(half_height, radius))
    }

    /// Creates a half-space: all on one side of a plane through the origin; the normal points out of it.
    pub fn half_space(normal: Vec3) -> Self {
        Self(SharedShape::halfspace(normal.normalize_or(Vec3::Y)))
    }

    /// Creates the convex hull of points; none if they lie in one plane.
    pub fn convex_hull(points: &[Vec3]) -> Option<Self> {
        let finite = points.len() > 3 && points.iter().all(|point| point.is_finite());
        if !finite {
            return None;
        }
        let properly = |shape: &SharedShape| shape.mass_properties(1.0).mass() > 0.0;
        SharedShape::convex_hull(points).filter(properly).map(Self)
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
        Ok(Self(shape))
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
        convex_decomposition(positions, triangles, settings).map(Self)
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
        Some(Self(SharedShape::heightfield(heights, Vec3::new(size.x, 1.0, size.y))))
    }

    /// Joins several in one, each where it is with respect to the whole, its scale left out. None if there are none, or
    /// one of them is itself made of parts.
    pub fn compound(parts: impl IntoIterator<Item = (Transform, Self)>) -> Option<Self> {
        let place = |at: Transform| Pose::from_parts(at.translation, at.rotation);
        let parts: Vec<_> = parts.into_iter().map(|(at, Self(shape))| (place(at), shape)).collect();
        let simple = parts.iter().all(|(_, shape)| shape.as_composite_shape().is_none());
        (simple && !parts.is_empty()).then(|| Self(SharedShape::compound(parts)))
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

/// Lets the [`Collider`] of its entity report which others it overlaps, by [`SensorEntered`](crate::message::SensorEntered)
/// and [`SensorExited`](crate::message::SensorExited), and push nothing. It has no mass.
///
/// It reports colliders that its layers let it, on other bodies than its own, if one of the two is on a body that is not
/// fixed; neither particles nor other sensors.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Sensor;

/// Shapes that things collide with.
#[derive(Debug, Clone)]
pub struct ColliderPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for ColliderPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Collider>().register_type::<ColliderFromMesh>().register_type::<Sensor>();
        let attached = (mesh::load, attach::attach).chain().before(BodySystems);
        app.add_systems(self.0, attached.in_set(XpbdSystems::Prepare(PrepareSystems::Bodies)));
        app.add_systems(self.0, build::build.in_set(XpbdSystems::Prepare(PrepareSystems::Colliders)));
        app.add_observer(attach::detach).add_observer(attach::reweigh_body).add_observer(mesh::unload);
        save_component::<ColliderPart>(app);
    }
}
