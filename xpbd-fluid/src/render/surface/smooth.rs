//! The weights by which the vertices of a surface are smoothed.

use glam::Vec3;
use splashsurf_lib::nalgebra::Vector3;

use super::vec3;
use crate::render::cells::{CellGrid, NeighbourRuns};

/// Weighted neighbours of a particle from which on its surroundings are smoothed fully \[Loeschner23\]: about those
/// within a liquid at rest.
const FULL: f32 = 13.0;

/// Returns the weights `[1]` of the `vertices` of the surface around `points`: 0 where a particle is alone, 1 where the
/// liquid is dense.
///
/// With n_i = Σ_j (1 − |x_ij|² / h²) the weighted neighbours of particle i, s = Σ_i n_i W_i / Σ_i W_i at the
/// vertex and t = min(s / 13, 1), it is the smooth step 6 t⁵ − 15 t⁴ + 10 t³.
pub(super) fn weights(points: &[Vector3<f32>], vertices: &[Vector3<f32>], reach: f32) -> Vec<f32> {
    let points: Vec<Vec3> = points.iter().map(vec3).collect();
    let mut cells = CellGrid::default();
    cells.sort(&points, reach);
    let mut counts = Vec::new();
    cells.map(&mut counts, |k, rows| count(&cells, cells.points()[k], rows, reach) - 1.0);
    vertices.iter().map(|vertex| smooth_step(mean(&cells, &counts, vec3(vertex), reach) / FULL)).collect()
}

/// Returns the weighted number of particles around `here`.
fn count(cells: &CellGrid, here: Vec3, rows: &NeighbourRuns, reach: f32) -> f32 {
    rows.iter().flat_map(|row| &cells.points()[row.clone()]).map(|&other| closeness(here, other, reach)).sum()
}

/// Returns the mean of `counts` around `vertex`, those nearby counting most; zero where there are none.
fn mean(cells: &CellGrid, counts: &[f32], vertex: Vec3, reach: f32) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for k in cells.around(vertex).into_iter().flatten() {
        let close = closeness(vertex, cells.points()[k], reach);
        let weight = close * close * close;
        sum += weight * counts[k];
        total += weight;
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Returns 1 − |a − b|² / h², at least zero.
fn closeness(a: Vec3, b: Vec3, reach: f32) -> f32 {
    (1.0 - a.distance_squared(b) / (reach * reach)).max(0.0)
}

fn smooth_step(x: f32) -> f32 {
    let t = x.clamp(0.0, 1.0);
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}
