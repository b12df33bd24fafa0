//! The nodes of a hand-written batch, numbered as the batch numbers them.

use std::ops::Range;

use glam::{Vec3, Vec4Swizzles};
use smallvec::SmallVec;

use crate::particles::Particles;

/// How many nodes a batch may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeCounts {
    /// Particles of the batch's objects together.
    pub particles: usize,
    /// Bodies.
    pub bodies: usize,
}

/// The particles of the objects that a batch was added with.
pub struct Nodes<'a> {
    particles: &'a mut Particles,
    ranges: SmallVec<[Range<usize>; 2]>,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(particles: &'a mut Particles, ranges: SmallVec<[Range<usize>; 2]>) -> Self {
        Self { particles, ranges }
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.ranges.iter().map(Range::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn global(&self, node: usize) -> usize {
        let mut rest = node;
        for range in &self.ranges {
            if rest < range.len() {
                return range.start + rest;
            }
            rest -= range.len();
        }
        panic!("node {node} of {}", self.len())
    }

    /// Position \[m\].
    ///
    /// # Panics
    /// Like all methods here, when there is no such node, as a slice would.
    pub fn position(&self, node: usize) -> Vec3 {
        self.particles.position(self.global(node))
    }

    /// Vector \[m\] from node `a` to node `b`, exact far from the origin.
    pub fn between(&self, a: usize, b: usize) -> Vec3 {
        self.particles.between(self.global(a), self.global(b))
    }

    /// Displacement in this substep so far \[m\].
    pub fn displacement(&self, node: usize) -> Vec3 {
        let i = self.global(node);
        (self.particles.offset[i] - self.particles.start[i]).xyz()
    }

    /// Inverse mass \[1/kg\], 0 where pinned.
    pub fn inverse_mass(&self, node: usize) -> f32 {
        self.particles.anchor[self.global(node)].w
    }

    /// Moves a node \[m\].
    pub fn shift(&mut self, node: usize, by: Vec3) {
        let i = self.global(node);
        self.particles.offset[i] += by.extend(0.0);
    }

    /// Velocity \[m/s\].
    pub fn velocity(&self, node: usize) -> Vec3 {
        self.particles.velocity[self.global(node)].xyz()
    }

    /// Sets a velocity \[m/s\].
    pub fn set_velocity(&mut self, node: usize, velocity: Vec3) {
        let i = self.global(node);
        self.particles.velocity[i] = velocity.extend(0.0);
    }
}
