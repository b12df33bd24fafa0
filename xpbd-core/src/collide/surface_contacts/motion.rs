//! The displacements of the vertices of surfaces, and of the particles and points of shapes that may meet them, since their
//! pairs were found, relative to the mean motion of the vertices.

use std::ops::Range;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::feature_geometry::FeaturePairKind;
use super::feature_points::FeaturePoints;

/// Displacement that is expected of an acceleration, as a part of its product with the square of the time \[1\]: half of that of
/// a free fall, because many things are held.
pub const EXPECTED_FALL: f32 = 0.25;

/// Limits of path and time up to which a pair cannot touch.
#[derive(Debug, Clone, Copy)]
pub struct Wake {
    /// Path length of its features together before they can touch \[m\].
    pub path: f32,
    /// Time since the last whole search before which they cannot touch unless one strays \[s\].
    pub time: f32,
}

impl Wake {
    /// The pair is looked at in every substep.
    pub const NOW: Self = Self { path: 0.0, time: 0.0 };
    /// The pair is not looked at for whether it touches.
    pub const NEVER: Self = Self { path: f32::INFINITY, time: f32::INFINITY };
}

/// The displacement that is expected of a particle, relative to the mean of all \[m\].
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpectedMotion {
    /// Expected displacement \[m\].
    pub displacement: Vec3,
    /// Allowed deviation from the expectation \[m\].
    pub tolerance: f32,
    /// Distance from where it was when the substep began \[m\].
    pub behind: f32,
}

/// The motion of surfaces and of what may meet them since their pairs were found.
#[derive(Debug, Default)]
pub struct SurfaceMotion {
    /// Path length of each tracked point over the substeps \[m\].
    moved: Vec<f32>,
    /// Displacement of each tracked point in this substep \[m\].
    steps: Vec<f32>,
    /// Maximum of `moved` \[m\].
    most: f32,
    tracked: Vec<TrackedPoint>,
    /// Number of tracked points that are vertices of surfaces, which come first. Their mean motion is that of all.
    vertices: usize,
    /// Points that were farther from where they were expected than allowed when they were followed last.
    strayed: Vec<u32>,
    /// Mean displacement of all vertices \[m\].
    drift: Vec3,
    /// Time for which pairs were expected to serve \[s\].
    horizon: f32,
    elapsed: f32,
}

/// A point whose motion is tracked; a position is an anchor and an offset \[m\].
#[derive(Debug, Clone, Copy)]
struct TrackedPoint {
    point: u32,
    first: [Vec4; 2],
    last: [Vec4; 2],
    /// Displacement that was expected from `begin` on \[m\], and how far off it may be \[m\].
    way: Vec3,
    room: f32,
    begin: Beginning,
}

/// The time from which a motion is expected.
#[derive(Debug, Clone, Copy, Default)]
struct Beginning {
    /// Time since pairs were found \[s\].
    elapsed: f32,
    /// Mean displacement of all vertices at that time \[m\].
    drift: Vec3,
}

impl SurfaceMotion {
    /// Starts to track vertices of surfaces, and particles and points of shapes that may meet them, from their current
    /// positions for `horizon` \[s\].
    pub fn begin(
        &mut self,
        points: FeaturePoints<'_>,
        [vertices, particles]: [&[u32]; 2],
        shapes: Range<u32>,
        ways: &[ExpectedMotion],
        horizon: f32,
    ) {
        let tracked = |point: u32| {
            let place = points.place(point);
            let ExpectedMotion { displacement: way, tolerance: room, .. } = ways[point as usize];
            TrackedPoint { point, first: place, last: place, way, room, begin: Beginning::default() }
        };
        self.tracked.clear();
        self.tracked.extend(vertices.iter().chain(particles).copied().chain(shapes).map(tracked));
        self.vertices = vertices.len();
        self.moved.clear();
        self.moved.resize(points.len(), 0.0);
        self.steps.clear();
        self.steps.extend(ways[..points.len()].iter().map(|way| way.behind));
        (self.most, self.horizon, self.elapsed, self.drift) = (0.0, horizon, 0.0, Vec3::ZERO);
        self.strayed.clear();
    }

    /// Returns the mean displacement of all vertices \[m\].
    pub fn drift(&self) -> Vec3 {
        self.drift
    }

    /// Returns the time for which points have been tracked \[s\].
    pub fn elapsed(&self) -> f32 {
        self.elapsed
    }

    /// Returns the points that were farther from where they were expected than allowed when they were followed last.
    pub fn strayed(&self) -> &[u32] {
        &self.strayed
    }

    /// Returns the number of tracked points.
    pub fn len(&self) -> usize {
        self.tracked.len()
    }

