//! Colliders: adding, changing, removing.

use std::sync::Arc;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{Shape, TypedShape};

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::bodies::BodyKind;
use crate::collide::{Collider, UnsupportedShape, check_shape};
use crate::handle::ColliderHandle;
use crate::number::NumberError;
use crate::scalar::rotation::normalized;

impl World {
    /// Adds a collider.
    ///
    /// # Errors
    /// A stale body handle, a shape that a collider of this body may not have, a pose that is not finite, or friction
    /// that is not valid.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderHandle, WorldError> {
        let collider = self.state.check_collider(collider)?;
        self.state.wake_all();
        Ok(self.state.colliders.push(collider))
    }

    /// Changes a collider, in place or with a jump that is no motion.
    ///
    /// # Errors
    /// A stale handle, or a collider that is not valid; the collider is then as it was.
    pub fn edit_collider(
        &mut self,
        handle: ColliderHandle,
        edit: impl FnOnce(&mut Collider),
    ) -> Result<(), WorldError> {
        let mut changed = self.state.colliders.get(handle).ok_or(WorldError::StaleHandle("collider"))?.clone();
        edit(&mut changed);
        let changed = self.state.check_collider(changed)?;
        self.state.wake_all();
        self.state.settle_body_contacts();
        let state = &mut *self.state;
        if let Some(collider) = state.colliders.get_mut(handle) {
            if !Arc::ptr_eq(&collider.shape.0, &changed.shape.0) {
                state.contacts.bodies.forget_shape(handle);
                state.contacts.surfaces.forget_shape(handle);
            }
            *collider = changed;
        }
        Ok(())
    }

    /// Removes a collider.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_collider(&mut self, handle: ColliderHandle) -> Result<(), WorldError> {
        if self.state.colliders.get(handle).is_some() {
            self.state.settle_body_contacts();
        }
        self.state.colliders.remove(handle).map(drop).ok_or(WorldError::StaleHandle("collider"))?;
        self.state.wake_all();
        self.state.contacts.clear_particle_contacts();
        Ok(())
    }
}

impl State {
    /// Refuses a collider that no step could honour, and normalizes its rotation.
    pub(super) fn check_collider(&self, mut collider: Collider) -> Result<Collider, WorldError> {
        let body = collider.body.map(|body| self.body_index(body)).transpose()?;
        let kind = body.map(|k| self.bodies.records[k].body.kind);
        check_collider_shape(&collider, kind == Some(BodyKind::Dynamic))?;
        collider.pose = check_pose(collider.pose)?;
        collider.friction.check()?;
        NumberError::check_restitution(collider.restitution)?;
        check_surface(&collider)?;
        Ok(collider)
    }
}

/// Refuses a shape whose size is not finite or negative, and one that would pass through another one.
pub(super) fn check_collider_shape(collider: &Collider, on_dynamic_body: bool) -> Result<(), WorldError> {
    check_size(&*collider.shape)?;
    check_shape(&*collider.shape, on_dynamic_body).map_err(|UnsupportedShape { shape, must }| {
        let what =
            if on_dynamic_body { "the shape of a collider on a dynamic body" } else { "the shape of a collider" };
        WorldError::InvalidValue { what, value: format!("{shape:?}"), must }
    })
}

/// Refuses a shape that has a part whose size is not finite or negative, and a half-space whose normal has another length
/// than 1.
fn check_size(shape: &dyn Shape) -> Result<(), WorldError> {
    let refuse = |value, must| Err(WorldError::InvalidValue { what: "the shape of a collider", value, must });
    let must = "of a size that is finite and not negative";
    let radius = match shape.as_typed_shape() {
        TypedShape::Compound(compound) => {
            return compound.shapes().iter().try_for_each(|(_, part)| check_size(&**part));
        }
        TypedShape::HalfSpace(plane) if !plane.normal.is_normalized() => {
            return refuse(format!("HalfSpace with the normal {}", plane.normal), "with a normal of length 1");
        }
        TypedShape::Capsule(capsule) => capsule.radius,
        TypedShape::RoundCuboid(round) => round.border_radius,
        TypedShape::RoundTriangle(round) => round.border_radius,
        TypedShape::RoundCylinder(round) => round.border_radius,
        TypedShape::RoundCone(round) => round.border_radius,
        TypedShape::RoundConvexPolyhedron(round) => round.border_radius,
        _ => 0.0,
    };
    // parry has no box around a shape with such a radius.
    if !(radius.is_finite() && radius >= 0.0) {
        return refuse(format!("{:?} with a radius of {radius}", shape.shape_type()), must);
    }
    let bounds = shape.compute_local_aabb();
    if !(bounds.mins.is_finite() && bounds.maxs.is_finite() && bounds.mins.cmple(bounds.maxs).all()) {
        return refuse(format!("{:?} from {} to {}", shape.shape_type(), bounds.mins, bounds.maxs), must);
    }
    Ok(())
}

/// Refuses a surface velocity that is not finite, and a direction of a one-way platform without a length.
pub(super) fn check_surface(collider: &Collider) -> Result<(), WorldError> {
    let refuse = |what, value: Vec3, must| Err(WorldError::InvalidValue { what, value: value.to_string(), must });
    if !collider.surface_velocity.is_finite() {
        return refuse("the surface velocity of a collider", collider.surface_velocity, "finite");
    }
    match collider.one_way {
        Some(way) if way.try_normalize().is_none() => {
            refuse("the direction of a one-way platform", way, "finite and not zero")
        }
        _ => Ok(()),
    }
}

/// Returns a finite pose with its rotation normalized.
pub(super) fn check_pose(pose: Pose) -> Result<Pose, WorldError> {
    let length = pose.rotation.length();
    if !(pose.translation.is_finite() && length.is_finite() && length > 1e-6) {
        let must = "finite, with a rotation that is not zero";
        return Err(WorldError::InvalidValue { what: "the pose", value: format!("{pose:?}"), must });
    }
    Ok(Pose::from_parts(pose.translation, normalized(pose.rotation)))
}
