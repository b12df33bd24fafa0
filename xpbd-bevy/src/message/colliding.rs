//! The entities that an entity touches.

use bevy::prelude::*;

use super::{sensors, touch};
use crate::physics::Physics;

/// The entities that this one touches, as they are after each step, in the order of entities.
///
/// Insert it on a collider, a [`Sensor`](crate::collider::Sensor), an object of particles, or a body. A sensor touches what
/// overlaps it. A body touches what any of its colliders touches. The entities are those of colliders and objects, as in
/// [`CollisionStarted`](super::CollisionStarted).
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # #[derive(Component)]
/// # struct Player;
/// fn land(players: Query<(Entity, &CollidingEntities), With<Player>>) {
///     for (player, touched) in &players {
///         if !touched.is_empty() {
///             info!("{player} stands on {touched:?}");
///         }
///     }
/// }
/// ```
#[derive(Component, Debug, Default, Clone, PartialEq, Eq, Deref, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct CollidingEntities(pub Vec<Entity>);

/// Writes what each entity touches.
pub(super) fn collect(physics: Res<Physics>, mut all: Query<(Entity, &mut CollidingEntities)>) {
    if all.is_empty() {
        return;
    }
    let mut pairs = Vec::new();
    touch::for_each_pair(&physics, |[a, b], [body_a, body_b]| {
        pairs.extend([(a, b), (b, a)]);
        pairs.extend(body_a.map(|body| (body, b)));
        pairs.extend(body_b.map(|body| (body, a)));
    });
    pairs.extend(sensors::overlaps(&physics).iter().map(|overlap| (overlap.sensor, overlap.other)));
    pairs.sort_unstable();
    pairs.dedup();
    for (entity, mut touched) in &mut all {
        let first = pairs.partition_point(|pair| pair.0 < entity);
        let own = pairs[first..].iter().take_while(|pair| pair.0 == entity);
        touched.set_if_neq(CollidingEntities(own.map(|pair| pair.1).collect()));
    }
}
