//! Relaxation of the triangles of a level set on its surface.

use glam::Vec3;

use super::shape::{distance, gradient};
use crate::mesh::Mesh;

/// The share of the way to its neighbours' mean that a vertex moves in one pass `[1]`.
const STRIDE: f32 = 0.5;

/// Moves every vertex along the surface toward the mean of its neighbours, then back onto φ = 0
/// by one Newton step along the gradient.
pub(super) fn relax(mesh: &mut Mesh) {
    let means = neighbour_means(mesh);
    for (position, mean) in mesh.positions.iter_mut().zip(means) {
        let slope = gradient(*position);
        let steepness = slope.length_squared().max(0.25);
        let pull = mean - *position;
        let along = pull - slope * (pull.dot(slope) / steepness);
        let moved = *position + STRIDE * along;
        *position = moved - slope * (distance(moved) / steepness);
    }
}

/// Returns for each vertex the mean position of its neighbours, or its own if it has none. On a closed
/// mesh each neighbour is counted twice, which leaves the mean as it is.
fn neighbour_means(mesh: &Mesh) -> Vec<Vec3> {
    let mut sums = vec![(Vec3::ZERO, 0.0); mesh.positions.len()];
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)] {
            let (sum, count) = &mut sums[from as usize];
            *sum += mesh.positions[to as usize];
            *count += 1.0;
        }
    }
    sums.into_iter()
        .zip(&mesh.positions)
        .map(|((sum, count), &own)| if count > 0.0 { sum / count } else { own })
        .collect()
}
