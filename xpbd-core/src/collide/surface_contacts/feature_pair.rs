//! A pair of features: whether it touches, and on which side it is to be kept.

use glam::Vec3;

use super::feature_geometry::{ClosestPoints, Corners, FeaturePairKind};
use super::feature_points::FeaturePoints;
use super::motion::SurfaceMotion;
use crate::friction::Friction;

/// Pairs nearer than this, in thicknesses, are solved: what is not yet near enough to push may be pushed there by
/// others, and layers that rest on each other would tremble if their contacts came and went.
pub(super) const CLOSE: f32 = 1.1;

/// Pairs of solid shapes nearer than this, in thicknesses, are examined for whether the surface is pierced.
pub(super) const LOOK: f32 = 6.0;

/// No point.
pub const NO_POINT: u32 = u32::MAX;

/// Distance in thicknesses below which a pair counts as deep \[1\].
const DEEP: f32 = 0.5;

/// Two features that may touch.
#[derive(Debug, Clone, Copy)]
pub struct FeaturePair {
    /// Kinds of the two features.
    pub kind: FeaturePairKind,
    /// Their points: world indices of particles, and after these numbers of points of shapes.
    pub nodes: [u32; 4],
    /// Distance that the contact keeps \[m\].
    pub distance: f32,
    /// Part of the distance that is inside of a shape \[m\]: its radius around the corner or edge.
    pub radius: f32,
    /// Friction of both surfaces together.
    pub friction: Friction,
    /// Side on which the pair is kept while it touches or has crossed, else 0.
    pub kept_side: f32,
    /// True if a particle of no surface has passed from that side to the other one.
    pub has_passed: bool,
    /// The sheet of the second feature, if that is a triangle and the first a particle of no surface: its number, negative where
    /// the triangle is wound against it.
    pub sheet: i32,
    /// True if the first feature, a vertex, is [pulled](super::tangles::Pull) away from the triangle.
    pub is_pull: bool,
    /// [Permeability](crate::object::Surface::permeability) for the first feature, a particle \[1/s\].
    pub permeability: f32,
    /// The third corner of the triangle that has the second edge, where the first edge is of a shape.
    pub opposite: u32,
    /// A point inside of the shape that the first feature is of, if it is solid, else [`NO_POINT`].
    pub inner: u32,
}

/// A pair that touches in the current substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActivePair {
    /// Index of the pair.
    pub pair: u32,
    /// Barycentric weights of the nearest points.
    pub weights: [f32; 3],
    /// Unit normal from the second feature to the first \[1\].
    pub normal: Vec3,
    /// Distance between the features \[m\], 0 if they have crossed.
    pub apart: f32,
    /// True if the features have crossed, or touch at a rim, where no side tells which way is out.
    pub crossed: bool,
    pub rim: bool,
    /// True if the features overlap so much that one sweep may not suffice.
    pub deep: bool,
}

impl ActivePair {
    /// Returns a pair of features that have crossed.
    pub(super) fn crossed(normal: Vec3, weights: [f32; 3]) -> Self {
        Self { pair: 0, weights, normal, crossed: true, apart: 0.0, rim: false, deep: true }
    }
}

impl FeaturePair {
    /// Returns a pair without a side, neither of a shape nor permeable, that is kept at a distance \[m\].
    pub(super) fn new(kind: FeaturePairKind, nodes: [u32; 4], distance: f32, friction: Friction) -> Self {
        Self {
            kind,
            nodes,
            distance,
            radius: 0.0,
            friction,
            kept_side: 0.0,
            has_passed: false,
            sheet: 0,
            is_pull: false,
            permeability: 0.0,
            opposite: 0,
            inner: NO_POINT,
        }
    }

