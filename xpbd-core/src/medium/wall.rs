//! A wall as a medium sees it: a contact plane of a particle.

use glam::Vec3;

use super::coverage::fill_behind;
use crate::scalar::Single;

/// A wall near a member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Unit normal to the side of the member.
    pub normal: Vec3,
    /// Height of the member above the wall \[m\].
    pub height: f32,
    /// Velocity of the wall there \[m/s\].
    pub velocity: Vec3,
    /// Part of what lies behind its plane that the wall [fills](super::coverage) \[1\].
    pub coverage: f32,
    /// The contact that the wall is.
    pub(crate) contact: WallContact,
}

/// The contact that a wall is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum WallContact {
    /// Contact with a collider that cannot be pushed, by its slot.
    Static(u32),
    /// Contact with a body that can be pushed, by its index.
    Dynamic(u32),
}

/// Cosine of the angle between normals above which planes count as one wall \[1\].
pub const ONE_WALL: f32 = 0.9;

/// The least that a wall fills for others behind it to be added \[1\].
pub const LEAST_FILL: f32 = 1e-6;

impl Wall {
    /// Takes in a wall that is nearly parallel, of a member that sees as far as `reach` \[m\]: the nearer of the two stays,
    /// and fills what both do.
    pub(crate) fn merge(&mut self, mut other: Self, reach: f32) {
        if other.height < self.height {
            std::mem::swap(self, &mut other);
        }
        let fill = |wall: &Self| fill_behind(Single(wall.height * (1.0 / reach)), 1.0).0;
        let added = other.coverage * (fill(&other) / fill(self).max(LEAST_FILL));
        self.coverage = (self.coverage + added).min(1.0);
    }
}
