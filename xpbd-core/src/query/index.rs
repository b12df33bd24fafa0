//! The tree behind spatial queries.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Pose;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace, TraversalAction};

use super::leaf::{Leaf, all_leaves, bounds, collider_poses};
use crate::world::{Revision, World};

/// Extent of a box \[m\] above which it is not in the tree, but looked at by every query.
const UNBOUNDED_EXTENT: f32 = 1e6;

/// The growth of the tree's boxes by motion at which it is built anew \[1\].
const MAX_GROWTH: f32 = 1.5;

/// A tree over all that queries find in a world. See the [module](super).
///
/// An update takes time in proportion to colliders, triangles and particles: for 10,000 colliders and 20,000 triangles about
/// 3 ms, and 10 ms where something was added or removed.
#[derive(Default)]
pub struct SpatialIndex {
    /// Mark of the state of the world that the index is of.
    revision: Option<Revision>,
    pub(super) leaves: Vec<Leaf>,
    /// Poses of all colliders in the world, in order.
    pub(super) poses: Vec<Pose>,
    pub(super) tree: Bvh,
    /// The leaf of each leaf of the tree.
    pub(super) in_tree: Vec<u32>,
    /// Leaves that are too large for the tree.
    pub(super) unbounded: Vec<u32>,
    /// Size of the tree's boxes when it was built.
    built_size: f32,
    workspace: BvhWorkspace,
}

/// Queries of a world as it is now. See the [module](super).
#[derive(Debug, Clone, Copy)]
pub struct SpatialQuery<'w> {
    pub(super) world: &'w World,
    pub(super) index: &'w SpatialIndex,
}

impl SpatialIndex {
    /// Brings the index up to date with a world and returns the queries of it. Nothing is done if the index is of the
    /// state that the world is in.
    pub fn update<'w>(&'w mut self, world: &'w World) -> SpatialQuery<'w> {
        if self.revision != Some(world.revision()) {
            self.refresh(world);
            self.revision = Some(world.revision());
        }
        SpatialQuery { world, index: self }
    }

    /// Returns the queries of a world, if the index is of the state that it is in.
    pub fn current<'w>(&'w self, world: &'w World) -> Option<SpatialQuery<'w>> {
        (self.revision == Some(world.revision())).then_some(SpatialQuery { world, index: self })
    }

    fn refresh(&mut self, world: &World) {
        let state = world.state();
        let leaves = all_leaves(state);
        self.poses = collider_poses(state);
        let boxes: Vec<Aabb> = leaves.iter().map(|&leaf| bounds(leaf, state, &self.poses)).collect();
        let is_same = leaves == self.leaves;
        self.leaves = leaves;
        if !(is_same && self.refit(&boxes)) {
            self.rebuild(&boxes);
        }
    }

    /// Moves the boxes of the tree. Returns false if it has to be built anew: other boxes belong into it, or they have grown.
    fn refit(&mut self, boxes: &[Aabb]) -> bool {
        if self.unbounded.iter().any(|&leaf| is_bounded(&boxes[leaf as usize])) {
            return false;
        }
        for (&leaf, in_tree) in self.in_tree.iter().zip(0..) {
            if !is_bounded(&boxes[leaf as usize]) {
                return false;
            }
            self.tree.insert_or_update_partially(boxes[leaf as usize], in_tree, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        tree_size(&self.tree) <= MAX_GROWTH * self.built_size
    }

    fn rebuild(&mut self, boxes: &[Aabb]) {
        let all = 0..boxes.len() as u32;
        (self.in_tree, self.unbounded) = all.partition(|&leaf| is_bounded(&boxes[leaf as usize]));
        let in_tree: Vec<Aabb> = self.in_tree.iter().map(|&leaf| boxes[leaf as usize]).collect();
        self.tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &in_tree);
        self.built_size = tree_size(&self.tree);
    }
}

impl std::fmt::Debug for SpatialIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} leaves", self.leaves.len())
    }
}

/// Returns whether a box belongs into the tree; comparisons with what is not a number are false.
fn is_bounded(bounds: &Aabb) -> bool {
    bounds.extents().max_element() <= UNBOUNDED_EXTENT && bounds.mins.is_finite() && bounds.maxs.is_finite()
}

/// Returns the sum of the extents of all boxes of a tree \[m\].
fn tree_size(tree: &Bvh) -> f32 {
    let mut size = 0.0;
    tree.traverse(|node| {
        size += (node.maxs() - node.mins()).element_sum();
        TraversalAction::Continue
    });
    size
}
