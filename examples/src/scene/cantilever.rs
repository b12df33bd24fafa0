//! A beam that is clamped at one end and pushed down at the other.

mod plate;
mod rod;
mod tets;

use super::{BuiltScene, OptionKey, Recipe, SceneError, Setup};

pub(super) const RECIPE: Recipe = Recipe {
    name: "cantilever",
    summary: "a clamped beam with a load at its tip: the deflection compared with P L³/(3 E I)",
    frames: 180,
    substeps: 60,
    keys: &[
        OptionKey { name: "kind", default: "rod", help: "what it is made of: rod, plate or tets" },
        OptionKey {
            name: "n",
            default: "0",
            help: "segments of the rod, 0 for 10; squares along the plate, 0 for 20; tetrahedra, about, 0 for 2400",
        },
        OptionKey {
            name: "sag",
            default: "0.04",
            help: "deflection that the load should give, as a part of the length",
        },
    ],
    takes_mesh: false,
    build,
};

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    setup.choice("kind", &[("rod", rod::build as Build), ("plate", plate::build), ("tets", tets::build)])?(setup)
}

/// The function that builds one kind of beam.
type Build = fn(&Setup<'_>) -> Result<BuiltScene, SceneError>;

/// Returns the deflection asked for, as a part of the length \[1\].
fn sag(setup: &Setup<'_>) -> Result<f32, SceneError> {
    setup.number("sag", "from -0.5 to 0.5", |value| (-0.5..=0.5).contains(&value))
}
