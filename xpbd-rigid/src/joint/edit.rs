//! Changes of the numbers of a joint while the world runs.

use xpbd_core::batch::{BatchError, BatchNumbers};
use xpbd_core::constraint::Parameters;
use xpbd_core::world::{World, WorldError};

use super::axis::AxisRows;
use super::ball::drive::BallDriveParameters;
use super::handle::JointBatch;
use super::limit::JointLimits;
use super::lock::{self, LockParameters, axes};
use super::part::ParameterLayout;
use super::settings::{check_soft, check_threshold};
use super::spring::SpringParameters;
use super::{JointAxis, JointError, JointHandle, JointMotor, RotationMotor};

/// Changes of its numbers. None of them makes a new plan, so that all are cheap enough for every frame.
impl JointHandle {
    /// Changes the limits \[rad or m\] of a free axis, which stay as hard or soft as they are. A hard limit that is set
    /// past the coordinate is reached within a substep, with the speed that this takes; a motor moves the body there
    /// gently.
    ///
    /// # Errors
    /// The joint has been removed or has no limit there, or the limits are not valid.
    pub fn set_limits(&self, world: &mut World, axis: JointAxis, min: f32, max: f32) -> Result<(), JointError> {
        let limits = JointLimits::new(min, max);
        if let Some(soft) = self.find(ParameterLayout::Range(axis)) {
            let range = limits.range(0, axis)?;
            return self.edit(world, soft, |numbers| numbers.set_parameters(self.index, range));
        }
        let bounds = limits.bounds(0, axis)?;
        let (part, rows, k) = self.axis_row(axis, AxisRows::limited, "limit")?;
        self.edit(world, part, |numbers| {
            axes::set_bounds(numbers.parameters_mut(self.index), rows.axes.len(), k, bounds);
            Ok(())
        })
    }

    /// Changes the compliance \[rad/(N m) or m/N\] and the damping coefficient \[N m s/rad or N s/m\] of the soft limits
    /// of a free axis.
    ///
    /// # Errors
    /// The joint has been removed or has no soft limits there, or a number is not valid.
    pub fn set_limit_compliance(
        &self,
        world: &mut World,
        axis: JointAxis,
        compliance: f32,
        damping_coefficient: f32,
    ) -> Result<(), JointError> {
        check_soft(0, "limit's compliance", compliance)?;
        check_soft(0, "limit's damping coefficient", damping_coefficient)?;
        let soft = self.find(ParameterLayout::Range(axis)).ok_or(JointError::Missing { part: "soft limit", axis })?;
        self.edit(world, soft, |numbers| {
            numbers.set_compliance(self.index, compliance);
            numbers.set_damping(self.index, damping_coefficient);
            Ok(())
        })
    }

    /// Changes the motor of a free axis.
    ///
    /// # Errors
    /// The joint has been removed or has no motor there, or the motor is not valid.
    pub fn set_motor(&self, world: &mut World, axis: JointAxis, motor: JointMotor) -> Result<(), JointError> {
        let parameters = motor.parameters(0)?;
        let (part, rows, k) = self.axis_row(axis, AxisRows::driven, "motor")?;
        self.edit_lock(world, part, |numbers| axes::set_motor(numbers, rows.axes.len(), k, parameters))
    }

    /// Changes the motor of the rotation of a ball joint.
    ///
    /// # Errors
    /// The joint has been removed or has no such motor, or the motor is not valid.
    pub fn set_rotation_motor(&self, world: &mut World, motor: RotationMotor) -> Result<(), JointError> {
        let motor = motor.parameters(0, &self.bases[0])?;
        let has_motor =
            |part: &&JointBatch| matches!(part.layout, ParameterLayout::AxisLock(rows) if rows.has_rotation_motor);
        let part = self.parts.iter().find(has_motor).ok_or(JointError::MissingRotationMotor)?;
        self.edit_lock(world, part, |numbers| BallDriveParameters::edit(numbers, |drive| drive.motor = motor))
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
        if own.is_lock() {
            let write = |lock: &mut LockParameters<f32>| {
                (lock.force_compliance, lock.torque_compliance) = (compliance, rotational_compliance);
            };
            return self.edit_lock(world, own, |numbers| own.edit_lock_parameters(numbers, write));
        }
        self.edit(world, own, |numbers| {
            numbers.set_compliance(self.index, compliance);
            Ok(())
        })
    }

