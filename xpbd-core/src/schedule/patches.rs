//! Patches: parts of passes that share no movable node, each of which one thread, or one workgroup of a device, solves
//! through all its colours without waiting for the others.
//!
//! Nodes with consecutive numbers make up strips, since the neighbours of a vertex of a mesh mostly have numbers near its own.
//! The first stage solves the constraints across the border of two strips, a patch for each border, and the second stage those
//! within strips. The few that reach farther, or touch a node of another border, are solved in colours after both.
//!
//! Passes of a plan are divided by the same strips, so that a patch of one shares no movable node with the other patches of
//! that stage of any. Passes one after the other [are merged](super::Plan::merged): a patch is solved through all of them.
//!
//! To solve the colours of a stage one after the other, as if there were no patches, gives the same bits.

use std::ops::Range;

/// Fewer constraints than this many are not divided: they are solved sooner than threads meet.
const MIN_CONSTRAINTS: usize = 4096;
/// The least number of nodes of a strip.
const MIN_NODES: usize = 512;
/// The largest number of strips, so that a dispatch has a workgroup for each.
const MAX_STRIPS: usize = 16_384;
/// The least number of strips that are worth two stages.
const MIN_STRIPS: usize = 4;
/// Of how many constraints one may be in no stage.
const MAX_OUTSIDE: usize = 10;
/// Of how many constraints one may reach farther than strips are made for.
const MAX_LONG: usize = 50;
/// The border of a node that is at none.
const NO_BORDER: u32 = u32::MAX;

/// Colours of a pass whose constraints are divided into patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchStage {
    /// Its colours among those of the pass.
    pub colours: Range<usize>,
    /// Number of patches.
    pub patches: usize,
    /// The first slot of each patch, and the end of the last, for one colour after the other.
    bounds: Vec<u32>,
}

impl PatchStage {
    /// Returns the slots of some patches, one behind the other, in each of the colours.
    pub fn slots(&self, patches: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let of_colours = self.bounds.chunks_exact(self.patches + 1);
        of_colours.map(move |bounds| bounds[patches.start] as usize..bounds[patches.end] as usize)
    }
}

/// The patch of each constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patches {
    /// The number of the patch of each constraint; [`Patches::NONE`] for one that is in no stage.
    pub patch: Vec<u32>,
    /// The numbers of the patches of each stage.
    pub stages: [Range<u32>; 2],
}

impl Patches {
    /// The mark of a constraint without a patch.
    pub const NONE: u32 = u32::MAX;

    /// Returns the number of the stage of a constraint; that after the last for one that is in none.
    pub fn stage(&self, constraint: usize) -> usize {
        self.stages.iter().filter(|stage| self.patch[constraint] >= stage.end).count()
    }

    /// Appends the colours of a stage to those of its pass, given the colour of each constraint, the constraints of the stage in
    /// order of colours and patches, and the slot of the first.
    pub fn mark(
        &self,
        stage: usize,
        mut start: usize,
        mut order: &[usize],
        colour: &[u32],
        colours: &mut Vec<Range<usize>>,
    ) -> PatchStage {
        let (first, patches) = (colours.len(), self.stages[stage].clone());
        let mut bounds = Vec::new();
        while let Some(&k) = order.first() {
            let of_colour;
            (of_colour, order) = order.split_at(order.partition_point(|&other| colour[other] == colour[k]));
            let place = |patch| start + of_colour.partition_point(|&k| self.patch[k] < patch);
            bounds.extend((patches.start..=patches.end).map(|patch| place(patch) as u32));
            colours.push(start..start + of_colour.len());
            start += of_colour.len();
        }
        PatchStage { colours: first..colours.len(), patches: patches.len(), bounds }
    }
}

/// The strips that divide the passes of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strips {
    /// The strip of each node.
    strip_of: Vec<u32>,
    /// The border at which a node is moved by what is divided already; a patch of the first stage is one border.
    border_of: Vec<u32>,
}

