//! Queries: where things are, how fast, how hard constraints pull.

use glam::{Vec3, Vec4, Vec4Swizzles};
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::planning::MediaBuilder;
use super::revision::Revision;
use super::state::{PlanPlacement, State};
use crate::batch::{ConstraintBatch, Nodes};
use crate::collide::{Collision, Contact, ContactSet, ContactSubstep, Contacts, DetectionContext};
use crate::connector::NodeKind;
use crate::constraint::ConstraintError;
use crate::constraint::update::residual_program;
use crate::handle::{BatchHandle, BodyHandle, ObjectHandle};
use crate::medium::{Medium, MediumStatistics};
use crate::parallel::WorkerScope;
use crate::program::interpret::evaluate;
use crate::schedule::{Pass, Plan, TracedPass};

impl World {
    /// Returns the data of the world, for back ends, renderers and tests.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the mark of the state that the world is in: as long as it is the same, nothing has changed.
    pub fn revision(&self) -> Revision {
        self.state.revision()
    }

    /// Returns the objects in the order in which they were added.
    pub fn objects(&self) -> &[ObjectHandle] {
        self.state.objects.keys()
    }

    /// Returns the positions \[m\] of an object's particles; absent ones lie where they were left.
    ///
    /// # Errors
    /// A stale handle.
    pub fn positions(&self, object: ObjectHandle) -> Result<impl ExactSizeIterator<Item = Vec3> + '_, WorldError> {
        Ok(self.packed_positions(object)?.iter().map(|packed| packed.xyz()))
    }

    /// Returns the positions \[m\] and inverse masses \[1/kg\] of an object's particles, as they lie in memory; inverse
    /// masses are 0 where pinned or absent.
    ///
    /// # Errors
    /// A stale handle.
    pub fn packed_positions(&self, object: ObjectHandle) -> Result<&[Vec4], WorldError> {
        Ok(&self.state.particles.anchor[self.state.object(object)?.range.clone()])
    }

    /// Returns the velocities \[m/s\] of an object's particles.
    ///
    /// # Errors
    /// A stale handle.
    pub fn velocities(&self, object: ObjectHandle) -> Result<impl ExactSizeIterator<Item = Vec3> + '_, WorldError> {
        let range = self.state.object(object)?.range.clone();
        Ok(self.state.particles.velocity[range].iter().map(|velocity| velocity.xyz()))
    }

    /// Returns the position \[m\] of one particle.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn position(&self, object: ObjectHandle, particle: usize) -> Result<Vec3, WorldError> {
        Ok(self.state.particles.position(self.state.particle_index(object, particle)?))
    }

    /// Returns the velocity \[m/s\] of one particle.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn velocity(&self, object: ObjectHandle, particle: usize) -> Result<Vec3, WorldError> {
        Ok(self.state.particles.velocity[self.state.particle_index(object, particle)?].xyz())
    }

    /// Returns whether an object became non-finite and was frozen.
    ///
    /// # Errors
    /// A stale handle.
    pub fn is_frozen(&self, object: ObjectHandle) -> Result<bool, WorldError> {
        Ok(self.state.object(object)?.frozen)
    }

    /// Returns the pose of a body.
    ///
    /// # Errors
    /// A stale handle.
    pub fn body_pose(&self, body: BodyHandle) -> Result<Pose, WorldError> {
        Ok(self.state.bodies.pose(self.state.body_index(body)?))
    }

    /// Returns what touched what in the last step, and what no longer does.
    pub fn contacts(&self) -> &[Contact] {
        &self.state.contacts.events
    }

    /// Returns which colliders of bodies touched in the last step, and which no longer do.
    pub fn collisions(&self) -> &[Collision] {
        &self.state.contacts.collisions
    }

    /// Returns the members of a medium as they are now, with who is near whom and which walls; none if the world has
    /// no objects of it.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn medium_statistics(&self, medium: &'static dyn Medium) -> Result<Option<MediumStatistics>, ConstraintError> {
        let state = &self.state;
        let media = MediaBuilder::from_state(state);
        let Some(resident) = media.find(medium) else { return Ok(None) };
        let object_media = media.object_media(state.objects.len(), &state.settings);
        let mut contacts = Contacts::default();
        contacts.detect(
            &DetectionContext { object_media: &object_media, ..state.detection_context(0.0) },
            &WorkerScope::SINGLE,
        )?;
        let State { settings, particles, bodies, supports, .. } = &**state;
        let workers = &WorkerScope::SINGLE;
        let substep = ContactSubstep { settings, particles, bodies, supports, index: 0, h: 0.0, workers };
        contacts.shapes.update_predicted(&substep);
        let objects: Vec<_> = state.objects.iter().map(|(_, object)| object).collect();
        Ok(Some(resident.statistics(&state.particles, &state.bodies, &contacts, &state.settings, &objects)))
    }

    /// Returns what a substep solves; out of date between an edit and the next step.
    pub fn plan(&self) -> &Plan {
        &self.state.plan
    }

    /// Returns a batch.
    ///
    /// # Errors
    /// A stale handle.
    pub fn batch(&self, handle: BatchHandle) -> Result<&dyn ConstraintBatch, WorldError> {
        self.state.batches.get(handle).map(|state| state.batch.as_ref()).ok_or(WorldError::StaleHandle("batch"))
    }

    /// Returns the force λ/h² of each row of a constraint, as a mean over the last frame if any of its nodes is a body
    /// and in its last substep otherwise; for a distance \[N\], negative where it pulls. 0 before the first step after an edit, and between bodies that sleep.
    ///
    /// # Errors
    /// A stale handle, or no such constraint.
    pub fn row_forces(&self, handle: BatchHandle, constraint: usize) -> Result<SmallVec<[f32; 6]>, WorldError> {
        let per_multiplier = 1.0 / self.state.effective_square(self.state.last_substep);
        if let Some(rows) = self.state.with_slot(handle, constraint, |pass, slot| {
            pass.reaction_multipliers().iter().map(|row| row[slot] * per_multiplier).collect()
        })? {
            return Ok(rows);
        }
        let batch = self.batch(handle)?;
        let mut rows = batch.multipliers(constraint);
        if let Some(traced) = batch.traced() {
            rows = SmallVec::from_elem(0.0, traced.kind().row_count());
        }
        rows.iter_mut().for_each(|row| *row *= per_multiplier);
        Ok(rows)
    }

    /// Returns what another iteration would still correct, the largest over a batch, in the unit of C.
    ///
    /// # Errors
    /// A stale handle.
    pub fn residual(&mut self, handle: BatchHandle) -> Result<f32, WorldError> {
        let place = self.state.batches.index_of(handle).ok_or(WorldError::StaleHandle("batch"))? as u32;
        if self.batch(handle)?.traced().is_none() {
            return Ok(self.state.custom_residual(handle));
        }
        let uniforms = self.state.uniforms(self.state.last_substep);
        let mut largest = 0.0_f32;
        for pass in self.state.plan.traced() {
            let program = residual_program(&pass.kind, &pass.connectors);
            for slot in (0..pass.len()).filter(|&slot| pass.slots[slot].batch == place) {
                let (gathered, columns) = self.state.program_inputs(pass, slot);
                let rows = evaluate(&program, &gathered, &columns, &uniforms);
                largest = rows.iter().fold(largest, |largest, row| largest.max(row.abs()));
            }
        }
        Ok(largest)
    }
}

