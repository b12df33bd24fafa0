//! Which things collide with each other.

use serde::{Deserialize, Serialize};

/// The layers of an object. Two objects collide if each is a member of a layer that the other one filters for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionLayers {
    /// The groups it is in, one bit each.
    pub memberships: u32,
    /// The groups it collides with.
    pub filters: u32,
    /// True if its own particles collide with each other; ignored for colliders.
    pub self_collision: bool,
}

impl CollisionLayers {
    /// Returns whether memberships and filters let the two collide.
    pub fn interacts_with(self, other: Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { memberships: 1, filters: u32::MAX, self_collision: false }
    }
}
