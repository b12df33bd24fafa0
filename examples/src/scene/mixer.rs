//! A paddle driven by a motor stirs grains and shape-matched boxes in a drum.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Cuboid, SharedShape};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BodyHandle, CollisionLayers, Friction, Object, ObjectHandle, Settings, World, WorldError};
use xpbd_rigid::Cluster;
use xpbd_rigid::joint::{HingeJoint, Joint, JointMotor};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

/// Radius of a grain \[m\].
const RADIUS: f32 = 0.02;
/// Radius and height of the drum \[m\].
const DRUM: (f32, f32) = (0.5, 0.5);
/// Boards of its wall, and half the thickness of one \[m\].
const BOARDS: (usize, f32) = (24, 0.03);
/// Half extents of a blade \[m\], and how far from the shaft and above the floor its middle is.
const BLADE: (Vec3, f32, f32) = (Vec3::new(0.2, 0.09, 0.015), 0.22, 0.1);
/// Boxes of particles, and half extents of one \[m\].
const BOXES: (usize, Vec3) = (6, Vec3::new(0.08, 0.06, 0.06));
/// Friction of everything \[1\].
const FRICTION: f32 = 0.3;
/// Sectors of the drum in which grains are counted.
const SECTORS: usize = 8;

pub(super) const RECIPE: Recipe = Recipe {
    name: "mixer",
    summary: "a paddle driven by a motor stirs grains and boxes of particles in a drum",
    frames: 480,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "800", help: "grains" },
        OptionKey { name: "speed", default: "2", help: "of the paddle [rad/s]" },
        OptionKey { name: "torque", default: "200", help: "that the motor has at most [N m]" },
    ],
    takes_mesh: false,
    build,
};

struct Mixer {
    grains: ObjectHandle,
    /// Grains that were on the right side at the start.
    right: Vec<bool>,
    boxes: Vec<ObjectHandle>,
    paddle: BodyHandle,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 100_000)?;
    let speed = setup.not_negative("speed")?;
    let torque = setup.not_negative("torque")?;
    let mut world = World::new(Settings { particle_radius: RADIUS, contact_margin: RADIUS, ..setup.settings() })?;
    xpbd_rigid::register(world.registry_mut())?;
    solid::floor(&mut world, FRICTION)?;
    wall(&mut world)?;
    let paddle = paddle(&mut world)?;
    HingeJoint::new(Vec3::ZERO, Vec3::Y)
        .motor(JointMotor::velocity(speed).max_torque(torque))
        .add_to_world(&mut world, paddle)?;
    let places = places(count);
    let right = places.iter().map(|place| place.x > 0.0).collect();
    let top = places.iter().map(|place| place.y).fold(0.0, f32::max);
    let mut grains = Object::new("grains", places, 0.02);
    grains.friction = Friction::new(FRICTION);
    grains.collision_layers = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
    let grains = world.add(grains)?;
    let mut boxes = Vec::with_capacity(BOXES.0);
    for k in 0..BOXES.0 {
        let angle = std::f32::consts::TAU * k as f32 / BOXES.0 as f32;
        let way = Vec3::new(trig::cos(angle), 0.0, trig::sin(angle)) * (0.6 * DRUM.0);
        let pose = Pose::from_parts(way + Vec3::Y * (top + 0.15), Quat::from_xyzw(0.2, 0.1 * k as f32, 0.1, 1.0));
        let cluster = Cluster::from_shape(&Cuboid::new(BOXES.1), 2.0 * RADIUS).density(600.0);
        boxes.push(world.add(cluster.friction(Friction::new(FRICTION)).at(pose).build()?)?);
    }
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Mixer { grains, right, boxes, paddle }) })
}

/// The wall of the drum, of upright boards.
fn wall(world: &mut World) -> Result<(), WorldError> {
    let (boards, thickness) = BOARDS;
    let half = std::f32::consts::PI / boards as f32;
    let width = (DRUM.0 + 2.0 * thickness) * trig::sin(half) / trig::cos(half);
    for k in 0..boards {
        let turn = Quat::from_xyzw(0.0, trig::sin(half * k as f32), 0.0, trig::cos(half * k as f32));
        let place = turn * Vec3::new(0.0, 0.5 * DRUM.1, DRUM.0 + thickness);
        let board = Collider::new(SharedShape::cuboid(width, 0.5 * DRUM.1, thickness));
        world.add_collider(board.at(place).rotation(turn).friction(Friction::new(FRICTION)))?;
    }
    Ok(())
}

