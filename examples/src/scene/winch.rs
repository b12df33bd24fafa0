//! A crate that a winch lowers to the floor.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Rope, Winch, attach};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, ObjectHandle, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

/// Height of the winch, and length of the rope that is out at first \[m\].
const HEIGHT: f32 = 2.0;
const START: f32 = 0.5;
/// Length of a link, and half the edge of the crate \[m\].
const LINK: f32 = 0.05;
const HALF: f32 = 0.15;

pub(super) const RECIPE: Recipe = Recipe {
    name: "winch",
    summary: "a winch lowers a crate to the floor: a rope whose length changes",
    frames: 240,
    substeps: 40,
    keys: &[OptionKey { name: "speed", default: "0.5", help: "speed of the rope [m/s]" }],
    takes_mesh: false,
    build,
};

struct Crane {
    rope: ObjectHandle,
    winch: Winch,
    load: BodyHandle,
    speed: f32,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let speed = setup.number("speed", "from 0 to 1", |speed| (0.0..=1.0).contains(&speed))?;
    let mut world = World::new(setup.settings())?;
    xpbd_cloth::register(world.registry_mut())?;
    let (top, hook) = (Vec3::Y * HEIGHT, Vec3::Y * (HEIGHT - START));
    let links = (START / LINK).round();
    let rope =
        Rope::between(hook, top, links as u32, START).density(0.5).tethers(false).bending(1e-3).damping_time(0.02);
    let rope = rope.linear_damping(0.5).spool((HEIGHT / LINK) as u32).build();
    let mut rope = rope.map_err(|error| SceneError::Object(error.to_string()))?;
    // Its hook is inside the crate's margin.
    rope.collision_layers.filters = 0;
    let rope = world.add(rope)?;
    let place = hook - Vec3::Y * HALF;
    let mass = Mass::cuboid(1.0, Vec3::splat(HALF));
    let load = world.add_body(Body::dynamic(Pose::from_translation(place), mass).damping(0.2, 0.5))?;
    world.add_collider(Collider::new(SharedShape::cuboid(HALF, HALF, HALF)).attached_to(load))?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
    world.add_batch(&[rope], &[load], attach(&[(0, Vec3::Y * HALF)])?)?;
    let winch = Winch::new(&mut world, rope).map_err(|error| SceneError::Object(error.to_string()))?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Crane { rope, winch, load, speed }) })
}

impl Crane {
    /// Returns the length of the rope that is out, without tension \[m\].
    fn length(&self, world: &World) -> Result<f32, WorldError> {
        self.winch.length(world).map_err(|_| WorldError::StaleHandle("rope"))
    }
}

impl Observer for Crane {
    /// Until the crate would stand with a slack rope.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let left = HEIGHT - 2.0 * HALF + LINK - self.length(world)?;
        let step = (self.speed * FRAME).min(left);
        if step > 0.0 {
            self.winch.pay_out(world, step).map_err(|_| WorldError::StaleHandle("rope"))?;
        }
        Ok(())
    }

    /// `length_m`: rope that is out \[m\]; `height_m`: the crate's centre \[m\]; `particles`: those of the rope.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let height = f64::from(world.body_pose(self.load)?.translation.y);
        let particles = world.active_count(self.rope)? as f64;
        Ok(vec![("length_m", f64::from(self.length(world)?)), ("height_m", height), ("particles", particles)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let all: Vec<Vec3> = world.positions(self.rope)?.collect();
        let points: Vec<Vec3> = world.active_particles(self.rope)?.map(|particle| all[particle as usize]).collect();
        let picture = picture.tube(&points, 0.012, Material::matte(hex(0xB98B4F)));
        let picture = picture.spheres(&[Vec3::Y * HEIGHT], 0.08, Material::polished(hex(0x44484F)));
        Ok(solid::draw(world, picture, |_| hex(0xC8553D)).rotated(20.0, 10.0))
    }
}
