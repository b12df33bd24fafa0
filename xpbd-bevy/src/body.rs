//! Rigid bodies.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default()));
//! app.world_mut().spawn((RigidBody::Fixed, Collider::half_space(Vec3::Y)));
//! app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.5), Transform::from_xyz(0.0, 3.0, 0.0)));
//! ```
//!
//! A body has the mass of the [colliders](crate::collider) on its entity and below it, each of its
//! [`ColliderDensity`](crate::material::ColliderDensity), or the one of a [`Mass`] beside it.
//!
//! Dynamic bodies are interpolated between steps unless [`NoTransformEasing`] is beside them. Kinematic bodies are
//! interpolated if [`TransformInterpolation`] is beside them, which suits those that are moved in the fixed schedule.

mod components;
mod follow;
mod mass;
mod part;
mod plugin;
mod prepare;
mod publish;
mod state;

pub use bevy_transform_interpolation::NoTransformEasing;
pub use bevy_transform_interpolation::interpolation::TransformInterpolation;

pub use crate::handle::BodyId;
pub use components::{ExternalForce, LockedAxes, Mass, RigidBody, Sleeping, SleepingDisabled};
pub(crate) use part::ColliderPart;
pub use plugin::BodyPlugin;
pub(crate) use plugin::BodySystems;
pub(crate) use prepare::insert_interpolation;
pub(crate) use state::{BodiesToReweigh, BodySync, InterpolateBodies, SleepChanges};
