//! Sensors: shapes that report which colliders they overlap, and push nothing.
//!
//! Overlaps are found at the end of a frame, from the poses of that moment. They take part in no solve, so every back end
//! gives the same ones.

use glam::{Quat, Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};
use parry3d::query::{DefaultQueryDispatcher, QueryDispatcher};
use parry3d::shape::{Shape, TriMeshFlags, TypedShape};
use serde::{Deserialize, Serialize};

use super::body_contacts::are_near;
use super::collider::Collider;
use super::events::ContactPhase;
use crate::bodies::{Bodies, BodyKind};
use crate::handle::{BodyHandle, ColliderHandle, OrderedMap, SensorHandle};

/// Extent of bounds \[m\] above which a sensor is tested against every collider.
const UNBOUNDED_EXTENT: f32 = 1e6;

/// A collider that a sensor overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorOverlap {
    /// The sensor that is overlapped.
    pub sensor: SensorHandle,
    /// The collider that overlaps it.
    pub collider: ColliderHandle,
    /// Phase of the overlap.
    pub phase: ContactPhase,
}

/// The bodies that sensors and colliders are on.
pub struct SensorContext<'a> {
    /// Body state at the end of a frame.
    pub bodies: &'a Bodies,
    /// Handles of the bodies in order.
    pub body_handles: &'a OrderedMap<BodyHandle, ()>,
}

impl SensorContext<'_> {
    /// Returns the overlaps of the frame, sorted by sensor and collider, given those of the frame before.
    pub fn overlaps(
        &self,
        sensors: &OrderedMap<SensorHandle, Collider>,
        colliders: &OrderedMap<ColliderHandle, Collider>,
        before: &[SensorOverlap],
    ) -> Vec<SensorOverlap> {
        if sensors.is_empty() {
            return Vec::new();
        }
        let now = self.overlapping_pairs(sensors, colliders);
        let was = before.iter().filter(|old| old.phase != ContactPhase::End).map(|old| (old.sensor, old.collider));
        let was: Vec<_> = was.collect();
        let is_in = |pairs: &[_], pair: &_| pairs.binary_search(pair).is_ok();
        let ended = was.iter().filter(|pair| !is_in(&now, pair)).map(|&pair| (pair, ContactPhase::End));
        let current = now.iter().map(|&pair| {
            let phase = if is_in(&was, &pair) { ContactPhase::Stay } else { ContactPhase::Begin };
            (pair, phase)
        });
        let overlap = |((sensor, collider), phase)| SensorOverlap { sensor, collider, phase };
        let mut overlaps: Vec<_> = current.chain(ended).map(overlap).collect();
        overlaps.sort_unstable_by_key(|overlap| (overlap.sensor, overlap.collider));
        overlaps
    }

    /// Returns which sensors overlap which colliders, sorted.
    fn overlapping_pairs(
        &self,
        sensors: &OrderedMap<SensorHandle, Collider>,
        colliders: &OrderedMap<ColliderHandle, Collider>,
    ) -> Vec<(SensorHandle, ColliderHandle)> {
        let sensors: Vec<_> = sensors.iter().map(|(key, sensor)| (key, PlacedShape::new(sensor, self))).collect();
        let (bounded, unbounded): (Vec<usize>, Vec<usize>) = (0..sensors.len())
            .filter(|&k| sensors[k].1.is_usable())
            .partition(|&k| sensors[k].1.bounds.extents().max_element() <= UNBOUNDED_EXTENT);
        let bounds: Vec<Aabb> = bounded.iter().map(|&k| sensors[k].1.bounds).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &bounds);
        let mut pairs = Vec::new();
        for (key, collider) in colliders.iter() {
            let placed = PlacedShape::new(collider, self);
            if !placed.is_usable() {
                continue;
            }
            let near = tree.intersect_aabb(&placed.bounds).map(|leaf| bounded[leaf as usize]);
            let near = near.chain(unbounded.iter().copied()).map(|k| &sensors[k]);
            pairs.extend(near.filter(|(_, sensor)| sensor.reports(&placed)).map(|&(sensor, _)| (sensor, key)));
        }
        pairs.sort_unstable();
        pairs
    }
}

/// A sensor or a collider in the world.
struct PlacedShape<'a> {
    collider: &'a Collider,
    body: Option<usize>,
    /// True if forces or a target can move it.
    can_move: bool,
    /// Position in two parts, exact far from the origin \[m\].
    center: [Vec3; 2],
    rotation: Quat,
    bounds: Aabb,
}

impl<'a> PlacedShape<'a> {
    fn new(collider: &'a Collider, context: &SensorContext<'_>) -> Self {
        let SensorContext { bodies, body_handles } = context;
        let body = collider.body.and_then(|body| body_handles.index_of(body));
        let (center, rotation) = match body {
            None => ([collider.pose.translation, Vec3::ZERO], collider.pose.rotation),
            Some(k) => {
                let (local, turn) = (bodies.to_central_frame(k, collider.pose), bodies.rotation[k]);
                ([bodies.anchor[k].xyz(), bodies.offset[k].xyz() + turn * local.translation], turn * local.rotation)
            }
        };
        let bounds = collider.shape.compute_aabb(&Pose::from_parts(center[0] + center[1], rotation));
        let can_move = body.is_some_and(|k| bodies.records[k].body.kind != BodyKind::Fixed);
        Self { collider, body, can_move, center, rotation, bounds }
    }

    fn is_usable(&self) -> bool {
        self.bounds.mins.is_finite() && self.bounds.maxs.is_finite()
    }

    /// Returns whether a sensor reports a collider.
    fn reports(&self, other: &Self) -> bool {
        let same_body = self.body.is_some() && self.body == other.body;
        (self.can_move || other.can_move)
            && !same_body
            && self.collider.collision_layers.interacts_with(other.collider.collision_layers)
            && self.bounds.intersects(&other.bounds)
            && self.overlaps(other)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let back = self.rotation.inverse();
        let apart = (other.center[0] - self.center[0]) + (other.center[1] - self.center[1]);
        let between = Pose::from_parts(back * apart, back * other.rotation);
        shapes_overlap(&*self.collider.shape, &*other.collider.shape, &between)
    }
}

/// Returns whether two shapes overlap; `between` is the pose of the second one in the frame of the first.
pub fn shapes_overlap(a: &dyn Shape, b: &dyn Shape, between: &Pose) -> bool {
    let intersect = DefaultQueryDispatcher.intersection_test(between, a, b);
    intersect.unwrap_or_else(|_| are_near([a, b], between, 0.0))
        || encloses(a, b, between)
        || encloses(b, a, &between.inverse())
}

/// Returns whether a closed mesh holds a point of another shape, whose faces it may not touch; `between` is the pose of the
/// other one in the frame of the mesh.
fn encloses(mesh: &dyn Shape, other: &dyn Shape, between: &Pose) -> bool {
    let is_solid =
        |shape: &dyn Shape| shape.as_trimesh().is_some_and(|mesh| mesh.flags().contains(TriMeshFlags::ORIENTED));
    is_solid(mesh) && point_of(other).is_some_and(|point| mesh.contains_local_point(between.transform_point(point)))
}

/// Returns a point of a shape \[m\]; none of an unbounded one or a height field.
fn point_of(shape: &dyn Shape) -> Option<Vec3> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => mesh.vertices().first().copied(),
        TypedShape::Compound(compound) => {
            let (pose, part) = compound.shapes().first()?;
            Some(pose.transform_point(point_of(&**part)?))
        }
        _ => Some(shape.as_support_map()?.local_support_point(Vec3::X)),
    }
}
