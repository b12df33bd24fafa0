//! A sail on ropes pulls a boat of two hulls through water.
//!
//! The sail hangs by cords from the yard of a mast, and ropes tie its lower corners to the sides of the front hull. A hinge
//! joins the hulls. The wind turns now and then, so that the boat goes to and fro in its basin.

use glam::{Affine3A, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Air, Cloth, Rope, Wind, set_wind_field};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::world::{BodyHandle, CollisionLayers, ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::Fluid;
use xpbd_rigid::joint::{HingeJoint, Joint};

use super::basin::{self, SPACING};
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths};
use crate::picture::{Material, Picture, hex};

/// Depth of the water and width of the basin, in particles.
const WATER: (f32, f32) = (6.0, 16.0);
/// Half extents of a hull \[m\], and half the distance between both.
const HULL: (Vec3, f32) = (Vec3::new(0.22, 0.08, 0.14), 0.025);
/// Density of a hull \[kg/m³\], and how deep its ballast lies below its middle \[m\].
const LOAD: (f32, f32) = (330.0, 0.06);
/// Angle to which the hulls bend at most, up and down \[rad\].
const BEND: f32 = 0.12;
/// Height of the mast above the deck, its radius, and half the length of the yard \[m\].
const MAST: (f32, f32, f32) = (0.85, 0.014, 0.27);
/// Width and height of the sail \[m\], and how far it hangs before the mast.
const SAIL: (f32, f32, f32) = (0.5, 0.55, 0.06);
/// Particles along the width of the sail, and links of a rope.
const FINENESS: (u32, u32) = (13, 8);
/// Time between two turns of the wind \[s\].
const TURN: f64 = 7.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "sail",
    summary: "a sail on ropes pulls a boat of two hulls through water",
    frames: 420,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "48", help: "particles of water along the basin" },
        OptionKey { name: "wind", default: "6", help: "wind [m/s]" },
    ],
    takes_mesh: false,
    build,
};

struct Boat {
    water: ObjectHandle,
    sail: ObjectHandle,
    ropes: Vec<ObjectHandle>,
    hulls: [BodyHandle; 2],
    cords: Vec<Cord>,
    wind: f32,
    start: f32,
    fastest: f64,
    least_upright: f64,
}

/// A cord from a particle to a point of the front hull \[m\].
struct Cord {
    object: ObjectHandle,
    particle: u32,
    point: Vec3,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let length = setup.count("n", 20, 400)? as f32 * SPACING;
    let wind = setup.not_negative("wind")?;
    let mut world = World::new(basin::settings(setup))?;
    xpbd_rigid::register(world.registry_mut())?;
    let corner = Vec3::new(length, WATER.0 * SPACING, WATER.1 * SPACING);
    basin::walls(&mut world, corner)?;
    let water = Fluid::block(Vec3::ZERO, corner).name("water").add_to_world(&mut world)?;
    let reach = HULL.0.x + HULL.1;
    // The boat fits into the shortest basin.
    let place = (0.36 * length).max(reach + HULL.0.x + 0.03);
    let middle = Vec3::new(place, corner.y + HULL.0.y, 0.5 * corner.z);
    let hulls = [reach, -reach].map(|x| hull(&mut world, middle + Vec3::X * x, x > 0.0));
    let [front, back] = hulls;
    let hulls = [front?, back?];
    HingeJoint::new(middle, Vec3::Z).limits(-BEND, BEND).add(&mut world, hulls[0], hulls[1])?;
    let mut boat = Boat {
        water,
        sail: sail(&mut world, middle + Vec3::X * reach)?,
        ropes: Vec::new(),
        hulls,
        cords: Vec::new(),
        wind,
        start: middle.x,
        fastest: 0.0,
        least_upright: 1.0,
    };
    rig(&mut world, &mut boat, middle + Vec3::X * reach)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(boat) })
}

