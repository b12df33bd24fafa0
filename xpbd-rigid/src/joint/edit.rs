//! Changes of a joint while the world runs.

use xpbd_core::constraint::Parameters;
use xpbd_core::world::{World, WorldError};

use super::handle::JointBatch;
use super::limit::JointLimits;
use super::lock::{self, LockParameters};
use super::part::ParameterLayout;
use super::settings::check_soft;
use super::spring::SpringParameters;
use super::{JointAxis, JointError, JointHandle, JointMotor};

impl JointHandle {
    /// Changes the limits \[rad or m\] of a free axis, which stay as hard or soft as they are. A hard limit that is set
    /// past the coordinate is reached within a substep, with the speed that this takes; a motor moves the body there
    /// gently.
    ///
    /// # Errors
    /// The joint has been removed or has no limit there, or the limits are not valid.
    pub fn set_limits(&self, world: &mut World, axis: JointAxis, min: f32, max: f32) -> Result<(), JointError> {
        let range = JointLimits::new(min, max).range(0, axis)?;
        if let Some(soft) = self.find(ParameterLayout::Range(axis)) {
            return self.edit(world, soft, |numbers| numbers.copy_from_slice(&Parameters::<f32>::to_numbers(range)));
        }
        let hard = |part| match part {
            &JointBatch { layout: ParameterLayout::Lock(axes), .. } => {
                Some((part, axes.len(), axes.iter().position(|&limited| limited == axis)?))
            }
            _ => None,
        };
        let (part, axes, k) = self.parts.iter().find_map(hard).ok_or(JointError::Missing { part: "limit", axis })?;
        self.edit(world, part, |numbers| lock::set_range(numbers, axes, k, range))
    }

    /// Changes the motor of a free axis; its damping coefficient stays what it was.
    ///
    /// # Errors
    /// The joint has been removed or has no motor there, or the motor is not valid.
    pub fn set_motor(&self, world: &mut World, axis: JointAxis, motor: JointMotor) -> Result<(), JointError> {
        let parameters = motor.parameters(0)?;
        let part = self.find(ParameterLayout::Motor(axis)).ok_or(JointError::Missing { part: "motor", axis })?;
        self.edit(world, part, |numbers| numbers.copy_from_slice(&Parameters::<f32>::to_numbers(parameters)))?;
        self.set_compliance_of(world, part, motor.compliance)
    }

    /// Changes the compliance of the joint's forces \[m/N\] and of its torques \[rad/(N m)\].
    ///
    /// # Errors
    /// The joint has been removed, or a number is not valid.
    pub fn set_compliance(
        &self,
        world: &mut World,
        compliance: f32,
        rotational_compliance: f32,
    ) -> Result<(), JointError> {
        check_soft(0, "compliance", compliance)?;
        check_soft(0, "rotational compliance", rotational_compliance)?;
        let own = self.own()?;
        let mut of_batch = compliance;
        if let ParameterLayout::Lock(_) = own.layout {
            let (lock, largest) = LockParameters::of(compliance, rotational_compliance);
            of_batch = largest;
            self.edit(world, own, |numbers| lock::set_compliances(numbers, lock))?;
        }
        self.set_compliance_of(world, own, of_batch)
    }

    /// Changes the rest length \[m\] of a spring, or the distance \[m\] of a rod.
    ///
    /// # Errors
    /// The joint has been removed or is no spring, or the number is not valid.
    pub fn set_rest_length(&self, world: &mut World, rest_length: f32) -> Result<(), JointError> {
        check_soft(0, "rest length", rest_length)?;
        let axis = JointAxis::Distance;
        let part = self.find(ParameterLayout::Spring).ok_or(JointError::Missing { part: "spring", axis })?;
        let spring = SpringParameters { rest_length };
        self.edit(world, part, |numbers| numbers.copy_from_slice(&Parameters::<f32>::to_numbers(spring)))
    }

    /// Returns the constraint whose compliance and damping are those of the joint.
    fn own(&self) -> Result<&JointBatch, JointError> {
        Ok(self.parts.first().ok_or(WorldError::StaleHandle("batch"))?)
    }

    fn find(&self, layout: ParameterLayout) -> Option<&JointBatch> {
        self.parts.iter().find(|part| part.layout == layout)
    }

    /// Changes the parameters of one of its constraints.
    fn edit(&self, world: &mut World, part: &JointBatch, edit: impl Fn(&mut [f32])) -> Result<(), JointError> {
        let own = |k, numbers: &mut [f32]| {
            if k == self.index {
                edit(numbers);
            }
        };
        Ok(world.edit_parameters(part.batch, own)?)
    }

    /// Changes the compliance of one of its constraints.
    fn set_compliance_of(&self, world: &mut World, part: &JointBatch, compliance: f32) -> Result<(), JointError> {
        Ok(world.edit_batch(part.batch, |batch| batch.set_compliance(self.index, compliance))?)
    }
}
