//! Grounds, boxes and balls for the checks of bodies.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, Friction, Settings};

use super::lab::Lab;
use crate::device::Device;
use crate::scene::SceneError;

/// Returns a world with the plane y = 0, turned.
pub(super) fn ground(device: &Device, settings: Settings, turned: Quat, friction: f32) -> Result<Lab, SceneError> {
    let mut lab = Lab::new(device, settings)?;
    let plane = Collider::new(SharedShape::halfspace(Vec3::Y)).rotation(turned);
    lab.world.add_collider(plane.friction(Friction::new(friction)))?;
    Ok(lab)
}

/// Returns a body that is a box with these half extents \[m\].
pub(super) fn block(lab: &mut Lab, body: Body, half: Vec3, friction: f32) -> Result<BodyHandle, SceneError> {
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    let body = lab.world.add_body(body)?;
    lab.world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(friction)))?;
    Ok(body)
}

/// Returns a ball of 1 kg.
pub(super) fn ball(lab: &mut Lab, position: Vec3, radius: f32, restitution: f32) -> Result<BodyHandle, SceneError> {
    let body = Body::dynamic(Pose::from_translation(position), Mass::ball(1.0, radius)).can_sleep(false);
    let body = lab.world.add_body(body)?;
    let collider = Collider::new(SharedShape::ball(radius)).attached_to(body).friction(Friction::new(0.5));
    lab.world.add_collider(collider.restitution(restitution))?;
    Ok(body)
}

/// Returns what a solid box of this mass \[kg\] is as a body.
pub(super) fn cuboid(pose: Pose, half: Vec3, mass: f32) -> Body {
    Body::dynamic(pose, Mass::cuboid(mass, half))
}
