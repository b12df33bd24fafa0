//! Height fields: grid lines, heights, and four bits a cell.

use super::{Geometry, ShapeKind};
use parry3d::shape::{HeightField, HeightFieldCellStatus as Status};

/// Words of the header.
const HEADER: u32 = 14;
/// Cells whose bits share a word.
const CELLS: usize = 8;

/// Bit of a cell that is divided along its other diagonal.
pub(super) const ZIGZAG: u32 = 1;
/// Bit of a cell without its left triangle.
pub(super) const LEFT_REMOVED: u32 = 2;
/// Bit of a cell without its right triangle.
pub(super) const RIGHT_REMOVED: u32 = 4;

impl Geometry {
    pub(super) fn height_field(&mut self, field: &HeightField) -> u32 {
        let at = self.place();
        let (rows, columns, scale) = (field.nrows(), field.ncols(), field.scale());
        let grid_x = at + HEADER;
        let grid_z = grid_x + columns as u32 + 1;
        let heights = grid_z + rows as u32 + 1;
        let cells = heights + ((columns + 1) * (rows + 1)) as u32;
        let sizes = [field.cell_width(), field.cell_height(), scale.x, scale.y, scale.z];
        let unit = [field.unit_cell_width(), field.unit_cell_height()];
        self.words.extend([ShapeKind::HeightField as u32, rows as u32, columns as u32, grid_x, grid_z, heights, cells]);
        let lines_x = (0..=columns).map(|j| field.x_at(j));
        let lines_z = (0..=rows).map(|i| field.z_at(i));
        let grid = (0..=columns).flat_map(|j| (0..=rows).map(move |i| (i, j)));
        let heights = grid.map(|at| field.heights()[at] * scale.y);
        let floats = sizes.into_iter().chain(unit).chain(lines_x).chain(lines_z).chain(heights);
        self.words.extend(floats.map(f32::to_bits));
        let grid: Vec<_> = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).collect();
        self.words.extend(grid.chunks(CELLS).map(|part| {
            let bits = part.iter().enumerate().map(|(k, &(i, j))| status(field.cell_status(i, j)) << (4 * k));
            bits.fold(0, |word, cell| word | cell)
        }));
        at
    }
}

fn status(status: Status) -> u32 {
    let bit = |flag, value| if status.contains(flag) { value } else { 0 };
    bit(Status::ZIGZAG_SUBDIVISION, ZIGZAG)
        | bit(Status::LEFT_TRIANGLE_REMOVED, LEFT_REMOVED)
        | bit(Status::RIGHT_TRIANGLE_REMOVED, RIGHT_REMOVED)
}
