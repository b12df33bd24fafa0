//! Objects and batches that change in place to another description of themselves.

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::batch::{BatchNumbers, ConstraintBatch, NodeCounts};
use crate::handle::{BatchHandle, ObjectHandle};
use crate::object::Object;

/// The outcome of an update from one description to another, such as [`World::update_object`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// The numbers are those of the new description.
    Updated,
    /// The descriptions differ in more than numbers; nothing has changed, and the new one has to be added.
    TopologyDiffers,
}

impl World {
    /// Changes the numbers of an object that differ between the description `before`, which it was added with or last
    /// updated to, and the description `after`.
    ///
    /// Positions and velocities of particles stay, and so does whatever is the same in both descriptions, whether it
    /// has been changed in the world or not. Parameters, compliance, damping and break limits of constraints, inputs
    /// of hand-written batches, pins, friction, collision layers, gravity and linear damping are changed without a new
    /// plan; masses, rest positions and the numbers of a surface make a new one.
    ///
    /// # Errors
    /// The handle is stale, or the new description is not valid; nothing has changed then.
    pub fn update_object(
        &mut self,
        handle: ObjectHandle,
        before: &Object,
        after: &Object,
    ) -> Result<UpdateOutcome, WorldError> {
        let range = self.state.object(handle)?.range.clone();
        let batches = self.state.batches_added_with(handle, before);
        let Some(batches) = batches.filter(|_| before.has_same_topology(after)) else {
            return Ok(UpdateOutcome::TopologyDiffers);
        };
        after.validate()?;
        let counts = NodeCounts { particles: range.len(), bodies: 0 };
        after.batches.iter().try_for_each(|batch| batch.validate(counts))?;
        for ((&batch, before), after) in batches.iter().zip(&before.batches).zip(&after.batches) {
            self.edit_parameters(batch, |numbers| write_differences(numbers, before.as_ref(), after.as_ref()))?;
        }
        for particle in 0..after.positions.len() {
            let [was, is] = [before, after].map(|object| object.pins.contains(&(particle as u32)));
            if was != is && !self.state.particles.inactive[range.start + particle] {
                self.set_pinned(handle, particle, is)?;
            }
        }
        if before.surface != after.surface {
            self.set_surface(handle, after.surface.clone())?;
        }
        if before.stiffness != after.stiffness {
            self.set_stiffness(handle, after.stiffness.clone())?;
        }
        self.state.update_masses(range.start, before, after);
        let Some(object) = self.state.objects.get_mut(handle) else { return Err(WorldError::StaleHandle("object")) };
        if before.triangles != after.triangles {
            object.triangles.clone_from(&after.triangles);
        }
        object.name.clone_from(&after.name);
        if before.friction != after.friction {
            object.friction = after.friction;
        }
        if before.restitution.to_bits() != after.restitution.to_bits() {
            object.restitution = after.restitution;
        }
        if before.collision_layers != after.collision_layers {
            object.collision_layers = after.collision_layers;
        }
        if before.gravity_scale != after.gravity_scale {
            object.gravity_scale = after.gravity_scale;
        }
        if before.linear_damping != after.linear_damping {
            object.linear_damping = after.linear_damping;
        }
        Ok(UpdateOutcome::Updated)
    }

    /// Changes the numbers of a batch that differ between the description `before`, which it was added with or last
    /// updated to, and the description `after`, without a new plan.
    ///
    /// Whatever is the same in both descriptions stays, whether it has been changed in the world or not.
    ///
    /// # Errors
    /// The handle is stale, or the new description is not valid; nothing has changed then.
    pub fn update_batch(
        &mut self,
        handle: BatchHandle,
        before: &dyn ConstraintBatch,
        after: &dyn ConstraintBatch,
    ) -> Result<UpdateOutcome, WorldError> {
        let batch = self.batch(handle)?;
        let is_described = batch.name() == before.name() && batch.len() == before.len();
        if !is_described || !before.has_same_topology(after) {
            return Ok(UpdateOutcome::TopologyDiffers);
        }
        after.validate(self.state.node_counts(handle)?)?;
        self.edit_parameters(handle, |numbers| write_differences(numbers, before, after))?;
        Ok(UpdateOutcome::Updated)
    }
}

