//! The space within a distance `[m]` of a path, to find the leaves of a bounding volume tree.

use super::near::resolution;
use super::path::ParticlePath;
use glam::Vec3;
use parry3d::partitioning::BvhNode;

/// The path grown by a distance `[m]`.
pub(super) struct Tube {
    low: Vec3,
    high: Vec3,
    middle: Vec3,
    direction: Vec3,
    reach: f32,
    /// True if the tube is so long that its own bounds are too wide for it.
    long: bool,
    rounding: f32,
}

impl Tube {
    pub fn new(path: &ParticlePath, reach: f32) -> Self {
        let end = path.end();
        Self {
            low: path.start.min(end) - reach,
            high: path.start.max(end) + reach,
            middle: path.at(0.5 * path.length),
            direction: path.direction,
            reach,
            long: path.length > 2.0 * reach,
            rounding: resolution(path.start) + resolution(end),
        }
    }

    /// Tests the separating axes between the path and the bounds of the node, grown by the distance.
    #[inline]
    pub fn meets(&self, node: &BvhNode) -> bool {
        let (mins, maxs) = (node.mins(), node.maxs());
        let boxes = mins.cmple(self.high).all() && maxs.cmpge(self.low).all();
        boxes && (!self.long || self.crosses(mins, maxs))
    }

    fn crosses(&self, mins: Vec3, maxs: Vec3) -> bool {
        let half = (maxs - mins) * 0.5 + self.reach;
        let offset = self.middle - (maxs + mins) * 0.5;
        let u = self.direction.abs();
        let span = Vec3::new(half.y * u.z + half.z * u.y, half.x * u.z + half.z * u.x, half.x * u.y + half.y * u.x);
        let gap = offset.cross(self.direction).abs();
        gap.cmple(span + self.rounding).all()
    }
}