impl Strips {
    /// Finds strips for passes, by the constraints of those that have enough of them and join nodes with near numbers. None if
    /// there are none such.
    pub(super) fn find<T: AsRef<[u32]>>(passes: &[Swept<'_, T>]) -> Option<Self> {
        let nodes = passes.iter().map(|pass| pass.crowded.len()).max().unwrap_or(0);
        let divided = passes.iter().filter_map(|pass| Some((pass, pass.width(nodes)?)));
        let (divided, widths): (Vec<_>, Vec<_>) = divided.unzip();
        let ranks = ranks(nodes, divided.into_iter().flat_map(Swept::constraints));
        let width = widths.into_iter().max()?.max(ranks.last().map_or(0, |rank| rank + 1).div_ceil(MAX_STRIPS));
        let strip_of = ranks.iter().map(|rank| (rank / width) as u32).collect();
        Some(Self { strip_of, border_of: vec![NO_BORDER; nodes] })
    }

    /// Divides the constraints of a pass, each given as the list of its movable nodes, if there are enough of them and nearly
    /// all join nodes with near numbers. Those of the nodes that `crowded` names have no patch.
    pub(super) fn divide<T: AsRef<[u32]>>(&mut self, crowded: &[bool], constraints: &[T]) -> Option<Patches> {
        let pass = Swept { constraints, crowded };
        if pass.constraints.len() < MIN_CONSTRAINTS {
            return None;
        }
        let strips = self.strip_of.last().map_or(0, |&strip| strip + 1);
        let mut border_of = self.border_of.clone();
        let mut outside = 0;
        let mut patch = vec![Patches::NONE; constraints.len()];
        for (k, touched) in
            constraints.iter().map(AsRef::as_ref).enumerate().filter(|(_, touched)| pass.is_swept(touched))
        {
            let of_nodes = touched.iter().map(|&node| self.strip_of[node as usize]);
            let (low, high) = of_nodes.fold((strips, 0), |(low, high), strip| (low.min(strip), high.max(strip)));
            let is_free = |&node: &u32| [NO_BORDER, low].contains(&border_of[node as usize]);
            // Where nothing moves, there is no strip.
            if low >= high {
                patch[k] = strips - 1 + low.min(strips - 1);
            } else if low + 1 == high && touched.iter().all(is_free) {
                patch[k] = low;
                touched.iter().for_each(|&node| border_of[node as usize] = low);
            } else {
                outside += 1;
            }
        }
        let few = outside * MAX_OUTSIDE < constraints.len();
        few.then(|| {
            self.border_of = border_of;
            Patches { patch, stages: [0..strips - 1, strips - 1..2 * strips - 1] }
        })
    }
}

/// The constraints of a pass, each as the list of its movable nodes, and the nodes whose constraints are not swept.
pub(super) struct Swept<'a, T> {
    pub constraints: &'a [T],
    pub crowded: &'a [bool],
}

impl<T: AsRef<[u32]>> Swept<'_, T> {
    fn is_swept(&self, touched: &[u32]) -> bool {
        !touched.iter().any(|&node| self.crowded[node as usize])
    }

    /// Returns the constraints that are swept.
    fn constraints(&self) -> impl Iterator<Item = &[u32]> {
        self.constraints.iter().map(AsRef::as_ref).filter(|touched| self.is_swept(touched))
    }

    /// Returns how wide strips must be for its constraints, if it is worth while to divide them.
    fn width(&self, nodes: usize) -> Option<usize> {
        if self.constraints.len() < MIN_CONSTRAINTS {
            return None;
        }
        let ranks = ranks(nodes, self.constraints());
        let rank = |node: Option<&u32>| node.map_or(0, |&node| ranks[node as usize]);
        let span = |touched: &[u32]| rank(touched.iter().max()) - rank(touched.iter().min());
        let mut spans: Vec<usize> = self.constraints().map(span).collect();
        let long = spans.len() / MAX_LONG;
        let usual = if spans.is_empty() { 0 } else { *spans.select_nth_unstable_by(long, |a, b| b.cmp(a)).1 };
        // A border reaches as far as its constraints to both sides, and must not reach another.
        let width = (2 * usual).max(MIN_NODES);
        (ranks.last()? / width + 1 >= MIN_STRIPS).then_some(width)
    }
}

