//! A cloth held at its corners catches a crate; a second one floats freely and is hit by another crate.
//!
//! The corners come together while the crate falls, so that the cloth hangs slack. Nothing external acts
//! on the second pair, a crate thrown at a cloth that floats: what one loses of momentum the other has,
//! whatever they do to each other.

use glam::{DVec3, Vec3};
use parry3d::math::Pose;
use xpbd_cloth::Cloth;
use xpbd_core::world::{BodyHandle, Friction, Object, ObjectHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet, solid};
use crate::picture::{Material, Picture, hex};

/// Side of the cloth that is held \[m\].
const SIDE: f32 = 2.0;
/// Height at which it is held \[m\].
const HEIGHT: f32 = 1.4;
/// Fraction of their distance by which the corners approach each other, and the number of frames that this takes.
const SLACK: (f32, u64) = (0.15, 30);
/// Half the edge of the crate that falls \[m\], and its mass \[kg\].
const CRATE: (f32, f32) = (0.2, 4.0);
/// The same of the one that is thrown.
const THROWN: (f32, f32) = (0.1, 0.5);
/// Position at which it floats \[m\].
const ASIDE: Vec3 = Vec3::new(2.0, 0.6, 0.0);
/// Speed of the crate that is thrown \[m/s\].
const SPEED: f32 = 0.6;
/// Friction of cloth and crates \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "crate-cloth",
    summary: "a cloth held at its corners catches a crate; a floating one is hit by another",
    frames: 240,
    substeps: 20,
    keys: &[OptionKey { name: "n", default: "40", help: "particles a side of the cloth that is held" }],
    takes_mesh: false,
    build,
};

struct CrateCloth {
    held: (ObjectHandle, usize),
    corners: [(usize, Vec3); 4],
    caught: BodyHandle,
    floating: (ObjectHandle, usize),
    thrown: BodyHandle,
    start: DVec3,
    error: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 8, 400)?;
    let radius = 0.45 * SIDE / (side - 1) as f32;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    let last = side as u32 - 1;
    let corners = [0, last, (last + 1) * last, (last + 1) * (last + 1) - 1];
    let held = world.add(cloth(side, SIDE, |cloth| cloth.at(Vec3::Y * HEIGHT).pin(corners).linear_damping(0.5))?)?;
    let caught = add_crate(&mut world, Vec3::Y * (HEIGHT + 1.0), CRATE)?;

    let few = side / 2;
    let mut free = cloth(few, SIDE * (few - 1) as f32 / (side - 1) as f32, |cloth| cloth.at(ASIDE))?;
    free.gravity_scale = 0.0;
    let free = world.add(free)?;
    let thrown = add_crate(&mut world, ASIDE - Vec3::Y * (THROWN.0 + 3.0 * radius), THROWN)?;
    world.edit_body(thrown, |body| {
        body.gravity_scale = 0.0;
        body.velocity = Vec3::Y * SPEED;
    })?;
    let mut places = [(0, Vec3::ZERO); 4];
    for (place, corner) in places.iter_mut().zip(corners) {
        *place = (corner as usize, world.position(held, corner as usize)?);
    }
    let mut scene = CrateCloth {
        held: (held, side),
        corners: places,
        caught,
        floating: (free, few),
        thrown,
        start: DVec3::ZERO,
        error: 0.0,
    };
    scene.start = scene.momentum(&world)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

/// Returns a cloth of `side` × `side` particles.
fn cloth(side: usize, size: f32, more: impl FnOnce(Cloth) -> Cloth) -> Result<Object, SceneError> {
    let cloth = Cloth::grid(side as u32, side as u32, size, size).density(0.5).self_collision(true);
    let cloth = more(cloth.friction(Friction::new(FRICTION)));
    cloth.build().map_err(|error| SceneError::Object(error.to_string()))
}

/// Returns a crate of half an edge \[m\] and a mass \[kg\].
fn add_crate(world: &mut World, place: Vec3, (half, mass): (f32, f32)) -> Result<BodyHandle, WorldError> {
    solid::block(world, Pose::from_translation(place), Vec3::splat(half), mass, FRICTION)
}

impl CrateCloth {
    /// Returns the momentum of the floating pair \[N s\].
    fn momentum(&self, world: &World) -> Result<DVec3, WorldError> {
        let range = world.state().objects.get(self.floating.0).ok_or(WorldError::StaleHandle("object"))?.range.clone();
        let masses = &world.state().particles.mass[range];
        let cloth = world.velocities(self.floating.0)?.zip(masses).map(|(v, &mass)| v.as_dvec3() * f64::from(mass));
        let body = world.body(self.thrown)?;
        Ok(cloth.sum::<DVec3>() + body.velocity.as_dvec3() * f64::from(body.mass.mass))
    }
}

impl Observer for CrateCloth {
    /// Brings the corners together.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let (slack, frames) = SLACK;
        let frame = world.state().frames + 1;
        if frame <= frames {
            let left = 1.0 - slack * frame as f32 / frames as f32;
            for (corner, start) in self.corners {
                let target = Vec3::new(start.x * left, start.y, start.z * left);
                world.move_pinned(self.held.0, corner, target)?;
            }
        }
        Ok(())
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let lost = self.momentum(world)? - self.start;
        self.error = self.error.max(lost.length() / self.start.length());
        Ok(())
    }

    /// `momentum_error`: how much the momentum of the floating pair differed from that of the crate
    /// before it hit at most, as a part of it \[1\]; `kept`: what the thrown crate has kept of its speed
    /// \[1\]; `height_m`: how high the caught crate hangs \[m\]; `speed_m_s`: how fast it is \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let caught = world.body(self.caught)?;
        let kept = f64::from(world.body(self.thrown)?.velocity.y / SPEED);
        Ok(vec![
            ("momentum_error", self.error),
            ("kept", kept),
            ("height_m", f64::from(caught.pose.translation.y)),
            ("speed_m_s", f64::from(caught.velocity.length())),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let looks = [(self.held, 0x2F6B8A, 0x9CC3CF, 0x234F66), (self.floating, 0x5B8E7D, 0xC4DDD0, 0x416A5C)];
        for ((object, side), ground, line, back) in looks {
            let mesh = cloths::mesh(world, object)?;
            let colors = sheet::lines(side, (side / 8).max(2), hex(ground), hex(line));
            picture = picture.colored_mesh(&mesh, &colors, Material::cloth(hex(ground)).with_back(hex(back)));
        }
        Ok(solid::draw(world, picture, |_| hex(0xC98F4E)).ground(0.0).rotated(24.0, 22.0))
    }
}
