//! A helical spring that is pulled along its axis.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Rod, RodEnd, RodHandle};
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, CollisionLayers, Settings, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

/// Radius, rise a turn, and radius of the wire \[m\].
const RADIUS: f32 = 0.1;
const PITCH: f32 = 0.06;
const WIRE: f32 = 0.01;
/// Young's and shear modulus \[Pa\].
const MODULUS: f32 = 1e7;
const SHEAR: f32 = 4e6;

pub(super) const RECIPE: Recipe = Recipe {
    name: "helix",
    summary: "a plate pulls a helical spring: its stiffness compared with the closed form",
    frames: 300,
    substeps: 60,
    keys: &[
        OptionKey { name: "n", default: "72", help: "segments" },
        OptionKey { name: "turns", default: "3", help: "turns" },
        OptionKey { name: "pull", default: "0.04", help: "how far the pull should lengthen it [m]" },
    ],
    takes_mesh: false,
    build,
};

struct Spring {
    rod: RodHandle,
    plate: BodyHandle,
    /// Rest position of the plate \[m\].
    rest: f32,
    pull: f32,
    /// k \[N/m\].
    stiffness: f32,
}

/// k of the axial pull F of a helix whose ends do not turn about the axis: a wire of length s between
/// joints at radius R takes the torsion F R cos α and the bending F R sin α, so that
/// 1/k = s R² (cos² α/(G J) + sin² α/(E I)).
fn stiffness(turns: f32) -> f32 {
    let rise = PITCH / (TAU * RADIUS);
    let wire = turns * TAU * RADIUS * (1.0 + rise * rise).sqrt();
    let cosine = 1.0 / (1.0 + rise * rise);
    let fourth = WIRE * WIRE * WIRE * WIRE;
    let (torsion, bending) = (0.5 * PI * SHEAR * fourth, 0.25 * PI * MODULUS * fourth);
    1.0 / (wire * RADIUS * RADIUS * (cosine / torsion + (1.0 - cosine) / bending))
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let n = setup.count("n", 8, 10_000)?;
    let turns = setup.number("turns", "from 1 to 20", |turns| (1.0..=20.0).contains(&turns))?;
    let lengthening = setup.number("pull", "from 0 to 1", |pull| (0.0..=1.0).contains(&pull))?;
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    xpbd_cloth::register(world.registry_mut())?;
    let rod = Rod::helix(RADIUS, -PITCH, turns, n as u32).radius(WIRE).density(1000.0).linear_damping(7.0);
    let rod = rod.youngs_modulus(MODULUS).shear_modulus(SHEAR).clamp(RodEnd::First).add_to(&mut world)?;
    let rest = -PITCH * turns;
    let only_along_y = LockedAxes { translation: [true, false, true], rotation: [true; 3] };
    let plate = Body::dynamic(Pose::translation(0.0, rest, 0.0), Mass::ball(0.1, RADIUS));
    let plate = world.add_body(plate.locked_axes(only_along_y).damping(7.0, 0.0).can_sleep(false))?;
    let shape = Collider::new(SharedShape::cylinder(0.5 * WIRE, 1.15 * RADIUS)).attached_to(plate);
    world.add_collider(Collider {
        collision_layers: CollisionLayers { filters: 0, ..CollisionLayers::default() },
        ..shape
    })?;
    rod.attach(&mut world, RodEnd::Last, plate)?;
    let stiffness = stiffness(turns);
    let spring = Spring { rod, plate, rest, pull: lengthening * stiffness, stiffness };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(spring) })
}

impl Observer for Spring {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        world.add_body_force(self.plate, Vec3::NEG_Y * self.pull)
    }

    /// `length_m`: how much longer it is \[m\]; `stiffness_ratio`: pull over that, as a part of the closed form.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let longer = f64::from(self.rest - world.body_pose(self.plate)?.translation.y);
        Ok(vec![("length_m", longer), ("stiffness_ratio", f64::from(self.pull / self.stiffness) / longer)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.rod.object())?.collect();
        let picture = picture.tube(&points, WIRE, Material::polished(hex(0xB8B2A6)));
        Ok(solid::draw(world, picture, |_| hex(0x44484F)).rotated(20.0, 10.0))
    }
}
