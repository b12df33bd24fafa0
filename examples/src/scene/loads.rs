//! A ball, a box on its corner and a spike on its tip, each on a light sheet that its rim holds.
//!
//! A sheet weighs 0.2 kg, a particle of it about 0.2 g, ball and box 20 kg and the spike 10 kg. The sheets are longer than the
//! distance of their pins each way, so that they sag.

use std::fmt::Display;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::query::intersection_test;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::{
    BatchHandle, BodyHandle, Friction, Object, ObjectHandle, Settings, StepReport, World, WorldError,
};

use super::strain::Strains;
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet, solid};
use crate::picture::{Material, Picture, hex};

/// Distance of opposite pins \[m\], of the middles of the sheets, and of the sheets above the ground.
const SIDE: f32 = 1.0;
const APART: f32 = 1.2;
const HEIGHT: f32 = 0.7;
/// Length of a sheet relative to the distance of its pins \[1\].
const SLACK: f32 = 1.03;
/// Mass of a sheet \[kg\].
const SHEET: f32 = 0.2;
/// Radius of the spike over its height \[1\]: an angle of 30°.
const SPIKE: f32 = 0.2679;
/// Friction of everything \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "loads",
    summary: "a ball, a box on its corner and a spike rest on sheets of a fiftieth of their mass and less",
    frames: 600,
    substeps: 10,
    keys: &[OptionKey { name: "n", default: "30", help: "particles a side of a sheet" }],
    takes_mesh: false,
    build,
};

/// A load and the sheet that holds it.
struct Load {
    sheet: ObjectHandle,
    edges: BatchHandle,
    body: BodyHandle,
    shape: SharedShape,
}

struct Loads {
    loads: Vec<Load>,
    side: usize,
    most_cut: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 8, 400)?;
    let edge = SIDE / (side - 1) as f32;
    let thickness = 0.3 * edge;
    let radius = 0.5 * thickness;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let corner = solid::rotation_between(Vec3::ONE.normalize(), Vec3::NEG_Y);
    let tip = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let shapes = [
        (SharedShape::ball(0.15), Quat::IDENTITY, 20.0),
        (SharedShape::cuboid(0.1, 0.1, 0.1), corner, 20.0),
        (SharedShape::cone(0.15, 0.3 * SPIKE), tip, 10.0),
    ];
    let mut loads = Vec::new();
    for (number, (shape, rotation, mass)) in shapes.into_iter().enumerate() {
        let middle = Vec3::new(APART * (number as f32 - 1.0), HEIGHT, 0.0);
        let mut object = light_sheet(side as u32, thickness)?;
        object.positions.iter_mut().for_each(|x| *x = *x / SLACK + middle);
        let sheet = world.add(object)?;
        let bottom = shape.compute_aabb(&Pose::from_parts(Vec3::ZERO, rotation)).mins.y;
        let place = middle + Vec3::new(0.013, 2.0 * thickness - bottom, 0.017);
        let unit = Mass::from_shape(&*shape, 1.0).map_err(told)?.mass;
        let mass = Mass::from_shape(&*shape, mass / unit).map_err(told)?;
        let body = Body::dynamic(Pose::from_parts(place, rotation), mass);
        let body = solid::add(&mut world, body, shape.clone(), FRICTION)?;
        loads.push(Load { sheet, edges: sheet::edges(&world, sheet)?, body, shape });
    }
    let scene = Loads { loads, side, most_cut: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

/// Returns a sheet of so many particles a side, flat and longer than the distance of its pins.
fn light_sheet(side: u32, thickness: f32) -> Result<Object, SceneError> {
    let long = SLACK * SIDE;
    let cloth = Cloth::grid(side, side, long, long)
        .density(SHEET / (long * long))
        .pin_where(|_, x| x.x.abs().max(x.z.abs()) > 0.499 * long)
        .surface_collision(thickness)
        .friction(Friction::new(FRICTION));
    cloth.build().map_err(told)
}

fn told(error: impl Display) -> SceneError {
    SceneError::Object(error.to_string())
}

impl Loads {
    /// Returns the number of triangles that loads cut.
    fn cut(&self, world: &World) -> Result<usize, WorldError> {
        let mut count = 0;
        for Load { sheet, body, shape, .. } in &self.loads {
            let (mesh, pose) = (cloths::mesh(world, *sheet)?, world.body_pose(*body)?);
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

    /// `max_strain`: largest strain of an edge \[1\]; `max_cut`: the most triangles that the loads cut in any frame;
    /// `lowest_m`: height of the lowest centre of a load \[m\]; `max_speed_m_s`: speed of the fastest load \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut lowest, mut fastest, mut strain) = (f32::MAX, 0.0_f32, 0.0_f64);
        for load in &self.loads {
            let body = world.body(load.body)?;
            lowest = lowest.min(body.pose.translation.y);
            fastest = fastest.max(body.velocity.length());
            strain = strain.max(Strains::of(world, load.sheet, load.edges)?.max);
        }
        Ok(vec![
            ("max_strain", strain),
            ("max_cut", self.most_cut as f64),
            ("lowest_m", f64::from(lowest)),
            ("max_speed_m_s", f64::from(fastest)),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let colors = sheet::lines(self.side, (self.side / 10).max(2), hex(0x2F6B8A), hex(0x9CC3CF));
        let cloth = Material::cloth(hex(0x2F6B8A)).with_back(hex(0x234F66));
        for load in &self.loads {
            picture = picture.colored_mesh(&cloths::mesh(world, load.sheet)?, &colors, cloth);
        }
        Ok(solid::draw(world, picture, solid::color).ground(0.0).rotated(24.0, 20.0))
    }
}
