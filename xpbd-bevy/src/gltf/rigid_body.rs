//! Bodies, colliders and sensors from `KHR_physics_rigid_bodies`.

use std::sync::{Mutex, PoisonError};

use bevy::prelude::*;

use super::document::Document;
use super::fields::Fields;
use super::shape;
use crate::body::{LockedAxes, Mass, RigidBody};
use crate::collider::Sensor;
use crate::material::{CollisionLayers, Friction, GravityScale, Restitution};

/// The friction of a material that gives none \[1\].
const FRICTION: f32 = 0.6;

/// Adds a body; returns its velocities \[m/s, rad/s\] in the frame of the node.
pub(super) fn add_body(mut motion: Fields<'_>, entity: &mut EntityWorldMut<'_>) -> [Vec3; 2] {
    let (mass, inertia) = (motion.take::<f32>("mass"), motion.take::<Vec3>("inertiaDiagonal"));
    // 0 stands for infinity.
    let is_infinite = mass == Some(0.0);
    let is_kinematic = motion.take("isKinematic").unwrap_or(false) || is_infinite;
    entity.insert(if is_kinematic { RigidBody::Kinematic } else { RigidBody::Dynamic });
    let inertia = inertia.and_then(|inertia| match inertia {
        Vec3::ZERO => {
            entity.insert(LockedAxes::ROTATION_LOCKED);
            None
        }
        _ if is_infinite || inertia.min_element() == 0.0 => {
            motion.warn(
                "inertiaDiagonal",
                "has no effect: a body is infinitely heavy in all ways of rotation or in none",
            );
            None
        }
        _ => Some(inertia),
    });
    let axes = motion.take::<Quat>("inertiaOrientation").unwrap_or_default();
    let inertia = inertia.map(|inertia| along_axes(inertia, axes, &mut motion));
    let center = motion.take::<Vec3>("centerOfMass");
    if let Some(mass) = mass.filter(|_| !is_infinite) {
        entity.insert(Mass { mass, inertia, center });
    } else if !is_kinematic && (inertia.is_some() || center.is_some()) {
        motion.warn("mass", "is missing; without it, inertia and centre of mass are those of the colliders");
    }
    if let Some(factor) = motion.take::<f32>("gravityFactor") {
        entity.insert(GravityScale(factor));
    }
    let velocities = ["linearVelocity", "angularVelocity"].map(|name| motion.take::<Vec3>(name).unwrap_or_default());
    motion.finish();
    velocities
}

/// Returns moments of inertia \[kg m²\] about the axes of the node.
fn along_axes(principal: Vec3, axes: Quat, motion: &mut Fields<'_>) -> Vec3 {
    let frame = Mat3::from_quat(axes.normalize());
    let tensor = frame * Mat3::from_diagonal(principal) * frame.transpose();
    let product = tensor.x_axis.y.abs().max(tensor.x_axis.z.abs()).max(tensor.y_axis.z.abs());
    if product > 1e-3 * principal.max_element() {
        motion.warn("inertiaOrientation", "is not along the axes of the node; products of inertia are left out");
    }
    Vec3::new(tensor.x_axis.x, tensor.y_axis.y, tensor.z_axis.z)
}

/// Adds a collider, or a sensor.
pub(super) fn add_collider(
    mut fields: Fields<'_>,
    is_sensor: bool,
    (document, layers): (&Document, &Mutex<Vec<String>>),
    entity: &mut EntityWorldMut<'_>,
) {
    if let Some(mut material) = fields.element("physicsMaterial", ("physicsMaterials", &document.materials)) {
        let dynamic_coefficient = material.take("dynamicFriction").unwrap_or(FRICTION);
        let static_coefficient = material.take("staticFriction").unwrap_or(FRICTION.max(dynamic_coefficient));
        let restitution = Restitution(material.take("restitution").unwrap_or_default());
        entity.insert((Friction { static_coefficient, dynamic_coefficient }, restitution));
        if let Some(rule) = material.take::<String>("frictionCombine") {
            material.warn("frictionCombine", format!("is {rule:?}; frictions combine to their geometric mean"));
        }
        if let Some(rule) = material.take::<String>("restitutionCombine").filter(|rule| rule != "maximum") {
            material.warn("restitutionCombine", format!("is {rule:?}; the greater restitution counts"));
        }
        material.finish();
    }
    if let Some(filter) = fields.element("collisionFilter", ("collisionFilters", &document.filters)) {
        entity.insert(collision_layers(filter, layers));
    }
    let collider = if let Some(mut geometry) = fields.child("geometry") {
        let collider = shape::take(&mut geometry, document);
        geometry.finish();
        collider
    } else if is_sensor && fields.take::<Vec<usize>>("nodes").is_some() {
        // Each of these nodes is a sensor of its own.
        fields.finish();
        return;
    } else {
        // In early drafts there was no `geometry` around it.
        shape::take(&mut fields, document)
    };
    match collider {
        Some(collider) if is_sensor => drop(entity.insert((collider, Sensor))),
        Some(collider) => drop(entity.insert(collider)),
        None => fields.warn("geometry", "makes no collider; it needs a valid `shape`, `mesh` or `node`"),
    }
    fields.finish();
}

/// Returns the layers of a filter. Each collision system is one bit from the second on; the first one is for what is in
/// none.
fn collision_layers(mut filter: Fields<'_>, known: &Mutex<Vec<String>>) -> CollisionLayers {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let mut bits = |filter: &mut Fields<'_>, field: &str| {
        let names = filter.take::<Vec<String>>(field)?;
        let mut bits = 0;
        for name in names {
            let index = known.iter().position(|other| *other == name).unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            });
            match 2_u32.checked_shl(index as u32).filter(|&bit| bit != 0) {
                Some(bit) => bits |= bit,
                None => filter.warn(field, format!("has no layer for {name:?}: 31 others have been named before")),
            }
        }
        Some(bits)
    };
    let memberships = bits(&mut filter, "collisionSystems").filter(|&bits| bits != 0).unwrap_or(1);
    let only = bits(&mut filter, "collideWithSystems");
    let except = bits(&mut filter, "notCollideWithSystems");
    filter.finish();
    CollisionLayers { memberships, filters: only.unwrap_or(u32::MAX) & !except.unwrap_or(0) }
}
