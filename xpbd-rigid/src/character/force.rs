//! Forces between characters and everything else.

use glam::Vec3;
use xpbd_core::bodies::{Body, BodyKind};
use xpbd_core::collide::{ContactPartner, ContactPhase};
use xpbd_core::force_region::ForceRegion;
use xpbd_core::world::{ColliderHandle, World, WorldError};

/// Returns the force \[N\] that particles had on a collider in the last frame, if that had the length `dt` \[s\].
pub(super) fn force_of_particles(world: &World, collider: ColliderHandle, dt: f32) -> Vec3 {
    let of_collider = |other| other == ContactPartner::Collider(collider);
    let touching = world.contacts().iter().filter(|c| c.phase != ContactPhase::End && of_collider(c.other));
    -touching.map(|contact| contact.net_impulse).sum::<Vec3>() / dt
}

/// Returns the force \[N\] of regions on the body of a collider, as if it were dynamic and as `body` says.
pub(super) fn force_of_regions(
    world: &World,
    collider: ColliderHandle,
    body: &Body,
    regions: &[ForceRegion],
    dt: f32,
) -> Result<Vec3, WorldError> {
    let handle = world.state().colliders.get(collider).and_then(|collider| collider.body);
    let handle = handle.ok_or(WorldError::StaleHandle("collider"))?;
    regions.iter().map(|region| region.force_on_body(world, handle, body, dt)).sum()
}

/// Returns the mass \[kg\] with which a body resists a push along a unit vector at a point \[m\]: 1/m* = 1/m + (r × n)·I⁻¹(r × n);
/// none if it is not pushed.
pub(super) fn effective_mass(body: &Body, point: Vec3, along: Vec3) -> Option<f32> {
    if body.kind != BodyKind::Dynamic {
        return None;
    }
    let free = |locked: [bool; 3]| Vec3::from(locked.map(|locked| if locked { 0.0 } else { 1.0 }));
    let axes = body.pose.rotation * body.mass.principal_axes;
    let arm = point - body.pose.transform_point(body.mass.center_of_mass);
    let turn = arm.cross(along) * free(body.locked_axes.rotation);
    let spin = axes.inverse() * turn;
    let way = along * free(body.locked_axes.translation);
    let inverse = way.length_squared() / body.mass.mass + spin.dot(spin / body.mass.principal_inertia);
    (inverse > 0.0).then(|| 1.0 / inverse)
}

/// Returns the velocity \[m/s\] of the point of a body that is at `point` \[m\] in the world.
pub(super) fn velocity_at(body: &Body, point: Vec3) -> Vec3 {
    let arm = point - body.pose.transform_point(body.mass.center_of_mass);
    body.velocity + body.angular_velocity.cross(arm)
}
