//! The lists of everybody within reach of each member.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "wide vectors are used where the processor has them"))]

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::candidates::{Candidates, LANES};
use super::cells::Cells;

/// Number of members in one task.
pub(super) const CHUNK: usize = 64;

/// The lists of the members of a chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct NeighbourLists {
    /// Start of each member's list; one entry more than there are members.
    pub first: Vec<u32>,
    /// Members within reach, the member itself among them, each list filled up to a multiple of four with the
    /// number of the one that is nowhere.
    pub near: Vec<u32>,
    /// Used length of `near`.
    pub used: usize,
    runs: Vec<(u32, u32)>,
    candidates: Candidates,
}

/// Members sorted by the cells that they are in.
pub(super) struct SortedMembers<'a> {
    /// Position \[m\] and inverse mass of each, and at the end of the one that is nowhere.
    pub places: &'a [Vec4],
    /// Their coordinates \[m\], which go on for [`LANES`] numbers behind the last.
    pub columns: &'a [Vec<f32>; 3],
    /// Number of each before the sort.
    pub order: &'a [u32],
    /// The cells.
    pub cells: &'a Cells,
    /// Distance up to which they interact \[m\].
    pub reach: f32,
}

impl NeighbourLists {
    /// Fills the lists of the members of a chunk.
    pub fn search(&mut self, chunk: usize, sorted: &SortedMembers<'_>) {
        let members = chunk * CHUNK..sorted.order.len().min((chunk + 1) * CHUNK);
        let square = sorted.reach * sorted.reach;
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has what the function is compiled for.
            unsafe { self.search_by_eight(members, sorted, square) };
            return;
        }
        self.search_by(members, sorted, |all, x, near, used| all.four_at_a_time(x, square, near, used));
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    fn search_by_eight(&mut self, members: Range<usize>, sorted: &SortedMembers<'_>, square: f32) {
        self.search_by(members, sorted, |all, x, near, used| all.eight_at_a_time(x, square, near, used));
    }

    /// Fills the lists of members by a function that writes those of the candidates that are within reach of a position,
    /// from a place on, and returns the next.
    #[inline(always)]
    fn search_by(
        &mut self,
        members: Range<usize>,
        &SortedMembers { places, columns, order, cells, .. }: &SortedMembers<'_>,
        write: impl Fn(&Candidates, Vec3, &mut [u32], usize) -> usize,
    ) {
        let nowhere = places.len() as u32 - 1;
        self.first.clear();
        self.used = 0;
        self.first.push(0);
        let mut known = None;
        for i in members {
            let now = cells.bucket(order[i]);
            if known != Some(now) {
                known = Some(now);
                cells.runs(now, &mut self.runs);
                self.candidates.gather(&self.runs, columns);
            }
            let needed = self.used + self.candidates.len() + LANES;
            if self.near.len() < needed {
                self.near.resize(needed.next_power_of_two(), nowhere);
            }
            self.used = write(&self.candidates, places[i].truncate(), &mut self.near, self.used);
            let filled = self.used.next_multiple_of(4);
            self.near[self.used..filled].fill(nowhere);
            self.used = filled;
            self.first.push(filled as u32);
        }
    }
}
