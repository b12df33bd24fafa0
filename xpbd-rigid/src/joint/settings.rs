//! What all joints have in common.

use serde::{Deserialize, Serialize};

use super::frame::JointPlacement;
use super::{JointError, JointFrame};

/// What all joints have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointSettings {
    /// Where it is.
    pub placement: JointPlacement,
    /// Compliance of its forces \[m/N\]; 0 is rigid.
    pub compliance: f32,
    /// Compliance of its torques \[rad/(N m)\]; 0 is rigid.
    pub rotational_compliance: f32,
    /// Damping β of its compliance: \[N s/m\], and as much in \[N m s/rad\].
    pub damping_coefficient: f32,
    /// The largest force \[N\] that it bears.
    pub break_force: f32,
    /// The largest torque \[N m\] that it bears.
    pub break_torque: f32,
    /// True if its two bodies collide with each other.
    pub contacts_enabled: bool,
}

impl JointSettings {
    /// Creates a rigid joint that does not break, in the frame of the world.
    pub fn new(frame: JointFrame) -> Self {
        Self {
            placement: JointPlacement::World(frame),
            compliance: 0.0,
            rotational_compliance: 0.0,
            damping_coefficient: 0.0,
            break_force: f32::INFINITY,
            break_torque: f32::INFINITY,
            contacts_enabled: false,
        }
    }

    /// One with a frame on each body.
    pub fn on_bodies(a: JointFrame, b: JointFrame) -> Self {
        Self { placement: JointPlacement::Bodies([a, b]), ..Self::new(a) }
    }

    /// Returns the larger of the two compliances.
    pub(super) fn largest_compliance(&self) -> f32 {
        self.compliance.max(self.rotational_compliance)
    }

    /// Returns the compliances of forces and of torques as parts of the larger one.
    pub(super) fn compliance_ratios(&self) -> [f32; 2] {
        let largest = self.largest_compliance();
        let share = |compliance: f32| if largest > 0.0 { compliance / largest } else { 1.0 };
        [share(self.compliance), share(self.rotational_compliance)]
    }

    pub(super) fn check(&self, joint: usize) -> Result<(), JointError> {
        let refuse = |what, value, must| Err(JointError::Number { joint, what, value, must });
        for (what, value) in [
            ("compliance", self.compliance),
            ("rotational compliance", self.rotational_compliance),
            ("damping", self.damping_coefficient),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(what, value, "finite and not negative");
            }
        }
        for (what, value) in [("break force", self.break_force), ("break torque", self.break_torque)] {
            if value.is_nan() || value < 0.0 {
                return refuse(what, value, "not negative");
            }
        }
        Ok(())
    }
}
