//! Sums over a world: energy, momentum, and a number for its bits.

use glam::{DVec3, Vec4Swizzles};

use super::World;
use super::state::State;
use crate::constraint::update::energy_program;
use crate::program::interpret::evaluate;
use crate::schedule::TracedPass;

/// Energy of a world \[J\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energy {
    /// Σ ½ m v².
    pub kinetic: f64,
    /// −Σ m g·x, with respect to the origin.
    pub gravitational: f64,
    /// Energy of compliant constraints \[J\], Σ ½ fᵀ α f with f = λ/h² of the last substep.
    pub elastic: f64,
}

impl Energy {
    /// Returns the sum.
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
    /// Returns the energy of all particles, bodies and constraints.
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
        for k in (0..self.state.bodies.len()).filter(|&k| self.state.bodies.is_movable(k)) {
            let (body, motion) = (&self.state.bodies.records[k].body, BodyMotion::of(&self.state, k));
            let gravity = (self.state.settings.gravity * body.gravity_scale).as_dvec3();
            energy.kinetic += 0.5 * (motion.velocity.dot(motion.linear) + motion.spin.dot(motion.angular));
            energy.gravitational -= f64::from(body.mass.mass) * gravity.dot(motion.position);
        }
        let per_multiplier = 1.0 / self.state.effective_square(self.state.last_substep);
        let holds = |pass: &&TracedPass| per_multiplier.is_finite() && !pass.kind.dissipates();
        for pass in self.state.plan.traced().filter(holds) {
            let program = energy_program(&pass.kind, &pass.connectors);
            for slot in 0..pass.len() {
                let (mut gathered, columns) = self.state.program_inputs(pass, slot);
                let lambda = pass.layout.lambda as usize;
                gathered[lambda..].iter_mut().for_each(|lambda| *lambda *= per_multiplier);
                energy.elastic += f64::from(evaluate(&program, &gathered, &columns, &[0.0, 1.0, 0.0])[0]);
            }
        }
        energy
    }

    /// Returns the momentum of all particles and bodies that can move.
    pub fn momentum(&self) -> Momentum {
        let particles = &self.state.particles;
        let mut momentum = Momentum::default();
        for i in (0..particles.len()).filter(|&i| particles.anchor[i].w > 0.0) {
            let linear = particles.velocity[i].xyz().as_dvec3() * f64::from(particles.mass[i]);
            momentum.linear += linear;
            momentum.angular += exact_position(&self.state, i).cross(linear);
        }
        for k in (0..self.state.bodies.len()).filter(|&k| self.state.bodies.is_movable(k)) {
            let motion = BodyMotion::of(&self.state, k);
            momentum.linear += motion.linear;
            momentum.angular += motion.angular + motion.position.cross(motion.linear);
        }
        momentum
    }

    /// Returns a number made of the bits of all positions, poses and velocities (FNV-1a): equal for worlds
    /// that are equal to the last bit.
    pub fn state_hash(&self) -> u64 {
        let State { particles, bodies, .. } = &*self.state;
        let of_particles = [&particles.anchor, &particles.offset, &particles.velocity];
        let of_bodies = [&bodies.anchor, &bodies.offset, &bodies.velocity, &bodies.angular_velocity];
        let numbers = of_particles.into_iter().chain(of_bodies).flatten().flat_map(|vector| vector.to_array());
        let turns = bodies.rotation.iter().flat_map(|rotation| rotation.to_array());
        numbers
            .chain(turns)
            .flat_map(|number| number.to_bits().to_le_bytes())
            .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
    }
}

/// How a body moves, in double precision.
struct BodyMotion {
    position: DVec3,
    velocity: DVec3,
    spin: DVec3,
    linear: DVec3,
    angular: DVec3,
}

impl BodyMotion {
    fn of(state: &State, k: usize) -> Self {
        let bodies = &state.bodies;
        let mass = &bodies.records[k].body.mass;
        let (velocity, spin) = (bodies.velocity[k].xyz().as_dvec3(), bodies.angular_velocity[k].xyz().as_dvec3());
        let rotation = bodies.rotation[k].as_dquat().normalize();
        Self {
            position: bodies.anchor[k].xyz().as_dvec3() + bodies.offset[k].xyz().as_dvec3(),
            velocity,
            spin,
            linear: velocity * f64::from(mass.mass),
            angular: rotation * ((rotation.inverse() * spin) * mass.principal_inertia.as_dvec3()),
        }
    }
}

fn exact_position(state: &State, particle: usize) -> DVec3 {
    state.particles.anchor[particle].xyz().as_dvec3() + state.particles.offset[particle].xyz().as_dvec3()
}
