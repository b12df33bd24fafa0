//! The limits of how far and how fast a pair of features pushes its particles.

use glam::Vec3;

use crate::collide::contact_set::ContactSubstep;
use crate::object::support::Places;
use crate::particles::Particles;

/// The particles of a pair, with the weights with which they are in the gap.
pub(super) struct PushedNodes<'a> {
    /// World indices of at most four particles.
    pub nodes: &'a [u32],
    /// Their weights \[1\], below zero in the second feature.
    pub weights: [f32; 4],
}

impl PushedNodes<'_> {
    fn iter(&self) -> impl Iterator<Item = (u32, f32)> {
        self.nodes.iter().copied().zip(self.weights)
    }

    /// Returns the part of its push along a normal that each particle is free to follow \[1\]: what
    /// [supports](crate::object::Supports) leave of it, and as much as leaves those that are surrounded by pins no more than an
    /// inverse mass \[1/kg\], which is given for the first and the second feature.
    pub(super) fn free_parts(&self, normal: Vec3, most: [Option<f32>; 2], substep: &ContactSubstep<'_>) -> [f32; 4] {
        let mut free = [1.0; 4];
        let &ContactSubstep { supports, particles, .. } = substep;
        if supports.are_none() {
            return free;
        }
        for (free, (particle, weight)) in free.iter_mut().zip(self.iter()).filter(|(_, (_, weight))| *weight != 0.0) {
            let (along, most) = if weight < 0.0 { (-normal, most[1]) } else { (normal, most[0]) };
            *free = supports.limited_part(particle, along, most.unwrap_or(0.0), Places::now(particles));
        }
        free
    }

    /// Returns the inverse mass of the nearest point of each feature \[1/kg\], if only the other one has pins that may surround it.
    pub(super) fn inverse_masses_without_pins(&self, substep: &ContactSubstep<'_>) -> [Option<f32>; 2] {
        let &ContactSubstep { supports, particles, .. } = substep;
        if supports.are_none() {
            return [None; 2];
        }
        let (mut inverse_masses, mut have_pins) = ([0.0; 2], [false; 2]);
        for (particle, weight) in self.iter().filter(|(_, weight)| *weight != 0.0) {
            let feature = usize::from(weight < 0.0);
            inverse_masses[feature] += weight * weight * particles.anchor[particle as usize].w;
            have_pins[feature] |= !supports.get(particle).is_empty();
        }
        [0, 1].map(|k| (have_pins[1 - k] && !have_pins[k]).then_some(inverse_masses[k]))
    }

    /// Returns the part of the greatest speed of resolving an overlap that the pair may use \[1\], where the other side of it has an
    /// inverse mass \[1/kg\] and the particles follow by these [parts](Self::free_parts), so that no particle is pushed at more than
    /// twice that speed. Touched close to its vertices that are pinned or held, a triangle would have to move the others by many
    /// times the overlap.
    pub(super) fn part_of_speed(&self, particles: &Particles, other: f32, free: [f32; 4]) -> f32 {
        let (mut all, mut most) = (other, 0.0_f32);
        for ((particle, weight), free) in self.iter().zip(free) {
            let moved = weight.abs() * particles.anchor[particle as usize].w * free;
            all += weight.abs() * moved;
            most = most.max(moved);
        }
        if all > 0.0 { (2.0 * all / most).min(1.0) } else { 0.0 }
    }
}
