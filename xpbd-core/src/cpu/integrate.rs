//! Prediction and velocities, first and second order.
//!
//! Velocity is never a difference of positions: it is the velocity without constraints plus what
//! the constraints have moved, Δx/h. First order (\[SmallSteps19\] eq. 3):
//!
//! ```text
//! v̂ = vⁿ + h a          x̂ = xⁿ + h v̂          v = v̂ + (x − x̂)/h
//! ```
//!
//! Second order, the backward difference formula of \[English08\] in displacements, with
//! dⁿ = xⁿ − xⁿ⁻¹:
//!
//! ```text
//! v̂ = vⁿ + 1/3 (vⁿ − vⁿ⁻¹) + 2/3 h a      x̂ = xⁿ + 1/3 dⁿ + 2/3 h v̂      v = v̂ + 3/2 (x − x̂)/h
//! ```
//!
//! Prediction moves the anchor; the offset is left to the constraints (see
//! [`particles`](crate::particles)). Drag divides v by 1 + c h. A particle that was in contact takes v = (x − xⁿ)/h and starts anew
//! with first order, or it would bounce.
#![expect(unsafe_code, reason = "threads write disjoint chunks of the particles")]

use glam::{Vec4, Vec4Swizzles};

use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;

/// Number of particles in one task.
const CHUNK: usize = 1024;

/// The integration of one substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Substep {
    /// Length \[s\].
    pub h: f32,
    /// True for the second-order formula.
    pub second_order: bool,
}

/// A chunk of every array of particles.
struct ParticleChunk<'a> {
    anchor: &'a mut [Vec4],
    acceleration: &'a [Vec4],
    offset: &'a mut [Vec4],
    start: &'a mut [Vec4],
    velocity: &'a mut [Vec4],
    previous_move: &'a mut [Vec4],
    previous_velocity: &'a mut [Vec4],
}

/// Calls `work` for chunks of the particles, divided among the threads.
fn for_chunks(particles: &mut Particles, workers: &WorkerScope<'_>, work: impl Fn(ParticleChunk<'_>) + Sync) {
    let count = particles.len();
    let acceleration = &particles.acceleration;
    let anchor = DisjointSlice::new(&mut particles.anchor);
    let offset = DisjointSlice::new(&mut particles.offset);
    let start = DisjointSlice::new(&mut particles.start);
    let velocity = DisjointSlice::new(&mut particles.velocity);
    let previous_move = DisjointSlice::new(&mut particles.previous_displacement);
    let previous_velocity = DisjointSlice::new(&mut particles.previous_velocity);
    workers.run(count.div_ceil(CHUNK), |_, chunks| {
        let range = chunks.start * CHUNK..count.min(chunks.end * CHUNK);
        // SAFETY: the ranges of the threads do not overlap.
        let chunk = unsafe {
            ParticleChunk {
                anchor: anchor.slice(range.clone()),
                acceleration: &acceleration[range.clone()],
                offset: offset.slice(range.clone()),
                start: start.slice(range.clone()),
                velocity: velocity.slice(range.clone()),
                previous_move: previous_move.slice(range.clone()),
                previous_velocity: previous_velocity.slice(range),
            }
        };
        work(chunk);
    });
}

impl Substep {
    /// Moves every particle as if there were no constraints.
    pub fn predict(self, particles: &mut Particles, workers: &WorkerScope<'_>) {
        let Self { h, second_order } = self;
        for_chunks(particles, workers, |chunk| {
            for i in 0..chunk.offset.len() {
                let acceleration = chunk.acceleration[i].xyz().extend(0.0);
                let velocity = chunk.velocity[i];
                let second = second_order && chunk.previous_move[i].w == 1.0;
                if second_order {
                    let before = chunk.previous_velocity[i].xyz().extend(0.0);
                    chunk.previous_velocity[i] = velocity;
                    if second {
                        let mean = velocity + (velocity - before) * (1.0 / 3.0);
                        chunk.velocity[i] = mean + acceleration * (h * (2.0 / 3.0));
                    }
                }
                let anchor = chunk.anchor[i];
                if !second && anchor.w > 0.0 {
                    chunk.velocity[i] = velocity + acceleration * h;
                }
                let free_move = self.free_move(chunk.velocity[i], chunk.previous_move[i], second);
                let moved = (anchor + (chunk.offset[i] + free_move)).xyz().extend(anchor.w);
                chunk.anchor[i] = moved;
                chunk.start[i] = (anchor - moved) + chunk.offset[i];
                chunk.offset[i] = chunk.start[i] + free_move;
            }
        });
    }

    /// Takes velocities from what the constraints have moved.
    pub fn velocities(self, particles: &mut Particles, workers: &WorkerScope<'_>) {
        let Self { h, second_order } = self;
        for_chunks(particles, workers, |chunk| {
            for i in 0..chunk.offset.len() {
                let free = chunk.velocity[i];
                let moved = chunk.offset[i] - chunk.start[i];
                let second = second_order && chunk.previous_move[i].w == 1.0;
                let predicted = chunk.start[i] + self.free_move(free, chunk.previous_move[i], second);
                let order = if second { 1.5 } else { 1.0 };
                let mut velocity = free + (chunk.offset[i] - predicted) * (order / h);
                if second_order {
                    let in_contact = chunk.previous_velocity[i].w == 1.0;
                    if in_contact && second {
                        velocity = moved / h;
                    }
                    let usable = !in_contact && chunk.anchor[i].w > 0.0;
                    chunk.previous_move[i] = moved.xyz().extend(if usable { 1.0 } else { 0.0 });
                }
                if chunk.anchor[i].w > 0.0 {
                    velocity /= 1.0 + h * chunk.acceleration[i].w;
                }
                chunk.velocity[i] = velocity;
            }
        });
    }

    /// Returns the displacement \[m\] that velocity `free` and the previous displacement give.
    #[inline(always)]
    fn free_move(self, free: Vec4, previous_move: Vec4, second: bool) -> Vec4 {
        if second {
            (previous_move * (1.0 / 3.0)).xyz().extend(0.0) + free * (self.h * (2.0 / 3.0))
        } else {
            free * self.h
        }
    }
}
