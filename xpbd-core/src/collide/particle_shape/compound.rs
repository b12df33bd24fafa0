//! Compound shapes: the parts near a path `[m]`, and the way out of the union of the parts.

use super::near::{NearestFeature, NearestPoint, PieceKind, resolution};
use super::path::{Approach, ApproachLimits, ParticlePath};
use super::pieces::{PathQuery, Pieces};
use super::sweep::{push_plane, sweep};
use super::tube::Tube;
use super::{ContactPlane, ContactPlanes};
use glam::Vec3;
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::shape::{Compound, Shape};
use smallvec::SmallVec;

/// Directions `[1]` in which a way out is sought when the nearest one leads into another part.
const EXIT_DIRECTIONS: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];

struct Part<'a> {
    pose: &'a Pose,
    shape: &'a dyn Shape,
    first: NearestFeature,
}

impl Part<'_> {
    /// Returns whether the start of the path is in the part or, within the tolerance `[m]`, on its surface.
    fn encloses(&self, tolerance: f32) -> bool {
        self.first.distance <= tolerance && self.shape.kind() != PieceKind::Thin
    }

    fn near(&self, x: Vec3) -> NearestFeature {
        let found = self.shape.near(self.pose.inverse_transform_point(x));
        NearestFeature {
            point: self.pose.transform_point(found.point),
            normal: self.pose.rotation * found.normal,
            distance: found.distance,
        }
    }
}

struct Parts<'a> {
    compound: &'a Compound,
    parts: SmallVec<[Part<'a>; 8]>,
}

impl Pieces for Parts<'_> {
    fn gather(&mut self, path: &ParticlePath, reach: f32) -> bool {
        self.parts.clear();
        let bvh = self.compound.bvh();
        let tube = Tube::new(path, reach);
        for leaf in bvh.leaves(|node| tube.meets(node)) {
            let (pose, shape) = &self.compound.shapes()[leaf as usize];
            let mut part = Part { pose, shape: &**shape, first: NOWHERE };
            part.first = part.near(path.start);
            if part.first.distance <= reach + path.length {
                self.parts.push(part);
            }
        }
        true
    }

    fn count(&self) -> usize {
        self.parts.len()
    }

    fn near(&self, piece: usize, x: Vec3) -> NearestFeature {
        self.parts[piece].near(x)
    }

    fn first(&self, piece: usize) -> NearestFeature {
        self.parts[piece].first
    }

    fn kind(&self, piece: usize) -> PieceKind {
        self.parts[piece].shape.kind()
    }

    fn behind(&self, piece: usize, plane: &ContactPlane, slack: f32) -> bool {
        let part = &self.parts[piece];
        let local = ContactPlane {
            point: part.pose.inverse_transform_point(plane.point),
            normal: part.pose.rotation.inverse() * plane.normal,
        };
        part.shape.behind(&local, slack)
    }
}

const NOWHERE: NearestFeature = NearestFeature { point: Vec3::NAN, normal: Vec3::NAN, distance: f32::NAN };

/// Returns a distance `[m]` that leads from any point of a compound out of all its bounded parts.
pub fn exit_reach(compound: &Compound) -> f32 {
    let is_bounded = |bounds: &Aabb| bounds.mins.distance(bounds.maxs).is_finite();
    let whole = *compound.local_aabb();
    let bounds = if is_bounded(&whole) {
        Some(whole)
    } else {
        let parts = compound.shapes().iter().map(|(pose, shape)| shape.compute_aabb(pose));
        parts.filter(is_bounded).reduce(|all, bounds| all.merged(&bounds))
    };
    bounds.map_or(0.0, |bounds| bounds.mins.distance(bounds.maxs)) + 1.0
}

pub(super) fn contact_planes(compound: &Compound, query: &PathQuery, out: &mut ContactPlanes) {
    let mut set = Parts { compound, parts: SmallVec::new() };
    set.gather(&ParticlePath::new(query.from, query.to), query.span());
    if let Some(plane) = set.exit(query.from) {
        push_plane(plane, out);
    } else if set.count() > 0 {
        sweep(&mut set, query, out);
    }
}

impl Parts<'_> {
    /// Returns the deepest part around `x`, by its nearest feature.
    fn deepest_part(&self, x: Vec3) -> Option<NearestFeature> {
        self.parts
            .iter()
            .filter(|part| part.shape.kind() != PieceKind::Thin)
            .map(|part| part.near(x))
            .filter(|found| found.distance <= resolution(x))
            .min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// Returns the way out of all parts for a point in one of them: through the nearest face that does not
    /// lead into another part, or else along the axis that is the first to leave.
    fn exit(&self, x: Vec3) -> Option<ContactPlane> {
        let tolerance = resolution(x);
        if !self.parts.iter().any(|part| part.encloses(tolerance)) {
            return None;
        }
        let open = |found: &NearestFeature| {
            let outside = found.point + found.normal * (4.0 * resolution(found.point));
            self.deepest_part(outside).is_none()
        };
        self.parts
            .iter()
            .filter(|part| part.encloses(tolerance))
            .map(|part| part.first)
            .filter(open)
            .max_by(|a, b| a.distance.total_cmp(&b.distance))
            .or_else(|| self.shortest_exit(x))
            .or_else(|| self.deepest_part(x))
            .map(|found| found.plane())
    }

    fn shortest_exit(&self, x: Vec3) -> Option<NearestFeature> {
        let ways = EXIT_DIRECTIONS.iter().filter_map(|&way| self.exit_distance(x, way));
        ways.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, found)| found)
    }

    /// Returns how far `[m]` along `way` the parts around `x` reach without a gap, and the surface there.
    fn exit_distance(&self, x: Vec3, way: Vec3) -> Option<(f32, NearestFeature)> {
        let mut best: Option<(f32, NearestFeature)> = None;
        for _ in 0..=self.count() {
            let reached = best.map_or(0.0, |(s, _)| s);
            let (s, found) = self
                .parts
                .iter()
                .filter(|part| part.near(x + way * reached).distance <= 4.0 * resolution(x))
                .filter_map(|part| self.far_side(part, x, way))
                .max_by(|a, b| a.0.total_cmp(&b.0))?;
            if best.is_some() && s <= reached + resolution(x) {
                break;
            }
            best = Some((s, found));
        }
        best
    }

    /// Returns where a part ends along `way`, found from beyond it.
    fn far_side(&self, part: &Part, x: Vec3, way: Vec3) -> Option<(f32, NearestFeature)> {
        let beyond = x + way * exit_reach(self.compound);
        let back = ParticlePath::new(beyond, x);
        let reach = ApproachLimits { contact: resolution(x), limit: f32::MAX };
        let near = |x| part.near(x);
        match back.approach(part.shape.kind(), part.near(beyond), reach, near) {
            Approach::Hit(s, found) => Some((back.length - s, found)),
            Approach::Miss(_) | Approach::Far => None,
        }
    }
}
