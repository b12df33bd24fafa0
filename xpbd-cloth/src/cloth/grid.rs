//! The rectangle.

use glam::Vec3;

/// Vertices and indices of a rectangle in the xz plane with alternating diagonals.
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

/// The triangles of one square, facing +y.
fn square(columns: u32, row: u32, column: u32) -> [u32; 6] {
    let a = row * columns + column;
    let (b, c, d) = (a + 1, a + columns, a + columns + 1);
    if (row + column).is_multiple_of(2) { [a, c, d, a, d, b] } else { [a, c, b, b, c, d] }
}
