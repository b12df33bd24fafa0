//! Trees of bounding boxes `[m]`, depth first.
//!
//! A node is its lower corner, the node that follows its branch, its upper corner, and the item of a
//! leaf. A traversal needs no stack: it goes to the next node, or to the one after the branch. It
//! meets the leaves in the order of parry's own traversal of the same tree.

use super::Geometry;
use glam::Vec3;
use parry3d::partitioning::{Bvh, TraversalAction};

/// Words of a node.
pub(super) const NODE_WORDS: usize = 8;
/// Item of a node that is no leaf.
pub(super) const BRANCH: u32 = u32::MAX;

struct BoundsNode {
    mins: Vec3,
    maxs: Vec3,
    item: Option<u32>,
}

impl Geometry {
    /// Adds a tree, and returns the number of its nodes and the index of the first.
    pub(super) fn tree(&mut self, tree: &Bvh) -> (u32, u32) {
        let mut nodes = Vec::new();
        tree.traverse(|node| {
            nodes.push(BoundsNode { mins: node.mins(), maxs: node.maxs(), item: node.leaf_data() });
            TraversalAction::Continue
        });
        let place = self.words.len();
        self.family(place, &mut nodes.chunks(2));
        (nodes.len() as u32, place as u32)
    }

    /// Adds the next siblings, each with its branch. parry visits siblings together, then the branch
    /// of the first and that of the second.
    fn family<'a>(&mut self, place: usize, families: &mut impl Iterator<Item = &'a [BoundsNode]>) {
        for node in families.next().into_iter().flatten() {
            let at = self.words.len();
            self.vector(node.mins);
            self.words.push(0);
            self.vector(node.maxs);
            self.words.push(node.item.unwrap_or(BRANCH));
            if node.item.is_none() {
                self.family(place, families);
            }
            self.words[at + 3] = ((self.words.len() - place) / NODE_WORDS) as u32;
        }
    }
}
