//! The supports of particles, pins from which they cannot go farther than a length, beside the stiffness of constraints.
//!
//! A contact that presses a light particle against what holds it has to push whatever presses. A sweep does not
//! know that: the particle gives way to the push by its small mass and is pulled back later, and a load of a thousand
//! times its mass sinks through. So contacts ask how much of a push along a direction n a particle is free to follow. With
//! unit vectors tᵢ from the pins that it is as far from as it may be, that is
//!
//! ```text
//! n·d,   d ∈ { d : tᵢ·d ≤ 0 } nearest to n
//! ```
//!
//! The half spaces that bound d are found as the active set of \[LawsonHanson74\] (Solving Least Squares Problems, section
//! 23.3) finds them: each time the one that d violates most joins, and one whose multiplier is negative leaves. At most three
//! bound d at once. What is nearly held counts as held.
//!
//! In a sheet that bulges, the straight way to a pin is shorter than the sheet, so that no support is taut before the sheet has
//! stretched. Yet it holds a particle that has pins on all sides, or behind it. So contacts also ask for the part
//!
//! ```text
//! 1 − |Σ (tᵢ − max(0, tᵢ·n) n)|/m
//! ```
//!
//! with the m pins, taut or not: near 0 for a flag that is pushed across, and near 1 for a bag that is pressed outward.

use glam::{Vec3, Vec4, Vec4Swizzles};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::ObjectState;
use crate::handle::{ObjectHandle, OrderedMap};
use crate::particles::Particles;

/// Part of its length from which on a support counts as taut \[1\].
pub const TAUT: f32 = 0.997;
/// Largest number of half spaces that are tried as bounds.
pub const ROUNDS: u32 = 8;
/// Slope up to which a push does not count as against a support \[1\]: less is noise of a flat sheet that trembles.
pub const LEVEL: f32 = 0.02;
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

/// Positions of particles at one time: anchors, and offsets from them \[m\].
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// Anchor \[m\] and inverse mass \[1/kg\] of each particle.
    pub anchor: &'a [Vec4],
    /// Offset of each from its anchor.
    pub offset: &'a [Vec4],
}

impl<'a> Places<'a> {
    /// Returns where particles are now.
    pub fn now(particles: &'a Particles) -> Self {
        Self { anchor: &particles.anchor, offset: &particles.offset }
    }

    /// Returns where particles were at the start of the substep.
    pub fn at_start(particles: &'a Particles) -> Self {
        Self { anchor: &particles.anchor, offset: &particles.start }
    }
}

/// The supports of all particles of a world.
#[derive(Debug, Clone, Default)]
pub struct Supports {
    /// Index of the first support of each particle, and the end; empty if there are no supports.
    starts: Vec<u32>,
    /// World index of the pin, and the length \[m\].
    supports: Vec<(u32, f32)>,
    /// Stiffness \[N/m\] and damping \[N s/m\] of each particle; empty if none has any.
    stiffness: Vec<[f32; 2]>,
}

impl Supports {
    /// Lists what holds the particles of objects.
    pub(crate) fn of(objects: &OrderedMap<ObjectHandle, ObjectState>, particles: usize) -> Self {
        let mut all: Vec<(u32, u32, f32)> = Vec::new();
        let mut stiffness = Vec::new();
        for (_, object) in objects.iter().filter(|(_, object)| !object.frozen) {
            if !object.stiffness.stiffness.is_empty() {
                stiffness.resize(particles, [0.0; 2]);
                object.range.clone().enumerate().for_each(|(k, i)| stiffness[i] = object.stiffness.get(k));
            }
            let start = object.range.start as u32;
            let supports = object.supports.iter();
            all.extend(supports.map(|support| (start + support.particle, start + support.pin, support.length)));
        }
        if all.is_empty() {
            return Self { stiffness, ..Self::default() };
        }
        all.sort_by_key(|&(particle, pin, _)| (particle, pin));
        let mut starts = vec![0; particles + 1];
        all.iter().for_each(|&(particle, ..)| starts[particle as usize + 1] += 1);
        (0..particles).for_each(|i| starts[i + 1] += starts[i]);
        Self { starts, supports: all.into_iter().map(|(_, pin, length)| (pin, length)).collect(), stiffness }
    }

