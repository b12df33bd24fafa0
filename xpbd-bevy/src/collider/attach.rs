//! Which body a collider is on, and where.

use bevy::prelude::*;
use glam::Affine3A;
use parry3d::math::Pose;
use parry3d::shape::{ShapeType, SharedShape};
use xpbd_core::world::{BodyHandle, CollisionLayers};

use super::{Collider, ColliderId};
use crate::body::{BodiesToReweigh, PoseQuery, RigidBody};
use crate::entity_errors::EntityErrors;
use crate::material::{CollisionGroups, Density, Friction, Restitution};

/// A collider, as it is on its body.
#[derive(Component)]
pub(crate) struct Part {
    /// The body that it is on; none for a static one.
    pub body: Option<Entity>,
    /// Its pose on the body, or in the world.
    pub pose: Pose,
    /// Its shape in its true size; none if it cannot have that.
    pub shape: Option<SharedShape>,
    /// Density \[kg/m³\].
    pub density: f32,
    pub(super) friction: Friction,
    pub(super) restitution: f32,
    pub(super) filter: CollisionLayers,
    scale: Vec3,
    source: SharedShape,
    /// True if the collider in the world is not yet so.
    pub(super) is_stale: bool,
    /// The body that the collider in the world was made on.
    pub(super) made_on: Option<BodyHandle>,
}

/// What is said of a collider.
type Said<'a> = (
    Entity,
    &'a Collider,
    Option<&'a Density>,
    Option<&'a Friction>,
    Option<&'a Restitution>,
    Option<&'a CollisionGroups>,
    Option<&'a mut Part>,
);

/// Keeps parts up to date with what is said of colliders and where they are.
pub(super) fn attach(
    mut commands: Commands,
    mut reweighed: ResMut<BodiesToReweigh>,
    mut colliders: Query<Said<'static>>,
    bodies: Query<(), With<RigidBody>>,
    poses: PoseQuery,
    mut problems: EntityErrors,
) {
    for (entity, collider, density, friction, restitution, groups, part) in &mut colliders {
        let Some((body, pose, scale)) = place(entity, &bodies, &poses) else { continue };
        let density = density.copied().unwrap_or_default().0;
        let friction = friction.copied().unwrap_or_default();
        let restitution = restitution.copied().unwrap_or_default().0;
        let filter = groups.copied().unwrap_or_default().filter(false);
        let described = |shape, made_on| {
            let source = collider.0.clone();
            Part { body, pose, shape, density, friction, restitution, filter, scale, source, is_stale: true, made_on }
        };
        if let Some(mut part) = part {
            let surface = (part.friction, part.restitution, part.filter) == (friction, restitution, filter);
            let same = part.body == body && part.is_near(pose, scale) && part.source.same(&collider.0);
            if surface && same && part.density.to_bits() == density.to_bits() {
                continue;
            }
            if !same || part.density.to_bits() != density.to_bits() {
                reweighed.0.extend(part.body.into_iter().chain(body));
            }
            if !part.source.same(&collider.0) || part.scale != scale {
                part.shape = scaled(&collider.0, scale);
            }
            let made_on = part.made_on;
            let shape = part.shape.take();
            *part = described(shape, made_on);
            tell(entity, &part, &mut problems);
            continue;
        }
        reweighed.0.extend(body);
        let part = described(scaled(&collider.0, scale), None);
        tell(entity, &part, &mut problems);
        commands.entity(entity).try_insert(part);
    }
}

fn tell(entity: Entity, part: &Part, problems: &mut EntityErrors) {
    if part.shape.is_none() {
        problems.report(entity, "collider", format!("its shape cannot be scaled by {}", part.scale));
    }
}

/// Shapes are the same if they are one.
trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl Same for SharedShape {
    fn same(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Part {
    /// Returns whether it is in this place but for what rounding does to chains of transforms.
    fn is_near(&self, pose: Pose, scale: Vec3) -> bool {
        let length = pose.translation.length().max(1.0);
        let turn = (self.pose.rotation - pose.rotation).length();
        self.pose.translation.distance(pose.translation) <= 1e-6 * length
            && turn <= 1e-6
            && self.scale.distance(scale) <= 1e-5 * scale.length()
    }
}

/// Returns the body that an entity is on, and its pose and scale there.
fn place(
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
        // Above what has no transform there is nothing that could move it.
        let Some(next) = poses.local(parent) else { break };
        affine = next.compute_affine() * affine;
        let Some(above) = poses.parent(parent) else { break };
        parent = above;
    }
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    Some((body, Pose::from_parts(translation, rotation), scale))
}

/// Returns the shape, scaled; none if it cannot be.
fn scaled(shape: &SharedShape, scale: Vec3) -> Option<SharedShape> {
    if (scale - Vec3::ONE).abs().max_element() <= 1e-6 {
        return Some(shape.clone());
    }
    if !scale.is_finite() || scale.abs().min_element() <= 0.0 {
        return None;
    }
    // What is its own mirror image.
    let symmetric = [ShapeType::Ball, ShapeType::Cuboid, ShapeType::Capsule, ShapeType::Cylinder];
    let scale = if symmetric.contains(&shape.shape_type()) { scale.abs() } else { scale };
    shape.scale_dyn(scale, 20).map(|shape| SharedShape(shape.into()))
}

/// Takes out the collider with the component that described it.
pub(super) fn detach(removed: On<Remove, Collider>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(ColliderId, Part)>();
}

/// A body without this collider has another mass.
pub(super) fn reweigh_body(removed: On<Remove, Part>, parts: Query<&Part>, mut reweighed: ResMut<BodiesToReweigh>) {
    if let Ok(part) = parts.get(removed.entity) {
        reweighed.0.extend(part.body);
    }
}
