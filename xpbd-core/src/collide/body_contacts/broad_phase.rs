//! Which colliders may touch in a frame.

use glam::{Quat, Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

use crate::bodies::Bodies;
use crate::collide::Collider;
use crate::collide::detection::DetectionContext;

/// Extent of bounds \[m\] above which a collider counts as unbounded and is paired with everything.
const UNBOUNDED_EXTENT: f32 = 1e6;

/// A collider as the broad phase reads it.
pub struct BroadPhaseCollider<'a> {
    /// The collider.
    pub collider: &'a Collider,
    /// Body of the collider.
    pub body: Option<u32>,
    /// True if it can be pushed.
    pub is_movable: bool,
    /// Position in two parts, exact far from the origin \[m\].
    center: [Vec3; 2],
    rotation: Quat,
    /// Displacement in the frame if nothing stops the collider \[m\].
    displacement: Vec3,
    /// Largest displacement of a point by rotation in the frame \[m\].
    rotation_reach: f32,
    bounds: Aabb,
}

impl<'a> BroadPhaseCollider<'a> {
    /// Returns all colliders in order.
    pub fn all(context: &DetectionContext<'a>) -> Vec<Self> {
        let body = |collider: &Collider| context.body_handles.index_of(collider.body?);
        context.colliders.iter().map(|(_, collider)| Self::new(collider, body(collider), context)).collect()
    }

    fn new(collider: &'a Collider, body: Option<usize>, context: &DetectionContext<'a>) -> Self {
        let still = Self {
            collider,
            body: body.map(|k| k as u32),
            is_movable: false,
            center: [collider.pose.translation, Vec3::ZERO],
            rotation: collider.pose.rotation,
            displacement: Vec3::ZERO,
            rotation_reach: 0.0,
            bounds: Aabb::new_invalid(),
        };
        let mut placed = match body {
            None => still,
            Some(k) => still.attached_to_body(context.bodies, k, context.dt),
        };
        let pose = Pose::from_parts(placed.center[0] + placed.center[1], placed.rotation);
        let bounds = collider.shape.compute_aabb(&pose);
        let moved = Aabb::new(bounds.mins + placed.displacement, bounds.maxs + placed.displacement);
        placed.bounds = bounds.merged(&moved).loosened(placed.rotation_reach + 0.5 * context.settings.contact_margin);
        placed
    }

    /// Returns the collider with the position and motion of its body.
    fn attached_to_body(self, bodies: &Bodies, k: usize, dt: f32) -> Self {
        let local = bodies.to_central_frame(k, self.collider.pose);
        let rotation = bodies.rotation[k];
        let sphere = self.collider.shape.compute_local_bounding_sphere();
        let arm = local.transform_point(sphere.center).length() + sphere.radius;
        Self {
            is_movable: bodies.anchor[k].w > 0.0,
            center: [bodies.anchor[k].xyz(), bodies.offset[k].xyz() + rotation * local.translation],
            rotation: rotation * local.rotation,
            displacement: (bodies.velocity[k].xyz() + bodies.acceleration[k].xyz() * dt) * dt,
            rotation_reach: (bodies.angular_velocity[k].xyz().length() * dt).min(2.0) * arm,
            ..self
        }
    }

    /// Returns the pose of another collider in the frame of this one.
    pub fn relative_pose(&self, other: &Self) -> Pose {
        let apart = (other.center[0] - self.center[0]) + (other.center[1] - self.center[1]);
        let back = self.rotation.inverse();
        Pose::from_parts(back * apart, back * other.rotation)
    }

    /// Returns the length by which two colliders may approach each other in the frame \[m\].
    pub fn closing_distance(&self, other: &Self) -> f32 {
        (self.displacement - other.displacement).length() + self.rotation_reach + other.rotation_reach
    }

    /// Returns a direction of its frame in the world.
    pub fn to_world(&self, local: Vec3) -> Vec3 {
        self.rotation * local
    }

    fn is_usable(&self) -> bool {
        self.bounds.mins.is_finite() && self.bounds.maxs.is_finite() && self.center[1].is_finite()
    }
}

/// Returns the sorted pairs of colliders that may touch in the frame, the first of them on a body that can be pushed.
/// `ignored` tells whether two bodies are set not to touch.
pub fn pairs(placed: &[BroadPhaseCollider<'_>], ignored: &dyn Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let usable = || placed.iter().enumerate().filter(|(_, placed)| placed.is_usable());
    let endless = |placed: &BroadPhaseCollider<'_>| placed.bounds.extents().max_element() > UNBOUNDED_EXTENT;
    let (planes, boxes): (Vec<_>, Vec<_>) =
        usable().map(|(k, _)| k as u32).partition(|&k| endless(&placed[k as usize]));
    let bounds: Vec<Aabb> = boxes.iter().map(|&k| placed[k as usize].bounds).collect();
    let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds);
    let mut pairs = Vec::new();
    for (k, a) in usable().filter(|(_, a)| a.is_movable) {
        let near = tree.intersect_aabb(&a.bounds).map(|leaf| boxes[leaf as usize]);
        for other in near.chain(planes.iter().copied()) {
            let b = &placed[other as usize];
            let twice = b.is_movable && other as usize <= k;
            let apart = matches!((a.body, b.body), (Some(a), Some(b)) if a == b || ignored(a, b));
            if !twice && !apart && a.collider.collision_layers.interacts_with(b.collider.collision_layers) {
                pairs.push([k as u32, other]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