/// Returns the paddle: a shaft with two blades.
fn paddle(world: &mut World) -> Result<BodyHandle, SceneError> {
    let (half, reach, height) = BLADE;
    let mut parts = vec![(Pose::translation(0.0, 0.31, 0.0), SharedShape::cylinder(0.3, 0.025))];
    for side in [-1.0, 1.0] {
        parts.push((Pose::translation(side * reach, height, 0.0), SharedShape::cuboid(half.x, half.y, half.z)));
    }
    let mass = Mass::from_shapes(parts.iter().map(|(pose, shape)| (*pose, &**shape)), 2000.0)?;
    let body = world.add_body(Body::dynamic(Pose::IDENTITY, mass).can_sleep(false))?;
    for (pose, shape) in parts {
        let part = Collider::new(shape).at(pose.translation).friction(Friction::new(FRICTION));
        world.add_collider(part.attached_to(body))?;
    }
    Ok(body)
}

/// Returns where grains start: in layers, clear of wall and paddle.
fn places(count: usize) -> Vec<Vec3> {
    let (spacing, cells) = (2.2 * RADIUS, (DRUM.0 / (2.2 * RADIUS)) as i32);
    let mut places = Vec::with_capacity(count);
    for layer in 0.. {
        let height = RADIUS + spacing * layer as f32;
        for row in -cells..=cells {
            for column in -cells..=cells {
                let place = Vec3::new(column as f32 + 0.5, 0.0, row as f32) * spacing;
                let blade = height < 0.22 + RADIUS && place.z.abs() < BLADE.0.z + RADIUS;
                let shaft = place.length() < 0.025 + RADIUS;
                if place.length() < DRUM.0 - 1.5 * RADIUS && !blade && !shaft {
                    if places.len() == count {
                        return places;
                    }
                    places.push(place + Vec3::Y * height);
                }
            }
        }
    }
    places
}

impl Mixer {
    /// 1 − S²/S₀²: S² is the variance of the part of grains from the right among the sectors of the drum,
    /// weighted by grains, S₀² = p (1 − p) that of grains kept apart (P. Lacey, *Developments in the
    /// Theory of Particle Mixing*, 1954).
    fn stirred(&self, world: &World) -> Result<f64, WorldError> {
        let mut counts = [[0.0_f64; 2]; SECTORS];
        for (place, &right) in world.positions(self.grains)?.zip(&self.right) {
            let turns = libm::atan2(f64::from(place.z), f64::from(place.x)) / std::f64::consts::TAU + 0.5;
            counts[(turns * SECTORS as f64) as usize % SECTORS][usize::from(right)] += 1.0;
        }
        let all = self.right.len() as f64;
        let part = counts.iter().map(|sector| sector[1]).sum::<f64>() / all;
        let variance = counts.iter().filter(|[left, right]| left + right > 0.0).map(|[left, right]| {
            let difference = right / (left + right) - part;
            (left + right) / all * difference * difference
        });
        Ok(1.0 - variance.sum::<f64>() / (part * (1.0 - part)))
    }

    /// Returns how many particles are outside of the drum.
    fn escaped(&self, world: &World) -> Result<usize, WorldError> {
        let mut escaped = 0;
        for object in [self.grains].into_iter().chain(self.boxes.iter().copied()) {
            let outside = |x: &Vec3| x.with_y(0.0).length() > DRUM.0 + BOARDS.1 || x.y < 0.0 || x.y > 3.0;
            escaped += world.positions(object)?.filter(outside).count();
        }
        Ok(escaped)
    }
}

impl Observer for Mixer {
    /// `stirred`: how well the grains from the left and the right are mixed, from 0 to about 1 \[1\];
    /// `escaped`: particles outside of the drum; `paddle_rad_s`: how fast the paddle turns \[rad/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        Ok(vec![
            ("stirred", self.stirred(world)?),
            ("escaped", self.escaped(world)? as f64),
            ("paddle_rad_s", f64::from(world.body(self.paddle)?.angular_velocity.y)),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let colors: Vec<Vec3> = self.right.iter().map(|&right| hex(if right { 0xE0A458 } else { 0x35618F })).collect();
        let places: Vec<Vec3> = world.positions(self.grains)?.collect();
        picture = picture.colored_spheres(&places, &colors, RADIUS, Material::matte(hex(0xE0A458)));
        for &object in &self.boxes {
            let places: Vec<Vec3> = world.positions(object)?.collect();
            picture = picture.spheres(&places, RADIUS, Material::polished(hex(0x5B8E7D)));
        }
        Ok(solid::draw(world, picture, |_| hex(0xC8553D)).rotated(30.0, 48.0))
    }
}
