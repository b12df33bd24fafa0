//! The nodes inside a closed surface.
//!
//! A ray along x through each row of nodes counts the triangles that it passes, +1 into and −1 out of the surface. Whether
//! it passes a triangle follows from the sides of its three edges, each computed from the lower to the upper end,
//! the same for both triangles that share it, and half open: a ray through an edge or a vertex passes exactly one of
//! the triangles there, however numbers are rounded.

use glam::DVec3;
use parry3d::query::PointQuery;
use parry3d::shape::TriMesh;

use super::super::cells;
use super::{LatticeGrid, ROUNDING};
use crate::mesh::Mesh;

/// Returns for each node whether it is inside and, but for rounding, not on the surface.
pub(super) fn nodes(surface: &Mesh, shape: &TriMesh, frame: &LatticeGrid) -> Vec<bool> {
    let [nx, ny, nz] = frame.cubes.map(|n| 2 * n as usize + 1);
    let mut rows: Vec<Vec<(f64, i32)>> = vec![Vec::new(); ny * nz];
    for &triangle in surface.triangles() {
        let corners = frame.corners(surface, triangle);
        let [low, high] = [f64::min, f64::max].map(|pick| {
            let of = |k: usize| corners.iter().map(|x| x[k]).reduce(pick).unwrap_or(0.0);
            [of(1), of(2)]
        });
        let from = low.map(|x| x.ceil().max(0.0) as usize);
        for z in from[1]..(high[1].floor() + 1.0).clamp(0.0, nz as f64) as usize {
            for y in from[0]..(high[0].floor() + 1.0).clamp(0.0, ny as f64) as usize {
                // Only rows of corners and rows of centres have nodes.
                if y % 2 == z % 2
                    && let Some(crossing) = crossing(corners, [y as f64, z as f64])
                {
                    rows[z * ny + y].push(crossing);
                }
            }
        }
    }
    let mut inside = vec![false; cells::count(frame.cubes)];
    for (row, line) in rows.iter_mut().zip(inside.chunks_exact_mut(nx)) {
        row.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut passed, mut winding) = (row.iter().peekable(), 0);
        for (x, inside) in line.iter_mut().enumerate() {
            while let Some((_, turns)) = passed.next_if(|(place, _)| *place < x as f64) {
                winding += turns;
            }
            *inside = winding != 0;
        }
    }
    for (node, inside) in cells::nodes(frame.cubes).zip(&mut inside).filter(|(_, inside)| **inside) {
        *inside = shape.project_local_point_with_max_dist(cells::place(node), false, ROUNDING as f32).is_none();
    }
    inside
}

/// Returns where along x a row passes through a triangle, and in which direction.
fn crossing([a, b, c]: [DVec3; 3], row: [f64; 2]) -> Option<(f64, i32)> {
    let turns = side(a, b, row) + side(b, c, row) + side(c, a, row);
    if turns == 0 {
        return None;
    }
    let normal = (b - a).cross(c - a);
    let place = a.x - (normal.y * (row[0] - a.y) + normal.z * (row[1] - a.z)) / normal.x;
    let (low, high) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
    Some((if place.is_finite() { place.clamp(low, high) } else { low }, turns))
}

/// Returns ±1 if the edge passes the row's z upward or downward on the side of larger y.
fn side(from: DVec3, to: DVec3, [y, z]: [f64; 2]) -> i32 {
    let (low, high, sign) = if from.z < to.z { (from, to, 1) } else { (to, from, -1) };
    let left = (high.y - low.y) * (z - low.z) - (y - low.y) * (high.z - low.z) > 0.0;
    if low.z <= z && z < high.z && left { sign } else { 0 }
}
