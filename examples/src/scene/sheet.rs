//! Square sheets of cloth on a grid, to draw.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World, WorldError};

use crate::mesh::Mesh;

/// The surface of a sheet of `side` × `side` particles, row after row, facing as
/// [`Cloth::grid`](xpbd_cloth::Cloth::grid) does.
pub(super) fn surface(world: &World, sheet: ObjectHandle, side: usize) -> Result<Mesh, WorldError> {
    let side = side as u32;
    let squares = (0..side - 1).flat_map(|row| (0..side - 1).map(move |column| row * side + column));
    let triangles = squares.flat_map(|a| {
        let (b, c, d) = (a + 1, a + side, a + side + 1);
        [[a, c, b], [b, c, d]]
    });
    Ok(Mesh { positions: world.positions(sheet)?.collect(), triangles: triangles.collect() })
}

/// Lines of another colour every `spacing` rows and columns, so that folds show.
pub(super) fn lines(side: usize, spacing: usize, ground: Vec3, line: Vec3) -> Vec<Vec3> {
    let on_line = |k: usize| (k % spacing) == spacing / 2;
    let color = |k: usize| if on_line(k / side) || on_line(k % side) { line } else { ground };
    (0..side * side).map(color).collect()
}
