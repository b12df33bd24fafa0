//! The points of features: the particles of the world, and points of shapes, which are numbered after them.

use glam::{Vec3, Vec4, Vec4Swizzles};

use crate::particles::Particles;

/// The place of a point of a shape: like that of a particle, in two parts.
#[derive(Debug, Clone, Copy)]
pub struct PointPlace {
    /// Position of the collider or body \[m\].
    pub anchor: Vec4,
    /// Vector from there to the point \[m\].
    pub offset: Vec4,
    /// The same vector when the substep began \[m\].
    pub start: Vec4,
}

/// All points of features, where they are now and where they were when the substep began.
#[derive(Clone, Copy)]
pub struct FeaturePoints<'a> {
    particles: &'a Particles,
    shapes: &'a [PointPlace],
}

impl<'a> FeaturePoints<'a> {
    /// Joins the particles of the world and points of shapes.
    pub fn new(particles: &'a Particles, shapes: &'a [PointPlace]) -> Self {
        Self { particles, shapes }
    }

    /// Returns the number of points.
    pub fn len(self) -> usize {
        self.particles.len() + self.shapes.len()
    }

    /// Returns anchor and offset of a point \[m\].
    #[inline]
    pub fn place(self, point: u32) -> [Vec4; 2] {
        let i = point as usize;
        match self.particles.anchor.get(i) {
            Some(&anchor) => [anchor, self.particles.offset[i]],
            None => {
                let place = &self.shapes[i - self.particles.len()];
                [place.anchor, place.offset]
            }
        }
    }

    /// Returns anchor and offset of a point when the substep began \[m\].
    #[inline]
    pub fn start(self, point: u32) -> [Vec4; 2] {
        let i = point as usize;
        match self.particles.anchor.get(i) {
            Some(&anchor) => [anchor, self.particles.start[i]],
            None => {
                let place = &self.shapes[i - self.particles.len()];
                [place.anchor, place.start]
            }
        }
    }

    /// Returns the vector \[m\] from one point to another.
    pub fn between(self, from: u32, to: u32) -> Vec3 {
        between(self.place(from), self.place(to))
    }

    /// As [`FeaturePoints::between`], when the substep began.
    pub fn between_before(self, from: u32, to: u32) -> Vec3 {
        between(self.start(from), self.start(to))
    }

    /// Returns the vectors \[m\] from the first of four points to the others.
    #[inline]
    pub fn corners(self, [first, a, b, c]: [u32; 4]) -> [Vec3; 3] {
        let first = self.place(first);
        // Not `map`, which is not inlined here.
        [between(first, self.place(a)), between(first, self.place(b)), between(first, self.place(c))]
    }

    /// As [`FeaturePoints::corners`], when the substep began.
    pub fn corners_before(self, [first, a, b, c]: [u32; 4]) -> [Vec3; 3] {
        let first = self.start(first);
        [between(first, self.start(a)), between(first, self.start(b)), between(first, self.start(c))]
    }

    /// As [`FeaturePoints::corners`], with particles at these anchors and offsets \[m\].
    pub fn corners_at(self, nodes: [u32; 4], places: &[[Vec4; 2]]) -> [Vec3; 3] {
        let [first, a, b, c] = nodes.map(|node| places[node as usize]);
        [between(first, a), between(first, b), between(first, c)]
    }
}

/// Returns the vector from one place to another \[m\], exact far from the origin.
#[inline]
fn between([anchor, offset]: [Vec4; 2], [other_anchor, other_offset]: [Vec4; 2]) -> Vec3 {
    ((other_anchor - anchor) + (other_offset - offset)).xyz()
}
