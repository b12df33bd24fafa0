//! Queries: where things are, how fast, how hard constraints pull, and sums over all of it.

use glam::{DVec3, Vec3, Vec4, Vec4Swizzles};
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::ordered::{BatchHandle, BodyHandle, ObjectHandle};
use super::state::State;
use crate::batch::{ConstraintBatch, Nodes};
use crate::collide::Contact;
use crate::connector::NodeKind;
use crate::constraint::update::{Layout, energy_program, residual_program};
use crate::program::interpret::evaluate;
use crate::schedule::{Plan, TracedPass};

/// Energy of a world \[J\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energy {
    /// Σ ½ m v².
    pub kinetic: f64,
    /// −Σ m g·x, with respect to the origin.
    pub gravitational: f64,
    /// What compliant constraints hold, Σ ½ fᵀ α f with f = λ/h² of the last substep.
    pub elastic: f64,
}

impl Energy {
    /// The sum.
    pub fn total(self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}

/// Momentum of a world.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Momentum {
    /// Σ m v \[N s\].
    pub linear: DVec3,
    /// Σ x × m v \[N m s\], about the origin.
    pub angular: DVec3,
}

impl World {
    /// The data of the world, for back ends, renderers and tests.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The objects in the order in which they were added.
    pub fn objects(&self) -> &[ObjectHandle] {
        self.state.objects.keys()
    }

    /// Positions \[m\] of an object's particles.
    ///
    /// # Errors
    /// A stale handle.
    pub fn positions(&self, object: ObjectHandle) -> Result<impl ExactSizeIterator<Item = Vec3> + '_, WorldError> {
        Ok(self.packed_positions(object)?.iter().map(|packed| packed.xyz()))
    }

    /// Positions \[m\] and inverse masses \[1/kg\] of an object's particles, as they lie in memory.
    ///
    /// # Errors
    /// A stale handle.
    pub fn packed_positions(&self, object: ObjectHandle) -> Result<&[Vec4], WorldError> {
        Ok(&self.state.particles.anchor[self.state.object(object)?.range.clone()])
    }

    /// Velocities \[m/s\] of an object's particles.
    ///
    /// # Errors
    /// A stale handle.
    pub fn velocities(&self, object: ObjectHandle) -> Result<impl ExactSizeIterator<Item = Vec3> + '_, WorldError> {
        let range = self.state.object(object)?.range.clone();
        Ok(self.state.particles.velocity[range].iter().map(|velocity| velocity.xyz()))
    }

    /// Position \[m\] of one particle.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn position(&self, object: ObjectHandle, particle: usize) -> Result<Vec3, WorldError> {
        Ok(self.state.particles.position(self.state.particle(object, particle)?))
    }

    /// Velocity \[m/s\] of one particle.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn velocity(&self, object: ObjectHandle, particle: usize) -> Result<Vec3, WorldError> {
        Ok(self.state.particles.velocity[self.state.particle(object, particle)?].xyz())
    }

    /// Whether an object became non-finite and was frozen.
    ///
    /// # Errors
    /// A stale handle.
    pub fn is_frozen(&self, object: ObjectHandle) -> Result<bool, WorldError> {
        Ok(self.state.object(object)?.frozen)
    }

    /// Pose of a body.
    ///
    /// # Errors
    /// A stale handle.
    pub fn pose(&self, body: BodyHandle) -> Result<Pose, WorldError> {
        Ok(self.state.bodies.pose(self.state.body(body)?))
    }

    /// What touched what in the last step, and what no longer does.
    pub fn contacts(&self) -> &[Contact] {
        &self.state.contacts.events
    }

    /// What a substep solves; out of date between an edit and the next step.
    pub fn plan(&self) -> &Plan {
        &self.state.plan
    }

    /// A batch.
    ///
    /// # Errors
    /// A stale handle.
    pub fn batch(&self, handle: BatchHandle) -> Result<&dyn ConstraintBatch, WorldError> {
        self.state.batches.get(handle).map(|state| state.batch.as_ref()).ok_or(WorldError::Stale("batch"))
    }

    /// Force λ/h² of each row of a constraint in the last substep; for a distance \[N\], negative
    /// where it pulls. 0 before the first step after an edit.
    ///
    /// # Errors
    /// A stale handle, or no such constraint.
    pub fn force(&self, handle: BatchHandle, constraint: usize) -> Result<SmallVec<[f32; 6]>, WorldError> {
        let per_multiplier = 1.0 / self.state.effective_square(self.state.last_substep);
        if let Some(rows) = self.state.with_slot(handle, constraint, |pass, slot| {
            pass.lambda.iter().map(|row| row[slot] * per_multiplier).collect()
        })? {
            return Ok(rows);
        }
        let batch = self.batch(handle)?;
        let mut rows = batch.multipliers(constraint);
        if let Some(traced) = batch.traced() {
            rows = SmallVec::from_elem(0.0, traced.kind().rows());
        }
        rows.iter_mut().for_each(|row| *row *= per_multiplier);
        Ok(rows)
    }

    /// What another iteration would still correct, the largest over a batch, in the unit of C.
    ///
    /// # Errors
    /// A stale handle.
    pub fn residual(&mut self, handle: BatchHandle) -> Result<f32, WorldError> {
        let place = self.state.batches.position(handle).ok_or(WorldError::Stale("batch"))? as u32;
        if self.batch(handle)?.traced().is_none() {
            return Ok(self.state.custom_residual(handle));
        }
        let uniforms = self.state.uniforms(self.state.last_substep);
        let mut largest = 0.0_f32;
        for pass in self.state.plan.traced() {
            let program = residual_program(&pass.kind, &pass.connectors);
            for slot in (0..pass.len()).filter(|&slot| pass.slots[slot].batch == place) {
                let (gathered, columns) = self.state.inputs(pass, slot);
                let rows = evaluate(&program, &gathered, &columns, &uniforms);
                largest = rows.iter().fold(largest, |largest, row| largest.max(row.abs()));
            }
        }
        Ok(largest)
    }

    /// Energy of all particles and constraints.
    pub fn energy(&self) -> Energy {
        let particles = &self.state.particles;
        let mut energy = Energy::default();
        for (_, object) in self.state.objects.iter() {
            let gravity = (self.state.settings.gravity * object.gravity_scale).as_dvec3();
            for i in object.range.clone().filter(|&i| particles.anchor[i].w > 0.0) {
                let mass = f64::from(particles.mass[i]);
                energy.kinetic += 0.5 * mass * particles.velocity[i].xyz().as_dvec3().length_squared();
                energy.gravitational -= mass * gravity.dot(exact_position(&self.state, i));
            }
        }
        let per_multiplier = 1.0 / self.state.effective_square(self.state.last_substep);
        for pass in self.state.plan.traced().filter(|_| per_multiplier.is_finite()) {
            let program = energy_program(&pass.kind, &pass.connectors);
            for slot in 0..pass.len() {
                let (mut gathered, columns) = self.state.inputs(pass, slot);
                let lambda = Layout::new(&pass.kind, &pass.connectors).lambda as usize;
                gathered[lambda..].iter_mut().for_each(|lambda| *lambda *= per_multiplier);
                energy.elastic += f64::from(evaluate(&program, &gathered, &columns, &[0.0, 1.0])[0]);
            }
        }
        energy
    }

    /// Momentum of all particles that can move.
    pub fn momentum(&self) -> Momentum {
        let particles = &self.state.particles;
        let mut momentum = Momentum::default();
        for i in (0..particles.len()).filter(|&i| particles.anchor[i].w > 0.0) {
            let linear = particles.velocity[i].xyz().as_dvec3() * f64::from(particles.mass[i]);
            momentum.linear += linear;
            momentum.angular += exact_position(&self.state, i).cross(linear);
        }
        momentum
    }

    /// A number made of the bits of all positions, poses and velocities (FNV-1a): equal for worlds
    /// that are equal to the last bit.
    pub fn state_hash(&self) -> u64 {
        let State { particles, bodies, .. } = &self.state;
        let vectors = [&particles.anchor, &particles.offset, &particles.velocity, &bodies.anchor, &bodies.offset];
        let numbers = vectors.into_iter().flatten().flat_map(|vector| vector.to_array());
        let turns = bodies.rotation.iter().flat_map(|rotation| rotation.to_array());
        numbers
            .chain(turns)
            .flat_map(|number| number.to_bits().to_le_bytes())
            .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
    }
}

