//! The pieces of a shape near a path, and the question asked about them `[m]`.

use super::near::{NearestFeature, NearestPoint, PieceKind, resolution};
use super::path::ParticlePath;
use super::{ContactPlane, MAX_COORDINATE};
use glam::Vec3;

/// Depth `[1]`, as a part of the radius, below which a second wall is not worth a plane.
pub const DEPTH: f32 = 0.01;
/// Height `[1]`, as a part of the radius, up to which a piece counts as behind a plane.
pub const SLACK: f32 = 0.005;

/// A particle and its motion, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathQuery {
    pub from: Vec3,
    pub to: Vec3,
    pub radius: f32,
    pub margin: f32,
}

impl PathQuery {
    /// Returns `None` where nothing sensible can be asked: not finite, or out of the range of squares.
    pub fn new(from: Vec3, to: Vec3, radius: f32, margin: f32) -> Option<Self> {
        let sizes = radius.is_finite() && margin.is_finite();
        if !(sizes && from.is_finite() && to.is_finite() && from.abs().max_element() <= MAX_COORDINATE) {
            return None;
        }
        let offset = to - from;
        let extent = offset.abs().max_element();
        let to = if extent > MAX_COORDINATE { from + offset * (MAX_COORDINATE / extent) } else { to };
        Some(Self {
            from,
            to,
            radius: radius.clamp(resolution(from), MAX_COORDINATE),
            margin: margin.clamp(0.0, MAX_COORDINATE),
        })
    }

    /// Returns the distance `[m]` from the centre up to which a plane is of interest.
    pub fn limit(&self) -> f32 {
        self.radius + self.margin
    }

    /// Returns the distance `[m]` from the path up to which pieces are gathered, so that a path moved by the
    /// margin needs no more of them.
    pub fn span(&self) -> f32 {
        self.limit() + self.margin
    }

    /// Returns the depth `[m]` that is tolerated against a second wall.
    pub fn depth(&self) -> f32 {
        DEPTH * self.radius
    }

    /// Returns the height `[m]` up to which a piece counts as behind a plane at `point`.
    pub fn slack(&self, point: Vec3) -> f32 {
        SLACK * self.radius + resolution(point)
    }
}

/// A shape as a set of pieces, of which those near a path can be gathered.
pub(super) trait Pieces {
    /// Gathers again, those within `reach` `[m]` of another path; says whether they may change.
    fn gather(&mut self, path: &ParticlePath, reach: f32) -> bool;
    /// Pieces gathered.
    fn count(&self) -> usize;
    fn near(&self, piece: usize, x: Vec3) -> NearestFeature;
    /// Returns the nearest feature at the start of the path that the pieces were gathered for.
    fn first(&self, piece: usize) -> NearestFeature;
    fn kind(&self, piece: usize) -> PieceKind;
    fn behind(&self, piece: usize, plane: &ContactPlane, slack: f32) -> bool;
}

/// A shape that is one piece.
pub(super) struct SinglePiece<'a, S: NearestPoint + ?Sized> {
    shape: &'a S,
    first: NearestFeature,
}

impl<'a, S: NearestPoint + ?Sized> SinglePiece<'a, S> {
    /// Returns `None` for a shape out of reach.
    pub fn new(shape: &'a S, query: &PathQuery) -> Option<Self> {
        let reach = query.limit() + query.from.distance(query.to);
        if shape.bound(query.from) > reach {
            return None;
        }
        let first = shape.near(query.from);
        (first.distance <= reach).then_some(Self { shape, first })
    }
}

impl<S: NearestPoint + ?Sized> Pieces for SinglePiece<'_, S> {
    fn gather(&mut self, _path: &ParticlePath, _reach: f32) -> bool {
        false
    }

    fn count(&self) -> usize {
        1
    }

    fn near(&self, _piece: usize, x: Vec3) -> NearestFeature {
        self.shape.near(x)
    }

    fn first(&self, _piece: usize) -> NearestFeature {
        self.first
    }

    fn kind(&self, _piece: usize) -> PieceKind {
        self.shape.kind()
    }

    fn behind(&self, _piece: usize, _plane: &ContactPlane, _slack: f32) -> bool {
        true
    }
}
