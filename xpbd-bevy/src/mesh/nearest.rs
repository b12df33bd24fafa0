//! Nearest points.

use bevy::prelude::*;
use hashbrown::HashMap;

/// Returns the point nearest to each position, the first of those that are equally near. It searches through cells of
/// this size \[m\].
pub(crate) fn nearest_points(points: &[Vec3], cell: f32, positions: impl Iterator<Item = Vec3>) -> Vec<u32> {
    let key = |x: Vec3| (x / cell).floor().as_ivec3();
    let mut cells: HashMap<IVec3, Vec<u32>> = HashMap::new();
    for (point, &x) in (0u32..).zip(points) {
        cells.entry(key(x)).or_default().push(point);
    }
    let closest = |position: Vec3, among: &mut dyn Iterator<Item = u32>| {
        let distance = |&point: &u32| points[point as usize].distance_squared(position);
        among.min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)))
    };
    let around = |position: Vec3| {
        let middle = key(position);
        let offsets = (0..125).map(|k| IVec3::new(k % 5, k / 5 % 5, k / 25) - 2);
        let near = offsets.filter_map(|offset| cells.get(&middle.wrapping_add(offset))).flatten().copied();
        // What is nearer than two cells is among them.
        closest(position, &mut near.into_iter()).filter(|&k| points[k as usize].distance(position) <= 2.0 * cell)
    };
    let all = |position| closest(position, &mut (0..points.len() as u32)).unwrap_or_default();
    positions.map(|position| around(position).unwrap_or_else(|| all(position))).collect()
}
