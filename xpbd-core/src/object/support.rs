//! What holds particles: pins from which they cannot go farther than a length.
//!
//! A contact that presses a light particle against what holds it has to push whatever presses. A sweep does not
//! know that: the particle gives way to the push by its small mass and is pulled back later, and a load of a thousand
//! times its mass sinks through. So contacts ask how much of a push along a direction n a particle is free to follow. With
//! unit vectors tᵢ from the pins that it is as far from as it may be, that is
//!
//! ```text
//! n·d,   d ∈ { d : tᵢ·d ≤ 0 } near n
//! ```
//!
//! d is found by projecting n on one half space after the other. What is nearly held counts as held.

use glam::{Vec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::ObjectState;
use crate::particles::Particles;

/// Part of its length from which on a support counts as taut \[1\].
pub const TAUT: f32 = 0.997;
/// Number of projections on the half spaces of all supports.
pub const ROUNDS: u32 = 16;
/// Part of a push below which a particle counts as held \[1\].
pub const HELD: f32 = 0.05;
/// Largest number of supports of a particle.
pub const MAX_SUPPORTS: usize = 20;

/// A pin from which a particle can be no farther than a length, by the constraints between them.
///
/// Supports are no constraints and move nothing. [Contacts](crate::collide) ask them which pushes a particle can follow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// The particle that is held.
    pub particle: u32,
    /// The particle that holds it as long as it is pinned.
    pub pin: u32,
    /// Largest distance between them \[m\].
    pub length: f32,
}

/// The supports of all particles of a world.
#[derive(Debug, Clone, Default)]
pub struct Supports {
    /// Index of the first support of each particle, and the end; empty if there are no supports.
    starts: Vec<u32>,
    /// World index of the pin, and the length \[m\].
    supports: Vec<(u32, f32)>,
}

impl Supports {
    /// Lists the supports of objects.
    pub(crate) fn of<'a>(objects: impl Iterator<Item = &'a ObjectState>, particles: usize) -> Self {
        let mut all: Vec<(u32, u32, f32)> = Vec::new();
        for object in objects.filter(|object| !object.frozen) {
            let start = object.range.start as u32;
            let supports = object.supports.iter();
            all.extend(supports.map(|support| (start + support.particle, start + support.pin, support.length)));
        }
        if all.is_empty() {
            return Self::default();
        }
        all.sort_by_key(|&(particle, pin, _)| (particle, pin));
        let mut starts = vec![0; particles + 1];
        all.iter().for_each(|&(particle, ..)| starts[particle as usize + 1] += 1);
        (0..particles).for_each(|i| starts[i + 1] += starts[i]);
        Self { starts, supports: all.into_iter().map(|(_, pin, length)| (pin, length)).collect() }
    }

    /// Returns the pins of a particle and how far from each it can be \[m\].
    pub fn get(&self, particle: u32) -> &[(u32, f32)] {
        match (self.starts.get(particle as usize), self.starts.get(particle as usize + 1)) {
            (Some(&start), Some(&end)) => &self.supports[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Returns the part of a push along a unit vector that a particle is free to follow \[1\].
    pub fn free_part(&self, particle: u32, direction: Vec3, particles: &Particles) -> f32 {
        let supports = self.get(particle);
        if supports.is_empty() {
            return 1.0;
        }
        let mut taut: SmallVec<[(Vec3, f32); MAX_SUPPORTS]> = SmallVec::new();
        let i = particle as usize;
        for &(pin, length) in supports {
            let pin = pin as usize;
            let way =
                ((particles.anchor[i] - particles.anchor[pin]) + (particles.offset[i] - particles.offset[pin])).xyz();
            let (square, least) = (way.length_squared(), length * TAUT);
            if particles.anchor[pin].w == 0.0 && square >= least * least && square > 0.0 {
                taut.push((way, square));
            }
        }
        if taut.is_empty() {
            return 1.0;
        }
        let mut left = direction;
        for _ in 0..ROUNDS {
            for &(way, square) in &taut {
                let along = left.dot(way);
                if along > 0.0 {
                    left -= way * (along / square);
                }
            }
        }
        ((left.dot(direction) - HELD) / (1.0 - HELD)).max(0.0)
    }
}