    /// Changes the damping coefficient of the joint's compliance \[N s/m, and the same number in N m s/rad\].
    ///
    /// # Errors
    /// The joint has been removed, or the number is not valid.
    pub fn set_damping_coefficient(&self, world: &mut World, damping_coefficient: f32) -> Result<(), JointError> {
        check_soft(0, "damping coefficient", damping_coefficient)?;
        let own = self.own()?;
        if own.is_lock() {
            let write = |lock: &mut LockParameters<f32>| lock.damping_coefficient = damping_coefficient;
            return self.edit_lock(world, own, |numbers| own.edit_lock_parameters(numbers, write));
        }
        self.edit(world, own, |numbers| {
            numbers.set_damping(self.index, damping_coefficient);
            Ok(())
        })
    }

    /// Changes the rest length \[m\] of a spring, or the distance \[m\] of a distance joint whose limits were equal when it
    /// was added.
    ///
    /// # Errors
    /// The joint has been removed or has no rest length, or the number is not valid.
    pub fn set_rest_length(&self, world: &mut World, rest_length: f32) -> Result<(), JointError> {
        check_soft(0, "rest length", rest_length)?;
        let missing = JointError::Missing { part: "rest length", axis: JointAxis::Distance };
        let part = self.find(ParameterLayout::Spring).ok_or(missing)?;
        self.edit(world, part, |numbers| numbers.set_parameters(self.index, SpringParameters { rest_length }))
    }

    /// Changes the force \[N\] and the torque \[N m\] above which the joint breaks.
    ///
    /// # Errors
    /// The joint has been removed, or a number is not valid.
    pub fn set_break_thresholds(&self, world: &mut World, force: f32, torque: f32) -> Result<(), JointError> {
        check_threshold(0, "break force", force)?;
        check_threshold(0, "break torque", torque)?;
        for part in self.parts.iter() {
            self.edit(world, part, |numbers| {
                numbers.set_break_limits(self.index, [force, torque]);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns the constraint whose compliance and damping are those of the joint.
    fn own(&self) -> Result<&JointBatch, JointError> {
        Ok(self.parts.first().ok_or(WorldError::StaleHandle("batch"))?)
    }

    /// Returns the constraint that has a row for a free axis, and the number of the axis in it.
    fn axis_row(
        &self,
        axis: JointAxis,
        find: impl Fn(&AxisRows, JointAxis) -> Option<usize>,
        part: &'static str,
    ) -> Result<(&JointBatch, AxisRows, usize), JointError> {
        let found = self.parts.iter().find_map(|batch| match batch.layout {
            ParameterLayout::AxisLock(rows) => Some((batch, rows, find(&rows, axis)?)),
            _ => None,
        });
        found.ok_or(JointError::Missing { part, axis })
    }

    /// Changes the parameters of a constraint that locks the joint, and whether the constraint is damped: if any of its
    /// rows is.
    fn edit_lock(&self, world: &mut World, part: &JointBatch, edit: impl FnOnce(&mut [f32])) -> Result<(), JointError> {
        self.edit(world, part, |numbers| {
            let parameters = numbers.parameters_mut(self.index);
            let was_damped = part.has_damped_row(parameters);
            edit(parameters);
            let is_damped = part.has_damped_row(parameters);
            if is_damped != was_damped {
                numbers.set_damping(self.index, lock::damping_of_batch(is_damped));
            }
            Ok(())
        })
    }

    fn find(&self, layout: ParameterLayout) -> Option<&JointBatch> {
        self.parts.iter().find(|part| part.layout == layout)
    }

    /// Changes the numbers of one of its constraints.
    pub(super) fn edit(
        &self,
        world: &mut World,
        part: &JointBatch,
        edit: impl FnOnce(&mut BatchNumbers<'_>) -> Result<(), BatchError>,
    ) -> Result<(), JointError> {
        let mut result = Ok(());
        world.edit_parameters(part.batch, |numbers| result = edit(numbers))?;
        Ok(result?)
    }
}

impl JointBatch {
    /// Changes the parameters of the lock among those of a constraint that locks the joint.
    fn edit_lock_parameters(&self, numbers: &mut [f32], write: impl FnOnce(&mut LockParameters)) {
        LockParameters::edit(numbers, write);
        if let ParameterLayout::AxisLock(rows) = &self.layout {
            axes::soften_locked_axes(numbers, rows);
        }
    }

    /// Returns whether any row of a constraint that locks a joint is damped, from its parameters.
    pub(super) fn has_damped_row(&self, parameters: &[f32]) -> bool {
        match self.layout {
            ParameterLayout::AxisLock(rows) if rows.has_rotation_motor => {
                BallDriveParameters::from_numbers(parameters).is_damped()
            }
            ParameterLayout::AxisLock(rows) => axes::is_damped(parameters, rows.axes.len()),
            _ => LockParameters::from_numbers(parameters).is_damped(),
        }
    }
}
