//! The sources of spray, foam and bubbles.

use glam::Vec3;

use super::motion::kind;
use super::potential::{curvature, normal, share, trapped_air};
use super::random::Random;
use super::{FoamOptions, FoamParticle, LiquidState};

/// Length of a normal from which on a particle is at the surface `[1]`.
const SURFACE: f32 = 0.25;

/// Cosine of the angle between velocity and normal up to which a surface moves outward.
const OUTWARD: f32 = 0.6;

/// The rates at which the particles of the liquid make foam; values are in the order of cells.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    /// Number that each makes in a second `[1/s]`.
    rates: Vec<f32>,
    /// Unit normals at the surface, zero elsewhere.
    normals: Vec<Vec3>,
}

impl Sources {
    /// Finds what the particles make.
    pub(super) fn find(&mut self, liquid: &LiquidState, options: &FoamOptions) {
        self.rates.clear();
        let energy = |k| 0.5 * liquid.velocity(k).length_squared();
        let moving = |k| energy(k) > options.energy[0];
        if !(0..liquid.cells.points().len()).any(moving) {
            return;
        }
        liquid.cells.map(&mut self.normals, |k, rows| {
            let normal = normal(liquid, k, rows);
            let length = normal.length();
            if length > SURFACE { normal / length } else { Vec3::ZERO }
        });
        let normals = &self.normals;
        liquid.cells.map(&mut self.rates, |k, rows| {
            if !moving(k) {
                return 0.0;
            }
            let velocity = liquid.velocity(k);
            let outward = velocity.dot(normals[k]) >= OUTWARD * velocity.length();
            let crest = if outward { curvature(liquid, k, rows, normals) } else { 0.0 };
            let rate = options.trapped_air.rate(trapped_air(liquid, k, rows)) + options.crest.rate(crest);
            rate * share(energy(k), options.energy)
        });
    }

    /// Makes what the sources make in `dt` `[s]`, all of them less if the budget does not hold it.
    pub(super) fn emit(
        &self,
        liquid: &LiquidState,
        options: &FoamOptions,
        dt: f32,
        random: &mut Random,
        particles: &mut Vec<FoamParticle>,
    ) {
        let room = options.max_particles.saturating_sub(particles.len());
        let wanted: f32 = self.rates.iter().map(|rate| rate * dt).sum();
        let thinned = dt * (room as f32 / wanted.max(f32::MIN_POSITIVE)).min(1.0);
        for (k, &rate) in self.rates.iter().enumerate().filter(|(_, rate)| **rate > 0.0) {
            let count = (rate * thinned + random.unit()) as usize;
            for _ in 0..count.min(options.max_particles.saturating_sub(particles.len())) {
                particles.push(made(liquid, options, k, dt, random));
            }
        }
    }
}

/// Returns a new one, in the cylinder around the way that the `k`-th particle of the liquid goes in `dt` `[s]`
///.
fn made(liquid: &LiquidState, options: &FoamOptions, k: usize, dt: f32, random: &mut Random) -> FoamParticle {
    let velocity = liquid.velocity(k);
    let (across, aside) = velocity.normalize_or(Vec3::Y).any_orthonormal_pair();
    let [x, y] = random.in_disc();
    let offset = (x * across + y * aside) * (0.5 * liquid.spacing);
    let position = liquid.cells.points()[k] + offset + (random.unit() * dt) * velocity;
    let [shortest, longest] = options.lifetime;
    let life = shortest + (longest - shortest) * random.unit();
    FoamParticle { position, velocity, remaining_lifetime: life, kind: kind(liquid, options, position) }
}
