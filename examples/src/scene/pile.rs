//! Grains poured on a floor form a heap whose slope depends on friction.
//!
//! Grains wait in a hopper, pinned. Every few frames a handful is let go just above those grains of
//! the heap that lie still; after the last one the heap settles.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{CollisionLayers, Friction, Object, ObjectHandle, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex, ramp};
use crate::random::Random;

/// Radius of a grain \[m\].
const RADIUS: f32 = 0.02;
/// Grains let go at once.
const HANDFUL: usize = 7;
/// Frames between two handfuls.
const PAUSE: u64 = 6;
/// Frames for the heap to settle after the last one.
const SETTLE: u32 = 180;
/// Grains slower than this lie still \[m/s\].
const STILL: f32 = 0.3;
/// Height of the hopper \[m\].
const HOPPER: f32 = 10.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "pile",
    summary: "grains are poured on a floor: the slope that friction holds",
    frames: 0,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "1000", help: "grains" },
        OptionKey { name: "mu", default: "0.5", help: "friction coefficient of grains and floor [1]" },
    ],
    takes_mesh: false,
    build,
};

struct Pile {
    grains: ObjectHandle,
    count: usize,
    deepest: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 1_000_000)?;
    let mu = setup.not_negative("mu")?;
    let settings =
        xpbd_core::world::Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, ..setup.settings() };
    let mut world = World::new(settings)?;
    let floor = Collider::new(SharedShape::halfspace(Vector::Y));
    world.add_collider(floor.friction(Friction::new(mu)))?;
    let side = (count as f32).sqrt().ceil() as usize;
    let waiting = |k: usize| Vec3::new((k % side) as f32, 0.0, (k / side) as f32) * (4.0 * RADIUS) + Vec3::Y * HOPPER;
    let mut grains = Object::new("grains", (0..count).map(waiting).collect(), 0.05).pin(0..count as u32);
    grains.friction = Friction::new(mu);
    grains.collision_layers = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
    let grains = world.add(grains)?;
    let handfuls = count.div_ceil(HANDFUL) as u64;
    let frames = (handfuls * PAUSE) as u32 + SETTLE;
    Ok(BuiltScene { world, frames, observer: Box::new(Pile { grains, count, deepest: 0.0 }) })
}

impl Pile {
    /// Returns how many grains have been let go before this frame.
    fn released(&self, frame: u64) -> usize {
        (frame.div_ceil(PAUSE) as usize * HANDFUL).min(self.count)
    }

    /// Returns the grains of the heap.
    fn heap<'a>(&self, world: &'a World) -> Result<impl Iterator<Item = Vec3> + 'a, WorldError> {
        let released = self.released(world.state().frames);
        Ok(world.positions(self.grains)?.take(released))
    }

    /// Returns the slope \[degrees\] of the cone that fits the heap's surface best: the grains that no other
    /// lies above, between a tenth and nine tenths of the heap's height.
    fn slope(&self, world: &World) -> Result<f64, WorldError> {
        let grains: Vec<Vec3> = self.heap(world)?.collect();
        let middle = grains.iter().sum::<Vec3>() / grains.len().max(1) as f32;
        let aside = |way: Vec3| (way * Vec3::new(1.0, 0.0, 1.0)).length();
        let covers = |above: &Vec3, grain: &Vec3| above.y > grain.y && aside(above - grain) < 1.5 * RADIUS;
        let top = grains.iter().map(|grain| grain.y).fold(0.0, f32::max);
        let flank = grains.iter().filter(|grain| (0.1 * top..0.9 * top).contains(&grain.y));
        let surface = flank.filter(|grain| !grains.iter().any(|above| covers(above, grain)));
        let points: Vec<_> = surface.map(|grain| (f64::from(aside(grain - middle)), f64::from(grain.y))).collect();
        Ok(libm::atan(-regression(&points)).to_degrees())
    }

    /// Returns how deep the heap's grains are in each other and in the floor at most \[m\].
    fn penetration(&self, world: &World) -> Result<f64, WorldError> {
        let mut grains: Vec<Vec3> = self.heap(world)?.collect();
        grains.sort_unstable_by(|a, b| a.y.total_cmp(&b.y));
        let mut deepest = grains.first().map_or(0.0, |lowest| (RADIUS - lowest.y).max(0.0));
        for (k, a) in grains.iter().enumerate() {
            let near = grains[k + 1..].iter().take_while(|b| b.y - a.y < 2.0 * RADIUS);
            deepest = near.fold(deepest, |deepest, b| deepest.max(2.0 * RADIUS - a.distance(*b)));
        }
        Ok(f64::from(deepest))
    }
}

/// Slope of the line that fits points best.
fn regression(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let rise: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    rise / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

impl Observer for Pile {
    /// Lets go of the next handful.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let frame = world.state().frames;
        let (first, last) = (self.released(frame), self.released(frame + 1));
        if first == last {
            return Ok(());
        }
        let speeds = world.velocities(self.grains)?.take(first).map(Vec3::length);
        let lying = self.heap(world)?.zip(speeds).filter(|&(_, speed)| speed < STILL);
        let top = lying.map(|(grain, _)| grain.y).fold(0.0, f32::max);
        let mut random = Random::new(frame);
        for (k, grain) in (first..last).enumerate() {
            let ring = if k == 0 { Vec3::ZERO } else { HEXAGON[k - 1] * (2.4 * RADIUS) };
            let jitter = random.vector() * (0.15 * RADIUS);
            world.set_position(self.grains, grain, ring + jitter + Vec3::Y * (top + 3.0 * RADIUS), Vec3::ZERO)?;
            world.set_pinned(self.grains, grain, false)?;
        }
        Ok(())
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        if self.released(world.state().frames) == self.count {
            self.deepest = self.deepest.max(self.penetration(world)?);
        }
        Ok(())
    }

    /// `repose_deg`: slope of the heap \[degrees\]; `max_penetration_m`: how deep grains were in each
    /// other or the floor at most, once all had been let go \[m\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        Ok(vec![("repose_deg", self.slope(world)?), ("max_penetration_m", self.deepest)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let grains: Vec<Vec3> = self.heap(world)?.collect();
        let colors: Vec<Vec3> = (0..grains.len()).map(|k| ramp(k as f32 / self.count as f32)).collect();
        Ok(picture.colored_spheres(&grains, &colors, RADIUS, Material::matte(hex(0xC9A66B))).ground(0.0))
    }
}

/// Six directions on the floor, 60 degrees apart.
const HEXAGON: [Vec3; 6] = {
    const H: f32 = 0.866_025_4;
    [
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.5, 0.0, H),
        Vec3::new(-0.5, 0.0, H),
        Vec3::new(-1.0, 0.0, 0.0),
        Vec3::new(-0.5, 0.0, -H),
        Vec3::new(0.5, 0.0, -H),
    ]
};
