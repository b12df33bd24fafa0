//! A rope bridge: planks on ropes, handrails of ropes that hang from posts, and a load.
//!
//! Along both edges planks are tied by ropes without mass. The handrails are ropes of particles, tied
//! to the planks by cords: a distance between a particle and a point of a body.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::Rope;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{BodyHandle, Friction, ObjectHandle, Settings, StepReport, World, WorldError};
use xpbd_rigid::joint::{DistanceJoint, Joint};

use super::gap::{self, Gap};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

/// Half extents of a plank \[m\].
const PLANK: Vec3 = Vec3::new(0.1, 0.02, 0.5);
/// Mass of a plank \[kg\].
const MASS: f32 = 4.0;
/// Distance of two planks at the start, and length of the ropes between them \[m\].
const GAP: (f32, f32) = (0.04, 0.048);
/// Height of the handrails above the planks \[m\].
const RAIL: f32 = 0.6;
/// Half the edge of a crate of the load \[m\], and how many there are.
const CRATE: (f32, usize) = (0.17, 3);
/// Friction of planks and crates \[1\].
const FRICTION: f32 = 0.8;

pub(super) const RECIPE: Recipe = Recipe {
    name: "bridge",
    summary: "a bridge of planks and ropes carries crates that fall on it",
    frames: 360,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "24", help: "planks" },
        OptionKey { name: "load", default: "30", help: "mass of each of three crates [kg]" },
    ],
    takes_mesh: false,
    build,
};

struct Bridge {
    planks: Vec<BodyHandle>,
    rails: [ObjectHandle; 2],
    gaps: Vec<Gap>,
    largest: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 4, 1000)?;
    let load = setup.positive("load")?;
    let mut world = World::new(Settings { particle_radius: 0.02, contact_margin: 0.02, ..setup.settings() })?;
    xpbd_rigid::register(world.registry_mut())?;
    let stride = 2.0 * PLANK.x + GAP.0;
    let place = |k: f32| Vec3::X * (stride * (k - 0.5 * (count - 1) as f32));
    let mut planks = Vec::with_capacity(count + 2);
    for k in 0..count {
        planks.push(solid::block(&mut world, Pose::from_translation(place(k as f32)), PLANK, MASS, FRICTION)?);
    }
    let banks = [-1.0, count as f32].map(|k| bank(&mut world, place(k), k < 0.0));
    let [left, right] = banks;
    let (left, right) = (left?, right?);
    let mut bridge = Bridge { rails: rails(&mut world, &planks, place)?, planks, gaps: Vec::new(), largest: 0.0 };
    let all: Vec<BodyHandle> = [left].into_iter().chain(bridge.planks.iter().copied()).chain([right]).collect();
    tie(&mut world, &all, &mut bridge.gaps)?;
    for k in 0..CRATE.1 {
        let way = Vec3::new(0.5 * (k as f32 - 1.0), 0.6 + 0.4 * k as f32, 0.15 * (k as f32 - 1.0));
        let pose = Pose::from_parts(way, normalized(Quat::from_xyzw(0.0, 0.1 * k as f32, 0.0, 1.0)));
        solid::block(&mut world, pose, Vec3::splat(CRATE.0), load, FRICTION)?;
    }
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(bridge) })
}

/// Returns a bank with two posts, on a fixed body where a further plank would be.
fn bank(world: &mut World, place: Vec3, is_left: bool) -> Result<BodyHandle, WorldError> {
    let body = world.add_body(Body::fixed(Pose::from_translation(place)))?;
    let out = if is_left { -1.0 } else { 1.0 };
    let ground = SharedShape::cuboid(0.5, 0.5, 1.2 * PLANK.z);
    let ground = Collider::new(ground).at(Vec3::new(out * (0.5 - PLANK.x), PLANK.y - 0.5, 0.0));
    world.add_collider(ground.attached_to(body).friction(Friction::new(FRICTION)))?;
    for side in [-1.0, 1.0] {
        let post = SharedShape::cylinder(0.5 * RAIL + 0.05, 0.04);
        world.add_collider(Collider::new(post).at(Vec3::new(0.0, 0.5 * RAIL, side * PLANK.z)).attached_to(body))?;
    }
    Ok(body)
}

