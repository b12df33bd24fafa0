//! Which colliders may touch in a frame.

use glam::{Quat, Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

use crate::collide::Collider;
use crate::collide::detection::DetectionContext;
use crate::handle::ColliderHandle;

/// Extent of bounds \[m\] above which a collider counts as unbounded and is paired with everything.
const UNBOUNDED_EXTENT: f32 = 1e6;

/// Number of frames for which a collider has room to move in its box \[1\].
const FRAMES_AHEAD: f32 = 8.0;

/// Number of colliders for each that is not where the tree has it, below which the tree is built anew \[1\].
const MAX_OUTSIDE: usize = 4;

/// A collider as the broad phase reads it.
pub struct BroadPhaseCollider<'a> {
    /// The collider.
    pub collider: &'a Collider,
    /// Body of the collider.
    pub body: Option<u32>,
    /// True if it can be pushed.
    pub is_movable: bool,
    /// True if it can be pushed, or moves along a given path.
    pub moves: bool,
    /// Largest distance of a point from the origin of the collider, if it is on a body; else endless \[m\].
    pub radius: f32,
    /// Pose in the principal frame of its body; of one that is on no body in the world.
    pub local: Pose,
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
        let pose = collider.pose;
        let (mut is_movable, mut radius, mut local) = (false, f32::INFINITY, pose);
        let (mut center, mut rotation) = ([pose.translation, Vec3::ZERO], pose.rotation);
        let (mut displacement, mut rotation_reach) = (Vec3::ZERO, 0.0);
        if let Some(k) = body {
            let (bodies, dt, turn) = (context.bodies, context.dt, context.bodies.rotation[k]);
            let sphere = collider.shape.compute_local_bounding_sphere();
            is_movable = bodies.anchor[k].w > 0.0;
            radius = sphere.center.length() + sphere.radius;
            local = bodies.to_central_frame(k, pose);
            center = [bodies.anchor[k].xyz(), bodies.offset[k].xyz() + turn * local.translation];
            rotation = turn * local.rotation;
            displacement = (bodies.velocity[k].xyz() + bodies.acceleration[k].xyz() * dt) * dt;
            // Also of a centre so far away that its distance is no number.
            let arm = (local.transform_point(sphere.center).length() + sphere.radius).min(f32::MAX);
            rotation_reach = (bodies.angular_velocity[k].xyz().length() * dt).min(2.0) * arm;
        }
        let bounds = collider.shape.compute_aabb(&Pose::from_parts(center[0] + center[1], rotation));
        let moved = Aabb::new(bounds.mins + displacement, bounds.maxs + displacement);
        let bounds = bounds.merged(&moved).loosened(rotation_reach + 0.5 * context.settings.contact_margin);
        let body = body.map(|k| k as u32);
        let moves = is_movable || displacement != Vec3::ZERO || rotation_reach > 0.0;
        Self {
            collider,
            body,
            is_movable,
            moves,
            radius,
            local,
            center,
            rotation,
            displacement,
            rotation_reach,
            bounds,
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

    /// Returns the displacement of another collider in the frame against this one, in the frame of this one \[m\].
    pub fn way_of(&self, other: &Self) -> Vec3 {
        self.rotation.inverse() * (other.displacement - self.displacement)
    }

    /// Returns the largest displacement of a point by rotation in the frame \[m\].
    pub fn rotation_reach(&self) -> f32 {
        self.rotation_reach
    }

    /// Returns the least half extent of the collider \[m\].
    pub fn thickness(&self) -> f32 {
        self.collider.shape.compute_local_aabb().half_extents().min_element()
    }

    /// Returns whether the collider is convex.
    pub fn is_convex(&self) -> bool {
        self.collider.shape.as_support_map().is_some()
    }

    /// Returns how high a convex collider rises along a direction of the world above a place in two parts \[m\].
    pub fn height(&self, direction: Vec3, place: [Vec3; 2]) -> Option<f32> {
        let top = self.collider.shape.as_support_map()?.local_support_point(self.rotation.inverse() * direction);
        let center = (self.center[0] - place[0]) + (self.center[1] - place[1]);
        Some(direction.dot(center + self.rotation * top))
    }

    /// Returns a direction of its frame in the world.
    pub fn to_world(&self, local: Vec3) -> Vec3 {
        self.rotation * local
    }

    /// Returns a box around what the collider may touch in the frame \[m\].
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns whether nothing but the distance of two colliders keeps them from touching.
    pub fn may_touch(&self, other: &Self, context: &DetectionContext<'_>) -> bool {
        let may_touch = match (self.body, other.body) {
            (Some(a), Some(b)) => a != b && !context.ignores_pair(a, b),
            _ => true,
        };
        may_touch
            && (self.is_usable() && other.is_usable())
            && self.collider.collision_layers.interacts_with(other.collider.collision_layers)
    }

    fn is_usable(&self) -> bool {
        self.bounds.mins.is_finite() && self.bounds.maxs.is_finite() && self.center[1].is_finite()
    }

    fn is_endless(&self) -> bool {
        self.bounds.extents().max_element() > UNBOUNDED_EXTENT
    }

    /// Returns a box that the collider most likely stays in for some frames; none if it is unbounded or unusable.
    fn roomy_box(&self, margin: f32) -> Option<Aabb> {
        let ahead = FRAMES_AHEAD * self.displacement;
        let moved = Aabb::new(self.bounds.mins + ahead, self.bounds.maxs + ahead);
        let room = || self.bounds.merged(&moved).loosened(margin + 2.0 * self.rotation_reach);
        (self.is_usable() && !self.is_endless()).then(room)
    }
}

/// The pairs of colliders that are near each other, kept from frame to frame.
///
/// Each collider has a box with room to move. As long as it does not leave its box, the boxes that overlap are the same.
/// Which pairs are returned depends on the exact bounds of the frame alone.
#[derive(Default)]
pub struct BroadPhase {
    /// The colliders that the boxes are of.
    colliders: Vec<ColliderHandle>,
    /// Box of each collider; none for one that is unbounded or unusable.
    boxes: Vec<Option<Aabb>>,
    /// For each collider, true if `near` has all pairs with it.
    listed: Vec<bool>,
    /// Sorted pairs of colliders, one of them listed, whose boxes overlap.
    near: Vec<[u32; 2]>,
    /// A tree over the boxes of `leaves`, as they were when it was built.
    tree: Bvh,
    leaves: Vec<u32>,
    /// Colliders that have left the box that the tree has of them, or are not in the tree.
    outside: Vec<u32>,
    is_outside: Vec<bool>,
}

impl std::fmt::Debug for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} pairs of {} colliders", self.near.len(), self.colliders.len())
    }
}

