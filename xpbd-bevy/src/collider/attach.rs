//! The bodies that colliders are on, and their poses there.

use bevy::prelude::*;
use glam::Affine3A;
use parry3d::math::Pose;
use parry3d::shape::{ShapeType, SharedShape};

use super::{Collider, Sensor};
use crate::body::{BodiesToReweigh, ColliderPart, RigidBody};
use crate::handle::{ColliderId, SensorId};
use crate::material::{ColliderDensity, CollisionLayers, Friction, OneWayPlatform, Restitution, SurfaceVelocity};
use crate::pose::PoseQuery;
use crate::report::EntityErrors;

/// The component from which the shape of a [`ColliderPart`] was made.
#[derive(Component, Debug, Clone)]
pub(super) struct DescribedShape(Collider);

/// The components that describe a collider.
type Described<'a> = (
    Entity,
    &'a Collider,
    Option<&'a ColliderDensity>,
    Surface<'a>,
    Option<&'a CollisionLayers>,
    Has<Sensor>,
    Option<(&'a mut ColliderPart, &'a mut DescribedShape)>,
);

/// The components that describe the surface of a collider.
type Surface<'a> =
    (Option<&'a Friction>, Option<&'a Restitution>, Option<&'a SurfaceVelocity>, Option<&'a OneWayPlatform>);

/// Keeps the parts of bodies up to date with the components and transforms of colliders.
pub(super) fn attach(
    mut commands: Commands,
    mut changed_bodies: ResMut<BodiesToReweigh>,
    mut colliders: Query<Described<'static>>,
    bodies: Query<(), With<RigidBody>>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    for (entity, collider, density, surface, layers, is_sensor, part) in &mut colliders {
        let (friction, restitution, surface_velocity, one_way) = surface;
        let Some((body, pose, scale)) = placement(entity, &bodies, &poses) else { continue };
        let mut new = ColliderPart {
            body,
            pose,
            shape: None,
            density: density.copied().unwrap_or_default().0,
            friction: friction.copied().unwrap_or_default(),
            restitution: restitution.copied().unwrap_or_default().0,
            surface_velocity: surface_velocity.copied().unwrap_or_default().0,
            one_way: one_way.map(|way| way.0),
            is_sensor,
            layers: layers.copied().unwrap_or_default(),
            scale,
            is_stale: true,
            built_on: None,
        };
        if let Some((mut part, mut described)) = part {
            let same_source = described.0 == *collider;
            let same_surface = part.has_surface_of(&new);
            let same_mass = same_source
                && part.is_same_part(body, pose, scale)
                && part.density.to_bits() == new.density.to_bits()
                && part.is_sensor == is_sensor;
            if same_surface && same_mass {
                continue;
            }
            if !same_mass {
                changed_bodies.0.extend(part.body.into_iter().chain(body));
            }
            let same_shape = same_source && part.scale == scale;
            new.shape = if same_shape { part.shape.take() } else { scaled(collider.shape(), scale) };
            new.built_on = part.built_on;
            report_unscalable(entity, &new, &mut errors);
            *part = new;
            if !same_source {
                described.0 = collider.clone();
            }
            continue;
        }
        changed_bodies.0.extend(body);
        new.shape = scaled(collider.shape(), scale);
        report_unscalable(entity, &new, &mut errors);
        commands.entity(entity).try_insert((new, DescribedShape(collider.clone())));
    }
}

fn report_unscalable(entity: Entity, part: &ColliderPart, errors: &mut EntityErrors) {
    if part.shape.is_none() {
        errors.report(entity, "collider", format!("its shape cannot be scaled by {}", part.scale));
    }
}

/// Returns the body that an entity is on, and its pose and scale there.
fn placement(
    entity: Entity,
    bodies: &Query<(), With<RigidBody>>,
    poses: &PoseQuery,
) -> Option<(Option<Entity>, Pose, Vec3)> {
    if bodies.contains(entity) {
        return Some((Some(entity), Pose::IDENTITY, poses.in_world(entity)?.scale));
    }
    let local = poses.local(entity)?;
    let Some(mut parent) = poses.parent(entity) else {
        return Some((None, Pose::from_parts(local.translation, local.rotation), local.scale));
    };
    let mut affine = local.compute_affine();
    let mut body = None;
    loop {
        if bodies.contains(parent) {
            body = Some(parent);
            affine = Affine3A::from_scale(poses.in_world(parent)?.scale) * affine;
            break;
        }
        // An ancestor without a transform moves nothing.
        let Some(next) = poses.local(parent) else { break };
        affine = next.compute_affine() * affine;
        let Some(above) = poses.parent(parent) else { break };
        parent = above;
    }
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    Some((body, Pose::from_parts(translation, rotation), scale))
}

/// Returns the shape scaled; none if it cannot be scaled so.
fn scaled(shape: SharedShape, scale: Vec3) -> Option<SharedShape> {
    if (scale - Vec3::ONE).abs().max_element() <= 1e-6 {
        return Some(shape);
    }
    if !scale.is_finite() || scale.abs().min_element() <= 0.0 {
        return None;
    }
    // These shapes are their own mirror images.
    let symmetric = [ShapeType::Ball, ShapeType::Cuboid, ShapeType::Capsule, ShapeType::Cylinder];
    let scale = if symmetric.contains(&shape.shape_type()) { scale.abs() } else { scale };
    shape.scale_dyn(scale, 20).map(|shape| SharedShape(shape.into()))
}

/// Removes the collider together with the component that described it.
pub(super) fn detach(removed: On<Remove, Collider>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(ColliderId, SensorId, ColliderPart, DescribedShape)>();
}

/// Has the body of a removed collider weighed again.
pub(super) fn reweigh_body(
    removed: On<Remove, ColliderPart>,
    parts: Query<&ColliderPart>,
    mut changed_bodies: ResMut<BodiesToReweigh>,
) {
    if let Ok(part) = parts.get(removed.entity) {
        changed_bodies.0.extend(part.body);
    }
}
