//! A fluid's solver by itself: one change of velocities, without stepping.

use glam::{DVec3, Vec3, Vec4};
use xpbd_core::medium::{MediumSolver, MediumStatistics};
use xpbd_core::world::{Settings, World};
use xpbd_fluid::FLUID_MEDIUM;

/// Distance of particles \[m\], and length of a substep \[s\], of most tests.
pub const D: f32 = 0.05;
pub const H: f32 = 1.0 / 480.0;

/// Returns a world without gravity for particles that far apart.
pub fn weightless(spacing: f32) -> World {
    let radius = 0.5 * spacing;
    let settings = Settings {
        particle_radius: radius,
        contact_margin: radius,
        gravity: Vec3::ZERO,
        substeps: 8,
        ..Settings::default()
    };
    World::new(settings).expect("the settings are valid")
}

/// Numbers that look random, in \[−1, 1\].
pub struct Random(pub u32);

impl Random {
    pub fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// The members of the fluids of a world with their solver.
pub struct Probe {
    pub survey: MediumStatistics,
    solver: Box<dyn MediumSolver>,
    /// Masses by world index \[kg\].
    masses: Vec<f32>,
}

impl Probe {
    pub fn new(world: &World) -> Self {
        let survey = world.medium_statistics(FLUID_MEDIUM).expect("contacts are valid").expect("there is a fluid");
        Self { survey, solver: FLUID_MEDIUM.solver(), masses: world.state().particles.mass.clone() }
    }

    /// Returns what a substep of this length makes of velocities, both by world index.
    pub fn changes(&mut self, h: f32, velocities: &[Vec3]) -> Vec<Vec3> {
        let members = &mut self.survey.members;
        members.velocities.clear();
        members.velocities.extend(members.particles.iter().map(|&i| velocities[i as usize].extend(0.0)));
        members.velocities.push(Vec4::ZERO);
        let count = members.len();
        let mut around = self.survey.context();
        around.h = h;
        self.solver.project(&around, &mut vec![Vec4::ZERO; count]);
        let mut changes = vec![Vec4::ZERO; count];
        if self.solver.changes_velocities(&self.survey.materials) {
            self.solver.velocities(&around, &mut changes);
        }
        let mut by_index = vec![Vec3::ZERO; velocities.len()];
        for (&i, change) in self.survey.members.particles.iter().zip(changes) {
            by_index[i as usize] = change.truncate();
        }
        by_index
    }

    /// Returns what a projection in a substep of this length moves members by \[m\], by world index.
    pub fn corrections(&mut self, h: f32) -> Vec<Vec3> {
        let mut around = self.survey.context();
        around.h = h;
        let mut corrections = vec![Vec4::ZERO; self.survey.members.len()];
        self.solver.project(&around, &mut corrections);
        let mut by_index = vec![Vec3::ZERO; self.masses.len()];
        for (&i, correction) in self.survey.members.particles.iter().zip(corrections) {
            by_index[i as usize] = correction.truncate();
        }
        by_index
    }

    /// Σ m Δv over Σ m |Δv|.
    pub fn momentum_error(&self, changes: &[Vec3]) -> f64 {
        let each = || self.masses.iter().zip(changes).map(|(&mass, change)| change.as_dvec3() * f64::from(mass));
        each().sum::<DVec3>().length() / each().map(DVec3::length).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// Σ ½ m v² \[J\].
    pub fn energy(&self, velocities: &[Vec3]) -> f64 {
        let each = self.masses.iter().zip(velocities);
        each.map(|(&mass, v)| 0.5 * f64::from(mass) * v.as_dvec3().length_squared()).sum()
    }
}
