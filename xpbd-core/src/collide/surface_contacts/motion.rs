//! The displacements of the vertices of surfaces, and of the particles and points of shapes that may meet them, since their
//! pairs were found, relative to the mean motion of the vertices.

use std::ops::Range;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::feature_geometry::FeaturePairKind;
use super::feature_points::FeaturePoints;

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
    /// Expected displacement \[m\].
    way: Vec3,
    room: f32,
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
            TrackedPoint { point, first: place, last: place, way, room }
        };
        self.tracked.clear();
        self.tracked.extend(vertices.iter().chain(particles).copied().chain(shapes).map(tracked));
        self.vertices = vertices.len();
        self.moved.clear();
        self.moved.resize(points.len(), 0.0);
        self.steps.clear();
        self.steps.extend(ways[..points.len()].iter().map(|way| way.behind));
        (self.most, self.horizon, self.elapsed) = (0.0, horizon, 0.0);
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

    /// Tracks points for `h` \[s\], and returns whether any is farther from its expected position
    /// than it is allowed to be.
    pub fn follow(&mut self, points: FeaturePoints<'_>, h: f32) -> bool {
        self.elapsed += h;
        let part = if self.horizon > 0.0 { (self.elapsed / self.horizon).min(1.0) } else { 0.0 };
        let mut means = [Vec3::ZERO; 3];
        for tracked in &self.tracked[..self.vertices] {
            let moves = tracked.moves(points, part);
            (0..3).for_each(|k| means[k] += moves[k]);
        }
        let means = means.map(|sum| sum / self.vertices.max(1) as f32);
        let mut strayed = false;
        for tracked in &mut self.tracked {
            let moves = tracked.moves(points, part);
            let moved = &mut self.moved[tracked.point as usize];
            *moved += moves[0].distance(means[0]) * (1.0 + 1e-5);
            self.most = self.most.max(*moved);
            self.steps[tracked.point as usize] = moves[1].distance(means[1]) * (1.0 + 1e-5);
            strayed |= moves[2].distance(means[2]) * (1.0 + 1e-5) > tracked.room;
            tracked.last = points.place(tracked.point);
        }
        strayed
    }
}

impl TrackedPoint {
    /// Returns the way since it was seen last, that of the substep, and what lies between it and where it was expected.
    fn moves(&self, points: FeaturePoints<'_>, part: f32) -> [Vec3; 3] {
        let [anchor, offset] = points.place(self.point);
        let from = |[first, rest]: [Vec4; 2]| ((anchor - first) + (offset - rest)).xyz();
        let step = (offset - points.start(self.point)[1]).xyz();
        [from(self.last), step, from(self.first) - self.way * part]
    }
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
