//! Points in a line, joined by links: the description that ropes and rods share.

use std::ops::Range;

use glam::Vec3;
use xpbd_core::batch::Batch;

/// Returns the points \[m\] of links of these lengths \[m\], laid out along x from the origin.
pub(crate) fn along_x(lengths: &[f32]) -> Vec<Vec3> {
    let ends = lengths.iter().scan(0.0, |end, length| {
        *end += length;
        Some(*end)
    });
    std::iter::once(0.0).chain(ends).map(|x| Vec3::X * x).collect()
}

/// Returns the masses \[kg\] of the points: each link gives half of its mass to either end, for a mass per length
/// \[kg/m\] and these lengths \[m\].
pub(crate) fn masses(density: f32, lengths: &[f32]) -> Vec<f32> {
    let mut masses = vec![0.0; lengths.len() + 1];
    for (k, length) in lengths.iter().enumerate() {
        masses[k] += 0.5 * density * length;
        masses[k + 1] += 0.5 * density * length;
    }
    masses
}

/// Returns the ranges of `count` particles that stay joined when constraints between neighbours are broken.
pub(crate) fn unbroken_ranges(links: Option<&Batch>, count: usize) -> Vec<Range<usize>> {
    let is_broken = |k: usize| links.is_some_and(|links| links.is_broken(k));
    let mut ranges = Vec::new();
    let mut start = 0;
    for end in (1..count).filter(|&end| is_broken(end - 1)).chain([count]) {
        ranges.push(start..end);
        start = end;
    }
    ranges
}
