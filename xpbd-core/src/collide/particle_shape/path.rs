//! The straight path `[m]` of a particle, and where it meets a piece or comes nearest to it.

use super::ContactPlane;
use super::near::{NearestFeature, PieceKind, resolution};
use glam::Vec3;

/// Most evaluations of the distance in one search.
pub const STEPS: usize = 24;
/// Relative accuracy of the distance where a search ends `[1]`.
pub const ACCURACY: f32 = 1e-3;

/// A straight path of unit speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParticlePath {
    pub start: Vec3,
    /// Unit direction u `[1]`; zero for a path without length.
    pub direction: Vec3,
    /// Length `[m]`.
    pub length: f32,
}

/// Outcome of moving a ball along a path towards one piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Approach {
    /// They meet after this length `[m]`.
    Hit(f32, NearestFeature),
    /// They do not meet; the nearest feature where they are nearest.
    Miss(NearestFeature),
    /// They stay farther apart than the margin.
    Far,
}

/// What a search asks: contact at `reach` `[m]` from the centre, of interest up to `limit` `[m]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ApproachLimits {
    pub contact: f32,
    pub limit: f32,
}

impl ParticlePath {
    pub fn new(start: Vec3, end: Vec3) -> Self {
        let offset = end - start;
        let length = offset.length();
        let direction = if length > 0.0 { offset / length } else { Vec3::ZERO };
        Self { start, direction, length }
    }

    pub fn at(&self, s: f32) -> Vec3 {
        self.start + self.direction * s
    }

    pub fn end(&self) -> Vec3 {
        self.at(self.length)
    }

    /// Returns the path from `s` on with both ends moved onto the planes they are below by `reach` `[m]`.
    pub fn slide(&self, s: f32, planes: &[ContactPlane], reach: f32) -> Self {
        let clear = |mut x: Vec3| {
            for _ in 0..4 {
                for plane in planes {
                    x += plane.normal * (reach - plane.height(x)).max(0.0);
                }
            }
            x
        };
        Self::new(clear(self.at(s)), clear(self.end()))
    }

    /// Moves a ball towards a piece whose nearest feature at the start is `first`.
    pub fn approach(
        &self,
        kind: PieceKind,
        first: NearestFeature,
        reach: ApproachLimits,
        near: impl Fn(Vec3) -> NearestFeature,
    ) -> Approach {
        if first.distance <= reach.contact {
            return Approach::Hit(0.0, self.facing(kind, first));
        }
        if first.distance - self.length > reach.limit || first.distance.is_nan() {
            return Approach::Far;
        }
        match kind {
            PieceKind::General => self.march(first, reach, near),
            PieceKind::Solid | PieceKind::Thin => self.newton(first, reach, near),
        }
    }

    /// Returns a centre in a thin piece is taken to be on the side it comes from.
    fn facing(&self, kind: PieceKind, mut first: NearestFeature) -> NearestFeature {
        let inside = first.distance <= resolution(self.start);
        if kind == PieceKind::Thin && inside && first.normal.dot(self.direction) > 0.0 {
            first.normal = -first.normal;
        }
        first
    }

    /// Newton's iteration for φ = contact from the left; φ is convex, so it never passes the root.
    fn newton(&self, first: NearestFeature, reach: ApproachLimits, near: impl Fn(Vec3) -> NearestFeature) -> Approach {
        let mut left = PathSample::new(self, 0.0, first);
        for _ in 0..STEPS {
            if left.slope >= 0.0 {
                return left.miss(reach);
            }
            if left.tangent(self.length) > reach.limit {
                return Approach::Far;
            }
            let s = left.s + (left.nearest.distance - reach.contact) / -left.slope;
            let next = PathSample::new(self, s.min(self.length), near(self.at(s.min(self.length))));
            let gap = next.nearest.distance - reach.contact;
            if gap <= ACCURACY * reach.contact + resolution(next.x) {
                return Approach::Hit(next.s, next.nearest);
            }
            if next.slope > 0.0 {
                return self.valley(left, next, reach, near);
            }
            if s >= self.length {
                return next.miss(reach);
            }
            left = next;
        }
        Approach::Hit(left.s, left.nearest)
    }

    /// Returns the least φ between a falling and a rising sample: by turns where the slope, taken as linear, is
    /// zero and where the tangents cross, which is also a lower bound.
    fn valley(
        &self,
        mut left: PathSample,
        mut right: PathSample,
        reach: ApproachLimits,
        near: impl Fn(Vec3) -> NearestFeature,
    ) -> Approach {
        let level = ACCURACY * reach.contact / self.length;
        for step in 0..STEPS {
            let lead = right.tangent(0.0) - left.tangent(0.0);
            let crossing = (lead / (left.slope - right.slope)).clamp(left.s, right.s);
            if left.tangent(crossing) > reach.limit {
                return Approach::Far;
            }
            let share = left.slope / (left.slope - right.slope);
            let flat = left.s + (right.s - left.s) * share;
            let s = if step % 2 == 0 { flat } else { crossing };
            let next = PathSample::new(self, s, near(self.at(s)));
            if next.slope < 0.0 {
                left = next;
            } else {
                right = next;
            }
            if next.slope.abs() <= level || right.s - left.s <= resolution(next.x) {
                break;
            }
        }
        left.flatter(right).level(self.direction).miss(reach)
    }

    /// Steps as long as the distance that is left, for pieces of any shape.
    fn march(&self, first: NearestFeature, reach: ApproachLimits, near: impl Fn(Vec3) -> NearestFeature) -> Approach {
        let least = 0.01 * reach.contact + resolution(self.start) + self.length / 256.0;
        let mut best = PathSample::new(self, 0.0, first);
        let mut now = best;
        while now.s < self.length {
            let step = (now.nearest.distance - reach.contact).max(least);
            let s = (now.s + step).min(self.length);
            now = PathSample::new(self, s, near(self.at(s)));
            if now.nearest.distance <= reach.contact {
                return Approach::Hit(s, now.nearest);
            }
            best = best.lower(now);
        }
        best.miss(reach)
    }
}

/// The distance to a piece at one place of a path.
#[derive(Clone, Copy)]
struct PathSample {
    s: f32,
    x: Vec3,
    nearest: NearestFeature,
    slope: f32,
}

impl PathSample {
    fn new(path: &ParticlePath, s: f32, nearest: NearestFeature) -> Self {
        Self { s, x: path.at(s), nearest, slope: nearest.normal.dot(path.direction) }
    }

    /// Returns the value at `s` of the tangent here.
    fn tangent(&self, s: f32) -> f32 {
        self.nearest.distance + self.slope * (s - self.s)
    }

    fn lower(self, other: Self) -> Self {
        if other.nearest.distance < self.nearest.distance { other } else { self }
    }

    fn flatter(self, other: Self) -> Self {
        if other.slope.abs() < self.slope.abs() { other } else { self }
    }

    /// Takes what is left of the slope out of the normal: the plane becomes parallel to the path.
    fn level(mut self, direction: Vec3) -> Self {
        let normal = self.nearest.normal - direction * self.slope;
        self.nearest.normal = normal.normalize_or(self.nearest.normal);
        self
    }

    fn miss(self, reach: ApproachLimits) -> Approach {
        if self.nearest.distance <= reach.limit { Approach::Miss(self.nearest) } else { Approach::Far }
    }
}
