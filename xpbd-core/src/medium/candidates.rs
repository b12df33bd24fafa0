//! The members around a cell, among whom those within reach of a member of the cell are found.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vectors are loaded and stored by their address"))]

use glam::{Vec3, Vec4};

/// Members that are compared at a time.
pub(super) const LANES: usize = 8;

/// Coordinate of nobody \[m\], far from all members; the square of the distance is finite.
pub(super) const NOWHERE: f32 = 1e15;

/// The members in the 27 cells around a cell, side by side: what is compared then has no gaps, and no branch depends on
/// how many members a cell has. Behind the last is nobody.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    coordinates: [Vec<f32>; 3],
    numbers: Vec<u32>,
    count: usize,
}

/// Indices of the lanes that are hit, packed to the front, for each set of hits.
const PACKED: [[u8; LANES]; 1 << LANES] = {
    let mut table = [[0; LANES]; 1 << LANES];
    let mut hits = 0;
    while hits < table.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if hits & (1 << lane) != 0 {
                table[hits][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        hits += 1;
    }
    table
};

impl Candidates {
    /// Gathers the members of some runs. Their coordinates \[m\] go on for [`LANES`] numbers behind the last member.
    pub fn gather(&mut self, runs: &[(u32, u32)], columns: &[Vec<f32>; 3]) {
        let all: usize = runs.iter().map(|&(from, to)| (to - from) as usize).sum();
        let Self { coordinates: [xs, ys, zs], numbers, count } = self;
        if numbers.len() < all + 2 * LANES {
            let room = (all + 2 * LANES).next_power_of_two();
            [&mut *xs, ys, zs].into_iter().for_each(|column| column.resize(room, NOWHERE));
            numbers.resize(room, 0);
        }
        let mut end = 0;
        for &(from, to) in runs {
            // So many are copied at a time that the last part may go beyond the run; the next run overwrites that.
            for first in (from..to).step_by(LANES) {
                let (place, k) = (end + (first - from) as usize, first as usize);
                let copy = |to: &mut [f32], of: &[f32]| to[place..place + LANES].copy_from_slice(&of[k..k + LANES]);
                copy(xs, &columns[0]);
                copy(ys, &columns[1]);
                copy(zs, &columns[2]);
                for (number, lane) in numbers[place..place + LANES].iter_mut().zip(0..) {
                    *number = first + lane;
                }
            }
            end += (to - from) as usize;
        }
        for column in [xs, ys, zs] {
            column[end..end + LANES].fill(NOWHERE);
        }
        *count = end;
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the coordinates and numbers of some at a time.
    #[inline(always)]
    fn parts<const N: usize>(&self) -> impl Iterator<Item = ([&[f32; N]; 3], &[u32; N])> {
        let [xs, ys, zs] = &self.coordinates;
        let coordinates = xs.as_chunks::<N>().0.iter().zip(ys.as_chunks::<N>().0).zip(zs.as_chunks::<N>().0);
        let all = coordinates.zip(self.numbers.as_chunks::<N>().0).take(self.count.div_ceil(N));
        all.map(|(((x, y), z), numbers)| ([x, y, z], numbers))
    }

    /// Writes those nearer to a position \[m\] than the root of a square \[m²\] to `near` from `used` on, in their order, and
    /// returns the next place. There must be room for all candidates and [`LANES`] more: so many are written whatever is
    /// hit, so that nothing waits for the hits.
    #[inline(always)]
    pub fn four_at_a_time(&self, from: Vec3, square: f32, near: &mut [u32], mut used: usize) -> usize {
        let (x, y, z) = (Vec4::splat(from.x), Vec4::splat(from.y), Vec4::splat(from.z));
        let limit = Vec4::splat(square);
        let first = used;
        for (([&xs, &ys, &zs], _), k) in self.parts::<4>().zip((0..).step_by(4)) {
            let (dx, dy, dz) = (Vec4::from_array(xs) - x, Vec4::from_array(ys) - y, Vec4::from_array(zs) - z);
            let hits = (dx * dx + dy * dy + dz * dz).cmplt(limit).bitmask() as usize;
            let Some(out) = near[used..].first_chunk_mut::<4>() else { return used };
            for (out, &lane) in out.iter_mut().zip(&PACKED[hits % 16]) {
                *out = k + u32::from(lane);
            }
            used += hits.count_ones() as usize;
        }
        near[first..used].iter_mut().for_each(|k| *k = self.numbers[*k as usize]);
        used
    }

    /// As [`four_at_a_time`](Self::four_at_a_time).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    pub fn eight_at_a_time(&self, from: Vec3, square: f32, near: &mut [u32], mut used: usize) -> usize {
        use std::arch::x86_64::*;
        let (x, y, z) = (_mm256_set1_ps(from.x), _mm256_set1_ps(from.y), _mm256_set1_ps(from.z));
        let limit = _mm256_set1_ps(square);
        for ([xs, ys, zs], numbers) in self.parts::<LANES>() {
            // SAFETY: there are eight numbers of each kind.
            let (xs, ys, zs, numbers) = unsafe {
                (
                    _mm256_loadu_ps(xs.as_ptr()),
                    _mm256_loadu_ps(ys.as_ptr()),
                    _mm256_loadu_ps(zs.as_ptr()),
                    _mm256_loadu_si256(numbers.as_ptr().cast()),
                )
            };
            let (dx, dy, dz) = (_mm256_sub_ps(xs, x), _mm256_sub_ps(ys, y), _mm256_sub_ps(zs, z));
            let apart = _mm256_add_ps(_mm256_mul_ps(dx, dx), _mm256_mul_ps(dy, dy));
            let apart = _mm256_add_ps(apart, _mm256_mul_ps(dz, dz));
            let hits = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(apart, limit)) as usize;
            let packed = u64::from_le_bytes(PACKED[hits % PACKED.len()]);
            let packed = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(packed as i64));
            let Some(out) = near[used..].first_chunk_mut::<LANES>() else { return used };
            // SAFETY: there is room for eight numbers.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_permutevar8x32_epi32(numbers, packed)) };
            used += hits.count_ones() as usize;
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both widths find whom a comparison one by one finds, among any number of candidates.
    #[test]
    fn all_widths_find_who_is_within_reach() {
        let place = |k: usize| Vec3::new((k * 37 % 101) as f32, (k * 53 % 97) as f32, (k * 71 % 89) as f32) / 50.0;
        let columns = [0, 1, 2].map(|axis| {
            let column = (0..40).map(|k| place(k)[axis]);
            column.chain([NOWHERE; LANES]).collect::<Vec<f32>>()
        });
        let (x, mut candidates) = (place(11), Candidates::default());
        for (middle, end) in (0..40).flat_map(|middle| (middle..=40).map(move |end| (middle, end))) {
            let runs = [(middle / 3, middle / 2), (middle, end)];
            candidates.gather(&runs, &columns);
            let all = runs.iter().flat_map(|&(from, to)| from..to);
            let expected: Vec<u32> = all.filter(|&k| (place(k as usize) - x).length_squared() < 0.8).collect();
            let mut near = [0; 80];
            let used = candidates.four_at_a_time(x, 0.8, &mut near, 3);
            assert_eq!(near[3..used], expected, "four at a time, {runs:?}");
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                // SAFETY: the processor has what the function is compiled for.
                let used = unsafe { candidates.eight_at_a_time(x, 0.8, &mut near, 3) };
                assert_eq!(near[3..used], expected, "eight at a time, {runs:?}");
            }
        }
    }
}
