//! The rectangular grid, and the distribution of its bending stiffness over its edges.
//!
//! A flap stores ½ B φ |Σ Kᵢ xᵢ|²/(A₀ + A₁) ([isometric bending](crate::constraint::isometric_bending)), with
//! φ = 1 on an arbitrary mesh. On alternating diagonals the vertices with eight edges and those with
//! four can move against each other by ±a, and do, to lower the energy. With squares of side l,
//! curvatures κ and s = 4a/l², a square stores ½ B l² times
//!
//! ```text
//! φ₁ (κ₁₁ + s)² + φ₁ (κ₂₂ + s)² + φ₂ (4 κ₁₂² + 4 s²),   least at s = −φ₁ (κ₁₁ + κ₂₂)/(2 φ₁ + 4 φ₂)
//! ```
//!
//! where φ₁ is that of the sides and φ₂ that of the diagonals. The least energy is the same for
//! bending in all directions, and ½ B κ² for a cylinder, exactly for φ₁ = 4/3 and φ₂ = 2/3. (With
//! φ = 1 for both it would be 5/6 of that along the grid and 4/3 at 45° to it.)

use glam::Vec3;

/// Returns the vertices and indices of a rectangle in the xz plane with alternating diagonals.
///
/// ```text
///  z  o---o---o
///  ^  | \ | / |
///  |  o---o---o
///  |  | / | \ |
///  |  o---o---o --> x
/// ```
pub(super) fn rectangle(columns: u32, rows: u32, width: f32, depth: f32) -> (Vec<Vec3>, Vec<u32>) {
    let place = |k: u32, count: u32, size: f32| size * (k as f32 / count.saturating_sub(1).max(1) as f32 - 0.5);
    let vertex = |row: u32, column: u32| Vec3::new(place(column, columns, width), 0.0, place(row, rows, depth));
    let positions = (0..rows).flat_map(|row| (0..columns).map(move |column| vertex(row, column))).collect();
    let squares = |count: u32| 0..count.saturating_sub(1);
    let indices = squares(rows).flat_map(|row| squares(columns).flat_map(move |column| square(columns, row, column)));
    (positions, indices.collect())
}

/// Returns the factor φ of the stiffness of an edge.
pub(super) fn stiffness_factor(columns: u32, [a, b]: [u32; 2]) -> f32 {
    let side = a / columns == b / columns || a % columns == b % columns;
    if side { 4.0 / 3.0 } else { 2.0 / 3.0 }
}

/// Returns the triangles of one square, facing +y.
fn square(columns: u32, row: u32, column: u32) -> [u32; 6] {
    let a = row * columns + column;
    let (b, c, d) = (a + 1, a + columns, a + columns + 1);
    if (row + column).is_multiple_of(2) { [a, c, d, a, d, b] } else { [a, c, b, b, c, d] }
}
