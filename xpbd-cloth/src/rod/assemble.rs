//! The step from a description of a rod to particles, bodies and constraints.

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{ConstraintType, Parameters};
use xpbd_core::number::NumberError;
use xpbd_core::world::{BatchHandle, BodyHandle, Object, ObjectHandle, World};

use super::RodEnd;
use super::handle::{RodHandle, RodMaterial};
use super::shape::RodShape;
use super::{Rod, RodError};
use crate::constraint::{RodBendTwist, RodBendTwistParameters, RodStretchShear, RodStretchShearParameters};
use crate::polyline;
use crate::stiffness::damping_coefficient;

/// The bodies and constraints of a rod, apart from its particles.
///
/// The object of the particles is added first, so that it may be changed before:
///
/// ```
/// use glam::{Quat, Vec3};
/// use xpbd_cloth::Rod;
/// use xpbd_core::world::World;
///
/// let mut world = World::default();
/// let (mut object, parts) = Rod::between(Vec3::ZERO, Vec3::X, 10).build()?;
/// object.gravity_scale = 0.5;
/// let object = world.add(object)?;
/// let rod = parts.add_to(&mut world, object)?;
/// assert_eq!(rod.segments().len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RodParts {
    pub(super) segments: Vec<Body>,
    pub(super) stretch: Batch,
    pub(super) bend: Option<Batch>,
    pub(super) material: RodMaterial,
    pub(super) clamps: [bool; 2],
}

impl RodParts {
    /// Adds the bodies of the segments and the constraints to the particles, which are those of this object.
    ///
    /// # Errors
    /// What the world refuses; it is then as it was.
    pub fn add_to(self, world: &mut World, object: ObjectHandle) -> Result<RodHandle, RodError> {
        let Self { segments, stretch, bend, material, clamps } = self;
        let mut bodies = Vec::new();
        let added = fill(world, object, &mut bodies, segments, stretch, bend).and_then(|(stretch, bend)| {
            let segments = bodies.as_slice().into();
            let mut rod = RodHandle { object, segments, stretch, bend, material, clamps: [None, None] };
            for end in [RodEnd::First, RodEnd::Last].into_iter().filter(|&end| clamps[end as usize]) {
                let tie = rod.hold(world, end)?;
                bodies.extend(tie.fixed_body());
                rod.clamps[end as usize] = Some(tie);
            }
            Ok(rod)
        });
        if added.is_err() {
            // Constraints go with their bodies.
            bodies.into_iter().try_for_each(|body| world.remove_body(body))?;
        }
        added
    }
}

pub(super) fn add(rod: &Rod, world: &mut World) -> Result<RodHandle, RodError> {
    let (object, parts) = prepare(rod)?;
    let object = world.add(object)?;
    let added = parts.add_to(world, object);
    if added.is_err() {
        world.remove(object)?;
    }
    added
}

fn fill(
    world: &mut World,
    object: ObjectHandle,
    bodies: &mut Vec<BodyHandle>,
    segments: Vec<Body>,
    stretch: Batch,
    bend: Option<Batch>,
) -> Result<(BatchHandle, Option<BatchHandle>), RodError> {
    for segment in segments {
        bodies.push(world.add_body(segment)?);
    }
    let stretch = world.add_batch(&[object], bodies, stretch)?;
    let bend = bend.map(|bend| world.add_batch(&[], bodies, bend)).transpose()?;
    Ok((stretch, bend))
}

pub(super) fn prepare(rod: &Rod) -> Result<(Object, RodParts), RodError> {
    check_numbers(rod)?;
    let rotation = rod.particles.unit_pose().rotation;
    let points = rod.particles.placed(&rod.points);
    let shape = RodShape::new(&points, rod.normal.map(|normal| rotation * normal))?;
    let rest = if rod.settings.straight_at_rest { RodShape::straight(&shape.lengths) } else { shape.clone() };
    let count = points.len();
    let pins = rod.particles.sorted_pins(count).map_err(|index| RodError::Pin { index, points: count })?;
    let material = material(rod, &rest);
    let line = PI * rod.settings.radius * rod.settings.radius * rod.settings.density;
    let mut object = rod.particles.object(&rod.points, polyline::masses(line, &rest.lengths), pins);
    if rod.settings.straight_at_rest {
        object.rest_positions = polyline::along_x(&rest.lengths);
    }
    let damping = rod.particles.linear_damping;
    let segment = |k: usize| {
        let middle = object.positions[k].midpoint(object.positions[k + 1]);
        let pose = Pose::from_parts(middle, shape.frames[k]);
        let locked = LockedAxes { translation: [true; 3], rotation: [false; 3] };
        let mass = mass(rod, line * rest.lengths[k], rest.lengths[k]);
        let body =
            Body::dynamic(pose, mass).locked_axes(locked).gravity_scale(0.0).damping(0.0, damping).can_sleep(false);
        body.angular_velocity(rod.particles.angular_velocity)
    };
    let segments = (0..shape.lengths.len()).map(segment).collect();
    let (stretch, bend) = (stretch(rod, &rest, &material)?, bend(&rest, &material)?);
    Ok((object, RodParts { segments, stretch, bend, material, clamps: rod.clamps }))
}