    /// Computes what is expected of all points from now on, given where they are.
    pub fn expect_rest(&self, points: FeaturePoints<'_>, ways: &mut [ExpectedMotion]) {
        for tracked in &self.tracked {
            let (part, deviation) = self.deviation(tracked, points.place(tracked.point));
            ways[tracked.point as usize] = ExpectedMotion {
                displacement: tracked.way * (1.0 - part),
                tolerance: tracked.room + deviation,
                behind: self.steps[tracked.point as usize],
            };
        }
    }

    /// Expects another motion of some points, in order, from now on.
    pub fn expect_anew(&mut self, points: FeaturePoints<'_>, which: &[u32], ways: &[ExpectedMotion]) {
        let begin = Beginning { elapsed: self.elapsed, drift: self.drift };
        for tracked in self.tracked.iter_mut().filter(|tracked| which.binary_search(&tracked.point).is_ok()) {
            let ExpectedMotion { displacement: way, tolerance: room, .. } = ways[tracked.point as usize];
            *tracked = TrackedPoint { first: points.place(tracked.point), way, room, begin, ..*tracked };
        }
    }

    /// Returns the part of its expected motion that a point at this place should have behind it, and its distance from
    /// there \[m\].
    fn deviation(&self, tracked: &TrackedPoint, place: [Vec4; 2]) -> (f32, f32) {
        let TrackedPoint { first, way, begin, .. } = tracked;
        let whole = self.horizon - begin.elapsed;
        let part = if whole > 0.0 { ((self.elapsed - begin.elapsed) / whole).clamp(0.0, 1.0) } else { 0.0 };
        let deviation = displacement(*first, place) - *way * part - (self.drift - begin.drift);
        (part, deviation.length() * (1.0 + 1e-5))
    }

    /// Returns an upper bound of the path lengths of any two features together \[m\].
    pub fn most(&self) -> f32 {
        2.0 * self.most
    }

    /// Returns an upper bound of the path lengths of two features together \[m\].
    #[inline]
    pub fn of(&self, kind: FeaturePairKind, nodes: [u32; 4]) -> f32 {
        of_features(&self.moved, kind, nodes)
    }

    /// Returns an upper bound of the displacements of two features in this substep together \[m\].
    #[inline]
    pub fn step(&self, kind: FeaturePairKind, nodes: [u32; 4]) -> f32 {
        of_features(&self.steps, kind, nodes)
    }

    /// Tracks points for `h` \[s\], and returns whether [any](SurfaceMotion::strayed) is farther from its expected position
    /// than it is allowed to be.
    pub fn follow(&mut self, points: FeaturePoints<'_>, h: f32) -> bool {
        self.elapsed += h;
        let mut means = [Vec3::ZERO; 2];
        for tracked in &self.tracked[..self.vertices] {
            let moves = tracked.moves(points);
            (0..2).for_each(|k| means[k] += moves[k]);
        }
        let means = means.map(|sum| sum / self.vertices.max(1) as f32);
        self.drift += means[0];
        self.strayed.clear();
        for k in 0..self.tracked.len() {
            let tracked = self.tracked[k];
            let moves = tracked.moves(points);
            let moved = &mut self.moved[tracked.point as usize];
            *moved += moves[0].distance(means[0]) * (1.0 + 1e-5);
            self.most = self.most.max(*moved);
            self.steps[tracked.point as usize] = moves[1].distance(means[1]) * (1.0 + 1e-5);
            let place = points.place(tracked.point);
            if self.deviation(&tracked, place).1 > tracked.room {
                self.strayed.push(tracked.point);
            }
            self.tracked[k].last = place;
        }
        !self.strayed.is_empty()
    }
}

impl TrackedPoint {
    /// Returns the way since it was seen last, and that of the substep \[m\].
    fn moves(&self, points: FeaturePoints<'_>) -> [Vec3; 2] {
        let place = points.place(self.point);
        [displacement(self.last, place), (place[1] - points.start(self.point)[1]).xyz()]
    }
}

/// Returns the vector from one place to another \[m\].
fn displacement([anchor, offset]: [Vec4; 2], [to_anchor, to_offset]: [Vec4; 2]) -> Vec3 {
    ((to_anchor - anchor) + (to_offset - offset)).xyz()
}

/// Returns an upper bound of the distances of two features together, given those of points.
#[inline]
fn of_features(distances: &[f32], kind: FeaturePairKind, nodes: [u32; 4]) -> f32 {
    let of = |k: usize| distances[nodes[k] as usize];
    let (a, b, c, d) = (of(0), of(1), of(2), of(3));
    match kind {
        FeaturePairKind::EdgeEdge => a.max(b) + c.max(d),
        _ => a + b.max(c).max(d),
    }
}
