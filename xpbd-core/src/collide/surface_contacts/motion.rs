//! How far the vertices of surfaces have moved since their pairs were found, relative to their mean motion.

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::feature_geometry::FeaturePairKind;
use super::features::SurfaceFeatures;
use crate::particles::Particles;

/// The displacement that is expected of a particle, relative to the mean of all \[m\].
#[derive(Debug, Clone, Copy, Default)]
pub struct ExpectedMotion {
    /// Expected displacement \[m\].
    pub displacement: Vec3,
    /// Allowed deviation from the expectation \[m\].
    pub tolerance: f32,
}

/// The motion of surfaces since their pairs were found.
#[derive(Debug, Default)]
pub struct SurfaceMotion {
    /// Path length of each particle of a surface over the substeps \[m\].
    moved: Vec<f32>,
    /// Largest displacement of a vertex in this substep \[m\].
    pub step: f32,
    /// Maximum of `moved` \[m\].
    most: f32,
    vertices: Vec<TrackedVertex>,
    /// Time for which pairs were expected to serve \[s\].
    horizon: f32,
    elapsed: f32,
}

/// A vertex whose motion is tracked; a position is an anchor and an offset \[m\].
#[derive(Debug, Clone, Copy)]
struct TrackedVertex {
    first: [Vec4; 2],
    last: [Vec4; 2],
    /// Expected displacement \[m\].
    way: Vec3,
    room: f32,
}

impl SurfaceMotion {
    /// Starts to track particles from their current positions for `horizon` \[s\].
    pub fn begin(&mut self, particles: &Particles, features: &SurfaceFeatures, ways: &[ExpectedMotion], horizon: f32) {
        let vertex = |&vertex: &u32| {
            let place = place(particles, vertex);
            let ExpectedMotion { displacement: way, tolerance: room } = ways[vertex as usize];
            TrackedVertex { first: place, last: place, way, room }
        };
        self.vertices.clear();
        self.vertices.extend(features.vertices.iter().map(vertex));
        self.moved.clear();
        self.moved.resize(particles.len(), 0.0);
        (self.step, self.most, self.horizon, self.elapsed) = (0.0, 0.0, horizon, 0.0);
    }

    /// Returns an upper bound of the path lengths of any two features together \[m\].
    pub fn most(&self) -> f32 {
        2.0 * self.most
    }

    /// Returns an upper bound of the path lengths of two features together \[m\].
    pub fn of(&self, kind: FeaturePairKind, nodes: [u32; 4]) -> f32 {
        let [a, b, c, d] = nodes.map(|node| self.moved[node as usize]);
        match kind {
            FeaturePairKind::VertexTriangle => a + b.max(c).max(d),
            FeaturePairKind::EdgeEdge => a.max(b) + c.max(d),
        }
    }

    /// Tracks particles for `h` \[s\], and returns whether any vertex is farther from its expected position
    /// than it is allowed to be.
    pub fn follow(&mut self, particles: &Particles, features: &SurfaceFeatures, h: f32) -> bool {
        self.elapsed += h;
        let part = if self.horizon > 0.0 { (self.elapsed / self.horizon).min(1.0) } else { 0.0 };
        let mut means = [Vec3::ZERO; 3];
        for (vertex, &i) in self.vertices.iter().zip(&features.vertices) {
            let moves = vertex.moves(particles, i, part);
            (0..3).for_each(|k| means[k] += moves[k]);
        }
        let means = means.map(|sum| sum / self.vertices.len().max(1) as f32);
        let (mut step, mut strayed) = (0.0_f32, false);
        for (vertex, &i) in self.vertices.iter_mut().zip(&features.vertices) {
            let moves = vertex.moves(particles, i, part);
            let moved = &mut self.moved[i as usize];
            *moved += moves[0].distance(means[0]) * (1.0 + 1e-5);
            self.most = self.most.max(*moved);
            step = step.max(moves[1].distance_squared(means[1]));
            strayed |= moves[2].distance(means[2]) * (1.0 + 1e-5) > vertex.room;
            vertex.last = place(particles, i);
        }
        self.step = step.sqrt() * (1.0 + 1e-5);
        strayed
    }
}

impl TrackedVertex {
    /// Returns the way since it was seen last, that of the substep, and what lies between it and where it was expected.
    fn moves(&self, particles: &Particles, vertex: u32, part: f32) -> [Vec3; 3] {
        let [anchor, offset] = place(particles, vertex);
        let from = |[first, rest]: [Vec4; 2]| ((anchor - first) + (offset - rest)).xyz();
        let step = (offset - particles.start[vertex as usize]).xyz();
        [from(self.last), step, from(self.first) - self.way * part]
    }
}

fn place(particles: &Particles, vertex: u32) -> [Vec4; 2] {
    [particles.anchor[vertex as usize], particles.offset[vertex as usize]]
}
