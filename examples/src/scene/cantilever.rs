//! A beam that is clamped at one end and pushed down at the other.

mod rod;

use super::{Built, Key, Recipe, SceneError, Setup};

pub(super) const RECIPE: Recipe = Recipe {
    name: "cantilever",
    summary: "a clamped beam with a load at its tip: how far it goes down, against P L³/(3 E I)",
    frames: 180,
    substeps: 60,
    keys: &[
        Key { name: "kind", default: "rod", help: "what it is made of: rod" },
        Key { name: "n", default: "10", help: "segments along it" },
        Key { name: "sag", default: "0.04", help: "deflection that the load should give, as a part of the length" },
    ],
    takes_mesh: false,
    build,
};

fn build(setup: &Setup<'_>) -> Result<Built, SceneError> {
    setup.choice("kind", &[("rod", rod::build as Build)])?(setup)
}

/// What builds one kind of beam.
type Build = fn(&Setup<'_>) -> Result<Built, SceneError>;
