//! Hits of picking on top of a camera: user interfaces, and what cameras above it show.

use bevy::ecs::message::MessageCursor;
use bevy::ecs::system::SystemParam;
use bevy::picking::Pickable;
use bevy::picking::backend::PointerHits;
use bevy::picking::pointer::PointerId;
use bevy::prelude::*;

/// Finds what covers a scene under the mouse. It must look in every frame.
#[derive(SystemParam)]
pub(super) struct CoveringHits<'w, 's> {
    messages: Option<Res<'w, Messages<PointerHits>>>,
    cursor: Local<'s, MessageCursor<PointerHits>>,
    pickables: Query<'w, 's, &'static Pickable>,
}

impl CoveringHits<'_, '_> {
    /// Returns the highest order at which something under the mouse blocks what is below it. What a camera shows has the
    /// order of the camera, and its user interface half a step more.
    pub fn order(&mut self) -> f32 {
        let Some(messages) = &self.messages else { return f32::NEG_INFINITY };
        let blocks = |entity: Entity| self.pickables.get(entity).map_or(true, |pickable| pickable.should_block_lower);
        let hits = self.cursor.read(messages).filter(|hits| hits.pointer == PointerId::Mouse);
        let blocking = hits.filter(|hits| hits.picks.iter().any(|&(entity, _)| blocks(entity)));
        blocking.map(|hits| hits.order).fold(f32::NEG_INFINITY, f32::max)
    }
}
