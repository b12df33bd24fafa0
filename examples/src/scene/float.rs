//! A box that floats in a basin at a depth that the ratio of densities determines.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::world::{BodyHandle, ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::basin::{self, SPACING};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

pub(super) const RECIPE: Recipe = Recipe {
    name: "float",
    summary: "a box floats in a basin, as deep as its density determines",
    frames: 300,
    substeps: 12,
    keys: &[
        OptionKey { name: "density", default: "500", help: "of the box [kg/m³]" },
        OptionKey { name: "drop", default: "0.025", help: "how far it falls at first [m]" },
        OptionKey { name: "n", default: "8", help: "particles along a side of the box" },
    ],
    takes_mesh: false,
    build,
};

/// Edges of the box over its length.
const EDGES: Vec3 = Vec3::new(1.0, 0.75, 1.0);
/// Depth of the water over the length of the box.
const DEPTH: f32 = 1.5;
/// Length of the basin over that of the box.
const LENGTH: f32 = 2.5;
/// Frames at the end over which is averaged.
const LAST: usize = 60;

struct Float {
    water: ObjectHandle,
    body: BodyHandle,
    /// Half the edges of the box, and how deep it should lie \[m\].
    half: Vec3,
    expected: f64,
    /// The draft after each frame \[m\].
    drafts: Vec<f64>,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let density = setup.positive("density")?;
    let length = setup.count("n", 4, 200)? as f32 * SPACING;
    let half = 0.5 * length * EDGES;
    let mut world = World::new(basin::settings(setup))?;
    let side = (LENGTH * length / SPACING).round() * SPACING;
    let corner = Vec3::new(side, DEPTH * length, side);
    basin::walls(&mut world, corner)?;
    let water = Fluid::block(Vec3::ZERO, corner).name("water").add_to_world(&mut world)?;
    let place = Pose::translation(0.5 * side, corner.y + half.y + setup.not_negative("drop")?, 0.5 * side);
    let mass = density * 8.0 * half.element_product();
    let body = solid::block(&mut world, place, half, mass, 0.0)?;
    let expected = f64::from(density / FluidMaterial::WATER.density * 2.0 * half.y);
    let scene = Float { water, body, half, expected, drafts: Vec::new() };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Float {
    /// Returns how deep the middle of the bottom of the box is below the level of the water beside it \[m\].
    fn draft(&self, world: &World) -> Result<f64, WorldError> {
        let pose = world.body_pose(self.body)?;
        let away = self.half.x * 1.2 + 1.5 * SPACING;
        let beside = |x: &Vec3| {
            let aside = (x - pose.translation).with_y(0.0).abs();
            aside.x.max(aside.z) > away
        };
        let level = basin::level(world.positions(self.water)?.filter(beside));
        let up = pose.rotation * Vec3::Y;
        Ok(level - f64::from(pose.translation.y - self.half.y * up.y))
    }
}

impl Observer for Float {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.drafts.push(self.draft(world)?);
        Ok(())
    }

    /// `draft_m`: how deep the box lies, mean of the last second \[m\]; `draft_ratio`: over what the densities say;
    /// `tilt_deg`: of the box at the end \[degrees\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let last = &self.drafts[self.drafts.len().saturating_sub(LAST)..];
        let draft = last.iter().sum::<f64>() / last.len().max(1) as f64;
        let up = world.body_pose(self.body)?.rotation * Vec3::Y;
        let tilt = f64::from(libm::acosf(up.y.clamp(-1.0, 1.0)).to_degrees());
        Ok(vec![("draft_m", draft), ("draft_ratio", draft / self.expected), ("tilt_deg", tilt)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        let cuboid = SharedShape::cuboid(self.half.x, self.half.y, self.half.z);
        let wood = Material { gloss: 0.25, ..Material::matte(hex(0xD98E4A)) };
        Ok(basin::draw(picture, &drops).shape(&*cuboid, world.body_pose(self.body)?, wood))
    }
}
