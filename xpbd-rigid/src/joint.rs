//! Joints between bodies.
//!
//! A joint has an anchor and an axis on each of its two bodies, a and b. What it holds are the rows of
//! one constraint, solved as a block together with the hard stops of the axes that it leaves free; soft
//! stops and motors are constraints of one row each. With the anchors x₀, x₁ and the axes (a, b, c)₀ and
//! (a, b, c)₁, and d = x₁ − x₀:
//!
//! | joint | rows | free |
//! |---|---|---|
//! | [ball](BallJoint) | d | swing, twist |
//! | [hinge](HingeJoint) | d, a₁·b₀, a₁·c₀ | turn about a |
//! | [slider](SliderJoint) | d·b₀, d·c₀, rotation | slide along a |
//! | [cylindrical](CylindricalJoint) | d·b₀, d·c₀, a₁·b₀, a₁·c₀ | turn and slide |
//! | [universal](UniversalJoint) | d, a₀·b₁ | turn about a₀ and about b₁ |
//! | [fixed](FixedJoint) | d, rotation | |
//! | [distance](DistanceJoint) | ∣d∣ between bounds | all but the distance |
//! | [spring](SpringJoint) | ∣d∣ − l | all, elastically |
//! | [point on line](PointOnLineJoint) | d·b₀, d·c₀ | slide, swing, twist |
//! | [point on plane](PointOnPlaneJoint) | d·a₀ | all but the height |
//!
//! Forces and torques are those on b: a row's λ/h² acts along its gradient (\[Deul14\] §4; \[Rigid20\]
//! §3.3). Coordinates are those of b against a: b slides along +a and turns about it by the right
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
//! let hinge = Hinge::new(Vec3::new(0.0, 1.0, 0.0), Vec3::Y).limits(-1.5, 1.5).motor(Motor::velocity(1.0));
//! let hinge = hinge.break_force(5e3).add_to_world(&mut world, door)?;
//! world.step(&mut CpuBackend::default(), 0.5)?;
//! assert!((hinge.coordinate(&world, Freedom::Angular)? - 0.5).abs() < 0.02);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod add;
pub mod ball;
pub mod cylindrical;
pub mod distance;
pub mod error;
pub mod fixed;
pub mod frame;
mod geometry;
pub mod handle;
pub mod hinge;
pub mod limit;
pub mod motor;
pub mod part;
pub mod point_on_line;
pub mod point_on_plane;
pub mod settings;
pub mod slider;
pub mod spring;
pub mod universal;

pub use add::Joint;
pub use ball::BallJoint;
pub use cylindrical::CylindricalJoint;
pub use distance::DistanceJoint;
pub use error::JointError;
pub use fixed::FixedJoint;
pub use frame::{JointBasis, JointFrame};
pub use handle::{JointHandle, JointReaction};
pub use hinge::HingeJoint;
pub use limit::JointLimits;
pub use motor::JointMotor;
pub use part::{JointAxis, JointPart};
pub use point_on_line::PointOnLineJoint;
pub use point_on_plane::PointOnPlaneJoint;
pub use settings::JointSettings;
pub use slider::SliderJoint;
pub use spring::SpringJoint;
pub use universal::UniversalJoint;

use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;

/// Makes every constraint of joints known to a registry, which reads them from snapshots.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register(ball::BallRows)?;
    registry.register(ball::LimitedBallRows)?;
    registry.register(hinge::HingeRows)?;
    registry.register(hinge::LimitedHingeRows)?;
    registry.register(slider::SliderRows)?;
    registry.register(slider::LimitedSliderRows)?;
    registry.register(cylindrical::CylindricalRows)?;
    registry.register(cylindrical::LimitedCylindricalRows)?;
    registry.register(universal::UniversalRows)?;
    registry.register(universal::LimitedUniversalRows)?;
    registry.register(fixed::FixedRows)?;
    registry.register(spring::SpringRow)?;
    registry.register(point_on_line::PointOnLineRows)?;
    registry.register(point_on_line::LimitedPointOnLineRows)?;
    registry.register(point_on_plane::PointOnPlaneRow)?;
    registry.register(limit::angular::AngularLimitRow)?;
    registry.register(limit::twist::TwistLimitRow)?;
    registry.register(limit::swing::SwingLimitRow)?;
    registry.register(limit::linear::LinearLimitRow)?;
    registry.register(limit::linear::DistanceLimitRow)?;
    registry.register(motor::angular::AngularMotorRow)?;
    registry.register(motor::linear::LinearMotorRow)?;
    Ok(())
}

/// Returns a diagonal compliance matrix.
fn diagonal<S: xpbd_core::scalar::Real, const M: usize>(entries: [S; M]) -> [[S; M]; M] {
    let entry = |row, column| if row == column { entries[row] } else { S::zero() };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}
