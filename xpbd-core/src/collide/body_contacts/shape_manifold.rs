//! A manifold of parry's in the frames of both shapes.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::{ContactManifold, TrackedContact};
use parry3d::shape::PackedFeatureId;
use smallvec::SmallVec;

/// A contact point on both shapes, and their overlap there \[m\].
pub type ContactPoint = ([Vec3; 2], f32);

/// A manifold that parry found, in the frames of both shapes.
pub struct ShapeManifold {
    /// Points that are near enough.
    pub points: SmallVec<[ContactPoint; 8]>,
    /// Outward normals of both shapes \[1\].
    pub normals: [Vec3; 2],
    /// Indices of the parts of both shapes.
    pub pieces: [u32; 2],
    /// For each shape, whether the other one lies on a face of it.
    pub on_face: [bool; 2],
}

/// Returns what tells in a manifold of parry's whether a shape is touched on a face.
pub fn feature(on_face: bool) -> PackedFeatureId {
    if on_face { PackedFeatureId::face(0) } else { PackedFeatureId::UNKNOWN }
}

impl ShapeManifold {
    /// Takes the points of a manifold of parry's that are nearer than `reach` \[m\]; returns none if there are none.
    pub fn new(found: &ContactManifold<(), ()>, reach: f32) -> Option<Self> {
        let place = |pose: &Option<Pose>, v: Vec3| pose.map_or(v, |pose| pose.transform_point(v));
        let turn = |pose: &Option<Pose>, v: Vec3| pose.map_or(v, |pose| pose.transform_vector(v));
        let [p, q] = [&found.subshape_pos1, &found.subshape_pos2];
        let normals = [turn(p, found.local_n1), turn(q, found.local_n2)];
        let near = found
            .points
            .iter()
            .filter(|point| point.dist <= reach && point.local_p1.is_finite() && point.local_p2.is_finite());
        let points: SmallVec<[ContactPoint; 8]> =
            near.map(|point| ([place(p, point.local_p1), place(q, point.local_p2)], -point.dist)).collect();
        let usable = normals.iter().all(|normal| normal.is_finite() && normal.length_squared() > 0.5);
        let pieces = [found.subshape1, found.subshape2];
        let features = found.points.first().map(|point| [point.fid1, point.fid2]);
        let on_face = features.map_or([false; 2], |features| features.map(PackedFeatureId::is_face));
        (usable && !points.is_empty()).then_some(Self { points, normals, pieces, on_face })
    }

    /// Adds the points that are farther than `slop` \[m\] from all others.
    pub fn add_points(&mut self, points: &[ContactPoint], slop: f32) {
        for point in points {
            let is_there = |other: &ContactPoint| other.0[0].distance_squared(point.0[0]) <= slop * slop;
            if !self.points.iter().any(is_there) {
                self.points.push(*point);
            }
        }
    }

    /// Returns the manifold of the same shapes in the other order.
    pub fn swapped(mut self) -> Self {
        self.points.iter_mut().for_each(|(points, _)| points.swap(0, 1));
        self.normals.swap(0, 1);
        self.pieces.swap(0, 1);
        self.on_face.swap(0, 1);
        self
    }

    /// Puts points and normals into a manifold of parry's.
    pub fn put_into(&self, manifold: &mut ContactManifold<(), ()>) {
        manifold.clear();
        let [first, second] = self.on_face.map(feature);
        let point = |&([own, other], overlap): &ContactPoint| TrackedContact::new(own, other, first, second, -overlap);
        manifold.points.extend(self.points.iter().map(point));
        [manifold.local_n1, manifold.local_n2] = self.normals;
    }
}
