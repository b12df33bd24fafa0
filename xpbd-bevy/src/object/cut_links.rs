//! The links of ropes that have been cut.

use bevy::prelude::*;

/// The links of a rope that have been cut, ascending; only a rope that has been cut has the component.
#[derive(Component, Debug, Default, Clone, PartialEq, Eq, Deref)]
pub struct CutLinks(pub(super) Vec<u32>);