impl BroadPhase {
    /// Returns the sorted pairs of colliders that are wanted and may touch in the frame, the first of them on a body that can be
    /// pushed if any is. One of those that are wanted has to move.
    pub fn pairs(
        &mut self,
        placed: &[BroadPhaseCollider<'_>],
        context: &DetectionContext<'_>,
        wanted: impl Fn(&BroadPhaseCollider<'_>, &BroadPhaseCollider<'_>) -> bool,
    ) -> Vec<[u32; 2]> {
        self.update(placed, context);
        let endless = (0..placed.len() as u32).filter(|&k| {
            let placed = &placed[k as usize];
            placed.is_usable() && placed.is_endless()
        });
        let endless: Vec<u32> = endless.collect();
        let with_endless = endless.iter().flat_map(|&k| (0..placed.len() as u32).map(move |other| [k, other]));
        let once = |&[k, other]: &[u32; 2]| k != other && (other > k || endless.binary_search(&other).is_err());
        let touches = |[a, b]: [u32; 2]| {
            let (first, second) = (&placed[a as usize], &placed[b as usize]);
            let meet =
                first.bounds.intersects(&second.bounds) && wanted(first, second) && first.may_touch(second, context);
            meet.then_some(if first.is_movable { [a, b] } else { [b, a] })
        };
        let near = self.near.iter().copied();
        let ordered = with_endless.filter(once).map(|[a, b]| [a.min(b), a.max(b)]);
        let mut pairs: Vec<[u32; 2]> = near.chain(ordered).filter_map(touches).collect();
        pairs.sort();
        pairs
    }

    /// Brings boxes and pairs up to date.
    fn update(&mut self, placed: &[BroadPhaseCollider<'_>], context: &DetectionContext<'_>) {
        if self.colliders != context.colliders.keys() {
            *self = Self::default();
            self.colliders.extend(context.colliders.keys());
            self.boxes.resize(placed.len(), None);
            self.listed.resize(placed.len(), false);
            self.is_outside.resize(placed.len(), false);
        }
        let mut changed = vec![false; placed.len()];
        for (k, placed) in placed.iter().enumerate() {
            let fits = match &self.boxes[k] {
                Some(room) => placed.is_usable() && room.contains(&placed.bounds),
                None => !placed.is_usable() || placed.is_endless(),
            };
            changed[k] = !fits || (placed.moves && !self.listed[k]);
            if !fits {
                self.boxes[k] = placed.roomy_box(context.settings.contact_margin);
                if !std::mem::replace(&mut self.is_outside[k], true) {
                    self.outside.push(k as u32);
                }
            }
            if changed[k] {
                self.listed[k] = placed.moves;
            }
        }
        if !changed.contains(&true) {
            return;
        }
        if self.outside.len() * MAX_OUTSIDE > placed.len() {
            self.rebuild_tree();
        }
        let mut near = std::mem::take(&mut self.near);
        near.retain(|pair| pair.iter().all(|&k| !changed[k as usize]));
        (0..placed.len()).filter(|&k| changed[k]).for_each(|k| self.list(k as u32, &mut near));
        near.sort();
        near.dedup();
        self.near = near;
    }

    /// Builds the tree anew over all boxes.
    fn rebuild_tree(&mut self) {
        self.outside.clear();
        self.is_outside.fill(false);
        self.leaves.clear();
        self.leaves.extend((0..self.boxes.len() as u32).filter(|&k| self.boxes[k as usize].is_some()));
        let boxes: Vec<Aabb> = self.boxes.iter().flatten().copied().collect();
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    }

    /// Appends the pairs of a collider with one of which all pairs are listed.
    fn list(&self, k: u32, near: &mut Vec<[u32; 2]>) {
        let Some(room) = &self.boxes[k as usize] else { return };
        let leaves = self.tree.intersect_aabb(room).map(|leaf| self.leaves[leaf as usize]);
        let inside = leaves.filter(|&other| !self.is_outside[other as usize]);
        let meets = |other: u32| self.boxes[other as usize].is_some_and(|other| other.intersects(room));
        let outside = self.outside.iter().copied().filter(|&other| meets(other));
        let is_listed = |other: u32| other != k && (self.listed[k as usize] || self.listed[other as usize]);
        near.extend(inside.chain(outside).filter(|&other| is_listed(other)).map(|other| [k.min(other), k.max(other)]));
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use parry3d::bounding_volume::BoundingVolume;
    use parry3d::math::Pose;
    use parry3d::shape::SharedShape;

    use super::{BroadPhase, BroadPhaseCollider};
    use crate::bodies::{Body, Mass};
    use crate::collide::Collider;
    use crate::cpu::{CpuBackend, Threads};
    use crate::world::World;

    const FRAME: f32 = 1.0 / 60.0;

    /// Adds a plane, a platform and balls above it, which fall, roll off and fall asleep.
    fn heap() -> World {
        let mut world = World::default();
        let platform = Collider::new(SharedShape::cuboid(0.6, 0.1, 0.6)).at(Vec3::Y * 0.1);
        for collider in [Collider::new(SharedShape::halfspace(Vec3::Y)), platform] {
            world.add_collider(collider).expect("the collider is valid");
        }
        for k in 0..40 {
            let place = Vec3::new(0.21 * (k % 4) as f32, 0.4 + 0.23 * (k / 4) as f32, 0.17 * (k % 3) as f32);
            let body = Body::dynamic(Pose::from_translation(place), Mass::ball(1.0, 0.1));
            let body = world.add_body(body).expect("the body is valid");
            world.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(body)).expect("the collider is valid");
        }
        world
    }

    #[test]
    fn pairs_of_moving_colliders_are_all_whose_bounds_overlap() {
        let (mut world, mut backend, mut kept) = (heap(), CpuBackend::new(Threads::Exactly(1)), BroadPhase::default());
        for frame in 0..240 {
            if frame == 60 {
                let first = world.state.colliders.keys()[5];
                world.remove_collider(first).expect("the collider exists");
            }
            let context = world.state.detection_context(FRAME);
            let placed = BroadPhaseCollider::all(&context);
            let movable = |k: u32| placed[k as usize].is_movable;
            let all = 0..placed.len() as u32;
            let pairs = all.clone().flat_map(|a| all.clone().map(move |b| [a, b])).filter(|&[a, b]| {
                let overlaps = placed[a as usize].bounds.intersects(&placed[b as usize].bounds);
                a != b && movable(a) && (a < b || !movable(b)) && overlaps
            });
            assert_eq!(
                kept.pairs(&placed, &context, |a, b| a.is_movable || b.is_movable),
                pairs.collect::<Vec<_>>(),
                "frame {frame}"
            );
            world.step(&mut backend, FRAME).expect("the world can be stepped");
        }
    }
}
