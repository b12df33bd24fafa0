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
mod constructors;
mod mesh;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::shape::{SharedShape, TypedShape};

pub use mesh::ColliderFromMesh;

use crate::body::{BodySystems, ColliderPart};
pub use crate::handle::{ColliderId, SensorId};
use crate::schedule::{PrepareSystems, XpbdSystems};
use crate::snapshot::save_component;

/// A shape that bodies and particles collide with \[m\].
///
/// Simple shapes are their numbers, which inspectors show and scenes store; all others are shapes of parry.
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform)]
pub enum Collider {
    /// A ball.
    Ball {
        /// Radius \[m\].
        radius: f32,
    },
    /// A box.
    Cuboid {
        /// Half of its lengths along its axes \[m\].
        half_extents: Vec3,
    },
    /// A capsule: all that is nearer to a line than its radius.
    Capsule {
        /// Start of the line \[m\].
        a: Vec3,
        /// End of the line \[m\].
        b: Vec3,
        /// Radius \[m\].
        radius: f32,
    },
    /// A cylinder along y.
    Cylinder {
        /// Half of its height \[m\].
        half_height: f32,
        /// Radius \[m\].
        radius: f32,
    },
    /// A cone along y, its tip up, its origin in the middle of its height.
    Cone {
        /// Half of its height \[m\].
        half_height: f32,
        /// Radius of its base \[m\].
        radius: f32,
    },
    /// All on one side of a plane through the origin.
    HalfSpace {
        /// Normal of the plane, which points out of it.
        normal: Vec3,
    },
    /// Any other shape: a mesh, a hull, a height field, a compound.
    Shape(ParryShape),
}

/// A shape of parry. Two are equal if they are one and the same in memory.
#[derive(Clone, Deref, Reflect)]
#[reflect(opaque)]
#[reflect(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct ParryShape(pub SharedShape);

impl PartialEq for ParryShape {
    fn eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.0.0, &other.0.0)
    }
}

impl std::fmt::Debug for ParryShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0.shape_type())
    }
}

impl From<SharedShape> for Collider {
    fn from(shape: SharedShape) -> Self {
        match shape.as_typed_shape() {
            TypedShape::Ball(ball) => Self::Ball { radius: ball.radius },
            TypedShape::Cuboid(cuboid) => Self::Cuboid { half_extents: cuboid.half_extents },
            TypedShape::Capsule(capsule) => {
                Self::Capsule { a: capsule.segment.a, b: capsule.segment.b, radius: capsule.radius }
            }
            TypedShape::Cylinder(shape) => Self::Cylinder { half_height: shape.half_height, radius: shape.radius },
            TypedShape::Cone(shape) => Self::Cone { half_height: shape.half_height, radius: shape.radius },
            TypedShape::HalfSpace(half_space) => Self::HalfSpace { normal: half_space.normal },
            _ => Self::Shape(ParryShape(shape)),
        }
    }
}

impl Collider {
    /// Returns the shape of parry that it is.
    pub fn shape(&self) -> SharedShape {
        match *self {
            Self::Ball { radius } => SharedShape::ball(radius),
            Self::Cuboid { half_extents: half } => SharedShape::cuboid(half.x, half.y, half.z),
            Self::Capsule { a, b, radius } => SharedShape::capsule(a, b, radius),
            Self::Cylinder { half_height, radius } => SharedShape::cylinder(half_height, radius),
            Self::Cone { half_height, radius } => SharedShape::cone(half_height, radius),
            Self::HalfSpace { normal } => SharedShape::halfspace(normal.normalize_or(Vec3::Y)),
            Self::Shape(ref shape) => shape.0.clone(),
        }
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
        save_component::<attach::DescribedShape>(app);
    }
}