    /// Returns how they touch at the predicted positions, if they do, given how far they have moved \[m\], and the side `home` on
    /// which a particle belongs that has passed the sheet; sets how far they have to have moved before they have to be looked at
    /// again.
    pub(super) fn touch(
        &mut self,
        (wake, moved): (&mut f32, f32),
        home: Option<f32>,
        points: FeaturePoints<'_>,
        motion: &SurfaceMotion,
    ) -> Option<ActivePair> {
        let Self { kind, distance, .. } = *self;
        if self.permeability > 0.0 {
            return self.seep((wake, moved), points);
        }
        let (close, look) = (self.close(), self.look());
        let now = points.corners(self.nodes);
        let mut nearest = kind.nearest(now);
        let apart = nearest.apart.length();
        let step = motion.step(kind, self.nodes);
        if self.kept_side == 0.0 && apart >= look.max(step) {
            *wake = moved + (apart - look);
            return None;
        }
        let before = points.corners_before(self.nodes);
        let start = kind.side(before);
        if self.kept_side != 0.0 && self.kept_side != start && !self.has_passed && !kind.nearest(before).inside {
            self.kept_side = 0.0;
        }
        let mut side = home.unwrap_or(if self.kept_side == 0.0 { start } else { self.kept_side });
        if self.inner != NO_POINT {
            let first = self.nodes[0];
            if self.kept_side == 0.0 {
                side = kind.pierced(before, points.between_before(first, self.inner)).map_or(start, |(side, _)| side);
            }
            let pierced = kind.pierced(now, points.between(first, self.inner)).filter(|hit| hit.0 == side);
            if let Some((_, weights)) = pierced {
                (self.kept_side, *wake) = (side, moved);
                return Some(ActivePair::crossed((kind.normal(now) * side).try_normalize()?, weights));
            }
            if self.kept_side == 0.0 && apart >= close.max(step) {
                *wake = moved + (apart - look).max(0.0);
                return None;
            }
        }
        let (mut at, end) = (now, kind.side(now));
        let mut has_crossed = end != side;
        if self.has_passed && !nearest.inside {
            *wake = moved;
            let normal = (kind.normal(now) * side).try_normalize()?;
            return Some(ActivePair { rim: true, apart, ..ActivePair::crossed(normal, nearest.weights) });
        }
        // A particle that has gone through a triangle and around its plane is on the same side of the plane as before.
        let may_be_back = kind == FeaturePairKind::ParticleTriangle && apart < step;
        if (has_crossed || may_be_back) && start == side {
            match kind.crossing(before, now) {
                None => (side, has_crossed) = (end, false),
                Some(_) if nearest.inside => {}
                Some((corners, hit)) => {
                    has_crossed = true;
                    (nearest, at) = (ClosestPoints { inside: true, ..hit }, corners);
                }
            }
        }
        if has_crossed && start != side && home.is_some() && !self.has_passed {
            // The particle has passed another triangle of the sheet.
            *wake = moved;
            return None;
        }
        let normal = kind.normal(at) * side;
        if has_crossed {
            *wake = moved;
            self.has_passed = nearest.inside && self.is_of_particle();
            self.kept_side = if nearest.inside { side } else { 0.0 };
            let normal = normal.try_normalize().filter(|_| nearest.inside)?;
            return Some(ActivePair::crossed(normal, nearest.weights));
        }
        self.has_passed = false;
        self.kept_side = if apart < distance && nearest.inside { side } else { 0.0 };
        *wake = moved + (apart - look).max(0.0);
        let touches = apart < close && (nearest.inside || kind != FeaturePairKind::VertexTriangle);
        let normal = if nearest.inside { normal } else { nearest.apart };
        let normal = normal.try_normalize().filter(|_| touches)?;
        let deep = apart < self.radius + (distance - self.radius) * DEEP;
        let rim = !nearest.inside;
        Some(ActivePair { pair: 0, weights: nearest.weights, normal, apart, crossed: false, rim, deep })
    }

    /// Keeps a particle of no surface on its side if it has passed the triangle from there between these corners; `home` is
    /// the side on which it belongs if it has passed the sheet before.
    pub(super) fn keep_passed(&mut self, home: Option<f32>, before: Corners, now: Corners) {
        if !self.is_of_particle() || self.has_passed {
            return;
        }
        let (kind, start) = (self.kind, self.kind.side(before));
        let was_right = home.map_or(self.kept_side == 0.0 || self.kept_side == start, |home| home == start);
        if was_right && kind.side(now) != start && kind.crossing(before, now).is_some() {
            (self.kept_side, self.has_passed) = (start, true);
        }
    }

    /// Returns how a vertex is pulled on a way from the nearest point of a triangle, unless it is far enough.
    pub(super) fn pull(&self, way: Vec3, points: FeaturePoints<'_>) -> Option<ActivePair> {
        let nearest = self.kind.nearest(points.corners(self.nodes));
        (way.dot(nearest.apart) < self.distance).then(|| ActivePair::crossed(way, nearest.weights))
    }

    /// Returns how a particle is held back by a triangle through which it seeps, if it is in it or has come through.
    fn seep(&self, (wake, moved): (&mut f32, f32), points: FeaturePoints<'_>) -> Option<ActivePair> {
        let (before, now) = (points.corners_before(self.nodes), points.corners(self.nodes));
        let nearest = self.kind.nearest(now);
        let apart = nearest.apart.length();
        *wake = moved + (apart - self.look()).max(0.0);
        let (at, nearest) = if apart < self.distance { (now, nearest) } else { self.kind.crossing(before, now)? };
        let ClosestPoints { weights: [u, v, w], inside, .. } = nearest;
        let way = (now[0] - before[0]) * u + (now[1] - before[1]) * v + (now[2] - before[2]) * w;
        let normal = self.kind.normal(at).try_normalize()?;
        let normal = if normal.dot(way) > 0.0 { -normal } else { normal };
        Some(ActivePair { pair: 0, weights: nearest.weights, normal, apart, crossed: false, rim: !inside, deep: false })
    }

    /// Returns whether the first feature is a particle of no surface, not a round corner of a shape, that the triangle keeps on
    /// its side.
    pub(super) fn is_of_particle(&self) -> bool {
        self.kind == FeaturePairKind::ParticleTriangle && self.radius == 0.0 && self.permeability == 0.0
    }

    /// Returns the distance within which the pair is solved \[m\].
    #[inline]
    pub(super) fn close(&self) -> f32 {
        self.radius + (self.distance - self.radius) * CLOSE
    }

    /// Returns the distance within which the pair is examined \[m\].
    #[inline]
    pub(super) fn look(&self) -> f32 {
        self.radius + (self.distance - self.radius) * if self.inner == NO_POINT { CLOSE } else { LOOK }
    }
}
