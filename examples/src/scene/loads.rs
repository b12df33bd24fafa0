//! A ball, a box on its corner and a spike on a light sheet that its rim holds.
//!
//! The sheet weighs 0.4 kg, a particle of it about 0.2 g, and the loads weigh 50 kg. It is longer than the distance of its
//! pins each way, so that it sags.

use std::fmt::Display;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::query::intersection_test;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::{BatchHandle, BodyHandle, Friction, ObjectHandle, Settings, StepReport, World, WorldError};

use super::strain::Strains;
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet, solid};
use crate::picture::{Material, Picture, hex};

/// Distance of opposite pins \[m\], and of the sheet above the ground.
const SIDE: f32 = 1.4;
const HEIGHT: f32 = 0.9;
/// Length of the sheet relative to the distance of its pins \[1\].
const SLACK: f32 = 1.04;
/// Mass of the sheet, and of the ball, the box and the spike \[kg\].
const SHEET: f32 = 0.4;
const MASSES: [f32; 3] = [20.0, 20.0, 10.0];
/// Places of the loads on the sheet \[m\].
const PLACES: [Vec3; 3] = [Vec3::new(-0.33, 0.0, -0.2), Vec3::new(0.33, 0.0, -0.2), Vec3::new(0.0, 0.0, 0.35)];
/// Friction of everything \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "loads",
    summary: "a ball, a box on its corner and a spike, together 125 times as heavy as the sheet that holds them",
    frames: 300,
    substeps: 10,
    keys: &[OptionKey { name: "n", default: "41", help: "particles a side of the sheet" }],
    takes_mesh: false,
    build,
};

struct Loads {
    sheet: ObjectHandle,
    edges: BatchHandle,
    side: usize,
    loads: Vec<(BodyHandle, SharedShape)>,
    most_cut: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 8, 400)?;
    let edge = SIDE / (side - 1) as f32;
    let thickness = 0.3 * edge;
    let radius = 0.5 * thickness;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let long = SLACK * SIDE;
    let cloth = Cloth::grid(side as u32, side as u32, long, long)
        .density(SHEET / (long * long))
        .pin_where(|_, x| x.x.abs().max(x.z.abs()) > 0.499 * long)
        .surface_collision(thickness)
        .friction(Friction::new(FRICTION));
    let mut object = cloth.build().map_err(told)?;
    object.positions.iter_mut().for_each(|x| *x = *x / SLACK + Vec3::Y * HEIGHT);
    let sheet = world.add(object)?;
    let edges = sheet::edges(&world, sheet)?;
    let down = |axis: Vec3| solid::rotation_between(axis.normalize(), Vec3::NEG_Y);
    let shapes = [
        (SharedShape::ball(0.14), Quat::IDENTITY),
        (SharedShape::cuboid(0.1, 0.1, 0.1), down(Vec3::ONE)),
        (SharedShape::cone(0.16, 0.086), down(Vec3::new(0.001, 1.0, 0.0))),
    ];
    let mut loads = Vec::new();
    for (((shape, rotation), mass), place) in shapes.into_iter().zip(MASSES).zip(PLACES) {
        let bottom = shape.compute_aabb(&Pose::from_parts(Vec3::ZERO, rotation)).mins.y;
        let pose = Pose::from_parts(place + Vec3::Y * (HEIGHT + 2.0 * thickness - bottom), rotation);
        let unit = Mass::from_shape(&*shape, 1.0).map_err(told)?.mass;
        let body = Body::dynamic(pose, Mass::from_shape(&*shape, mass / unit).map_err(told)?);
        loads.push((solid::add(&mut world, body, shape.clone(), FRICTION)?, shape));
    }
    let scene = Loads { sheet, edges, side, loads, most_cut: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

fn told(error: impl Display) -> SceneError {
    SceneError::Object(error.to_string())
}

impl Loads {
    /// Returns the number of triangles of the sheet that a load cuts.
    fn cut(&self, world: &World) -> Result<usize, WorldError> {
        let mesh = cloths::mesh(world, self.sheet)?;
        let mut count = 0;
        for (body, shape) in &self.loads {
            let pose = world.body_pose(*body)?;
            let cuts = |triangle: &&[u32; 3]| {
                let [a, b, c] = triangle.map(|k| mesh.positions[k as usize]);
                let found = intersection_test(&pose, &**shape, &Pose::IDENTITY, &Triangle::new(a, b, c));
                found.unwrap_or(true)
            };
            count += mesh.triangles.iter().filter(cuts).count();
        }
        Ok(count)
    }
}

impl Observer for Loads {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.most_cut = self.most_cut.max(self.cut(world)?);
        Ok(())
    }

    /// Strains of the edges; `max_cut`: the most triangles that the loads cut in any frame; `lowest_m`: height of the
    /// lowest centre of a load \[m\]; `max_speed_m_s`: speed of the fastest load \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut lowest, mut fastest) = (f32::MAX, 0.0_f32);
        for &(body, _) in &self.loads {
            let body = world.body(body)?;
            lowest = lowest.min(body.pose.translation.y);
            fastest = fastest.max(body.velocity.length());
        }
        let mut metrics = Strains::of(world, self.sheet, self.edges)?.metrics();
        metrics.extend([
            ("max_cut", self.most_cut as f64),
            ("lowest_m", f64::from(lowest)),
            ("max_speed_m_s", f64::from(fastest)),
        ]);
        Ok(metrics)
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = cloths::mesh(world, self.sheet)?;
        let colors = sheet::lines(self.side, (self.side / 10).max(2), hex(0x2F6B8A), hex(0x9CC3CF));
        let cloth = Material::cloth(hex(0x2F6B8A)).with_back(hex(0x234F66));
        let picture = picture.colored_mesh(&mesh, &colors, cloth);
        Ok(solid::draw(world, picture, solid::color).ground(0.0).rotated(28.0, 16.0))
    }
}
