//! Spray, foam and bubbles: \[Ihmsen12\] M. Ihmsen, N. Akinci, G. Akinci, M. Teschner, *Unified spray, foam
//! and air bubbles for particle-based fluids*, 2012.
//!
//! They follow the liquid and never act on it. Fast particles of the liquid make them where air is trapped and
//! at the crests of waves (`potential`). How many particles of the liquid are around one of them says what
//! it is: spray flies freely, foam goes with the liquid, and bubbles rise in it (`motion`).
//!
//! Departures: speeds are measured by ½ v², so that no mass is needed; only particles at the surface have
//! crests, since normals within the liquid mean nothing; the drag on bubbles is a rate, the same for frames
//! of any length; everything ages, not foam alone, so that what left the scene is forgotten.

mod emission;
mod motion;
mod potential;
mod random;

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::cells::CellGrid;
use super::options::{OptionError, demand, not_negative, positive};
use random::Random;

pub use potential::FoamPotential;

/// Reach of the surroundings in spacings of particles `[1]`; within a liquid at rest it holds about 30 of them.
const REACH: f32 = 2.0;

/// The options by which spray, foam and bubbles are made and move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct FoamOptions {
    /// Largest number of particles; where more would be made, all sources make less.
    pub max_particles: usize,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Trapped air: particles that come toward each other, Σ |v_ij| (1 − v̂_ij·x̂_ij) (1 − |x_ij| / h)
    /// `[m/s]`.
    pub trapped_air: FoamPotential,
    /// Crests of waves: curvature Σ (1 − n̂_i·n̂_j) (1 − |x_ij| / h) of the surface where it moves outward
    /// `[1]`.
    pub crest: FoamPotential,
    /// ½ v² `[m²/s²]` between which few and all of these are made.
    pub energy: [f32; 2],
    /// Shortest and longest lifetime `[s]`.
    pub lifetime: [f32; 2],
    /// Number of particles of the liquid around a particle of foam below which it is spray.
    pub spray_below: usize,
    /// Number of particles of the liquid around a particle of foam above which it is a bubble.
    pub bubble_above: usize,
    /// Acceleration of bubbles against gravity in shares of it `[1]` (k_b).
    pub buoyancy: f32,
    /// Rate at which bubbles approach the velocity of the liquid `[1/s]`.
    pub drag_rate: f32,
}

impl Default for FoamOptions {
    fn default() -> Self {
        Self {
            max_particles: 20_000,
            seed: 0,
            trapped_air: FoamPotential { from: 2.0, to: 10.0, rate: 60.0 },
            crest: FoamPotential { from: 1.0, to: 4.0, rate: 120.0 },
            energy: [0.5, 5.0],
            lifetime: [1.0, 4.0],
            spray_below: 6,
            bubble_above: 20,
            buoyancy: 2.0,
            drag_rate: 50.0,
        }
    }
}

impl FoamOptions {
    fn check(&self) -> Result<(), OptionError> {
        self.trapped_air.check("trapped_air")?;
        self.crest.check("crest")?;
        potential::check_range("energy", self.energy)?;
        let [shortest, longest] = self.lifetime;
        not_negative("lifetime[0]", shortest)?;
        positive("lifetime[1]", longest)?;
        demand("lifetime[1]", longest, longest >= shortest, "at least lifetime[0]")?;
        not_negative("buoyancy", self.buoyancy)?;
        not_negative("drag_rate", self.drag_rate)
    }
}

/// The kind of a [`FoamParticle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoamKind {
    /// A drop that flies freely.
    Spray,
    /// Foam that floats on the surface.
    Foam,
    /// A bubble that rises within the liquid.
    Bubble,
}

/// A piece of spray, foam or air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoamParticle {
    /// Position `[m]`.
    pub position: Vec3,
    /// Velocity `[m/s]`.
    pub velocity: Vec3,
    /// Time after which it is removed `[s]`.
    pub remaining_lifetime: f32,
    /// Type: foam, spray or a bubble.
    pub kind: FoamKind,
}

/// The spray, foam and bubbles of a liquid; buffers are kept from step to step.
#[derive(Debug, Clone)]
pub struct Foam {
    options: FoamOptions,
    random: Random,
    particles: Vec<FoamParticle>,
    cells: CellGrid,
    sources: emission::Sources,
}

/// The liquid as it is in a step.
struct LiquidState<'a> {
    cells: &'a CellGrid,
    velocities: &'a [Vec3],
    spacing: f32,
    /// Reach of the surroundings `[m]`.
    reach: f32,
}

impl LiquidState<'_> {
    /// Returns the velocity of the `k`-th particle in the order of cells `[m/s]`; zero where none was given.
    fn velocity(&self, k: usize) -> Vec3 {
        let velocity = self.velocities.get(self.cells.index(k)).copied();
        velocity.filter(|velocity| velocity.is_finite()).unwrap_or(Vec3::ZERO)
    }
}

impl Foam {
    /// Returns an empty foam.
    ///
    /// # Errors
    /// An option that makes no sense.
    pub fn new(options: FoamOptions) -> Result<Self, OptionError> {
        options.check()?;
        Ok(Self {
            random: Random::new(options.seed),
            options,
            particles: Vec::new(),
            cells: CellGrid::default(),
            sources: emission::Sources::default(),
        })
    }

    /// Changes the options; what there is stays, and the seed has no effect any more.
    ///
    /// # Errors
    /// An option that makes no sense. Nothing is then changed.
    pub fn set_options(&mut self, options: FoamOptions) -> Result<(), OptionError> {
        options.check()?;
        self.options = options;
        Ok(())
    }

    /// Returns what there is, in an order without meaning.
    pub fn particles(&self) -> &[FoamParticle] {
        &self.particles
    }

    /// Removes all particles.
    pub fn clear(&mut self) {
        self.particles.clear();
    }

    /// Advances by `dt` `[s]` with a liquid whose particles are at `positions` `[m]` and move at `velocities`
    /// `[m/s]`, `spacing` `[m]` apart, under `gravity` `[m/s²]`.
    ///
    /// Particles whose position is not finite have no part in it; velocities that are missing or not finite
    /// are zero. Nothing happens unless spacing, gravity and `dt` are finite, and the former and the latter
    /// positive.
    pub fn step(&mut self, positions: &[Vec3], velocities: &[Vec3], spacing: f32, gravity: Vec3, dt: f32) {
        let reach = REACH * spacing;
        if !(reach.is_normal() && reach > 0.0 && dt.is_finite() && dt > 0.0 && gravity.is_finite()) {
            return;
        }
        self.cells.sort(positions, reach);
        let liquid = LiquidState { cells: &self.cells, velocities, spacing, reach };
        for particle in &mut self.particles {
            motion::advance(particle, &liquid, &self.options, gravity, dt);
        }
        self.particles.retain(|particle| particle.remaining_lifetime > 0.0 && particle.position.is_finite());
        self.sources.find(&liquid, &self.options);
        self.sources.emit(&liquid, &self.options, dt, &mut self.random, &mut self.particles);
    }
}
