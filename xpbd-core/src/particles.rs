//! Particle state, structure of arrays.
//!
//! A position is the sum of two numbers: an **anchor**, an `f32` position, and an **offset** from
//! there. Prediction moves the anchor and leaves what rounding cut off in the offset; constraints
//! change the offset alone. Motion is therefore exact even a kilometre from the origin, where an
//! `f32` position cannot hold the distance that a falling particle covers in a substep, and the
//! smallest correction of a constraint reaches the velocity.

use glam::{Vec3, Vec4, Vec4Swizzles};
use serde::{Deserialize, Serialize};

/// The particles of a world. All vectors have the same length; unused fourth components are 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Position \[m\], rounded; `w` is the inverse mass \[1/kg\], 0 where pinned or absent.
    pub anchor: Vec<Vec4>,
    /// Difference of the position and the anchor \[m\].
    pub offset: Vec<Vec4>,
    /// Velocity \[m/s\]; during a substep, the velocity without constraints.
    pub velocity: Vec<Vec4>,
    /// Position at the start of the substep \[m\], from the anchor as it is now.
    pub start: Vec<Vec4>,
    /// Acceleration \[m/s²\] by gravity and forces, constant over a frame; `w` is the drag \[1/s\].
    pub acceleration: Vec<Vec4>,
    /// Displacement in the substep before \[m\]; `w` is 1 where it and `previous_velocity` may be
    /// used for second-order integration.
    pub previous_displacement: Vec<Vec4>,
    /// Velocity one substep ago \[m/s\]; `w` is 1 where the particle is in contact.
    pub previous_velocity: Vec<Vec4>,
    /// Mass \[kg\], kept while a particle is pinned.
    pub mass: Vec<f32>,
    /// True if the particle is pinned.
    pub pinned: Vec<bool>,
    /// True if the particle could move at any time since it was added. Constraints are coloured as if it still could.
    pub was_movable: Vec<bool>,
    /// True if the particle is inactive: it keeps its index and its position, and takes part in nothing.
    pub inactive: Vec<bool>,
    /// Number of times that a particle of this index has been spawned.
    pub generations: Vec<u32>,
    /// Position in the rest shape \[m\].
    pub rest_positions: Vec<Vec3>,
    /// Force \[N\] that acts during the next frame.
    pub force: Vec<Vec3>,
    /// Unit gradient in the world and signed distance \[m\] of the surface of the body that a particle
    /// is part of, zero where it is none; empty if all are, and between frames. Batches set it in every
    /// substep.
    #[serde(skip)]
    pub signed_distance: Vec<Vec4>,
}

