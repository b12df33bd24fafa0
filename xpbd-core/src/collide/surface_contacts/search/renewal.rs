//! A search for the pairs of a few points that go another way than was expected when the pairs of all were found.
//!
//! Boxes are relative to the mean motion since that search, and begin when it was made: those of the points begin where these
//! would have been if they had always gone as they are expected to go now.

use glam::Vec3;

use super::expectation::{Expectation, FramePart};
use super::{Found, LeafSearch, PairList, PairSearch, PairSink, hull_of};
use crate::collide::detection::DetectionContext;
use crate::collide::surface_contacts::feature_pair::CLOSE;
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::object::ObjectState;
use crate::parallel::WorkerScope;

/// The points whose pairs are looked for, and what has one of them.
#[derive(Debug, Default)]
pub(super) struct Renewal {
    /// True for each of the points.
    pub points: Vec<bool>,
    /// True for each triangle with one of them.
    pub triangles: Vec<bool>,
    /// True for each node of the trees above a triangle with one of them.
    pub nodes: Vec<bool>,
    /// The leaves that have such a triangle.
    pub leaves: Vec<u32>,
}

impl Renewal {
    /// Marks the points, and the nodes above them.
    fn mark(&mut self, points: &[u32], count: usize, features: &SurfaceFeatures) {
        self.points.clear();
        self.points.resize(count, false);
        points.iter().for_each(|&point| self.points[point as usize] = true);
        let is_marked = |corner: u32| self.points[corner as usize];
        self.triangles.clear();
        self.triangles.extend(features.triangles.iter().map(|triangle| triangle.corners.into_iter().any(is_marked)));
        self.nodes.clear();
        self.nodes.resize(features.nodes.len(), false);
        for (place, node) in features.nodes.iter().enumerate().rev() {
            self.nodes[place] = if node.count > 0 {
                self.triangles[node.triangles()].contains(&true)
            } else {
                self.nodes[place + 1] || self.nodes[features.nodes[place + 1].skip as usize]
            };
        }
        self.leaves.clear();
        self.leaves.extend(features.leaves.iter().filter(|&&leaf| self.nodes[leaf as usize]));
    }
}

impl PairSearch {
    /// Lists the pairs of some particles, in order, for the next `horizon` \[s\] and the substep so far, given what is expected of
    /// all points from now on, and the time \[s\] and the mean motion `drift` \[m\] since the last whole search. Returns how many
    /// were dropped because too many met at one place; none, and no pairs, if a surface may go where that search did not
    /// look.
    pub fn renew(
        &mut self,
        world: (&DetectionContext<'_>, &[&ObjectState], &SurfaceFeatures),
        workers: &WorkerScope<'_>,
        (horizon, elapsed, drift): (f32, f32, Vec3),
        which: &[u32],
        found: Found<'_>,
    ) -> Option<usize> {
        let (context, objects, features) = world;
        self.part = FramePart { begin: elapsed, length: horizon };
        let expectation = Expectation { drift, ..Expectation::new(context, features, self.part) };
        let are_met = !self.balls.is_empty() || !context.colliders.is_empty();
        for i in which.iter().map(|&point| point as usize) {
            let owner = objects.partition_point(|object| object.range.end <= i);
            let object = objects.get(owner)?;
            let reach = match &object.surface {
                Some(surface) => 0.5 * CLOSE * surface.thickness,
                None => CLOSE * context.settings.particle_radius,
            };
            let (mut motion, swept) = expectation.of(i, reach, self.ways[i].behind);
            let rest = swept.after(elapsed / (elapsed + horizon));
            match features.trees.binary_search_by_key(&(owner as u32), |tree| tree.owner) {
                Ok(tree) if are_met && !self.roots[tree].contains(&rest) => return None,
                Ok(_) => {}
                Err(_) => motion.tolerance += self.gap(features, objects, object.collision_layers, &rest),
            }
            (self.ways[i], self.corners[i]) = (motion, swept);
        }
        let mut renewal = std::mem::take(&mut self.renewal);
        renewal.mark(which, self.corners.len(), features);
        let changed = features.triangles.iter().zip(&mut self.triangles).zip(&renewal.triangles);
        for ((triangle, swept), _) in changed.filter(|(_, is_changed)| **is_changed) {
            *swept = hull_of(&self.corners, triangle.corners);
        }
        features.refit(&self.triangles, &mut self.nodes, |node| renewal.nodes[node]);
        let dropped = self.list_pairs(world, Some(&renewal), workers, found);
        self.renewal = renewal;
        Some(dropped)
    }

    /// Returns whether the pairs of a point were looked for in the last [renewal](PairSearch::renew).
    pub fn is_renewed(&self, point: u32) -> bool {
        self.renewal.points[point as usize]
    }
}

impl LeafSearch<'_> {
    /// Adds the pairs of the triangles of a leaf with those of all others, but not those with earlier ones of the same kind,
    /// which add them.
    pub(super) fn renewed_leaf(&self, leaf: u32, renewal: &Renewal, list: &mut PairList) {
        let SurfaceFeatures { nodes, trees, .. } = self.features;
        let PairSearch { triangles, nodes: boxes, .. } = self.search;
        let leaf = leaf as usize;
        let own = trees.partition_point(|tree| tree.nodes.end <= leaf);
        let asleep = |place: usize| self.objects[trees[place].owner as usize].sleep.asleep;
        let most = list.len() + super::MAX_PAIRS;
        for tree in (0..trees.len()).filter(|&tree| !(asleep(own) && asleep(tree))).map(|tree| &trees[tree]) {
            let is_near = |place: usize| boxes[leaf].meets(&boxes[place]);
            self.features.visit_nodes(tree.nodes.clone(), is_near, |place, others| {
                for b in others {
                    let is_sought = |&a: &usize| {
                        (renewal.triangles[a] || renewal.triangles[b]) && (a < b || a > b && !renewal.nodes[place])
                    };
                    for a in nodes[leaf].triangles().filter(is_sought) {
                        if triangles[a].meets(&triangles[b]) {
                            self.triangles(a, b, list);
                        }
                    }
                }
                list.truncate(most);
            });
        }
    }
}
