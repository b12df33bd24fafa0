//! Greedy colouring of constraints that share nodes.

use super::patches::Patches;

/// A group for each constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    /// The group of each constraint; [`Colouring::REMAINDER`] where none was free.
    pub colour: Vec<u32>,
    /// Number of colours.
    pub colour_count: u32,
    /// The patches that have colours of their own, if there are any.
    pub patches: Option<Patches>,
}

impl Colouring {
    /// The mark of a constraint without a group.
    pub const REMAINDER: u32 = u32::MAX;

    /// Gives first-fit colours below `cap` (at most 64), in the order given, each constraint as the list
    /// of its movable nodes. Constraints of the nodes that `crowded` names go to the remainder.
    pub fn first_fit<'a>(crowded: &[bool], constraints: impl Iterator<Item = &'a [u32]>, cap: u32) -> Self {
        let mut taken = vec![0u64; crowded.len()];
        let mut colours = 0;
        let colour = constraints
            .map(|touched| {
                if touched.iter().any(|&node| crowded[node as usize]) {
                    return Self::REMAINDER;
                }
                let used = touched.iter().fold(0, |used, &node| used | taken[node as usize]);
                let colour = used.trailing_ones();
                if colour >= cap.min(64) {
                    return Self::REMAINDER;
                }
                touched.iter().for_each(|&node| taken[node as usize] |= 1 << colour);
                colours = colours.max(colour + 1);
                colour
            })
            .collect();
        Self { colour, colour_count: colours, patches: None }
    }

    /// Gives first-fit colours as [`Colouring::first_fit`] does, but patch by patch.
    pub fn in_patches<T: AsRef<[u32]>>(crowded: &[bool], constraints: &[T], cap: u32, patches: Patches) -> Self {
        let mut all = Self { colour: vec![Self::REMAINDER; constraints.len()], colour_count: 0, patches: None };
        // Patches of a stage share no node, so that they are coloured together. Constraints in no stage come last.
        for stage in 0..=patches.stages.len() {
            let members: Vec<usize> = (0..constraints.len()).filter(|&k| patches.stage(k) == stage).collect();
            let colouring = Self::first_fit(crowded, members.iter().map(|&k| constraints[k].as_ref()), cap);
            members.iter().zip(&colouring.colour).for_each(|(&k, &colour)| all.colour[k] = colour);
            all.colour_count = all.colour_count.max(colouring.colour_count);
        }
        Self { patches: Some(patches), ..all }
    }

    /// Gives levels: each constraint in the first group after those of earlier constraints that it shares
    /// a node with. Solving group by group gives the same bits as solving one by one.
    pub fn levels<'a>(nodes: usize, constraints: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut reached = vec![0u32; nodes];
        let mut colours = 0;
        let colour = constraints
            .map(|touched| {
                let level = touched.iter().map(|&node| reached[node as usize]).max().unwrap_or(0);
                touched.iter().for_each(|&node| reached[node as usize] = level + 1);
                colours = colours.max(level + 1);
                level
            })
            .collect();
        Self { colour, colour_count: colours, patches: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: u32) -> Vec<[u32; 2]> {
        (0..n).map(|k| [k, k + 1]).collect()
    }

    #[test]
    fn a_chain_has_two_colours_or_as_many_levels_as_links() {
        let links = chain(9);
        let colouring = Colouring::first_fit(&[false; 10], links.iter().map(|l| l.as_slice()), 64);
        assert_eq!(colouring.colour_count, 2);
        let levels = Colouring::levels(10, links.iter().map(|l| l.as_slice()));
        assert_eq!(levels.colour, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_crowded_or_above_the_cap_is_the_remainder() {
        let links: Vec<[u32; 2]> = (1..10).map(|k| [0, k]).chain((1..10).map(|k| [10, 10 + k])).collect();
        let crowded: Vec<bool> = (0..20).map(|node| node == 0).collect();
        let colouring = Colouring::first_fit(&crowded, links.iter().map(|l| l.as_slice()), 8);
        assert!(colouring.colour[..9].iter().all(|&colour| colour == Colouring::REMAINDER));
        assert_eq!(colouring.colour[9..], [0, 1, 2, 3, 4, 5, 6, 7, Colouring::REMAINDER]);
    }
}