impl Particles {
    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.anchor.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.anchor.is_empty()
    }

    /// Returns the position \[m\].
    #[inline]
    pub fn position(&self, particle: usize) -> Vec3 {
        self.anchor[particle].xyz() + self.offset[particle].xyz()
    }

    /// Returns the vector \[m\] from particle `a` to particle `b`, exact far from the origin.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> Vec3 {
        (self.anchor[b] - self.anchor[a]).xyz() + (self.offset[b] - self.offset[a]).xyz()
    }

    /// Adds a particle at rest.
    pub fn push(&mut self, position: Vec3, velocity: Vec3, mass: f32, rest: Vec3) {
        self.anchor.push(position.extend(1.0 / mass));
        self.velocity.push(velocity.extend(0.0));
        self.mass.push(mass);
        self.pinned.push(false);
        self.was_movable.push(true);
        self.inactive.push(false);
        self.generations.push(0);
        self.rest_positions.push(rest);
        self.force.push(Vec3::ZERO);
        for zeroed in [
            &mut self.offset,
            &mut self.start,
            &mut self.acceleration,
            &mut self.previous_displacement,
            &mut self.previous_velocity,
        ] {
            zeroed.push(Vec4::ZERO);
        }
    }

    /// Puts a particle at a place with a velocity, forgetting its history.
    pub fn set_position(&mut self, particle: usize, position: Vec3, velocity: Vec3) {
        self.anchor[particle] = position.extend(self.anchor[particle].w);
        self.velocity[particle] = velocity.extend(0.0);
        self.offset[particle] = Vec4::ZERO;
        self.start[particle] = Vec4::ZERO;
        self.previous_displacement[particle] = Vec4::ZERO;
        self.previous_velocity[particle] = Vec4::ZERO;
    }

    /// Changes the mass \[kg\] of a particle.
    pub fn set_mass(&mut self, particle: usize, mass: f32) {
        self.mass[particle] = mass;
        if self.anchor[particle].w > 0.0 {
            self.anchor[particle].w = 1.0 / mass;
        }
    }

    /// Pins a particle where it is, at rest, or lets it go.
    pub fn set_pinned(&mut self, particle: usize, pinned: bool) {
        self.pinned[particle] = pinned;
        self.was_movable[particle] |= !pinned;
        let moves = !pinned && !self.inactive[particle];
        self.anchor[particle].w = if moves { 1.0 / self.mass[particle] } else { 0.0 };
        if !moves {
            self.velocity[particle] = Vec4::ZERO;
        }
        self.previous_displacement[particle] = Vec4::ZERO;
    }

    /// Makes an absent particle present, free to move, with a new life.
    pub fn activate(&mut self, particle: usize, position: Vec3, velocity: Vec3) {
        self.inactive[particle] = false;
        self.generations[particle] = self.generations[particle].wrapping_add(1);
        self.set_pinned(particle, false);
        self.set_position(particle, position, velocity);
        self.force[particle] = Vec3::ZERO;
    }

    /// Makes a particle absent where it is, neither pinned nor pushed.
    pub fn deactivate(&mut self, particle: usize) {
        self.inactive[particle] = true;
        self.set_pinned(particle, false);
        self.set_position(particle, self.position(particle), Vec3::ZERO);
        self.force[particle] = Vec3::ZERO;
    }

    /// Makes an absent particle `j` a twin of `i`, and gives both their masses \[kg\].
    pub fn split(&mut self, i: usize, j: usize, of_i: f32, of_j: f32) {
        for vectors in [
            &mut self.anchor,
            &mut self.offset,
            &mut self.velocity,
            &mut self.start,
            &mut self.acceleration,
            &mut self.previous_displacement,
            &mut self.previous_velocity,
        ] {
            vectors[j] = vectors[i];
        }
        let (force, w, whole) = (self.force[i], self.anchor[i].w, self.mass[i]);
        for (k, mass) in [(i, of_i), (j, of_j)] {
            self.force[k] = force * (mass / whole);
            self.anchor[k].w = if w > 0.0 { 1.0 / mass } else { 0.0 };
        }
        (self.mass[i], self.mass[j]) = (of_i, of_j);
        self.pinned[j] = self.pinned[i];
        self.inactive[j] = false;
        self.generations[j] = self.generations[j].wrapping_add(1);
        self.rest_positions[j] = self.rest_positions[i];
    }

    /// Returns the inverse mass \[1/kg\] that constraints are coloured with: 0 for a particle that has been pinned
    /// since it was added, and for any other that of a particle that is active and free.
    pub fn planned_inverse_mass(&self, particle: usize) -> f32 {
        if self.was_movable[particle] { 1.0 / self.mass[particle] } else { 0.0 }
    }

    /// Removes a range and closes the gap.
    pub fn remove(&mut self, range: std::ops::Range<usize>) {
        for vectors in [
            &mut self.anchor,
            &mut self.offset,
            &mut self.velocity,
            &mut self.start,
            &mut self.acceleration,
            &mut self.previous_displacement,
            &mut self.previous_velocity,
        ] {
            vectors.drain(range.clone());
        }
        self.mass.drain(range.clone());
        self.pinned.drain(range.clone());
        self.was_movable.drain(range.clone());
        self.inactive.drain(range.clone());
        self.generations.drain(range.clone());
        self.rest_positions.drain(range.clone());
        self.force.drain(range);
    }

    /// Folds the offset of a particle into its anchor; the rounding error stays in the offset. The start of the substep
    /// is then told from there.
    pub fn fold_offset(&mut self, particle: usize) {
        let (anchor, offset) = (self.anchor[particle], self.offset[particle]);
        let folded = (anchor.xyz() + offset.xyz()).extend(anchor.w);
        self.offset[particle] = (anchor - folded) + offset;
        self.start[particle] = (anchor - folded) + self.start[particle];
        self.anchor[particle] = folded;
    }

    /// Returns whether all vectors have one length, every number of a particle is finite, and what is absent lies
    /// still.
    pub fn is_valid(&self) -> bool {
        let n = self.len();
        let vectors = [
            &self.anchor,
            &self.offset,
            &self.velocity,
            &self.start,
            &self.acceleration,
            &self.previous_displacement,
            &self.previous_velocity,
        ];
        vectors.iter().all(|v| v.len() == n && v.iter().all(|x| x.is_finite()))
            && self.mass.len() == n
            && self.mass.iter().all(|&m| m.is_finite() && m > 0.0)
            && self.pinned.len() == n
            && self.was_movable.len() == n
            && self.pinned.iter().zip(&self.was_movable).all(|(pinned, movable)| *pinned || *movable)
            && self.inactive.len() == n
            && self.generations.len() == n
            && self.rest_positions.len() == n
            && self.rest_positions.iter().all(|x| x.is_finite())
            && self.force.len() == n
            && self.force.iter().all(|f| f.is_finite())
            && (0..n)
                .filter(|&i| self.inactive[i])
                .all(|i| self.anchor[i].w == 0.0 && self.velocity[i] == Vec4::ZERO && !self.pinned[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_valid_only_at_rest() {
        let mut particles = Particles::default();
        particles.push(Vec3::Y, Vec3::X, 2.0, Vec3::ZERO);
        particles.set_pinned(0, true);
        particles.deactivate(0);
        assert!(particles.is_valid() && !particles.pinned[0]);
        assert_eq!((particles.anchor[0].w, particles.planned_inverse_mass(0)), (0.0, 0.5));
        let mut moving = particles.clone();
        moving.velocity[0] = Vec4::X;
        let mut heavy = particles.clone();
        heavy.anchor[0].w = 0.5;
        let mut pinned = particles.clone();
        pinned.pinned[0] = true;
        let mut short = particles.clone();
        short.inactive.clear();
        assert!([moving, heavy, pinned, short].iter().all(|damaged| !damaged.is_valid()));
        particles.activate(0, Vec3::Z, Vec3::X);
        assert!(particles.is_valid());
        assert_eq!((particles.position(0), particles.anchor[0].w, particles.generations[0]), (Vec3::Z, 0.5, 1));
    }

    #[test]
    fn folding_loses_nothing() {
        let mut particles = Particles::default();
        particles.push(Vec3::new(1000.0, 0.0, -1000.0), Vec3::ZERO, 1.0, Vec3::ZERO);
        for _ in 0..1_000_000 {
            particles.offset[0] += Vec4::new(1e-6, 1e-6, 1e-6, 0.0);
            particles.fold_offset(0);
        }
        let moved = f64::from(particles.anchor[0].x) - 1000.0 + f64::from(particles.offset[0].x);
        assert!((moved - 1.0).abs() < 1e-4, "{moved}");
    }
}
