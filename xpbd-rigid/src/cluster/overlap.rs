//! Overlapping clusters that cover a body.

use glam::Vec3;

/// Returns clusters of the positions within `radius` \[m\] of centres that are at least `spacing` \[m\] apart.
/// Centres are taken from the positions, each the first that is not near one before it; every
/// position is then in a cluster if the radius is no less than the spacing.
pub(super) fn clusters(positions: &[Vec3], spacing: f32, radius: f32) -> Vec<Vec<u32>> {
    let mut middles: Vec<Vec3> = Vec::new();
    for &x in positions {
        if middles.iter().all(|middle| middle.distance_squared(x) >= spacing * spacing) {
            middles.push(x);
        }
    }
    let near = |middle: &Vec3| {
        let all = positions.iter().zip(0..);
        all.filter(|&(x, _)| x.distance_squared(*middle) <= radius * radius).map(|(_, index)| index).collect()
    };
    middles.iter().map(near).collect()
}
