//! Public names are those of the field.

use crate::crates::{CRATES, library};
use crate::items::items;

/// Names that no public item has, since the field calls the same things otherwise. CHANGELOG.md lists the names to use.
const REPLACED: &[&str] = &[
    "Acceleration",
    "Arms",
    "Crew",
    "Crossed",
    "Drained",
    "Emission",
    "Filter",
    "Found",
    "Freedom",
    "Held",
    "Home",
    "Load",
    "Locked",
    "Made",
    "Met",
    "Method",
    "Opening",
    "Outflow",
    "Pace",
    "Placed",
    "Placer",
    "Reel",
    "Residence",
    "Resident",
    "Restless",
    "Site",
    "Survey",
    "Swarm",
    "Team",
    "Thawing",
    "Thing",
    "TouchContact",
    "Welded",
    "Which",
    "Yielding",
    "Zone",
    "dress",
    "dye",
    "edit_params",
    "hose",
    "load_program",
    "place_body",
    "remade",
    "repatriate",
    "restless",
    "retire",
    "settle",
    "spare",
    "spin",
    "spin_damping",
    "survey",
    "thaw",
    "told",
    "turning",
];

#[test]
fn no_public_item_has_a_replaced_name() {
    let mut found = Vec::new();
    for name in CRATES {
        for item in items(&library(name)) {
            if item.is_public && REPLACED.contains(&item.name.as_str()) {
                found.push(format!("{} `{}`", item.place, item.name));
            }
        }
    }
    assert!(found.is_empty(), "these names have been replaced, see CHANGELOG.md:\n{}", found.join("\n"));
}
