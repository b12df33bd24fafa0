//! Records of the transforms of the entities of objects.

use bevy::prelude::*;
use xpbd_core::world::ObjectHandle;

use crate::snapshot::PutBack;

/// The transform of the entity of an object, when it was last written or read.
#[derive(Component, Debug, Default, Clone)]
pub(crate) struct ObjectTransform {
    pub(super) object: Option<ObjectHandle>,
    pub(super) transform: Transform,
    /// The mean of the particles \[m\]; none while the object is held, and its transform is that of what holds it.
    pub(super) mean: Option<Vec3>,
}

impl ObjectTransform {
    /// Takes note that the object has been moved at once, and its entity now has this transform.
    pub fn teleport(&mut self, transform: Transform, motion: Isometry3d) {
        self.transform = transform;
        self.mean = self.mean.map(|mean| motion * mean);
    }
}

impl PutBack for ObjectTransform {
    /// Writes the saved transform where physics moves the entity, now or when it was saved. That of an entity which holds
    /// its object all the time is left to the game.
    fn put_back(&self, entity: &mut EntityWorldMut<'_>) {
        let is_moved = |of: &Self| of.mean.is_some();
        let moves = is_moved(self) || entity.get::<Self>().is_some_and(is_moved);
        if let Some(mut transform) = entity.get_mut::<Transform>().filter(|_| moves) {
            *transform = self.transform;
        }
    }
}
