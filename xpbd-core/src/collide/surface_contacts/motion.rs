//! How far the vertices of surfaces have moved since their pairs were found, relative to their mean motion.

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::features::Features;
use super::side::Kind;
use crate::particles::Particles;

/// The motion since pairs were found.
#[derive(Debug, Default)]
pub struct Motion {
    /// Sum over the substeps of how far each particle has moved, of those in surfaces \[m\].
    moved: Vec<f32>,
    /// How far any vertex moves in this substep, at most \[m\].
    pub step: f32,
    vertices: Vec<Vertex>,
    /// How long pairs were expected to serve, and have \[s\].
    horizon: f32,
    elapsed: f32,
}

/// A place is an anchor and an offset \[m\].
#[derive(Debug, Clone, Copy)]
struct Vertex {
    first: [Vec4; 2],
    last: [Vec4; 2],
    /// Where it is expected to go \[m\].
    way: Vec3,
}

impl Motion {
    /// Begins where particles are, on their ways for `horizon` \[s\].
    pub fn begin(&mut self, particles: &Particles, features: &Features, ways: &[Vec3], horizon: f32) {
        let vertex = |&vertex: &u32| {
            let place = place(particles, vertex);
            Vertex { first: place, last: place, way: ways[vertex as usize] }
        };
        self.vertices.clear();
        self.vertices.extend(features.vertices.iter().map(vertex));
        self.moved.clear();
        self.moved.resize(particles.len(), 0.0);
        (self.step, self.horizon, self.elapsed) = (0.0, horizon, 0.0);
    }

    /// How far two features have moved, together and at most \[m\].
    pub fn of(&self, kind: Kind, nodes: [u32; 4]) -> f32 {
        let [a, b, c, d] = nodes.map(|node| self.moved[node as usize]);
        match kind {
            Kind::VertexTriangle => a + b.max(c).max(d),
            Kind::EdgeEdge => a.max(b) + c.max(d),
        }
    }

    /// Follows particles for `h` \[s\]; says how far any vertex is from where it was expected, at most \[m\].
    pub fn follow(&mut self, particles: &Particles, features: &Features, h: f32) -> f32 {
        self.elapsed += h;
        let part = if self.horizon > 0.0 { (self.elapsed / self.horizon).min(1.0) } else { 0.0 };
        let mut means = [Vec3::ZERO; 3];
        for (vertex, &i) in self.vertices.iter().zip(&features.vertices) {
            let moves = vertex.moves(particles, i, part);
            (0..3).for_each(|k| means[k] += moves[k]);
        }
        let means = means.map(|sum| sum / self.vertices.len().max(1) as f32);
        let mut most = [0.0_f32; 2];
        for (vertex, &i) in self.vertices.iter_mut().zip(&features.vertices) {
            let moves = vertex.moves(particles, i, part);
            self.moved[i as usize] += moves[0].distance(means[0]) * (1.0 + 1e-5);
            (0..2).for_each(|k| most[k] = most[k].max(moves[k + 1].distance_squared(means[k + 1])));
            vertex.last = place(particles, i);
        }
        let [step, strayed] = most.map(|square| square.sqrt() * (1.0 + 1e-5));
        self.step = step;
        strayed
    }
}

impl Vertex {
    /// The way since it was seen last, that of the substep, and what lies between it and where it was expected.
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