/// Adds a hull, the front one with a mast and a yard.
fn hull(world: &mut World, place: Vec3, is_front: bool) -> Result<BodyHandle, WorldError> {
    let (half, (density, ballast)) = (HULL.0, LOAD);
    let mass = Mass::cuboid(density * 8.0 * half.element_product(), half);
    let mass = Mass { center_of_mass: Vec3::NEG_Y * ballast, ..mass };
    let body = world.add_body(Body::dynamic(Pose::from_translation(place), mass).can_sleep(false))?;
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body))?;
    if is_front {
        let (height, radius, reach) = MAST;
        let mast = Collider::new(SharedShape::cylinder(0.5 * height, radius)).at(Vec3::Y * (half.y + 0.5 * height));
        world.add_collider(mast.attached_to(body))?;
        let across = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let yard = Collider::new(SharedShape::cylinder(reach, radius)).at(yard()).rotation(across);
        world.add_collider(yard.attached_to(body))?;
    }
    Ok(body)
}

/// Returns the middle of the yard in the frame of the front hull \[m\].
fn yard() -> Vec3 {
    Vec3::new(2.0 * MAST.1, HULL.0.y + MAST.0 - 0.06, 0.0)
}

/// Adds the sail before the mast of the hull at `hull` \[m\].
fn sail(world: &mut World, hull: Vec3) -> Result<ObjectHandle, SceneError> {
    let (width, height, before) = SAIL;
    let columns = FINENESS.0;
    let rows = (height / width * (columns - 1) as f32).round() as u32 + 1;
    // Its width along z, its height downwards.
    let upright = Affine3A::from_mat3(glam::Mat3::from_cols(Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y));
    let place = hull + yard() + Vec3::new(before, -0.5 * height - 0.03, 0.0);
    let cloth = Cloth::grid(columns, rows, width, height).transform(upright).at(place).density(0.25);
    let cloth = cloth.air(Air::default()).linear_damping(0.3);
    Ok(world.add(cloth.build().map_err(|error| SceneError::Object(error.to_string()))?)?)
}

/// Ties the sail to the yard, and its lower corners to the sides of the front hull at `hull` \[m\] by ropes.
fn rig(world: &mut World, boat: &mut Boat, hull: Vec3) -> Result<(), SceneError> {
    let columns = FINENESS.0 as usize;
    let positions: Vec<Vec3> = world.positions(boat.sail)?.collect();
    let corners: Vec<usize> = (0..columns).collect();
    let top = if positions[0].y > positions[positions.len() - 1].y { 0 } else { positions.len() - columns };
    let bottom = positions.len() - columns - top;
    for column in corners.into_iter().step_by(3) {
        let particle = top + column;
        let point = (positions[particle] - hull).with_x(yard().x).with_y(yard().y);
        boat.cords.push(Cord { object: boat.sail, particle: particle as u32, point });
    }
    for column in [0, columns - 1] {
        let corner = positions[bottom + column];
        let side = (corner.z - hull.z).signum();
        let foot = Vec3::new(-0.6 * HULL.0.x, HULL.0.y, side * HULL.0.z);
        let rope = Rope::between(corner, hull + foot, FINENESS.1, 1.04 * corner.distance(hull + foot)).density(0.05);
        let mut rope = rope.linear_damping(0.5).build().map_err(|error| SceneError::Object(error.to_string()))?;
        rope.collision_layers = CollisionLayers { filters: 0, ..rope.collision_layers };
        let rope = world.add(rope)?;
        let kind = ConstraintType::of(xpbd_cloth::constraint::Distance)?;
        let first = positions.len() as u32;
        let knot = Batch::from_parts(
            kind,
            Connectors::particles(2),
            vec![(bottom + column) as u32, first],
            vec![],
            vec![0.01],
        )?;
        world.add_batch(&[boat.sail, rope], &[], knot)?;
        boat.cords.push(Cord { object: rope, particle: FINENESS.1, point: foot });
        boat.ropes.push(rope);
    }
    for Cord { object, particle, point } in &boat.cords {
        let kind = ConstraintType::of(xpbd_cloth::constraint::Distance)?;
        let ends = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
        let ends = Connectors::new(&ends).map_err(|error| SceneError::Object(error.to_string()))?;
        let length = world.position(*object, *particle as usize)?.distance(hull + *point).max(0.01);
        let cord = Batch::from_parts(kind, ends, vec![*particle, 0], vec![*point], vec![length])?;
        world.add_batch(&[*object], &[boat.hulls[0]], cord)?;
    }
    Ok(())
}

