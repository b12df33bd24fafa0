//! Sums over the members of a cluster, in an order that does not depend on who adds up.
//!
//! A cluster is cut into chunks of [`CHUNK`] members, a workgroup each on a GPU. Of a chunk, lane l
//! adds up the members l, l + 128, …; the lanes are then added in a tree that halves their number,
//! and the sums of the chunks one after the other.

use std::ops::Range;

use glam::Vec4;
use xpbd_core::batch::BatchKernel;

/// Members of a chunk.
pub(super) const CHUNK: usize = 1024;

const LANES: usize = BatchKernel::LANES as usize;
/// Lanes that suffice for most clusters of soft bodies.
const FEW: usize = 32;

/// Four sums for each vector.
pub(super) type Sums<const N: usize> = [Vec4; N];

/// Returns the sums over all members of a cluster.
pub(super) fn sum<const N: usize>(members: Range<usize>, mut term: impl FnMut(usize) -> Sums<N>) -> Sums<N> {
    let mut sums = [Vec4::ZERO; N];
    for first in members.clone().step_by(CHUNK) {
        let chunk = first..members.end.min(first + CHUNK);
        let few = chunk.len() <= FEW;
        add(&mut sums, if few { fold::<FEW, N>(chunk, &mut term) } else { fold::<LANES, N>(chunk, &mut term) });
    }
    sums
}

/// Returns the sums over a chunk. Lanes that have no members count as zero, so that with no more members
/// than that any number of lanes gives the same bits.
fn fold<const L: usize, const N: usize>(chunk: Range<usize>, term: &mut impl FnMut(usize) -> Sums<N>) -> Sums<N> {
    let mut lanes = [[Vec4::ZERO; N]; L];
    let count = chunk.len();
    for (k, member) in chunk.enumerate() {
        add(&mut lanes[k % L], term(member));
    }
    let mut half = count.clamp(1, L).next_power_of_two() / 2;
    while half > 0 {
        for lane in 0..half {
            let other = lanes[lane + half];
            add(&mut lanes[lane], other);
        }
        half /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn add<const N: usize>(sums: &mut Sums<N>, terms: Sums<N>) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
}
