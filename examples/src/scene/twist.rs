//! A rod twisted by a torque, clamped at one end and guided by a disc at the other.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_cloth::{Rod, RodEnd, RodHandle};
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::world::{BodyHandle, Settings, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Length and radius of the rod \[m\].
const LENGTH: f32 = 1.0;
const RADIUS: f32 = 0.01;
/// Young's and shear modulus \[Pa\]: soft enough in shear that two turns do not buckle it, for which
/// T L/(E I) must stay below 8.99.
const MODULUS: f32 = 1e7;
const SHEAR: f32 = 1e6;

pub(super) const RECIPE: Recipe = Recipe {
    name: "twist",
    summary: "a torque twists a rod by two turns: the angle compared with T L/(G J)",
    frames: 150,
    substeps: 40,
    keys: &[
        OptionKey { name: "n", default: "12", help: "segments" },
        OptionKey { name: "turns", default: "2", help: "turns that the torque should give" },
    ],
    takes_mesh: false,
    build,
};

struct Twisted {
    rod: RodHandle,
    disc: BodyHandle,
    /// Torque \[N m\], and twist between the middles of the first and the last segment \[rad\].
    torque: f32,
    angle: f32,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let n = setup.count("n", 2, 1000)?;
    let turns = setup.number("turns", "from -3 to 3, not 0", |turns| turns != 0.0 && (-3.0..=3.0).contains(&turns))?;
    let stiffness = 0.5 * SHEAR * PI * RADIUS * RADIUS * RADIUS * RADIUS;
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    xpbd_cloth::register(world.registry_mut())?;
    let rod = Rod::between(Vec3::ZERO, Vec3::X * LENGTH, n as u32).radius(RADIUS).density(1000.0).normal(Vec3::Y);
    let rod = rod.youngs_modulus(MODULUS).shear_modulus(SHEAR).clamp(RodEnd::First).add_to(&mut world)?;
    let only_about_x = LockedAxes { translation: [true; 3], rotation: [false, true, true] };
    let disc = Body::dynamic(Pose::translation(LENGTH, 0.0, 0.0), Mass::ball(0.02, 0.1));
    let disc = world.add_body(disc.locked_axes(only_about_x).damping(0.0, 26.0).can_sleep(false))?;
    rod.attach(&mut world, RodEnd::Last, disc)?;
    let angle = TAU * turns * (1.0 - 1.0 / n as f32);
    let twisted = Twisted { rod, disc, torque: TAU * turns * stiffness / LENGTH, angle };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(twisted) })
}

impl Observer for Twisted {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        world.add_body_torque(self.disc, Vec3::X * self.torque)
    }

    /// `angle_rad`: how far the last segment is twisted against the first \[rad\]; `angle_error_ratio`: how
    /// far that is from T L/(G J) over their distance, as a part of it.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let angle = f64::from(self.rod.twist(world).unwrap_or(f32::NAN));
        Ok(vec![("angle_rad", angle), ("angle_error_ratio", (angle / f64::from(self.angle) - 1.0).abs())])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.rod.object())?.collect();
        let mut picture = picture.tube(&points, RADIUS, Material::matte(hex(0xB8B2A6)));
        for (k, &segment) in self.rod.segments().iter().enumerate() {
            let middle = points[k].midpoint(points[k + 1]);
            let hand = world.body_pose(segment)?.rotation * Vec3::X * 0.12;
            picture = picture.tube(&[middle - hand, middle + hand], 0.5 * RADIUS, Material::matte(hex(0xC8553D)));
        }
        Ok(picture.ground(-0.3).rotated(35.0, 15.0))
    }
}
