//! Square sheets of cloth on a grid, to draw.

use glam::Vec3;
use xpbd_cloth::{Bending, TearError};
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::{OptionKey, SceneError, Setup};

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

/// The key `levels` of scenes with a sheet.
pub(super) const LEVELS: OptionKey = OptionKey { name: "levels", default: "off", help: "coarse levels: on or off" };

/// Returns whether `levels` asks for coarse levels.
pub(super) fn levels(setup: &Setup<'_>) -> Result<bool, SceneError> {
    setup.choice(LEVELS.name, &[("on", true), ("off", false)])
}

/// Returns the batch of the edges of a sheet, whatever else holds it.
pub(crate) fn edges(world: &World, sheet: ObjectHandle) -> Result<BatchHandle, WorldError> {
    let is_edges = |&handle: &BatchHandle| world.batch(handle).is_ok_and(|batch| batch.name() == "distance");
    world.batches_of(sheet).into_iter().find(is_edges).ok_or(WorldError::StaleHandle("batch of edges"))
}

/// Returns what the world has against a tear. What else is refused has been checked where scenes are built.
pub(super) fn tear_error(error: TearError) -> WorldError {
    match error {
        TearError::World(error) => error,
        other => WorldError::Device(other.to_string()),
    }
}

/// Lines of another colour every `spacing` rows and columns, so that folds show.
pub(super) fn lines(side: usize, spacing: usize, ground: Vec3, line: Vec3) -> Vec<Vec3> {
    let on_line = |k: usize| (k % spacing) == spacing / 2;
    let color = |k: usize| if on_line(k / side) || on_line(k % side) { line } else { ground };
    (0..side * side).map(color).collect()
}
