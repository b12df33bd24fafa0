//! Water from a tap that fills a bowl with thin walls and overflows.

mod bowl;

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::collide::{Collider, open_mesh};
use xpbd_core::world::{Object, ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::emitter::{Nozzle, NozzleShape};
use xpbd_fluid::{Emitter, Fluid, Region, Sink, SpawnError};

use super::basin::{self, RADIUS, SPACING};
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};
use bowl::Bowl;

pub(super) const RECIPE: Recipe = Recipe {
    name: "pour",
    summary: "a tap fills a bowl with thin walls; particles that overflow are removed",
    frames: 420,
    substeps: 8,
    keys: &[
        OptionKey { name: "n", default: "4000", help: "particles that come in all" },
        OptionKey { name: "speed", default: "1.5", help: "of the water at the tap [m/s]" },
    ],
    takes_mesh: false,
    build,
};

/// Particles for which the bowl has the size that is said there.
const WHOLE: f32 = 4000.0;
/// Radius of the tap for that bowl \[m\].
const TAP: f32 = 0.15;
/// Height of the tap above the rim, over the height of the bowl.
const ABOVE: f32 = 0.5;

struct Pour {
    water: ObjectHandle,
    bowl: Bowl,
    count: usize,
    /// State before the first frame, and state before the frame of this number.
    first: Emitter,
    tap: (u64, Emitter),
    sink: Sink,
    /// Last known location of each particle.
    places: Vec<Place>,
    leaked: usize,
}

/// The location of a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// Above the rim, or come since.
    Above,
    /// The particle is in the bowl.
    Inside,
    /// Beside or below it.
    Outside,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 4_000_000)?;
    let speed = setup.positive("speed")?;
    let scale = libm::cbrtf(count as f32 / WHOLE);
    let bowl = Bowl::new(scale);
    let mut world = World::new(basin::settings(setup))?;
    let mesh = bowl.mesh();
    world.add_collider(Collider::new(open_mesh(&mesh.positions, &mesh.triangles)?))?;
    let water = Fluid::particles(vec![]).capacity(count).name("water").add_to_world(&mut world)?;
    let down = solid::rotation_between(Vec3::Z, Vec3::NEG_Y);
    let at = Vec3::Y * (bowl.rim() + ABOVE * bowl.height());
    let opening = NozzleShape::Disc { radius: (TAP * scale).max(RADIUS) };
    let first = Nozzle::new(opening, speed)
        .at(Pose::from_parts(at, down))
        .max_particles(count as u64)
        .emitter(&world, water)?;
    // All that has come out and is not in the bowl reaches the ground.
    let sink = Sink::new(Region::half_space(Vec3::ZERO, Vec3::Y))?;
    let (tap, places) = ((0, first.clone()), vec![Place::Above; count]);
    let scene = Pour { water, bowl, count, first, tap, sink, places, leaked: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Pour {
    /// Returns the tap after this many frames. What it does depends on nothing but time, since there is room for all.
    fn tap_after(&self, world: &World, frames: u64) -> Result<Emitter, SpawnError> {
        let mut tap = self.first.clone();
        let mut dry = World::new(world.settings().clone())?;
        // The first object of a world has the same handle in each.
        dry.add(Object::new("water", vec![], 1.0).capacity(self.count, 1.0))?;
        (0..frames).try_for_each(|_| tap.step(&mut dry, FRAME).map(drop))?;
        Ok(tap)
    }

    fn pour(&mut self, world: &mut World) -> Result<(), SpawnError> {
        let frame = world.state().frames;
        if self.tap.0 != frame {
            self.tap = (frame, self.tap_after(world, frame)?);
        }
        let emission = self.tap.1.step(world, FRAME)?;
        self.tap.0 = frame + 1;
        let gone = self.sink.step(world, self.water)?;
        emission.spawned.iter().chain(&gone).for_each(|&k| self.places[k as usize] = Place::Above);
        Ok(())
    }

    /// Returns where a particle is; nowhere where it cannot be said whether it comes over the rim.
    fn place(&self, x: Vec3) -> Option<Place> {
        let below = self.bowl.rim() - x.y;
        match self.bowl.contains(x) {
            _ if below < RADIUS => Some(Place::Above),
            true => Some(Place::Inside),
            false => (below > 3.0 * SPACING).then_some(Place::Outside),
        }
    }

    /// Returns those in the bowl.
    fn filling<'a>(&'a self, drops: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
        drops.iter().copied().filter(|&x| self.bowl.contains(x))
    }
}

impl Observer for Pour {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        self.pour(world).map_err(basin::world_error)
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        for k in world.active_particles(self.water)? {
            let Some(place) = self.place(world.position(self.water, k as usize)?) else { continue };
            let before = std::mem::replace(&mut self.places[k as usize], place);
            self.leaked += usize::from(before == Place::Inside && place == Place::Outside);
        }
        Ok(())
    }

    /// `emitted`, `present`, `retired`: particles that have come, are there, have gone; `leaked`: those that got
    /// out of the bowl without passing over its rim; `filled`: water in the bowl over what it holds \[1\];
    /// `level_ratio`: mean height of that water over what its volume says \[1\]; `mean_density_error`:
    /// compression \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let emitted = self.tap_after(world, world.state().frames).map_err(basin::world_error)?.emitted();
        let drops = basin::active_positions(world, self.water)?;
        let (inside, heights) = self.filling(&drops).fold((0, 0.0), |(n, y), x| (n + 1, y + f64::from(x.y)));
        let volume = f64::from(SPACING * SPACING * SPACING) * f64::from(inside);
        let mean = heights / f64::from(inside.max(1)) - f64::from(self.bowl.foot());
        let level_ratio = if inside > 0 { mean / self.bowl.mean_height(volume) } else { f64::NAN };
        Ok(vec![
            ("emitted", emitted as f64),
            ("present", drops.len() as f64),
            ("retired", emitted as f64 - drops.len() as f64),
            ("leaked", self.leaked as f64),
            ("filled", volume / self.bowl.volume()),
            ("level_ratio", level_ratio),
            ("mean_density_error", f64::from(basin::densities(world)?.mean_error())),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let clay = Material { gloss: 0.3, ..Material::matte(hex(0xC9825B)) }.with_back(hex(0xA9663F));
        let picture = basin::draw(picture, &basin::active_positions(world, self.water)?);
        Ok(picture.mesh(&self.bowl.mesh(), clay).rotated(32.0, 30.0).without_strays(0.01))
    }
}
