//! Square sheets of cloth on a grid, to draw.

use glam::Vec3;
use xpbd_cloth::Bending;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::{OptionKey, SceneError, Setup};
use crate::mesh::Mesh;

/// The key `bending` of scenes with a sheet.
pub(super) const BENDING: OptionKey =
    OptionKey { name: "bending", default: "isometric", help: "none, distance, dihedral or isometric" };

/// Returns the bending that `bending` asks for, of a stiffness \[N m\].
pub(super) fn bending(setup: &Setup<'_>, stiffness: f32) -> Result<Bending, SceneError> {
    let choices = [
        ("none", Bending::None),
        ("distance", Bending::Distance { stiffness: 1.0 }),
        ("dihedral", Bending::Dihedral { stiffness }),
        ("isometric", Bending::Isometric { stiffness }),
    ];
    setup.choice(BENDING.name, &choices)
}

/// Returns the batch of the edges of a sheet, whatever else holds it.
pub(super) fn edges(world: &World, sheet: ObjectHandle) -> Result<BatchHandle, WorldError> {
    let is_edges = |&handle: &BatchHandle| world.batch(handle).is_ok_and(|batch| batch.name() == "distance");
    world.batches_of(sheet).into_iter().find(is_edges).ok_or(WorldError::StaleHandle("batch of edges"))
}

/// Returns the surface of a sheet of `side` × `side` particles, row after row, facing as
/// [`Cloth::grid`](xpbd_cloth::Cloth::grid) does.
pub(super) fn surface(world: &World, sheet: ObjectHandle, side: usize) -> Result<Mesh, WorldError> {
    rectangle(world, sheet, side)
}

/// Returns the same of a sheet with this many columns.
pub(super) fn rectangle(world: &World, sheet: ObjectHandle, columns: usize) -> Result<Mesh, WorldError> {
    let positions: Vec<Vec3> = world.positions(sheet)?.collect();
    let (columns, rows) = (columns as u32, (positions.len() / columns) as u32);
    let squares = (0..rows - 1).flat_map(|row| (0..columns - 1).map(move |column| row * columns + column));
    let triangles = squares.flat_map(|a| {
        let (b, c, d) = (a + 1, a + columns, a + columns + 1);
        [[a, c, b], [b, c, d]]
    });
    Ok(Mesh { positions, triangles: triangles.collect() })
}

/// Lines of another colour every `spacing` rows and columns, so that folds show.
pub(super) fn lines(side: usize, spacing: usize, ground: Vec3, line: Vec3) -> Vec<Vec3> {
    let on_line = |k: usize| (k % spacing) == spacing / 2;
    let color = |k: usize| if on_line(k / side) || on_line(k % side) { line } else { ground };
    (0..side * side).map(color).collect()
}
