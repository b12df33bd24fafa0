//! Rigid bodies for [`xpbd_core`]: [joints](joint) between bodies, shape-matched
//! [clusters](cluster) of particles, and [characters](character) that walk. The bodies themselves, and what they touch, are the core's
//! ([`Body`](xpbd_core::bodies::Body)).
//!
//! ```
//! use glam::Vec3;
//! use parry3d::math::Pose;
//! use parry3d::shape::SharedShape;
//! use xpbd_rigid::prelude::*;
//!
//! let mut world = World::default();
//! xpbd_rigid::register(world.registry_mut())?;
//! world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
//!
//! let plank = SharedShape::cuboid(0.5, 0.05, 0.2);
//! let door = world.add_body(Body::dynamic(Pose::translation(0.5, 1.0, 0.0), Mass::from_shape(&*plank, 500.0)?))?;
//! world.add_collider(Collider::new(plank).attached_to(door))?;
//! let hinge = HingeJoint::new(Vec3::new(0.0, 1.0, 0.0), Vec3::Z).add_to_world(&mut world, door)?;
//!
//! let mut cpu = CpuBackend::default();
//! for _ in 0..30 {
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! assert!(world.body(door)?.pose.translation.y < 0.9);
//! assert!(hinge.reaction(&world)?.force.length() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod character;
pub mod cluster;
pub mod joint;

pub use cluster::{Cluster, ClusterBatch, ClusterError, ClusterSettings, ClusterSkin};

use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;

/// Makes every constraint of this crate known to a registry, which reads them from snapshots.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    cluster::register(registry)?;
    joint::register(registry)
}

/// The types that joints and clusters need.
pub mod prelude {
    pub use crate::Cluster;
    pub use crate::character::{CharacterController, CharacterInput, CharacterState, DynamicCharacter};
    pub use crate::joint::{
        AxisMotion, BallJoint, CouplingHandle, CouplingRatio, CylindricalJoint, DistanceJoint, FixedJoint, HingeJoint,
        Joint, JointAxis, JointCoupling, JointError, JointFrame, JointHandle, JointLimits, JointMotor, JointReaction,
        MotorTarget, PointOnLineJoint, PointOnPlaneJoint, RotationMotor, RotationTarget, SixAxisJoint, SliderJoint,
        SpringJoint, UniversalJoint,
    };
    pub use xpbd_core::prelude::*;
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