impl State {
    /// Calls `read` with the pass and slot of a traced constraint that is in the plan.
    pub(super) fn with_slot<R>(
        &self,
        handle: BatchHandle,
        constraint: usize,
        read: impl FnOnce(&TracedPass, usize) -> R,
    ) -> Result<Option<R>, WorldError> {
        let state = self.batches.get(handle).ok_or(WorldError::StaleHandle("batch"))?;
        let batch = &state.batch;
        if constraint >= batch.len() {
            return Err(WorldError::NoConstraint { batch: batch.name().into(), index: constraint, count: batch.len() });
        }
        let placed = |placement: &PlanPlacement| Some((placement.pass, placement.slot(constraint)?));
        let place = state.placements.iter().find_map(placed).filter(|_| !self.plan_is_stale);
        Ok(place.and_then(|(pass, slot)| match self.plan.passes.get(pass) {
            Some(Pass::Traced(pass)) => Some(read(pass, slot)),
            _ => None,
        }))
    }

    fn custom_residual(&mut self, handle: BatchHandle) -> f32 {
        let [_, scale, _] = self.uniforms(self.last_substep);
        let Self { batches, objects, particles, .. } = self;
        let Some(state) = batches.get(handle) else { return 0.0 };
        let Some(ranges) = super::state::live_ranges(objects, &state.objects) else { return 0.0 };
        let nodes = Nodes::new(particles, ranges, scale);
        (0..state.batch.len()).map(|k| state.batch.residual(&nodes, k).abs()).fold(0.0, f32::max)
    }

    /// Returns what a program of a pass reads for one constraint: gathered inputs and columns.
    pub(super) fn program_inputs(&self, pass: &TracedPass, slot: usize) -> (Vec<f32>, Vec<f32>) {
        let layout = &pass.layout;
        let mut gathered = vec![0.0; layout.gathered];
        let mut write =
            |first: u16, numbers: &[f32]| gathered[first as usize..][..numbers.len()].copy_from_slice(numbers);
        let kinds = pass.connectors.nodes();
        let anchor = |kind, node: usize| match kind {
            NodeKind::Particle => self.particles.anchor[node],
            NodeKind::Body => self.bodies.anchor[node],
        };
        let origin = anchor(kinds[0], pass.nodes[0][slot] as usize).xyz();
        write(layout.origin, &origin.to_array());
        for ((inputs, &kind), column) in layout.nodes.iter().zip(kinds).zip(&pass.nodes) {
            let node = column[slot] as usize;
            let (offset, start) = match kind {
                NodeKind::Particle => (self.particles.offset[node], self.particles.start[node]),
                NodeKind::Body => (self.bodies.offset[node], self.bodies.start[node]),
            };
            let from = anchor(kind, node).xyz() - origin;
            write(inputs.position, &(from + offset.xyz()).to_array());
            write(inputs.previous_position, &(from + start.xyz()).to_array());
            write(inputs.inverse_mass, &[anchor(kind, node).w]);
            if kind == NodeKind::Body {
                write(inputs.rotation, &self.bodies.rotation[node].to_array());
                write(inputs.previous_rotation, &self.bodies.start_rotation[node].to_array());
                write(inputs.inverse_inertia, &self.bodies.inverse_inertia[node].xyz().to_array());
            }
        }
        let lambda: Vec<f32> = pass.lambda.iter().map(|row| row[slot]).collect();
        write(layout.lambda, &lambda);
        (gathered, pass.columns.iter().map(|column| column[slot]).collect())
    }
}
