//! Sheets of cloth that fall on each other on a round table and lie there.

use glam::{Affine3A, Quat, Vec3};
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::collide::Collider;
use xpbd_core::scalar::trig;
use xpbd_core::world::{Friction, ObjectHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet};
use crate::picture::{Material, Picture, hex};

/// Side of a sheet \[m\].
const SIDE: f32 = 1.0;
/// Radius and height of the table \[m\].
const TABLE: (f32, f32) = (0.3, 0.5);
/// Friction of cloth and table \[1\].
const FRICTION: f32 = 0.4;
/// Rotation of each sheet relative to the one below it \[rad\].
const TURN: f32 = 0.5;
/// Colours of the sheets, of their fronts and backs.
const LOOKS: [[u32; 3]; 3] =
    [[0x2F6B8A, 0x9CC3CF, 0x234F66], [0xB23A48, 0xE9C9A8, 0x7A2835], [0x5B8E7D, 0xC4DDD0, 0x416A5C]];

pub(super) const RECIPE: Recipe = Recipe {
    name: "tablecloths",
    summary: "thin cloths lie on each other on a table and collide as surfaces",
    frames: 600,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "41", help: "particles a side" },
        OptionKey { name: "layers", default: "2", help: "how many cloths" },
        OptionKey { name: "thickness", default: "0.25", help: "of a cloth, in edges" },
    ],
    takes_mesh: false,
    build,
};

struct Tablecloths {
    sheets: Vec<ObjectHandle>,
    side: usize,
    worst: usize,
    active: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 4, 400)?;
    let layers = setup.count("layers", 1, 10)?;
    let edge = SIDE / (side - 1) as f32;
    let thickness = setup.number("thickness", "above 0 and at most 0.5", |value| value > 0.0 && value <= 0.5)? * edge;
    let radius = 0.45 * edge;
    let friction = Friction::new(FRICTION);
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: thickness, ..setup.settings() })?;
    let (round, height) = TABLE;
    let table = Collider::new(SharedShape::cylinder(0.5 * height, round)).friction(friction);
    world.add_collider(Collider { pose: Pose::from_translation(Vec3::Y * 0.5 * height), ..table })?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).friction(friction))?;
    let mut sheets = Vec::new();
    for layer in 0..layers {
        let half = 0.5 * TURN * layer as f32;
        let turn = Quat::from_xyzw(0.0, trig::sin(half), 0.0, trig::cos(half));
        let above = radius + thickness * (1.0 + 3.0 * layer as f32);
        let cloth = Cloth::grid(side as u32, side as u32, SIDE, SIDE)
            .transform(Affine3A::from_quat(turn))
            .at(Vec3::Y * (height + above))
            .surface_collision(thickness)
            .friction(friction)
            .linear_damping(0.5)
            .can_sleep(true);
        sheets.push(world.add(cloth.build().map_err(|error| SceneError::Object(error.to_string()))?)?);
    }
    let scene = Tablecloths { sheets, side, worst: 0, active: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Observer for Tablecloths {
    fn after_frame(&mut self, world: &World, report: &StepReport) -> Result<(), WorldError> {
        self.active = report.surface_contacts_active;
        if world.state().frames.is_multiple_of(30) {
            self.worst = self.worst.max(cloths::cloth_crossings(world, &self.sheets)?);
        }
        Ok(())
    }

    /// `crossings`: edges that run through triangles; `max_crossings`: the most of them at any half second;
    /// `contacts`: pairs of features that touch; `lowest_m`: height of the lowest particle \[m\];
    /// `rms_speed_m_s` \[m/s\]; `asleep`: cloths that sleep.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut squares, mut count, mut lowest, mut asleep) = (0.0, 0, f32::MAX, 0);
        for &sheet in &self.sheets {
            squares += world.velocities(sheet)?.map(|velocity| f64::from(velocity.length_squared())).sum::<f64>();
            lowest = world.positions(sheet)?.fold(lowest, |lowest, x| lowest.min(x.y));
            count += world.positions(sheet)?.count();
            asleep += usize::from(world.is_object_asleep(sheet)?);
        }
        Ok(vec![
            ("crossings", cloths::cloth_crossings(world, &self.sheets)? as f64),
            ("max_crossings", self.worst as f64),
            ("contacts", self.active as f64),
            ("lowest_m", f64::from(lowest)),
            ("rms_speed_m_s", (squares / count as f64).sqrt()),
            ("asleep", asleep as f64),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        for (&sheet, &[ground, line, back]) in self.sheets.iter().zip(LOOKS.iter().cycle()) {
            let mesh = cloths::mesh(world, sheet)?;
            let colors = sheet::lines(self.side, (self.side / 8).max(2), hex(ground), hex(line));
            picture = picture.colored_mesh(&mesh, &colors, Material::cloth(hex(ground)).with_back(hex(back)));
        }
        Ok(picture.ground(0.0).rotated(30.0, 25.0))
    }
}
