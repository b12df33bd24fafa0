//! Nearest point of a piece of a shape `[m]`, and what a piece has to answer.

use super::ContactPlane;
use glam::Vec3;

/// Nearest feature of a piece, seen from a point x.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestFeature {
    /// Nearest point c of the surface `[m]`.
    pub point: Vec3,
    /// Unit gradient n of the distance `[1]`; the normal of the surface where x lies on it.
    pub normal: Vec3,
    /// Signed distance φ = n·(x − c) `[m]`.
    pub distance: f32,
}

impl NearestFeature {
    pub fn plane(&self) -> ContactPlane {
        ContactPlane { point: self.point, normal: self.normal }
    }

    /// Returns the surface from the nearest point of an edge or a vertex, with the normal to take where x lies on it.
    pub fn sharp(x: Vec3, point: Vec3, fallback: Vec3) -> Self {
        let offset = x - point;
        let distance = offset.length();
        let normal = if distance > resolution(x) { offset / distance } else { fallback };
        Self { point, normal, distance }
    }
}

/// What the distance along a straight path looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A convex shape with an inside.
    Solid,
    /// Convex, without an inside, so that either side may be the side of the particle.
    Thin,
    /// Any shape: the distance is only known to change no faster than the path is long.
    General,
}

/// A shape, or a part of one, that can be asked for its nearest point.
pub(super) trait NearestPoint {
    fn near(&self, x: Vec3) -> NearestFeature;

    fn kind(&self) -> PieceKind {
        PieceKind::Solid
    }

    /// Returns a lower bound of the distance `[m]` that costs less than the nearest point.
    fn bound(&self, _x: Vec3) -> f32 {
        f32::NEG_INFINITY
    }

    /// Returns whether no part of the shape rises more than `slack` `[m]` above the plane.
    fn behind(&self, _plane: &ContactPlane, _slack: f32) -> bool {
        false
    }
}

/// Returns the distance `[m]` at `x` below which the direction between two points is rounding.
pub(super) fn resolution(x: Vec3) -> f32 {
    1e-6 * (x.abs().max_element() + 1e-3)
}

/// Returns a unit vector across `axis` `[1]`.
pub(super) fn across(axis: Vec3) -> Vec3 {
    axis.try_normalize().map_or(Vec3::X, |a| a.any_orthonormal_vector())
}
