//! Rigid bodies of scenes: building, drawing and measuring them.

use glam::{Quat, Vec3};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, QueryDispatcher};
use parry3d::shape::{Shape, SharedShape};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{BodyHandle, Friction, World, WorldError};

use crate::picture::{Material, Picture, hex};

/// Colours of bodies.
const COLORS: [u32; 8] = [0xC8553D, 0x35618F, 0xE0A458, 0x5B8E7D, 0x8B5A83, 0xD9B08C, 0x2F4858, 0x9BB56B];

/// Colour of what does not move.
const STATIC: u32 = 0xD8CFBE;

/// Returns the colour of a body by its number; neighbours differ.
pub(super) fn color(k: usize) -> Vec3 {
    hex(COLORS[k % COLORS.len()])
}

/// Returns the shortest rotation from one unit vector to another, which is not opposite.
pub(super) fn rotation_between(from: Vec3, to: Vec3) -> Quat {
    normalized(Quat::from_vec4(from.cross(to).extend(1.0 + from.dot(to))))
}

/// Adds the floor y = 0.
pub(super) fn floor(world: &mut World, friction: f32) -> Result<(), WorldError> {
    let plane = Collider::new(SharedShape::halfspace(Vec3::Y)).friction(Friction::new(friction));
    world.add_collider(plane).map(drop)
}

/// Adds a body with a collider of its shape.
pub(super) fn add(world: &mut World, body: Body, shape: SharedShape, friction: f32) -> Result<BodyHandle, WorldError> {
    let body = world.add_body(body)?;
    world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(friction)))?;
    Ok(body)
}

/// Adds a box of these half extents \[m\].
pub(super) fn block(
    world: &mut World,
    pose: Pose,
    half: Vec3,
    mass: f32,
    friction: f32,
) -> Result<BodyHandle, WorldError> {
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    add(world, Body::dynamic(pose, Mass::cuboid(mass, half)), shape, friction)
}

/// Puts the colliders of all bodies into a picture, each body in the colour that `color` gives for its
/// number, and those of no body in a pale one.
pub(super) fn draw(world: &World, mut picture: Picture, color: impl Fn(usize) -> Vec3) -> Picture {
    for (place, collider) in placed(world) {
        let material = match collider.body.and_then(|body| world.state().body_handles.index_of(body)) {
            Some(k) => Material { gloss: 0.25, ..Material::matte(color(k)) },
            None => Material::matte(hex(STATIC)),
        };
        picture = picture.shape(&*collider.shape, place, material);
    }
    picture
}

/// Returns all colliders and where they are.
fn placed(world: &World) -> impl Iterator<Item = (Pose, &Collider)> {
    world.state().colliders.iter().map(|(_, collider)| {
        let body = collider.body.and_then(|body| world.body_pose(body).ok()).unwrap_or(Pose::IDENTITY);
        (body * collider.pose, collider)
    })
}

/// Returns how deep the colliders of bodies are in each other and in those of no body at most \[m\].
pub(super) fn penetration(world: &World) -> f64 {
    let mut all: Vec<(Aabb, Pose, &Collider)> =
        placed(world).map(|(pose, collider)| (collider.shape.compute_aabb(&pose), pose, collider)).collect();
    all.sort_by(|a, b| a.0.mins.x.total_cmp(&b.0.mins.x));
    let mut deepest = 0.0_f32;
    for (k, (bounds, pose, collider)) in all.iter().enumerate() {
        for (_, other_pose, other) in
            all[k + 1..].iter().take_while(|other| other.0.mins.x <= bounds.maxs.x).filter(|o| o.0.intersects(bounds))
        {
            if collider.body != other.body {
                deepest = deepest.max(overlap([&*collider.shape, &*other.shape], &pose.inv_mul(other_pose)));
            }
        }
    }
    f64::from(deepest)
}

/// Returns the overlap of two shapes by their contact points \[m\]; `between` is the pose of the second in the frame of
/// the first. Parry's `contact` takes boxes that just touch for deep in each other.
fn overlap([a, b]: [&dyn Shape; 2], between: &Pose) -> f32 {
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let dispatcher = DefaultQueryDispatcher;
    if dispatcher.contact_manifolds(between, a, b, 0.0, &mut manifolds, &mut None).is_ok() {
        let points = manifolds.iter().flat_map(|manifold| &manifold.points);
        return points.map(|point| -point.dist).fold(0.0, f32::max);
    }
    dispatcher.contact(between, a, b, 0.0).ok().flatten().map_or(0.0, |contact| (-contact.dist).max(0.0))
}

#[cfg(test)]
mod tests {
    use xpbd_core::world::Settings;

    use super::*;

    #[test]
    fn the_deepest_overlap_of_bodies_and_floor_is_measured() {
        let mut world = World::new(Settings::default()).expect("the settings are valid");
        floor(&mut world, 0.5).expect("a floor");
        for (x, y) in [(0.0, 0.45), (0.9, 1.0), (5.0, 0.5)] {
            block(&mut world, Pose::translation(x, y, 0.0), Vec3::splat(0.5), 1.0, 0.5).expect("a box");
        }
        assert!((penetration(&world) - 0.1).abs() < 1e-4, "{}", penetration(&world));
    }
}