/// Returns for each node how many nodes before it these constraints move.
fn ranks<'a>(nodes: usize, constraints: impl Iterator<Item = &'a [u32]>) -> Vec<usize> {
    let mut moves = vec![false; nodes];
    constraints.flatten().for_each(|&node| moves[node as usize] = true);
    let mut moved = 0;
    let rank = |moves| {
        moved += usize::from(moves);
        moved - usize::from(moves)
    };
    moves.into_iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the springs of a sheet, its particles row by row: along rows and columns, and over every second one.
    fn springs(width: u32, height: u32) -> Vec<[u32; 2]> {
        let particle = |x: u32, y: u32| (x < width && y < height).then_some(y * width + x);
        let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let ends = [(1, 0), (0, 1), (2, 0), (0, 2), (1, 1)];
        let from =
            |(x, y)| ends.into_iter().filter_map(move |(dx, dy)| Some([particle(x, y)?, particle(x + dx, y + dy)?]));
        all.flat_map(from).collect()
    }

    /// Divides constraints alone.
    fn divide<T: AsRef<[u32]>>(crowded: &[bool], constraints: &[T]) -> Option<Patches> {
        Strips::find(&[Swept { constraints, crowded }])?.divide(crowded, constraints)
    }

    #[test]
    fn patches_of_a_stage_share_no_node_and_hold_nearly_all() {
        // Nothing moves in the first column, and a node is crowded.
        let movable = |node: &u32| !node.is_multiple_of(60);
        let touched: Vec<Vec<u32>> =
            springs(60, 100).iter().map(|ends| ends.iter().copied().filter(movable).collect()).collect();
        // A second pass over the same nodes, whose constraints reach farther.
        let quads: Vec<Vec<u32>> =
            (0..97 * 60).map(|k| [k, k + 61, k + 120, k + 180].into_iter().filter(movable).collect()).collect();
        let crowded: Vec<bool> = (0..6000).map(|node| node == 777).collect();
        let passes = [&touched, &quads];
        let swept = passes.map(|constraints| Swept { constraints, crowded: &crowded });
        let mut strips = Strips::find(&swept).unwrap();
        let divided = passes.map(|constraints| strips.divide(&crowded, constraints).unwrap());
        assert_eq!(divided[0].stages, divided[1].stages);
        assert!(divided[0].stages[0].len() > 10, "{:?}", divided[0].stages);
        for stage in &divided[0].stages {
            let mut owner = vec![None; 6000];
            for (patches, constraints) in divided.iter().zip(passes) {
                for (k, nodes) in constraints.iter().enumerate().filter(|&(k, _)| stage.contains(&patches.patch[k])) {
                    for &node in nodes {
                        assert_eq!(*owner[node as usize].get_or_insert(patches.patch[k]), patches.patch[k]);
                    }
                }
            }
        }
        for (patches, constraints) in divided.iter().zip(passes) {
            let is_swept = |k: usize| !constraints[k].contains(&777);
            let outside = (0..constraints.len()).filter(|&k| patches.stage(k) == 2 && is_swept(k)).count();
            assert!(outside < constraints.len() / 100, "{outside} of {} are in no stage", constraints.len());
            assert!((0..constraints.len()).all(|k| is_swept(k) || patches.stage(k) == 2));
        }
    }

    #[test]
    fn few_constraints_and_such_between_distant_nodes_are_not_divided() {
        assert_eq!(divide(&[false; 400], &springs(20, 20)), None);
        // Neighbours have numbers far from each other.
        let shuffled: Vec<_> = springs(60, 100).iter().map(|ends| ends.map(|node| node * 7919 % 6000)).collect();
        assert_eq!(divide(&[false; 6000], &shuffled), None);
    }
}
