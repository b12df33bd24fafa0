//! The masses of the nodes of a group.

use std::array::from_fn;

use glam::{Quat, Vec4};

use super::lanes::{Wide, three};
use super::{Aim, Solve, SystemNumbers};
use crate::connector::NodeKind;
use crate::schedule::direct::{Block, HELD_MASS, LEAST_NORMAL_SQUARED, NodeBlock, STICKING};

impl<const L: usize> Solve<'_, '_, '_, L> {
    /// Writes the mass and inertia of every node into its block, and notes the axes along and about which it is free.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn add_masses(&mut self) {
        self.system.is_free = true;
        self.system.free.clear();
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let block = &self.structure.blocks[node.block as usize];
            let ids = from_fn(|lane| self.node(k, lane));
            // SAFETY: passed on to the caller.
            unsafe { self.add_mass(node, block, ids) };
        }
    }

    /// Writes the mass and inertia of a node.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn add_mass(&mut self, node: &NodeBlock, block: &Block, ids: [usize; L]) {
        let nodes = self.context.nodes;
        let SystemNumbers { numbers, right, free, is_free, .. } = &mut *self.system;
        let (size, is_body) = (block.size as usize, node.kind == NodeKind::Body);
        let numbers = &mut numbers[block.first as usize..][..size * size];
        let anchors = if is_body { nodes.body_anchor } else { nodes.anchor };
        let inverse_mass = Wide(from_fn(|lane| anchors[ids[lane]].w));
        let axes = ((1 << size) - 1) << node.first_axis;
        let tractions = (self.context.aim == Aim::Friction && !is_body)
            .then(|| -> [Vec4; L] { from_fn(|lane| self.context.tractions[ids[lane]]) });
        let masks = from_fn(|lane| {
            let locked = if is_body { nodes.inverse_inertia[ids[lane]].w as u8 } else { 0 };
            let sticks = tractions.is_some_and(|tractions| tractions[lane].w == STICKING);
            if inverse_mass.0[lane] > 0.0 && !sticks { !locked & axes } else { 0 }
        });
        if node.first_axis == 0 {
            let mass = Wide::ONE / inverse_mass;
            (0..3).for_each(|axis| numbers[axis * size + axis] = mass);
            if !is_body {
                // A recorded elimination reads them, since colliders may hold the particle.
                [1, 2, 5].into_iter().for_each(|entry| numbers[entry] = Wide::ZERO);
            }
            if let Some(held) = self.context.held.filter(|_| !is_body) {
                let normals = from_fn(|lane| held[ids[lane]]);
                hold(numbers, mass, normals);
                if let Some(tractions) = tractions {
                    drag(numbers, &mut right[block.row as usize..][..3], normals, tractions);
                }
            }
        }
        if is_body && usize::from(node.first_axis) + size == 6 {
            // SAFETY: passed on to the caller.
            let rotations = from_fn(|lane| unsafe { nodes.rotation.get(ids[lane]) });
            let inertia = inertia(rotations, from_fn(|lane| nodes.inverse_inertia[ids[lane]]));
            let first = size - 3;
            for (a, row) in inertia.iter().enumerate() {
                numbers[(first + a) * size + first + a..][..3 - a].copy_from_slice(&row[a..]);
            }
        }
        if masks.iter().any(|&mask| mask != axes) {
            *is_free = false;
            for (lane, &mask) in masks.iter().enumerate() {
                lock(numbers, size, lane, mask >> node.first_axis);
            }
        }
        free.push(masks);
    }
}

/// Adds the mass \[kg\] with which particles that colliders push take part along these normals.
fn hold<const L: usize>(numbers: &mut [Wide<L>], mass: Wide<L>, normals: [Vec4; L]) {
    for (lane, n) in normals.into_iter().enumerate() {
        let square = n.x * n.x + n.y * n.y + n.z * n.z;
        if square > LEAST_NORMAL_SQUARED {
            let added = (HELD_MASS * mass.0[lane]) / square;
            for a in 0..3 {
                for b in a..3 {
                    numbers[3 * a + b].0[lane] += added * (n[a] * n[b]);
                }
            }
        }
    }
}

/// Adds the masses with which friction drags particles along their surfaces, and its pulls.
fn drag<const L: usize>(numbers: &mut [Wide<L>], right: &mut [Wide<L>], normals: [Vec4; L], tractions: [Vec4; L]) {
    for (lane, (n, traction)) in normals.into_iter().zip(tractions).enumerate() {
        if traction.w > 0.0 {
            let along = traction.w / (n.x * n.x + n.y * n.y + n.z * n.z);
            for a in 0..3 {
                for b in a..3 {
                    let across = if a == b { traction.w } else { 0.0 };
                    numbers[3 * a + b].0[lane] += across - along * (n[a] * n[b]);
                }
            }
        }
        if traction.w != STICKING {
            (0..3).for_each(|a| right[a].0[lane] += traction[a]);
        }
    }
}

/// Puts 1 on the diagonal in place of the numbers of axes that are not free.
fn lock<const L: usize>(numbers: &mut [Wide<L>], size: usize, lane: usize, free: u8) {
    let is_free = |axis: usize| free >> axis & 1 == 1;
    for a in 0..size {
        for b in a..size {
            if !(is_free(a) && is_free(b)) {
                numbers[a * size + b].0[lane] = if a == b { 1.0 } else { 0.0 };
            }
        }
    }
}

/// Returns the upper triangle of R I Rᵀ \[kg m²\] from the rotations of the principal axes and the inverse moments about
/// them.
#[inline(always)]
fn inertia<const L: usize>(rotations: [Quat; L], inverse: [Vec4; L]) -> [[Wide<L>; 3]; 3] {
    let part = |k: usize| Wide(from_fn(|lane| rotations[lane].to_array()[k]));
    let [x, y, z, w] = [part(0), part(1), part(2), part(3)];
    let moments = three(|k| Wide::ONE / Wide(from_fn(|lane| inverse[lane][k])));
    let (one, two) = (Wide::ONE, Wide([2.0; L]));
    let columns = [
        [one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)],
        [two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)],
        [two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)],
    ];
    let weighted = three(|k| three(|axis| columns[k][axis] * moments[k]));
    let entry = |a: usize, b: usize| {
        weighted[0][b] * columns[0][a] + weighted[1][b] * columns[1][a] + weighted[2][b] * columns[2][a]
    };
    let zero = Wide::ZERO;
    [[entry(0, 0), entry(0, 1), entry(0, 2)], [zero, entry(1, 1), entry(1, 2)], [zero, zero, entry(2, 2)]]
}