impl Boat {
    /// Returns the place of the front hull along the basin \[m\].
    fn place(&self, world: &World) -> Result<f32, WorldError> {
        Ok(world.body_pose(self.hulls[0])?.translation.x)
    }

    /// Returns the least vertical part of the up directions of both hulls \[1\]: 1 if they are level.
    fn upright(&self, world: &World) -> Result<f64, WorldError> {
        self.hulls.iter().try_fold(1.0_f64, |least, &hull| {
            let up = world.body_pose(hull)?.rotation * Vec3::Y;
            Ok(least.min(f64::from(up.y)))
        })
    }
}

impl Observer for Boat {
    /// Blows along the basin, and turns the wind now and then within a second.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let time = world.state().frames as f64 * f64::from(FRAME);
        let phase = (time / TURN).fract() as f32 * TURN as f32;
        let sign = if ((time / TURN) as u64).is_multiple_of(2) { 1.0 } else { -1.0 };
        let rise = (2.0 * phase - 1.0).min(1.0);
        let speed = if time < TURN { self.wind * (time as f32).min(1.0) } else { self.wind * sign * rise };
        let wind = Wind { velocity: Vec3::X * speed, gust_strength: 0.25, gust_size: 0.4, seed: 3 };
        set_wind_field(world, self.sail, |place| wind.velocity_at(place, time))
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let speed = world.body(self.hulls[0])?.velocity.x.abs();
        self.fastest = self.fastest.max(f64::from(speed));
        self.least_upright = self.least_upright.min(self.upright(world)?);
        Ok(())
    }

    /// `sailed_m`: how far the front hull is along the basin from where it began \[m\]; `fastest_m_s`: its greatest speed
    /// along it \[m/s\]; `least_upright`: the least vertical part of the up direction of a hull, 1 if it was always level
    /// \[1\]; `compression`: the mean of the water \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        Ok(vec![
            ("sailed_m", f64::from(self.place(world)? - self.start - HULL.0.x - HULL.1)),
            ("fastest_m_s", self.fastest),
            ("least_upright", self.least_upright),
            ("compression", f64::from(basin::densities(world)?.mean_error())),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let wood = |color| Material { gloss: 0.25, ..Material::matte(hex(color)) };
        for (_, collider) in world.state().colliders.iter() {
            let Some(body) = collider.body else { continue };
            let is_hull = collider.shape.as_cuboid().is_some();
            let color = if !is_hull {
                0xD9B08C
            } else if body == self.hulls[0] {
                0x9A4B3A
            } else {
                0x7F5A43
            };
            picture = picture.shape(&*collider.shape, world.body_pose(body)? * collider.pose, wood(color));
        }
        let canvas = cloths::mesh(world, self.sail)?;
        picture = picture.mesh(&canvas, Material::cloth(hex(0xF2EBDD)).with_back(hex(0xE3D6BF)));
        let line = Material::matte(hex(0x8C7A5B));
        for &rope in &self.ropes {
            let points: Vec<Vec3> = world.positions(rope)?.collect();
            picture = picture.tube(&points, 0.006, line);
        }
        let front = world.body_pose(self.hulls[0])?;
        for cord in self.cords.iter().filter(|cord| cord.object == self.sail) {
            let ends = [world.position(cord.object, cord.particle as usize)?, front.transform_point(cord.point)];
            picture = picture.tube(&ends, 0.005, line);
        }
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        Ok(basin::draw(picture, &drops).rotated(24.0, 22.0))
    }
}
