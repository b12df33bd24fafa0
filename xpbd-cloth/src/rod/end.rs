//! Ends of a rod, and the constraints that hold them.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{BatchHandle, BodyHandle, ObjectHandle};

/// An end of a rod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum RodEnd {
    /// The end at its first point.
    First = 0,
    /// The end at its last point.
    Last = 1,
}

/// The constraints that hold an end of a rod.
#[derive(Debug, Clone, PartialEq)]
pub struct RodAttachment {
    pub(super) batches: Vec<BatchHandle>,
    /// The fixed body that stands for the world, and the pinned particle.
    pub(super) hold: Option<(BodyHandle, ObjectHandle, usize)>,
}
