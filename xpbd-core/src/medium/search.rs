//! The lists of everybody within reach of each member.

use glam::{Vec3, Vec4};

use super::cells::Cells;
use super::neighbourhood::CHUNK;

/// The lists of the members of a chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct Lists {
    /// Where the list of each member begins; one more than there are members.
    pub first: Vec<u32>,
    /// Members within reach, each list filled up to a multiple of four with the number of the member that
    /// is nowhere.
    pub near: Vec<u32>,
    runs: Vec<(u32, u32)>,
}

impl Lists {
    /// Makes the lists of the members of a chunk. `places` are sorted, with the one that is nowhere at the
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
        self.near.clear();
        self.first.push(0);
        let mut known = None;
        for i in members {
            let now = bucket(i);
            if known != Some(now) {
                known = Some(now);
                cells.runs(now, &mut self.runs);
            }
            let x = places[i].truncate();
            for &(from, to) in &self.runs {
                scan(columns, from as usize, to as usize, x, reach * reach, i as u32, &mut self.near);
            }
            let filled = self.near.len().next_multiple_of(4);
            self.near.resize(filled, nowhere);
            self.first.push(filled as u32);
        }
    }
}

/// Appends those of a run within reach of `x`, but not `own`. The columns go on for four numbers behind
/// the last member.
#[inline(always)]
fn scan([xs, ys, zs]: &[Vec<f32>; 3], from: usize, to: usize, x: Vec3, square: f32, own: u32, near: &mut Vec<u32>) {
    let (px, py, pz, limit) = (Vec4::splat(x.x), Vec4::splat(x.y), Vec4::splat(x.z), Vec4::splat(square));
    let mut k = from;
    while k < to {
        let four = |column: &[f32]| Vec4::from_slice(&column[k..k + 4]);
        let (dx, dy, dz) = (four(xs) - px, four(ys) - py, four(zs) - pz);
        let mut hits = (dx * dx + dy * dy + dz * dz).cmplt(limit).bitmask();
        if to - k < 4 {
            hits &= (1 << (to - k)) - 1;
        }
        while hits != 0 {
            let j = k as u32 + hits.trailing_zeros();
            hits &= hits - 1;
            if j != own {
                near.push(j);
            }
        }
        k += 4;
    }
}
