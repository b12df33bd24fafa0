//! Characters: capsules that walk, climb steps, push things and ride on what moves.
//!
//! There are two kinds. A [`CharacterController`] moves a kinematic body by casting its shape through the world: it goes
//! where it is told to, slides along walls, and never tips or bounces. A [`DynamicCharacter`] drives a dynamic body by
//! forces, so that everything that pushes bodies pushes it.
//!
//! # Move and slide
//! A kinematic character keeps a gap, the [offset](CharacterController::offset), to all surfaces. A displacement goes as
//! far as nothing is nearer than that. What is left is replaced by the nearest displacement that leads into none of the
//! surfaces met so far, and goes on. A surface is ground if its normal is less than
//! [`max_slope_angle`](CharacterController::max_slope_angle) from the way up. Of a steeper one the horizontal part of the normal counts as well,
//! so that nobody is pushed up on it. Ledges of no more than [`step_height`](CharacterController::step_height) are climbed: up,
//! forward and down again, if there is ground under the edge where the shape then rests.
//!
//! # Forces
//! With the velocity v relative to the ground, the velocity w that is wished for, the rate k of the response, and the
//! acceleration a by everything else, the horizontal velocity follows
//!
//! v' = (v + Δt (k w + a)) / (1 + k Δt)
//!
//! and stays at w + a/k. The acceleration a is that of [force regions](xpbd_core::force_region) and of the particles that touch
//! its collider: cloth, ropes, soft bodies and grains are no obstacles for the way, but are pushed aside by its body and
//! push back. Water in a [`ForceField::Buoyancy`](xpbd_core::force_region::ForceField) slows and lifts it.
//!
//! Bodies are pushed by no more than [`max_push_force`](CharacterController::max_push_force), and bear its weight where
//! it stands.
//!
//! ```
//! use glam::Vec3;
//! use parry3d::math::Pose;
//! use parry3d::shape::SharedShape;
//! use xpbd_core::query::SpatialIndex;
//! use xpbd_rigid::character::{CharacterController, CharacterInput, CharacterState};
//! use xpbd_rigid::prelude::*;
//!
//! let mut world = World::default();
//! world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
//! let body = world.add_body(Body::kinematic(Pose::from_translation(Vec3::Y)))?;
//! let capsule = world.add_collider(Collider::new(SharedShape::capsule_y(0.5, 0.3)).attached_to(body))?;
//!
//! let (controller, mut state) = (CharacterController::default(), CharacterState::default());
//! let walk = CharacterInput { velocity: Vec3::X * 2.0, ..CharacterInput::default() };
//! let (mut cpu, mut index) = (CpuBackend::default(), SpatialIndex::default());
//! for _ in 0..120 {
//!     let step = controller.step(&index.update(&world), capsule, &state, &walk, &[], 1.0 / 60.0)?;
//!     step.apply(&mut world)?;
//!     state = step.state;
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! assert!(state.ground.is_some() && state.velocity.distance(Vec3::X * 2.0) < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod controller;
mod dynamic;
mod error;
mod force;
mod ground;
mod movement;
mod slide;
mod step;

pub use controller::CharacterController;
pub use dynamic::{DynamicCharacter, DynamicCharacterStep};
pub use error::CharacterError;
pub use ground::CharacterGround;
pub use movement::CharacterMovement;
pub use step::{CharacterInput, CharacterPush, CharacterState, CharacterStep};
