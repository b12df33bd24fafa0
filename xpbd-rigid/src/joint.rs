//! Joints between bodies.
//!
//! A joint has an anchor and an axis on each of its two bodies, a and b. What it holds are the rows of
//! one constraint, solved as a block together with the hard stops of the axes that it leaves free; soft
//! stops and motors are constraints of one row each. With the anchors x₀, x₁ and the axes (a, b, c)₀ and
//! (a, b, c)₁, and d = x₁ − x₀:
//!
//! | joint | rows | free |
//! |---|---|---|
//! | [ball](Ball) | d | swing, twist |
//! | [hinge](Hinge) | d, a₁·b₀, a₁·c₀ | turn about a |
//! | [slider](Slider) | d·b₀, d·c₀, rotation | slide along a |
//! | [cylindrical](Cylindrical) | d·b₀, d·c₀, a₁·b₀, a₁·c₀ | turn and slide |
//! | [universal](Universal) | d, a₀·b₁ | turn about a₀ and about b₁ |
//! | [fixed](Fixed) | d, rotation | |
//! | [distance](Distance) | ∣d∣ between bounds | all but the distance |
//! | [spring](Spring) | ∣d∣ − l | all, elastically |
//! | [point on line](PointOnLine) | d·b₀, d·c₀ | slide, swing, twist |
//! | [point on plane](PointOnPlane) | d·a₀ | all but the height |
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
//! assert!((hinge.coordinate(&world, Freedom::Turn)? - 0.5).abs() < 0.02);
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
pub mod line;
pub mod motor;
pub mod part;
pub mod plane;
pub mod setup;
pub mod slider;
pub mod spring;
pub mod universal;

pub use add::Joint;
pub use ball::Ball;
pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use error::JointError;
pub use fixed::Fixed;
pub use frame::{Axes, Frame};
pub use handle::{JointHandle, Reaction};
pub use hinge::Hinge;
pub use limit::Limits;
pub use line::PointOnLine;
pub use motor::Motor;
pub use part::{Freedom, Part};
pub use plane::PointOnPlane;
pub use setup::Setup;
pub use slider::Slider;
pub use spring::Spring;
pub use universal::Universal;

use xpbd_core::constraint::{ConstraintError, Registry};

/// Makes every constraint of joints known to a registry, which reads them from snapshots.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register(ball::BallRows)?;
    registry.register(ball::BoundedBallRows)?;
    registry.register(hinge::HingeRows)?;
    registry.register(hinge::BoundedHingeRows)?;
    registry.register(slider::SliderRows)?;
    registry.register(slider::BoundedSliderRows)?;
    registry.register(cylindrical::CylindricalRows)?;
    registry.register(cylindrical::BoundedCylindricalRows)?;
    registry.register(universal::UniversalRows)?;
    registry.register(universal::BoundedUniversalRows)?;
    registry.register(fixed::FixedRows)?;
    registry.register(spring::SpringRow)?;
    registry.register(line::LineRows)?;
    registry.register(line::BoundedLineRows)?;
    registry.register(plane::PlaneRow)?;
    registry.register(limit::angle::AngleLimit)?;
    registry.register(limit::twist::TwistLimit)?;
    registry.register(limit::cone::ConeLimit)?;
    registry.register(limit::slide::SlideLimit)?;
    registry.register(limit::slide::DistanceLimit)?;
    registry.register(motor::angle::AngleMotor)?;
    registry.register(motor::slide::SlideMotor)?;
    Ok(())
}

/// A diagonal compliance matrix.
fn diagonal<S: xpbd_core::scalar::Real, const M: usize>(entries: [S; M]) -> [[S; M]; M] {
    let entry = |row, column| if row == column { entries[row] } else { S::zero() };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}
