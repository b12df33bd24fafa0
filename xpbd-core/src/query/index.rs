//! The tree behind spatial queries.

use parry3d::bounding_volume::Aabb;

use super::leaf::{
    IndexedCollider, IndexedObject, Leaf, PlacedShape, all_colliders, all_objects, all_shapes, bounds,
    leaves_of_objects,
};
use super::tree::BoxTree;
use crate::world::{Revision, World};

/// Extent of a box \[m\] above which it is not in the tree, but looked at by every query.
const UNBOUNDED_EXTENT: f32 = 1e6;

/// The growth of the tree's boxes by motion at which it is built anew \[1\].
const MAX_GROWTH: f32 = 1.5;

/// A tree over all that queries find in a world. See the [module](super).
///
/// An update takes time in proportion to colliders, triangles and particles: for 10,000 colliders and 20,000 triangles about
/// 3 ms, and 20 ms where something was added or removed.
#[derive(Default)]
pub struct SpatialIndex {
    /// Mark of the state of the world that the index is of.
    revision: Option<Revision>,
    /// The leaves of objects; those of the colliders come after them.
    object_leaves: Vec<Leaf>,
    pub(super) objects: Vec<IndexedObject>,
    pub(super) colliders: Vec<IndexedCollider>,
    /// The shapes of the colliders, in the same order.
    pub(super) shapes: Vec<PlacedShape>,
    pub(super) tree: BoxTree,
    /// Leaves that are too large for the tree.
    pub(super) unbounded: Vec<u32>,
    /// Size of the tree's boxes when it was built.
    built_size: f32,
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

    /// Returns the leaf of this number.
    pub(super) fn leaf(&self, number: u32) -> Leaf {
        match self.object_leaves.get(number as usize) {
            Some(&leaf) => leaf,
            None => Leaf::Collider { collider: number - self.object_leaves.len() as u32 },
        }
    }

    fn refresh(&mut self, world: &World) {
        let state = world.state();
        let (object_leaves, colliders) = (leaves_of_objects(state), all_colliders(state));
        let is_same_size = colliders.len() == self.colliders.len();
        (self.objects, self.colliders, self.shapes) = (all_objects(state), colliders, all_shapes(state));
        let of_colliders = (0..self.colliders.len() as u32).map(|collider| Leaf::Collider { collider });
        let leaves = object_leaves.iter().copied().chain(of_colliders);
        let boxes: Vec<Aabb> = leaves.map(|leaf| bounds(leaf, state, &self.shapes)).collect();
        let (in_tree, unbounded) = (0..boxes.len() as u32).partition(|&leaf| is_bounded(&boxes[leaf as usize]));
        let is_same = is_same_size && object_leaves == self.object_leaves && unbounded == self.unbounded;
        (self.object_leaves, self.unbounded) = (object_leaves, unbounded);
        if is_same {
            self.tree.refit(&boxes);
        }
        if !is_same || self.tree.size() > MAX_GROWTH * self.built_size {
            self.tree = BoxTree::new(&boxes, in_tree);
            self.built_size = self.tree.size();
        }
    }
}

impl<'w> SpatialQuery<'w> {
    /// Returns the world that is asked.
    pub fn world(&self) -> &'w World {
        self.world
    }
}

impl std::fmt::Debug for SpatialIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} leaves", self.object_leaves.len() + self.colliders.len())
    }
}

/// Returns whether a box belongs into the tree; comparisons with what is not a number are false.
fn is_bounded(bounds: &Aabb) -> bool {
    bounds.extents().max_element() <= UNBOUNDED_EXTENT && bounds.mins.is_finite() && bounds.maxs.is_finite()
}
