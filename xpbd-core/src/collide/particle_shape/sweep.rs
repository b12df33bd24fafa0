//! The rounds that find the planes `[m]` of a path against the pieces of a shape.

use super::near::{NearestFeature, resolution};
use super::path::{Approach, ApproachLimits, ParticlePath};
use super::pieces::{PathQuery, Pieces};
use super::{ContactPlane, ContactPlanes, MAX_CONTACT_PLANES};
use glam::Vec3;
use smallvec::SmallVec;

/// A piece that the path passes within the margin.
#[derive(Clone, Copy)]
struct PassedPiece {
    piece: usize,
    nearest: NearestFeature,
}

struct Impact {
    s: f32,
    piece: usize,
    nearest: NearestFeature,
}

/// The state of the rounds.
struct Sweep<'a> {
    query: &'a PathQuery,
    path: ParticlePath,
    /// Places the particle passes: the start and the impacts so far.
    corners: SmallVec<[Vec3; MAX_CONTACT_PLANES]>,
    open: SmallVec<[usize; 32]>,
    passed: SmallVec<[PassedPiece; 16]>,
    first_round: bool,
}

/// Adds the planes of the path to `out`.
pub(super) fn sweep(pieces: &mut impl Pieces, query: &PathQuery, out: &mut ContactPlanes) {
    let mut state = Sweep {
        query,
        path: ParticlePath::new(query.from, query.to),
        corners: SmallVec::new(),
        open: (0..pieces.count()).collect(),
        passed: SmallVec::new(),
        first_round: true,
    };
    state.corners.push(query.from);
    while out.len() < MAX_CONTACT_PLANES && !state.open.is_empty() {
        let Some(hit) = state.first_hit(pieces) else {
            state.separate(pieces, out);
            return;
        };
        let plane = hit.nearest.plane();
        if !state.admits(pieces, hit.piece, &plane) || !push_plane(plane, out) {
            return;
        }
        state.advance(pieces, &hit, out);
    }
}

impl Sweep<'_> {
    /// Returns the distance `[m]` at which a piece is hit; less for later rounds, which slide on planes.
    fn contact(&self) -> f32 {
        if self.first_round { self.query.radius } else { self.query.radius - self.query.depth() }
    }

    /// Returns the first impact among the open pieces; without one, the pieces that are passed.
    fn first_hit(&mut self, pieces: &impl Pieces) -> Option<Impact> {
        let reach = ApproachLimits { contact: self.contact(), limit: self.query.limit() };
        self.passed.clear();
        let mut best: Option<Impact> = None;
        let mut path = self.path;
        for &piece in &self.open {
            let first = if self.first_round { pieces.first(piece) } else { pieces.near(piece, path.start) };
            let near = |x| pieces.near(piece, x);
            match path.approach(pieces.kind(piece), first, reach, near) {
                Approach::Hit(s, nearest) => {
                    let hit = Impact { s, piece, nearest };
                    if best.as_ref().is_none_or(|b| hit.before(b)) {
                        path.length = s;
                        best = Some(hit);
                    }
                }
                Approach::Miss(nearest) => self.passed.push(PassedPiece { piece, nearest }),
                Approach::Far => {}
            }
        }
        best
    }

    /// Returns whether a plane lets the particle be where it was before it met the piece.
    fn admits(&self, pieces: &impl Pieces, piece: usize, plane: &ContactPlane) -> bool {
        let contact = self.query.radius - self.query.depth();
        let tolerance = self.query.depth();
        self.corners.iter().all(|&x| plane.height(x) >= contact - tolerance || pieces.near(piece, x).distance < contact)
    }

    /// Goes on from an impact along the planes found, with the pieces in front of all of them.
    fn advance(&mut self, pieces: &mut impl Pieces, hit: &Impact, planes: &[ContactPlane]) {
        let impact = self.path.at(hit.s);
        let rest = self.path.slide(hit.s, planes, self.query.radius);
        let moved = impact.distance(rest.start) + self.path.end().distance(rest.end());
        self.corners.push(impact);
        self.path = rest;
        self.first_round = false;
        self.open.retain(|&mut piece| piece != hit.piece);
        if moved > self.query.margin && pieces.gather(&rest, self.query.limit()) {
            self.open = (0..pieces.count()).collect();
        }
        let mut open = std::mem::take(&mut self.open);
        open.retain(|&mut piece| !self.behind(pieces, piece, planes));
        self.open = open;
    }

    /// Returns whether one of the planes keeps the particle from the whole piece.
    fn behind(&self, pieces: &impl Pieces, piece: usize, planes: &[ContactPlane]) -> bool {
        planes.iter().any(|plane| pieces.behind(piece, plane, self.query.slack(plane.point)))
    }

    /// Separating planes of the pieces passed, nearest first.
    fn separate(&mut self, pieces: &impl Pieces, out: &mut ContactPlanes) {
        self.passed.sort_unstable_by(|a, b| {
            let order = a.nearest.distance.total_cmp(&b.nearest.distance);
            order.then(a.piece.cmp(&b.piece))
        });
        for (i, passed) in self.passed.iter().enumerate() {
            if out.len() == MAX_CONTACT_PLANES {
                return;
            }
            let plane = passed.nearest.plane();
            let shared = || {
                let tolerance = 0.5 * self.query.slack(plane.point) + resolution(plane.point);
                self.passed[..i].iter().any(|k| pieces.near(k.piece, plane.point).distance <= tolerance)
            };
            if !self.behind(pieces, passed.piece, out) && !shared() && self.admits(pieces, passed.piece, &plane) {
                push_plane(plane, out);
            }
        }
    }
}

impl Impact {
    /// Order of impacts; overlaps at the start go by their depth.
    fn before(&self, other: &Self) -> bool {
        let key = |h: &Self| (h.s, h.nearest.distance);
        key(self) < key(other)
    }
}

/// Adds a plane if it is finite; says whether it was.
pub(super) fn push_plane(plane: ContactPlane, out: &mut ContactPlanes) -> bool {
    let finite = plane.point.is_finite() && plane.normal.is_finite();
    if finite {
        out.push(plane);
    }
    finite
}
