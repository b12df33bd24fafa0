//! A tower of boxes with a heavy one on top that should stand still and fall asleep.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::world::{BodyHandle, StepReport, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Picture, hex, ramp};

/// Half the edge of a box \[m\].
const HALF: f32 = 0.5;
/// Friction of the boxes and the floor \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "stack",
    summary: "a tower of boxes with a heavier one on top stands and falls asleep",
    frames: 600,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "10", help: "boxes" },
        OptionKey { name: "shape", default: "tower", help: "tower, or pyramid with n boxes at its base" },
        OptionKey { name: "ratio", default: "1", help: "mass of the top box over that of the others [1]" },
    ],
    takes_mesh: false,
    build,
};

struct Stack {
    /// Boxes, and where they stood along the floor \[m\].
    boxes: Vec<(BodyHandle, f32)>,
    deepest: f64,
    drift: f64,
    asleep: Option<f64>,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 1000)?;
    let is_pyramid = setup.choice("shape", &[("tower", false), ("pyramid", true)])?;
    let ratio = setup.positive("ratio")?;
    let mut world = World::new(setup.settings())?;
    solid::floor(&mut world, FRICTION)?;
    let mut boxes = Vec::with_capacity(count);
    for layer in 0..count {
        let width = if is_pyramid { count - layer } else { 1 };
        let mass = if layer + 1 == count { ratio } else { 1.0 };
        for k in 0..width {
            let x = HALF * (2 * k + 1) as f32 - HALF * width as f32;
            let pose = Pose::translation(x, HALF * (2 * layer + 1) as f32, 0.0);
            boxes.push((solid::block(&mut world, pose, Vec3::splat(HALF), mass, FRICTION)?, x));
        }
    }
    let stack = Stack { boxes, deepest: 0.0, drift: 0.0, asleep: None };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(stack) })
}

impl Observer for Stack {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.deepest = self.deepest.max(solid::penetration(world));
        let mut asleep = true;
        for &(body, from) in &self.boxes {
            let place = world.body_pose(body)?.translation.as_dvec3();
            self.drift = self.drift.max(libm::hypot(place.x - f64::from(from), place.z));
            asleep &= world.is_asleep(body)?;
        }
        let time = world.state().frames as f64 * f64::from(FRAME);
        self.asleep = asleep.then(|| self.asleep.unwrap_or(time));
        Ok(())
    }

    /// `drift_m`: how far from its place on the floor plan a box was at most \[m\]; `max_penetration_m`:
    /// how deep boxes were in each other or the floor at most \[m\]; `asleep`: when the last one fell
    /// asleep for good \[s\], NaN if one is awake.
    fn metrics(&self, _: &World) -> Result<Metrics, WorldError> {
        let asleep = self.asleep.unwrap_or(f64::NAN);
        Ok(vec![("drift_m", self.drift), ("max_penetration_m", self.deepest), ("asleep", asleep)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let top = self.boxes.len() - 1;
        let color = |k: usize| if k == top { hex(0x2F4858) } else { ramp(0.1 + 0.8 * k as f32 / top.max(1) as f32) };
        Ok(solid::draw(world, picture, color))
    }
}
