//! Ragdolls that fall down steps.

mod doll;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{Friction, StepReport, World, WorldError};

use super::gap::{self, Gap};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Picture, hex};
use crate::random::Random;

/// Steps, their depth and height \[m\], and half their width \[m\].
const STEPS: (usize, f32, f32, f32) = (5, 0.45, 0.22, 2.2);
/// Ragdolls side by side.
const ACROSS: usize = 3;
/// Friction of ragdolls, steps and floor \[1\].
const FRICTION: f32 = 0.6;

pub(super) const RECIPE: Recipe = Recipe {
    name: "ragdolls",
    summary: "ragdolls of eleven bodies with joint limits fall down steps",
    frames: 300,
    substeps: 20,
    keys: &[OptionKey { name: "n", default: "6", help: "ragdolls" }],
    takes_mesh: false,
    build,
};

struct Ragdolls {
    gaps: Vec<Gap>,
    largest: f64,
    frames: u32,
    seconds: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 1000)?;
    let mut world = World::new(setup.settings())?;
    xpbd_rigid::register(world.registry_mut())?;
    solid::floor(&mut world, FRICTION)?;
    let (steps, depth, height, width) = STEPS;
    for k in 0..steps {
        let half = Vec3::new(width, 0.5 * height * (k + 1) as f32, 0.5 * depth);
        let step = Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).friction(Friction::new(FRICTION));
        world.add_collider(step.at(Vec3::new(0.0, half.y, -depth * (k as f32 + 0.5))))?;
    }
    let mut random = Random::new(3);
    let mut gaps = Vec::new();
    for k in 0..count {
        let (column, row) = (k % ACROSS, k / ACROSS);
        let place = Vec3::new(1.45 * (column as f32 - 1.0), height * steps as f32 + 0.3 + 1.9 * row as f32, -1.6);
        let turn = Quat::from_xyzw(0.25 + 0.2 * random.signed(), 0.6 * random.signed(), 0.15 * random.signed(), 1.0);
        let velocity = Vec3::new(0.3 * random.signed(), 0.0, 1.2);
        doll::add(&mut world, Pose::from_parts(place, normalized(turn)), velocity, FRICTION, &mut gaps)?;
    }
    let ragdolls = Ragdolls { gaps, largest: 0.0, frames: 0, seconds: 0.0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(ragdolls) })
}

impl Observer for Ragdolls {
    fn after_frame(&mut self, world: &World, report: &StepReport) -> Result<(), WorldError> {
        self.largest = self.largest.max(gap::largest(world, &self.gaps)?);
        self.frames += 1;
        self.seconds += report.total();
        Ok(())
    }

    /// `max_joint_error_m`: how far a joint has gaped at most \[m\]; `ms_per_frame`: the mean \[ms\].
    fn metrics(&self, _: &World) -> Result<Metrics, WorldError> {
        let time = 1e3 * self.seconds / f64::from(self.frames);
        Ok(vec![("max_joint_error_m", self.largest), ("ms_per_frame", time)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let color = |k: usize| match k % doll::PARTS {
            doll::HEAD => hex(0xE3B58F),
            _ => solid::color(k / doll::PARTS),
        };
        Ok(solid::draw(world, picture, color).rotated(32.0, 22.0))
    }
}
