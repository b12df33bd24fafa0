//! A manifold of parry's in the frames of both shapes.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::ContactManifold;
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
        (usable && !points.is_empty()).then_some(Self { points, normals, pieces })
    }
}
