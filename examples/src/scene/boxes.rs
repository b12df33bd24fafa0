//! Boxes that fall into a heap, in columns that lean on each other.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{BodyHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::Picture;
use crate::random::Random;

/// Boxes of a layer along each side.
const SIDE: usize = 6;
/// Half extents of a box \[m\].
const HALF: Vec3 = Vec3::new(0.1, 0.07, 0.13);
/// Mass of a box \[kg\].
const MASS: f32 = 1.0;
/// Distance of two boxes at the start \[m\].
const SPACING: f32 = 0.34;
/// Friction of boxes and floor \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "boxes",
    summary: "boxes fall on a heap and come to rest",
    frames: 600,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "200", help: "boxes" },
        OptionKey { name: "sleep", default: "on", help: "whether boxes at rest fall asleep: on or off" },
    ],
    takes_mesh: false,
    build,
};

struct Boxes {
    boxes: Vec<BodyHandle>,
    contacts: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 100_000)?;
    let sleep = setup.choice("sleep", &[("on", Settings::default().sleep_speed), ("off", 0.0)])?;
    let mut world = World::new(Settings { sleep_speed: sleep, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let mut random = Random::new(1);
    let mut boxes = Vec::with_capacity(count);
    for k in 0..count {
        let (column, row, layer) = (k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE));
        let middle = 0.5 * (SIDE - 1) as f32;
        let place = Vec3::new(column as f32 - middle, layer as f32 + 1.0, row as f32 - middle) * SPACING;
        let turn = normalized(Quat::from_xyzw(random.signed(), random.signed(), random.signed(), 1.5));
        let pose = Pose::from_parts(place + random.vector() * (0.1 * SPACING), turn);
        boxes.push(solid::block(&mut world, pose, HALF, MASS, FRICTION)?);
    }
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Boxes { boxes, contacts: 0 }) })
}

impl Observer for Boxes {
    fn after_frame(&mut self, _: &World, report: &StepReport) -> Result<(), WorldError> {
        self.contacts = report.body_contacts;
        Ok(())
    }

    /// `asleep`: boxes that sleep; `max_penetration_m`: how deep boxes are in each other or the floor at
    /// most \[m\]; `contacts`: points of contact found in the last frame; `rms_speed_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut asleep, mut squares) = (0, 0.0);
        for &body in &self.boxes {
            asleep += usize::from(world.is_asleep(body)?);
            squares += f64::from(world.body(body)?.velocity.length_squared());
        }
        Ok(vec![
            ("asleep", asleep as f64),
            ("max_penetration_m", solid::penetration(world)),
            ("contacts", self.contacts as f64),
            ("rms_speed_m_s", (squares / self.boxes.len() as f64).sqrt()),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        Ok(solid::draw(world, picture, solid::color).rotated(32.0, 24.0))
    }
}
