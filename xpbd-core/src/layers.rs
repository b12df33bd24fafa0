//! Which things collide with each other.

use serde::{Deserialize, Serialize};

/// Who collides with whom. Two things collide if each is in a group that the other's mask names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionLayers {
    /// The groups it is in, one bit each.
    pub memberships: u32,
    /// The groups it collides with.
    pub filters: u32,
    /// Whether its own particles collide with each other; ignored for colliders.
    pub self_collision: bool,
}

impl CollisionLayers {
    /// Whether the groups and masks let the two collide.
    pub fn interacts_with(self, other: Self) -> bool {
        self.memberships & other.filters != 0 && other.memberships & self.filters != 0
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self { memberships: 1, filters: u32::MAX, self_collision: false }
    }
}
