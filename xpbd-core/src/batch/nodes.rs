//! The nodes of a hand-written batch, numbered as the batch numbers them.

use std::ops::Range;

use glam::{Vec3, Vec4Swizzles};
use smallvec::SmallVec;

use crate::particles::Particles;

/// The numbers of particles and bodies that a batch may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeCounts {
    /// Particles of the batch's objects together.
    pub particles: usize,
    /// Number of bodies.
    pub bodies: usize,
}

/// The particles of the objects that a batch was added with.
pub struct Nodes<'a> {
    particles: &'a mut Particles,
    ranges: SmallVec<[Range<usize>; 2]>,
    /// The first of the ranges.
    first: Range<usize>,
    compliance_scale: f32,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(
        particles: &'a mut Particles,
        ranges: SmallVec<[Range<usize>; 2]>,
        compliance_scale: f32,
    ) -> Self {
        let first = ranges.first().cloned().unwrap_or_default();
        Self { particles, ranges, first, compliance_scale }
    }

    /// Returns what a compliance is multiplied by in a projection \[1/s²\]: 1/h² as the integrator has it, or
    /// 0 where compliance is ignored.
    #[inline]
    pub fn compliance_scale(&self) -> f32 {
        self.compliance_scale
    }

    /// Returns how many particles there are.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(Range::len).sum()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index of a node in the world; most batches have a single object.
    #[inline]
    fn world_index(&self, node: usize) -> usize {
        if node < self.first.len() { self.first.start + node } else { self.beyond(node) }
    }

    #[inline(never)]
    fn beyond(&self, node: usize) -> usize {
        let mut rest = node;
        for range in &self.ranges {
            if rest < range.len() {
                return range.start + rest;
            }
            rest -= range.len();
        }
        panic!("node {node} of {}", self.len())
    }

    /// Returns the position \[m\].
    ///
    /// # Panics
    /// Like all methods here, when there is no such node, as a slice would.
    #[inline]
    pub fn position(&self, node: usize) -> Vec3 {
        self.particles.position(self.world_index(node))
    }

    /// Returns the vector \[m\] from node `a` to node `b`, exact far from the origin.
    #[inline]
    pub fn between(&self, a: usize, b: usize) -> Vec3 {
        self.particles.between(self.world_index(a), self.world_index(b))
    }

    /// Returns the displacement in this substep so far \[m\].
    #[inline]
    pub fn displacement(&self, node: usize) -> Vec3 {
        let i = self.world_index(node);
        (self.particles.offset[i] - self.particles.start[i]).xyz()
    }

    /// Returns the inverse mass \[1/kg\], 0 where pinned or absent.
    #[inline]
    pub fn inverse_mass(&self, node: usize) -> f32 {
        self.particles.anchor[self.world_index(node)].w
    }

    /// Changes the inverse mass \[1/kg\] of a node. It stays until something else changes it: a batch that scales masses in
    /// [`begin_frame`](super::ConstraintBatch::begin_frame) puts back what it has found in
    /// [`end_frame`](super::ConstraintBatch::end_frame).
    #[inline]
    pub fn set_inverse_mass(&mut self, node: usize, inverse_mass: f32) {
        let i = self.world_index(node);
        self.particles.anchor[i].w = inverse_mass;
    }

    /// Returns the acceleration by gravity and forces in this frame \[m/s²\].
    #[inline]
    pub fn acceleration(&self, node: usize) -> Vec3 {
        self.particles.acceleration[self.world_index(node)].xyz()
    }

    /// Changes the acceleration of this frame \[m/s²\], in [`begin_frame`](super::ConstraintBatch::begin_frame).
    #[inline]
    pub fn set_acceleration(&mut self, node: usize, acceleration: Vec3) {
        let i = self.world_index(node);
        let damping = self.particles.acceleration[i].w;
        self.particles.acceleration[i] = acceleration.extend(damping);
    }

    /// Returns whether a node is there; one that is absent has inverse mass 0, and a batch leaves it out.
    #[inline]
    pub fn is_active(&self, node: usize) -> bool {
        !self.particles.inactive[self.world_index(node)]
    }

    /// Moves a node \[m\].
    #[inline]
    pub fn shift(&mut self, node: usize, by: Vec3) {
        let i = self.world_index(node);
        self.particles.offset[i] += by.extend(0.0);
    }

    /// Says for this substep that a node is part of a body whose surface is this far away \[m\], negative
    /// inside, with this unit gradient: contacts with particles of other objects then push it out of
    /// them along the gradient instead of along the line of centres (\[Unified14\] section 5).
    #[inline]
    pub fn set_signed_distance(&mut self, node: usize, gradient: Vec3, distance: f32) {
        let (i, count) = (self.world_index(node), self.particles.len());
        self.particles.signed_distance.resize(count, glam::Vec4::ZERO);
        self.particles.signed_distance[i] = gradient.extend(distance);
    }

    /// Returns the velocity \[m/s\].
    #[inline]
    pub fn velocity(&self, node: usize) -> Vec3 {
        self.particles.velocity[self.world_index(node)].xyz()
    }

    /// Sets a velocity \[m/s\].
    #[inline]
    pub fn set_velocity(&mut self, node: usize, velocity: Vec3) {
        let i = self.world_index(node);
        self.particles.velocity[i] = velocity.extend(0.0);
    }
}