fn exact_position(state: &State, particle: usize) -> DVec3 {
    state.particles.anchor[particle].xyz().as_dvec3() + state.particles.offset[particle].xyz().as_dvec3()
}

impl State {
    /// Calls `read` with the pass and slot of a traced constraint that is in the plan.
    fn with_slot<R>(
        &self,
        handle: BatchHandle,
        constraint: usize,
        read: impl FnOnce(&TracedPass, usize) -> R,
    ) -> Result<Option<R>, WorldError> {
        let place = self.batches.position(handle).ok_or(WorldError::Stale("batch"))? as u32;
        let batch = &self.batches.get(handle).ok_or(WorldError::Stale("batch"))?.batch;
        if constraint >= batch.len() {
            return Err(WorldError::NoConstraint { batch: batch.name(), index: constraint, count: batch.len() });
        }
        let wanted = |slot: &crate::schedule::Slot| slot.batch == place && slot.constraint as usize == constraint;
        let found = self.plan.traced().find_map(|pass| Some((pass, pass.slots.iter().position(wanted)?)));
        Ok(found.filter(|_| !self.plan_is_stale).map(|(pass, slot)| read(pass, slot)))
    }

    fn custom_residual(&mut self, handle: BatchHandle) -> f32 {
        let Self { batches, objects, particles, .. } = self;
        let Some(state) = batches.get(handle) else { return 0.0 };
        let Some(ranges) = super::state::live_ranges(objects, &state.objects) else { return 0.0 };
        let nodes = Nodes::new(particles, ranges);
        (0..state.batch.len()).map(|k| state.batch.residual(&nodes, k).abs()).fold(0.0, f32::max)
    }

    /// What a program of a pass reads for one constraint: gathered inputs and columns.
    fn inputs(&self, pass: &TracedPass, slot: usize) -> (Vec<f32>, Vec<f32>) {
        let layout = Layout::new(&pass.kind, &pass.connectors);
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
            write(inputs.now, &(from + offset.xyz()).to_array());
            write(inputs.before, &(from + start.xyz()).to_array());
            write(inputs.inverse_mass, &[anchor(kind, node).w]);
            if kind == NodeKind::Body {
                write(inputs.turn, &self.bodies.rotation[node].to_array());
                write(inputs.turn_before, &self.bodies.start_rotation[node].to_array());
                write(inputs.inverse_inertia, &self.bodies.inverse_inertia[node].xyz().to_array());
            }
        }
        let lambda: Vec<f32> = pass.lambda.iter().map(|row| row[slot]).collect();
        write(layout.lambda, &lambda);
        (gathered, pass.columns.iter().map(|column| column[slot]).collect())
    }
}
