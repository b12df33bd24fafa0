//! The settings that all joints have in common.

use serde::{Deserialize, Serialize};
use xpbd_core::settings::ConstraintSolver;

use super::frame::JointPlacement;
use super::{JointError, JointFrame};

/// The settings that all joints have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct JointSettings {
    /// The anchor and the axis, in the world or on each body.
    pub placement: JointPlacement,
    /// Compliance of the joint's forces \[m/N\]; 0 is rigid.
    pub compliance: f32,
    /// Compliance of the joint's torques \[rad/(N m)\]; 0 is rigid.
    pub rotational_compliance: f32,
    /// Damping coefficient of the compliance \[N s/m, and the same number in N m s/rad\].
    pub damping_coefficient: f32,
    /// The force \[N\] above which the joint breaks.
    pub break_force: f32,
    /// The torque \[N m\] above which the joint breaks.
    pub break_torque: f32,
    /// True if the two bodies collide with each other.
    pub contacts_enabled: bool,
    /// Solver of the lock of the joint, together with those of other joints.
    pub solver: ConstraintSolver,
}

impl JointSettings {
    /// Returns the settings of a rigid joint that does not break, at a frame in the world.
    pub fn new(frame: JointFrame) -> Self {
        Self {
            placement: JointPlacement::World(frame),
            compliance: 0.0,
            rotational_compliance: 0.0,
            damping_coefficient: 0.0,
            break_force: f32::INFINITY,
            break_torque: f32::INFINITY,
            contacts_enabled: false,
            solver: ConstraintSolver::Automatic,
        }
    }

    /// Returns the settings of a rigid joint that does not break, at a frame on each body.
    pub fn on_bodies(a: JointFrame, b: JointFrame) -> Self {
        Self { placement: JointPlacement::Bodies([a, b]), ..Self::new(a) }
    }

    pub(super) fn check(&self, joint: usize) -> Result<(), JointError> {
        check_soft(joint, "compliance", self.compliance)?;
        check_soft(joint, "rotational compliance", self.rotational_compliance)?;
        check_soft(joint, "damping coefficient", self.damping_coefficient)?;
        check_threshold(joint, "break force", self.break_force)?;
        check_threshold(joint, "break torque", self.break_torque)
    }
}

/// Refuses a number that is not finite or is negative.
pub(super) fn check_soft(joint: usize, what: &'static str, value: f32) -> Result<(), JointError> {
    let must = "finite and not negative";
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(JointError::Number { joint, what, value, must }) }
}

/// Refuses a number that is negative or not a number; infinity stands for no bound.
pub(super) fn check_threshold(joint: usize, what: &'static str, value: f32) -> Result<(), JointError> {
    let must = "not negative";
    if value >= 0.0 { Ok(()) } else { Err(JointError::Number { joint, what, value, must }) }
}
