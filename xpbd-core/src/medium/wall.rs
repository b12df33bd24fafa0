//! A wall as a medium sees it: a contact plane of a particle.

use glam::Vec3;

/// A wall near a member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Unit normal to the side of the member.
    pub normal: Vec3,
    /// Height of the member above the wall \[m\].
    pub height: f32,
    /// Velocity of the wall there \[m/s\].
    pub velocity: Vec3,
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
