//! A cloth pulled through a ring by its middle.

use glam::Vec3;
use xpbd_cloth::Cloth;
use xpbd_core::collide::{Collider, solid_mesh};
use xpbd_core::world::{Friction, ObjectHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet};
use crate::mesh::{Mesh, torus};
use crate::picture::{Material, Picture, hex};

/// Side of the cloth \[m\].
const SIDE: f32 = 0.6;
/// Radius of the ring to the middle of its tube, radius of that \[m\], and height.
const RING: (f32, f32, f32) = (0.16, 0.03, 1.0);
/// Distance \[m\] and speed \[m/s\] by which the middle is pulled down.
const PULL: (f32, f32) = (0.8, 0.6);
/// Thickness of the cloth in edges.
const THICKNESS: f32 = 0.25;
/// Friction of cloth and ring \[1\].
const FRICTION: f32 = 0.2;

pub(super) const RECIPE: Recipe = Recipe {
    name: "ring",
    summary: "a thin cloth is pulled through a ring without tangling",
    frames: 300,
    substeps: 20,
    keys: &[OptionKey { name: "n", default: "41", help: "particles a side" }],
    takes_mesh: false,
    build,
};

struct Ring {
    cloth: ObjectHandle,
    ring: Mesh,
    side: usize,
    middle: usize,
    start: Vec3,
    worst: usize,
    most: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 5, 400)? | 1;
    let edge = SIDE / (side - 1) as f32;
    let (radius, thickness, friction) = (0.45 * edge, THICKNESS * edge, Friction::new(FRICTION));
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: thickness, ..setup.settings() })?;
    let (round, tube, height) = RING;
    let mut ring = torus(round, tube, [48, 16]);
    ring.positions.iter_mut().for_each(|x| x.y += height);
    let shape = solid_mesh(&ring.positions, &ring.triangles)?;
    world.add_collider(Collider::new(shape).friction(friction))?;
    let middle = side * side / 2;
    let start = Vec3::Y * (height + tube + radius);
    let cloth = Cloth::grid(side as u32, side as u32, SIDE, SIDE)
        .at(start)
        .pin([middle as u32])
        .tethers(false)
        .surface_collision(thickness)
        .friction(friction)
        .linear_damping(0.5)
        .build();
    let cloth = world.add(cloth.map_err(|error| SceneError::Object(error.to_string()))?)?;
    let scene = Ring { cloth, ring, side, middle, start, worst: 0, most: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Observer for Ring {
    /// Pulls the middle down.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let (way, speed) = PULL;
        let come = (speed * FRAME * (world.state().frames + 1) as f32).min(way);
        world.move_pinned(self.cloth, self.middle, self.start - Vec3::Y * come)
    }

    fn after_frame(&mut self, world: &World, report: &StepReport) -> Result<(), WorldError> {
        self.most = self.most.max(report.surface_contacts_active);
        if world.state().frames.is_multiple_of(10) {
            self.worst = self.worst.max(cloths::cloth_crossings(world, &[self.cloth])?);
        }
        Ok(())
    }

    /// `crossings`: edges that run through triangles; `max_crossings`: the most of them at any sixth of a second;
    /// `max_contacts`: the most pairs of features that touched; `through`: the part of the cloth that is
    /// below the ring \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (_, tube, height) = RING;
        let below = world.positions(self.cloth)?.filter(|x| x.y < height - tube).count();
        Ok(vec![
            ("crossings", cloths::cloth_crossings(world, &[self.cloth])? as f64),
            ("max_crossings", self.worst as f64),
            ("max_contacts", self.most as f64),
            ("through", below as f64 / (self.side * self.side) as f64),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let cloth = cloths::mesh(world, self.cloth)?;
        let colors = sheet::lines(self.side, (self.side / 8).max(2), hex(0xB23A48), hex(0xE9C9A8));
        let material = Material::cloth(hex(0xB23A48)).with_back(hex(0x7A2835));
        let picture = picture.colored_mesh(&cloth, &colors, material);
        let picture = picture.mesh(&self.ring, Material::polished(hex(0xC9A227)));
        Ok(picture.ground(0.0).rotated(30.0, 15.0))
    }
}