/// Ties each body to the next along both edges.
fn tie(world: &mut World, bodies: &[BodyHandle], gaps: &mut Vec<Gap>) -> Result<(), SceneError> {
    let mut ropes = Vec::new();
    for pair in bodies.windows(2) {
        for side in [-1.0, 1.0] {
            let points = [1.0, -1.0].map(|end| Vec3::new(end * PLANK.x, 0.0, side * PLANK.z));
            ropes.push((DistanceJoint::new(points[0], points[1], 0.0, GAP.1), pair[0], pair[1]));
            gaps.push(Gap::between([pair[0], pair[1]], points, GAP.1));
        }
    }
    DistanceJoint::add_all(world, ropes)?;
    Ok(())
}

/// Returns two handrails with a cord from each plank.
fn rails(
    world: &mut World,
    planks: &[BodyHandle],
    place: impl Fn(f32) -> Vec3,
) -> Result<[ObjectHandle; 2], SceneError> {
    let segments = planks.len() as u32 + 1;
    let mut rails = Vec::new();
    for side in [-1.0, 1.0] {
        let up = Vec3::new(0.0, RAIL, side * PLANK.z);
        let [from, to] = [-1.0, planks.len() as f32].map(|k| place(k) + up);
        let rope =
            Rope::between(from, to, segments, 1.03 * from.distance(to)).density(0.4).pin_ends().linear_damping(0.5);
        let rope = rope.build().map_err(|error| SceneError::Object(error.to_string()))?;
        let points = rope.positions.clone();
        let rope = world.add(rope)?;
        let kind = ConstraintType::of(xpbd_cloth::constraint::Distance)?;
        let ends = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
        let ends = Connectors::new(&ends).map_err(|error| SceneError::Object(error.to_string()))?;
        let nodes = (0..planks.len() as u32).flat_map(|k| [k + 1, k]).collect();
        let edge = Vec3::new(0.0, 0.0, side * PLANK.z);
        let lengths = (0..planks.len()).map(|k| points[k + 1].distance(place(k as f32) + edge)).collect();
        let cords = Batch::from_parts(kind, ends, nodes, vec![edge; planks.len()], lengths)?;
        world.add_batch(&[rope], planks, cords)?;
        rails.push(rope);
    }
    Ok([rails[0], rails[1]])
}

impl Bridge {
    /// Returns the handrails, their cords, and the ropes between planks.
    fn draw_ropes(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let rope = Material::matte(hex(0xC9B07A));
        let on = |plank: BodyHandle, point: Vec3| Ok::<_, WorldError>(world.body_pose(plank)?.transform_point(point));
        for (rail, side) in self.rails.into_iter().zip([-1.0, 1.0]) {
            let edge = Vec3::Z * (side * PLANK.z);
            let hands: Vec<Vec3> = world.positions(rail)?.collect();
            picture = picture.tube(&hands, 0.018, rope);
            for (&plank, &hand) in self.planks.iter().zip(&hands[1..]) {
                picture = picture.tube(&[hand, on(plank, edge)?], 0.008, rope);
            }
            for pair in self.planks.windows(2) {
                let ends = [on(pair[0], edge + Vec3::X * PLANK.x)?, on(pair[1], edge - Vec3::X * PLANK.x)?];
                picture = picture.tube(&ends, 0.012, rope);
            }
        }
        Ok(picture)
    }
}

impl Observer for Bridge {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.largest = self.largest.max(gap::largest(world, &self.gaps)?);
        Ok(())
    }

    /// `max_joint_error_m`: how much longer than it is a rope between planks was at most \[m\];
    /// `joint_error_m`: at the end \[m\]; `sag_m`: how far the lowest plank hangs below the banks \[m\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let heights: Result<Vec<f32>, WorldError> =
            self.planks.iter().map(|&plank| Ok(world.body_pose(plank)?.translation.y)).collect();
        let lowest = heights?.into_iter().fold(f32::INFINITY, f32::min);
        Ok(vec![
            ("max_joint_error_m", self.largest),
            ("joint_error_m", gap::largest(world, &self.gaps)?),
            ("sag_m", -f64::from(lowest)),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let count = self.planks.len();
        let color = |k: usize| match k {
            k if k < count => hex([0xA97B4F, 0x9A6E45][k % 2]),
            k if k < count + 2 => hex(0x8E9A7B),
            k => solid::color(k),
        };
        let picture = self.draw_ropes(world, solid::draw(world, picture, color))?;
        Ok(picture.ground(PLANK.y - 1.0).rotated(28.0, 16.0))
    }
}