/// Writes the numbers that differ between two descriptions of a batch.
fn write_differences(numbers: &mut BatchNumbers<'_>, before: &dyn ConstraintBatch, after: &dyn ConstraintBatch) {
    let (Some(before), Some(after)) = (before.traced(), after.traced()) else {
        if before.inputs() != after.inputs() {
            let inputs = numbers.inputs_mut().iter_mut().zip(before.inputs().iter().zip(after.inputs()));
            inputs.filter(|(_, (before, after))| before != after).for_each(|(input, (_, &after))| *input = after);
        }
        return;
    };
    for k in 0..after.len() {
        let pairs = || before.parameters(k).iter().zip(after.parameters(k));
        if pairs().any(|(before, after)| before != after) {
            let parameters = numbers.parameters_mut(k).iter_mut().zip(pairs());
            parameters.filter(|(_, (before, after))| before != after).for_each(|(number, (_, &after))| *number = after);
        }
        if before.compliance_of(k) != after.compliance_of(k) {
            numbers.set_compliance(k, after.compliance_of(k));
        }
        if before.damping_of(k) != after.damping_of(k) {
            numbers.set_damping(k, after.damping_of(k));
        }
        if before.break_limits_of(k) != after.break_limits_of(k) {
            numbers.set_break_limits(k, after.break_limits_of(k).unwrap_or([f32::INFINITY; 2]));
        }
    }
}

impl State {
    /// Returns the batches of an object that was added with this description, if they are still there.
    fn batches_added_with(&self, handle: ObjectHandle, object: &Object) -> Option<Vec<BatchHandle>> {
        let own =
            self.batches.iter().filter(|(_, state)| state.objects.as_slice() == [handle] && state.bodies.is_empty());
        let mut own = own.take(object.batches.len());
        let handles = object.batches.iter().map(|batch| {
            let (handle, state) = own.next()?;
            (state.batch.name() == batch.name() && state.batch.len() == batch.len()).then_some(handle)
        });
        handles.collect()
    }

    /// Writes masses and rest positions that differ between two descriptions of an object.
    fn update_masses(&mut self, start: usize, before: &Object, after: &Object) {
        let masses = |object: &Object| object.masses.iter().chain(&object.inactive_masses).copied().collect::<Vec<_>>();
        let rest = |object: &Object| {
            if object.rest_positions.is_empty() { object.positions.clone() } else { object.rest_positions.clone() }
        };
        let ([old, new], [old_rest, new_rest]) = ([before, after].map(masses), [before, after].map(rest));
        if old == new && old_rest == new_rest {
            return;
        }
        self.prepare_particle_edit();
        self.plan_is_stale = true;
        for (k, (_, &mass)) in old.iter().zip(&new).enumerate().filter(|(_, (old, new))| old != new) {
            self.particles.set_mass(start + k, mass);
        }
        for (k, &position) in new_rest.iter().enumerate() {
            self.particles.rest_positions[start + k] = position;
        }
    }
}

impl Object {
    /// Returns whether two descriptions differ in numbers alone.
    fn has_same_topology(&self, other: &Self) -> bool {
        let triangles = |object: &Self| object.surface.as_ref().map(|surface| surface.triangles.clone());
        self.positions.len() == other.positions.len()
            && self.inactive_masses.len() == other.inactive_masses.len()
            && triangles(self) == triangles(other)
            && self.batches.len() == other.batches.len()
            && self.batches.iter().zip(&other.batches).all(|(a, b)| a.has_same_topology(b.as_ref()))
    }
}
