//! The lists of everybody within reach of each member.

use glam::{Vec3, Vec4};

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
}

impl NeighbourLists {
    /// Fills the lists of the members of a chunk. `places` are sorted, with the padding member at the
    /// end; `buckets` are those of the members of the chunk.
    pub fn search(
        &mut self,
        chunk: usize,
        places: &[Vec4],
        columns: &[Vec<f32>; 3],
        bucket: impl Fn(usize) -> u32,
        cells: &Cells,
        reach: f32,
    ) {
        let nowhere = places.len() as u32 - 1;
        let members = chunk * CHUNK..(nowhere as usize).min((chunk + 1) * CHUNK);
        self.first.clear();
        self.used = 0;
        self.first.push(0);
        let mut known = None;
        for i in members {
            let now = bucket(i);
            if known != Some(now) {
                known = Some(now);
                cells.runs(now, &mut self.runs);
            }
            let most = self.runs.iter().map(|&(from, to)| (to - from) as usize).sum::<usize>();
            let needed = self.used + most + 8;
            if self.near.len() < needed {
                self.near.resize(needed.next_power_of_two(), nowhere);
            }
            let scan = ReachScan { x: places[i].truncate(), square: reach * reach, columns };
            for &(from, to) in &self.runs {
                self.used = scan.run(from as usize, to as usize, &mut self.near, self.used);
            }
            let filled = self.used.next_multiple_of(4);
            self.near[self.used..filled].fill(nowhere);
            self.used = filled;
            self.first.push(filled as u32);
        }
    }
}

/// The search of one member for others.
struct ReachScan<'a> {
    x: Vec3,
    /// Square of the reach \[m²\].
    square: f32,
    /// Coordinates of all members; they go on for four numbers behind the last.
    columns: &'a [Vec<f32>; 3],
}

/// Indices of the lanes that are hit, packed to the front, for each set of hits.
const PACKED: [[u32; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut hits = 0;
    while hits < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if hits & (1 << lane) != 0 {
                table[hits][count] = lane;
                count += 1;
            }
            lane += 1;
        }
        hits += 1;
    }
    table
};

/// Number of lanes that are hit, for each set of hits.
const COUNT: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];

impl ReachScan<'_> {
    /// Writes the members of a run within reach from `used` on, and returns the new end. Four numbers are written
    /// whatever
    /// is hit, so that nothing waits for the hits.
    #[inline(always)]
    fn run(&self, from: usize, to: usize, near: &mut [u32], mut used: usize) -> usize {
        let [xs, ys, zs] = self.columns.each_ref().map(|column| &column[from..to + 4]);
        let (px, py, pz) = (Vec4::splat(self.x.x), Vec4::splat(self.x.y), Vec4::splat(self.x.z));
        let limit = Vec4::splat(self.square);
        let fours = xs.as_chunks::<4>().0.iter().zip(ys.as_chunks::<4>().0).zip(zs.as_chunks::<4>().0);
        let mut k = from;
        for ((&x, &y), &z) in fours {
            if k >= to {
                break;
            }
            let (dx, dy, dz) = (Vec4::from_array(x) - px, Vec4::from_array(y) - py, Vec4::from_array(z) - pz);
            let mut hits = (dx * dx + dy * dy + dz * dz).cmplt(limit).bitmask() as usize;
            if k + 4 > to {
                hits &= (1 << (to - k)) - 1;
            }
            let lanes = &PACKED[hits & 15];
            let Some(out) = near[used..].first_chunk_mut::<4>() else { return used };
            for lane in 0..4 {
                out[lane] = k as u32 + lanes[lane];
            }
            used += COUNT[hits & 15] as usize;
            k += 4;
        }
        used
    }
}
