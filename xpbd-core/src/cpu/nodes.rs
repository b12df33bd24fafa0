//! The nodes of a world while passes are solved: read and written by several threads.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint nodes")]

use glam::{Quat, Vec4};

use crate::bodies::{Bodies, free_axes, rotated_by};
use crate::connector::NodeKind;
use crate::constraint::layout::uniform;
use crate::parallel::DisjointSlice;
use crate::particles::Particles;

/// The nodes of a world while passes are solved.
pub struct NodeArrays<'a> {
    pub(super) anchor: &'a [Vec4],
    pub(super) start: &'a [Vec4],
    pub(super) offset: DisjointSlice<'a, Vec4>,
    pub(super) velocity: DisjointSlice<'a, Vec4>,
    pub(super) body_anchor: &'a [Vec4],
    pub(super) body_start: &'a [Vec4],
    pub(super) body_offset: DisjointSlice<'a, Vec4>,
    pub(super) rotation: DisjointSlice<'a, Quat>,
    pub(super) start_rotation: &'a [Quat],
    pub(super) rotation_correction: DisjointSlice<'a, Vec4>,
    pub(super) inverse_inertia: &'a [Vec4],
    pub(super) body_velocity: DisjointSlice<'a, Vec4>,
    pub(super) angular_velocity: DisjointSlice<'a, Vec4>,
    pub(super) uniforms: [f32; uniform::COUNT],
}

impl<'a> NodeArrays<'a> {
    /// Shares the nodes among threads for passes with these uniforms.
    pub fn new(particles: &'a mut Particles, bodies: &'a mut Bodies, uniforms: [f32; uniform::COUNT]) -> Self {
        Self {
            anchor: &particles.anchor,
            start: &particles.start,
            offset: DisjointSlice::new(&mut particles.offset),
            velocity: DisjointSlice::new(&mut particles.velocity),
            body_anchor: &bodies.anchor,
            body_start: &bodies.start,
            body_offset: DisjointSlice::new(&mut bodies.offset),
            rotation: DisjointSlice::new(&mut bodies.rotation),
            start_rotation: &bodies.start_rotation,
            rotation_correction: DisjointSlice::new(&mut bodies.rotation_correction),
            inverse_inertia: &bodies.inverse_inertia,
            body_velocity: DisjointSlice::new(&mut bodies.velocity),
            angular_velocity: DisjointSlice::new(&mut bodies.angular_velocity),
            uniforms,
        }
    }

    /// Moves a node, or changes its velocities if `rates` is true.
    ///
    /// # Safety
    /// No other thread touches the node.
    #[inline(always)]
    pub(super) unsafe fn shift(&self, rates: bool, kind: NodeKind, node: usize, shift: Vec4, rotate: Vec4) {
        // SAFETY: passed on to the caller.
        unsafe {
            match kind {
                NodeKind::Particle if rates => self.velocity.set(node, self.velocity.get(node) + shift),
                NodeKind::Particle => self.offset.set(node, self.offset.get(node) + shift),
                NodeKind::Body => self.shift_body(rates, node, shift, rotate),
            }
        }
    }

    /// Moves and rotates a body along its free axes.
    ///
    /// # Safety
    /// The same as for [`NodeArrays::shift`].
    unsafe fn shift_body(&self, rates: bool, body: usize, mut shift: Vec4, mut rotate: Vec4) {
        let locked = self.inverse_inertia[body].w;
        if locked != 0.0 {
            let (along, about) = free_axes(locked);
            (shift, rotate) = (shift * along.extend(0.0), rotate * about.extend(0.0));
        }
        // SAFETY: passed on to the caller.
        unsafe {
            if rates {
                return self.change_velocities(body, shift, rotate);
            }
            self.place_body(body, shift, rotate, rotated_by(self.rotation.get(body), rotate.truncate()));
        }
    }

    /// Changes the velocities of a body.
    ///
    /// # Safety
    /// The same as for [`NodeArrays::shift`].
    #[inline(always)]
    pub(super) unsafe fn change_velocities(&self, body: usize, along: Vec4, about: Vec4) {
        // SAFETY: passed on to the caller.
        unsafe {
            self.body_velocity.set(body, self.body_velocity.get(body) + along);
            self.angular_velocity.set(body, self.angular_velocity.get(body) + about);
        }
    }

    /// Moves a body, and gives it the rotation that a rotation vector \[rad\] leads to.
    ///
    /// # Safety
    /// The same as for [`NodeArrays::shift`].
    #[inline(always)]
    pub(super) unsafe fn place_body(&self, body: usize, shift: Vec4, rotate: Vec4, rotation: Quat) {
        // SAFETY: passed on to the caller.
        unsafe {
            self.body_offset.set(body, self.body_offset.get(body) + shift);
            self.rotation_correction.set(body, self.rotation_correction.get(body) + rotate);
            self.rotation.set(body, rotation);
        }
    }
}