    /// Returns whether no particle has any.
    pub fn are_none(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the [stiffness](super::ParticleStiffness) \[N/m\] and the damping \[N s/m\] with which its object holds a
    /// particle.
    pub fn stiffness(&self, particle: u32) -> [f32; 2] {
        self.stiffness.get(particle as usize).copied().unwrap_or_default()
    }

    /// Returns the pins of a particle and how far from each it can be \[m\].
    pub fn get(&self, particle: u32) -> &[(u32, f32)] {
        match (self.starts.get(particle as usize), self.starts.get(particle as usize + 1)) {
            (Some(&start), Some(&end)) => &self.supports[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Returns the unit vectors from the pins of a particle, and whether they are taut.
    fn directions<'a>(&'a self, particle: u32, places: Places<'a>) -> impl Iterator<Item = (Vec3, bool)> + 'a {
        let (i, Places { anchor, offset }) = (particle as usize, places);
        self.get(particle).iter().filter_map(move |&(pin, length)| {
            let pin = pin as usize;
            let way = ((anchor[i] - anchor[pin]) + (offset[i] - offset[pin])).xyz();
            let (square, least) = (way.length_squared(), length * TAUT);
            let counts = anchor[pin].w == 0.0 && square > 0.0;
            counts.then(|| (way / square.sqrt(), square >= least * least))
        })
    }

    /// Returns whether a particle is as far from one of its pins as it may be.
    pub fn is_taut(&self, particle: u32, places: Places<'_>) -> bool {
        self.directions(particle, places).any(|(_, is_taut)| is_taut)
    }

    /// Returns the part of a push along a unit vector that a particle is free to follow \[1\].
    pub fn free_part(&self, particle: u32, direction: Vec3, places: Places<'_>) -> f32 {
        let taut: SmallVec<[Vec3; MAX_SUPPORTS]> =
            self.directions(particle, places).filter(|&(_, is_taut)| is_taut).map(|(unit, _)| unit).collect();
        let way = free_way(direction, &taut, LEVEL);
        if way == direction { 1.0 } else { ((way.dot(direction) - HELD) / (1.0 - HELD)).max(0.0) }
    }

    /// Returns how the pins of a particle hold it against a push along a unit vector before they are taut \[1\]: 1 if they are
    /// around it or behind it, 0 if all are to one side, or if it has none.
    pub fn surrounded_part(&self, particle: u32, direction: Vec3, places: Places<'_>) -> f32 {
        let aside = |unit: Vec3| unit - direction * unit.dot(direction).max(0.0);
        let add = |(sum, count): (Vec3, f32), (unit, _)| (sum + aside(unit), count + 1.0);
        let (sum, count) = self.directions(particle, places).fold((Vec3::ZERO, 0.0), add);
        if count > 0.0 { (1.0 - sum.length() / count).max(0.0) } else { 0.0 }
    }

    /// Returns the part of a push along a unit vector that a particle may follow \[1\]: what its supports leave of it, and as
    /// much as leaves one that its pins surround no more than an inverse mass \[1/kg\], if that is above zero.
    pub fn limited_part(&self, particle: u32, direction: Vec3, most: f32, places: Places<'_>) -> f32 {
        if self.get(particle).is_empty() {
            return 1.0;
        }
        let free = self.free_part(particle, direction, places);
        let held = places.anchor[particle as usize].w * self.surrounded_part(particle, direction, places);
        if most > 0.0 && held > 0.0 { free.min(most / held) } else { free }
    }
}

/// Returns the vector nearest to a unit vector n that leads away from no pin by more than a slope, given unit vectors from
/// the pins.
fn free_way(n: Vec3, taut: &[Vec3], level: f32) -> Vec3 {
    let mut way = n;
    // The bounds of the way, of which the first `count` are in use.
    let (mut bounds, mut count) = ([Vec3::ZERO; 3], 0);
    for _ in 0..ROUNDS {
        let (mut steepest, mut bound) = (level, Vec3::ZERO);
        for &t in taut {
            let slope = way.dot(t);
            if slope > steepest {
                (steepest, bound) = (slope, t);
            }
        }
        if steepest <= level {
            return way;
        }
        bounds[count] = bound;
        count += 1;
        if count == 3 {
            let [a, b, c] = bounds;
            // Multipliers of the bounds, times the square of the volume that they span.
            let volume = a.dot(b.cross(c));
            let [x, y] = [n.dot(b.cross(c)) * volume, n.dot(c.cross(a)) * volume];
            if x >= 0.0 && y >= 0.0 {
                return Vec3::ZERO;
            }
            bounds = if x < y { [b, c, c] } else { [a, c, c] };
            count = 2;
        }
        let [a, b, _] = bounds;
        if count == 2 {
            // Only the last one bounds if the multiplier of the other is negative.
            let across = a.cross(b);
            let square = across.length_squared();
            if n.dot(a) - a.dot(b) * n.dot(b) < 0.0 || square == 0.0 {
                bounds[0] = b;
                count = 1;
            } else {
                way = across * (n.dot(across) / square);
            }
        }
        if count == 1 {
            way = n - bounds[0] * n.dot(bounds[0]);
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    /// Compares with the nearest of all projections on planes and on lines in which two planes meet that lead away from no
    /// pin, in double precision.
    #[test]
    fn the_free_way_is_the_nearest_of_those_that_lead_away_from_no_pin() {
        let mut bits = 7_u32;
        let mut random = || {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (bits >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut unit = |flat: f32| Vec3::new(random(), flat * random(), random()).normalize();
        for case in 0..2000 {
            let n = unit(1.0);
            let flat = if case % 2 == 0 { 1.0 } else { 0.1 };
            let taut: Vec<Vec3> = (0..1 + case % 8).map(|_| unit(flat)).collect();
            let (n, pins): (_, Vec<DVec3>) = (n.as_dvec3(), taut.iter().map(|t| t.as_dvec3()).collect());
            let planes = pins.iter().map(|&t| n - t * n.dot(t));
            let lines = pins.iter().flat_map(|a| pins.iter().map(move |b| a.cross(*b).normalize_or_zero()));
            let all = [n, DVec3::ZERO].into_iter().chain(planes).chain(lines.map(|line| line * n.dot(line)));
            let leads_away = |way: &DVec3| pins.iter().all(|t| way.dot(*t) < 1e-6);
            let nearest = all.filter(leads_away).min_by(|a, b| a.distance(n).total_cmp(&b.distance(n))).unwrap();
            let found = free_way(n.as_vec3(), &taut, 1e-5).as_dvec3();
            assert!(found.distance(nearest) < 2e-3, "case {case}: {found}, not {nearest}, of {n} with {taut:?}");
        }
    }

    #[test]
    fn a_rope_that_sags_a_little_between_two_pins_holds_what_presses_it_down() {
        for slope in [0.3, 0.03, 0.003] {
            let taut = [Vec3::new(1.0, -slope, 0.0).normalize(), Vec3::new(-1.0, -slope, 0.0).normalize()];
            let down = free_way(Vec3::NEG_Y, &taut, 1e-5);
            assert!(down.length() < 1e-3, "{down}");
            let aside = Vec3::new(0.0, -1.0, 1.0).normalize();
            assert!(free_way(aside, &taut, 1e-5).distance(Vec3::Z * aside.z) < 1e-3);
            assert_eq!(free_way(Vec3::Y, &taut, 1e-5), Vec3::Y);
        }
    }
}
