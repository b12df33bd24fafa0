//! The strength of a source of foam.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::LiquidState;
use crate::render::cells::NeighbourRuns;
use crate::render::options::{OptionError, demand, not_negative};

/// A source of foam: nothing where its cause is weaker than `from`, `rate` where it is stronger than `to`,
/// linear in between.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct FoamPotential {
    /// Cause at which it begins.
    pub from: f32,
    /// Cause at which it has its full strength.
    pub to: f32,
    /// Largest number that a particle of the liquid makes in a second `[1/s]`.
    pub rate: f32,
}

impl FoamPotential {
    /// Refuses numbers that make no sense.
    pub(super) fn check(&self, name: &'static str) -> Result<(), OptionError> {
        check_range(name, [self.from, self.to])?;
        not_negative(name, self.rate)
    }

    /// Returns how many are made `[1/s]` by a cause.
    pub(super) fn rate(&self, cause: f32) -> f32 {
        self.rate * share(cause, [self.from, self.to])
    }
}

/// Refuses a range that is not finite, negative or empty.
pub(super) fn check_range(name: &'static str, [from, to]: [f32; 2]) -> Result<(), OptionError> {
    not_negative(name, from)?;
    demand(name, to, to > from && to.is_finite(), "finite, and its end greater than its beginning")
}

/// Returns how far along a range something is `[1]`, 0 before it and 1 after it.
pub(super) fn share(cause: f32, [from, to]: [f32; 2]) -> f32 {
    (cause.clamp(from, to) - from) / (to - from)
}

/// Returns the outward normal of the `k`-th particle's surroundings, Σ x̂_ij (1 − |x_ij| / h) / Σ (1 − |x_ij| / h):
/// zero deep inside of the liquid, about 0.4 long at a flat surface, 1 beside a single neighbour.
pub(super) fn normal(liquid: &LiquidState, k: usize, rows: &NeighbourRuns) -> Vec3 {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for_neighbours(liquid, k, rows, |_, apart, weight| {
        sum += weight * apart;
        total += weight;
    });
    if total > 0.0 { sum / total } else { Vec3::ZERO }
}

/// Returns how much air is trapped at the `k`-th particle `[m/s]`.
pub(super) fn trapped_air(liquid: &LiquidState, k: usize, rows: &NeighbourRuns) -> f32 {
    let own = liquid.velocity(k);
    let mut sum = 0.0;
    for_neighbours(liquid, k, rows, |j, apart, weight| {
        let relative = own - liquid.velocity(j);
        sum += (relative.length() - relative.dot(apart)) * weight;
    });
    sum
}

/// Returns the curvature at the `k`-th particle where the surface is convex, by unit `normals` of the surface that are
/// zero elsewhere.
pub(super) fn curvature(liquid: &LiquidState, k: usize, rows: &NeighbourRuns, normals: &[Vec3]) -> f32 {
    let own = normals[k];
    let mut sum = 0.0;
    for_neighbours(liquid, k, rows, |j, apart, weight| {
        if apart.dot(own) > 0.0 && normals[j] != Vec3::ZERO {
            sum += (1.0 - own.dot(normals[j])) * weight;
        }
    });
    sum
}

/// Calls `visit` with each neighbour of the `k`-th particle, the unit vector from it and its weight
/// 1 − |x_ij| / h. Particles at the same place are left out.
fn for_neighbours(liquid: &LiquidState, k: usize, rows: &NeighbourRuns, mut visit: impl FnMut(usize, Vec3, f32)) {
    let points = liquid.cells.points();
    for j in rows.iter().cloned().flatten() {
        let apart = points[k] - points[j];
        let squared = apart.length_squared();
        if squared < liquid.reach * liquid.reach && squared > 0.0 {
            let distance = squared.sqrt();
            visit(j, apart / distance, 1.0 - distance / liquid.reach);
        }
    }
}
