//! Joints between bodies.
//!
//! A joint has an anchor and an axis on each of its two bodies, a and b. Its lock is one constraint, whose rows are solved
//! as a block together with the motors and the hard limits of the axes that it leaves free; soft limits are constraints
//! of one row each. With the anchors x₀, x₁ and the axes (a, b, c)₀ and (a, b, c)₁, and d = x₁ − x₀:
//!
//! | joint | rows | free |
//! |---|---|---|
//! | [ball](BallJoint) | d | swing, twist |
//! | [hinge](HingeJoint) | d, a₁·b₀, a₁·c₀ | rotation about a |
//! | [slider](SliderJoint) | d·b₀, d·c₀, rotation | translation along a |
//! | [cylindrical](CylindricalJoint) | d·b₀, d·c₀, a₁·b₀, a₁·c₀ | rotation and translation |
//! | [universal](UniversalJoint) | d, a₀·b₁ | rotation about a₀ and about b₁ |
//! | [fixed](FixedJoint) | d, rotation | |
//! | [distance](DistanceJoint) | ∣d∣ within limits | all but the distance |
//! | [spring](SpringJoint) | ∣d∣ − l | all, elastically |
//! | [point on line](PointOnLineJoint) | d·b₀, d·c₀ | translation, swing, twist |
//! | [point on plane](PointOnPlaneJoint) | d·a₀ | all but the height |
//! | [six axes](SixAxisJoint) | any of d·a₀, d·b₀, d·c₀, twist and two swings | the others |
//!
//! A [coupling](JointCoupling) ties the free axes of two joints together: gears, belts, a rack and its pinion.
//!
//! Forces and torques are those on b: a row's λ/h² acts along its gradient (\[Deul14\] §4; \[Rigid20\]
//! §3.3). Coordinates are those of b against a: b moves along +a and rotates about it by the right
//! hand. Where both bodies are given by one frame in the world, all coordinates are 0 there.
//!
//! ```
//! use glam::Vec3;
//! use parry3d::math::Pose;
//! use xpbd_rigid::prelude::*;
//!
//! let mut world = World::new(Settings::default())?;
//! let door = Body::dynamic(Pose::translation(0.5, 1.0, 0.0), Mass::cuboid(20.0, Vec3::new(0.5, 1.0, 0.02)));
//! let door = world.add_body(door)?;
//! let hinge = HingeJoint::new(Vec3::new(0.0, 1.0, 0.0), Vec3::Y).limits(-1.5, 1.5).motor(JointMotor::velocity(1.0));
//! let hinge = hinge.break_force(5e3).add_to_world(&mut world, door)?;
//! world.step(&mut CpuBackend::default(), 0.5)?;
//! assert!((hinge.coordinate(&world, JointAxis::Angular)? - 0.5).abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod add;
mod axis;
mod ball;
mod coupling;
mod cylindrical;
mod distance;
mod edit;
mod error;
mod fixed;
mod frame;
mod geometry;
mod handle;
mod hinge;
mod limit;
mod lock;
mod motor;
mod part;
mod point_on_line;
mod point_on_plane;
mod settings;
mod six_axis;
mod slider;
mod spring;
mod universal;
mod update;

pub use add::Joint;
pub use axis::JointAxis;
pub use ball::BallJoint;
pub use coupling::{CouplingHandle, CouplingRatio, JointCoupling};
pub use cylindrical::CylindricalJoint;
pub use distance::DistanceJoint;
pub use error::JointError;
pub use fixed::FixedJoint;
pub use frame::{JointBasis, JointFrame, JointPlacement};
pub use handle::{JointBatch, JointHandle, JointReaction};
pub use hinge::HingeJoint;
pub use limit::JointLimits;
pub use motor::rotation::{RotationMotor, RotationTarget};
pub use motor::{JointMotor, MotorTarget};
pub use part::{A, Attachment, B, JointPart, JointRole, axis, point};
pub use point_on_line::PointOnLineJoint;
pub use point_on_plane::PointOnPlaneJoint;
pub use settings::JointSettings;
pub use six_axis::{AxisMotion, SixAxisJoint};
pub use slider::SliderJoint;
pub use spring::SpringJoint;
pub use universal::UniversalJoint;

use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;

/// Registers every constraint of joints, so that snapshots with joints can be restored.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    lock::axes::register::<ball::BallRows, 6, 5, 2, 3, 2>(registry)?;
    registry.register(ball::drive::BallDrive)?;
    lock::axes::register::<hinge::HingeRows, 6, 6, 5, 5, 1>(registry)?;
    lock::axes::register::<slider::SliderRows, 6, 6, 6, 5, 1>(registry)?;
    lock::axes::register::<cylindrical::CylindricalRows, 6, 6, 5, 4, 2>(registry)?;
    lock::axes::register::<universal::UniversalRows, 6, 6, 4, 4, 2>(registry)?;
    lock::axes::register::<point_on_line::PointOnLineRows, 5, 3, 4, 2, 1>(registry)?;
    lock::axes::register_alone::<six_axis::SixAxisRows<false>, 6, 6, 0, 0, 6>(registry)?;
    lock::axes::register_alone::<six_axis::SixAxisRows<true>, 6, 6, 0, 0, 6>(registry)?;
    lock::register::<fixed::FixedRows, 6, 6>(registry)?;
    lock::register::<point_on_plane::PointOnPlaneRow, 3, 1>(registry)?;
    registry.register(spring::SpringRow)?;
    registry.register(limit::rows::AngularLimitRow)?;
    registry.register(coupling::GearRow)?;
    registry.register(coupling::RackRow)?;
    registry.register(limit::rows::PartialSwingLimitRow)?;
    registry.register(limit::rows::TwistLimitRow)?;
    registry.register(limit::rows::SwingLimitRow)?;
    registry.register(limit::rows::LinearLimitRow)?;
    registry.register(limit::rows::DistanceLimitRow)?;
    Ok(())
}