fn check_numbers(rod: &Rod) -> Result<(), RodError> {
    rod.particles.check()?;
    NumberError::check_positive("radius", rod.settings.radius)?;
    NumberError::check_positive("density", rod.settings.density)?;
    NumberError::check_positive("Young's modulus", rod.settings.youngs_modulus)?;
    NumberError::check_positive("shear modulus", rod.settings.shear_modulus.unwrap_or(1.0))?;
    NumberError::check_not_negative("damping time", rod.settings.damping_time)?;
    Ok(())
}

fn material(rod: &Rod, rest: &RodShape) -> RodMaterial {
    let young = rod.settings.youngs_modulus;
    let shear = rod.settings.shear_modulus.unwrap_or(young / 3.0);
    let poisson = (0.5 * young / shear - 1.0).clamp(0.0, 0.5);
    let squared = rod.settings.radius * rod.settings.radius;
    let bending = young * (0.25 * PI * squared * squared);
    let ends = [rest.lengths.first(), rest.lengths.last()].map(|length| length.copied().unwrap_or(0.0));
    RodMaterial {
        tension: young * (PI * squared),
        bending,
        shear: young / shear * (7.0 + 6.0 * poisson) / (6.0 * (1.0 + poisson)),
        twist: 0.5 * young / shear,
        damping_time: rod.settings.damping_time,
        end_compliances: ends.map(|length| 0.5 * length / bending),
        solver: rod.settings.solver,
    }
}

/// Returns the mass and the inertia of a segment of this mass \[kg\] and length \[m\].
fn mass(rod: &Rod, mass: f32, length: f32) -> Mass {
    let squared = rod.settings.radius * rod.settings.radius;
    let across = mass * (0.25 * squared + length * length / 12.0);
    let along = 0.5 * mass * squared;
    Mass::new(mass, Vec3::new(across, across, if rod.settings.true_inertia { along } else { along.max(across) }))
}

fn stretch(rod: &Rod, rest: &RodShape, material: &RodMaterial) -> Result<Batch, RodError> {
    let axis = Connector::BodyAxis { node: 2 };
    let connectors = Connectors::new(&[Connector::Particle { node: 0 }, Connector::Particle { node: 1 }, axis, axis])?;
    let count = rod.points.len() as u32 - 1;
    let nodes = (0..count).flat_map(|k| [k, k + 1, k]).collect();
    let locals = (0..count).flat_map(|_| [Vec3::X, Vec3::Y]).collect();
    let segment =
        |&rest_length: &f32| RodStretchShearParameters { rest_length, shear_ratio: material.shear }.to_numbers();
    let parameters = rest.lengths.iter().flat_map(segment).collect();
    let compliances: Vec<f32> = rest.lengths.iter().map(|length| length / material.tension).collect();
    let beta = damping_coefficient(rod.settings.damping_time, &compliances);
    let kind = ConstraintType::of(RodStretchShear)?;
    let batch = Batch::from_parts(kind, connectors, nodes, locals, parameters)?.solver(material.solver);
    Ok(batch.compliances(compliances)?.damping(beta))
}

fn bend(rest: &RodShape, material: &RodMaterial) -> Result<Option<Batch>, RodError> {
    let joints: Vec<u32> = (1..rest.frames.len() as u32).collect();
    if joints.is_empty() {
        return Ok(None);
    }
    let nodes = joints.iter().flat_map(|&k| [k - 1, k]).collect();
    let locals = rest.frames.array_windows().flat_map(|&pair| RodBendTwist::axes(pair)).collect();
    let lengths = rest.lengths.array_windows().map(|[before, after]| 0.5 * (before + after));
    let compliances: Vec<f32> = lengths.map(|length| length / material.bending).collect();
    material.bend(nodes, locals, compliances).map(Some)
}

impl RodMaterial {
    /// Creates the bending and twist of half a segment between a body and the segment at an end, whose frame has this
    /// rotation on the body.
    pub(super) fn tie(&self, end: RodEnd, rotation: Quat) -> Result<Batch, RodError> {
        let locals = vec![rotation * Vec3::X, rotation * Vec3::Y, Vec3::X, Vec3::Y];
        self.bend(vec![0, 1], locals, vec![self.end_compliances[end as usize]])
    }

    /// Creates constraints of bending and twist between pairs of bodies, of these compliances \[rad²/J\].
    pub(super) fn bend(&self, nodes: Vec<u32>, locals: Vec<Vec3>, compliances: Vec<f32>) -> Result<Batch, RodError> {
        let [first, second] = [0, 1].map(|node| Connector::BodyAxis { node });
        let connectors = Connectors::new(&[first, first, second, second])?;
        let joint = RodBendTwistParameters { twist_ratio: self.twist };
        let parameters = vec![joint; compliances.len()].into_iter().flat_map(Parameters::to_numbers).collect();
        let beta = damping_coefficient(self.damping_time, &compliances);
        let batch = Batch::from_parts(ConstraintType::of(RodBendTwist)?, connectors, nodes, locals, parameters)?;
        Ok(batch.solver(self.solver).compliances(compliances)?.damping(beta))
    }
}
