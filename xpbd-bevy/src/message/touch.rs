//! What touches now and did not before, and the other way round.

use bevy::prelude::*;
use xpbd_core::collide::{ContactPartner, ContactPhase};
use xpbd_core::world::{ColliderHandle, ObjectHandle};

use super::events::{CollisionEnded, CollisionStarted};
use crate::physics::{Physics, PhysicsHandle};
use crate::report::write_and_trigger;

/// Two things that touch, in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pair {
    Particles(ObjectHandle, ContactPartner),
    Colliders([ColliderHandle; 2]),
}

/// A contact of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pair: Pair,
    entities: [Entity; 2],
    bodies: [Option<Entity>; 2],
    point: Vec3,
    normal: Vec3,
    impulse: f32,
}

pub(super) fn touch(
    mut commands: Commands,
    physics: Res<Physics>,
    mut started: MessageWriter<CollisionStarted>,
    mut ended: MessageWriter<CollisionEnded>,
    mut before: Local<Vec<Touch>>,
    mut now: Local<Vec<Touch>>,
) {
    now.clear();
    gather(&physics, &mut now);
    now.sort_unstable_by_key(|touch| touch.pair);
    // A contact that begins for the world may have been there before an edit.
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => old.pair.cmp(&new.pair),
        };
        let (gone, come) = (old.next_if(|_| order.is_le()), new.next_if(|_| order.is_ge()));
        match (gone, come) {
            (Some(gone), None) => {
                write_and_trigger(&mut ended, &mut commands, gone.ended());
                if gone.entities[0] != gone.entities[1] {
                    commands.trigger(gone.turned().ended());
                }
            }
            (None, Some(come)) => {
                write_and_trigger(&mut started, &mut commands, come.started());
                if come.entities[0] != come.entities[1] {
                    commands.trigger(come.turned().started());
                }
            }
            _ => {}
        }
    }
    std::mem::swap(&mut *before, &mut *now);
}

/// Calls `visit` with the entities of each contact, and with their bodies.
pub(super) fn for_each_pair(physics: &Physics, mut visit: impl FnMut([Entity; 2], [Option<Entity>; 2])) {
    let mut now = Vec::new();
    gather(physics, &mut now);
    now.iter().for_each(|touch| visit(touch.entities, touch.bodies));
}

/// All that touches, of entities.
fn gather(physics: &Physics, now: &mut Vec<Touch>) {
    let world = physics.world();
    let body = |collider: ColliderHandle| {
        let body = world.state().colliders.get(collider)?.body?;
        physics.entity(PhysicsHandle::Body(body))
    };
    for collision in world.collisions().iter().filter(|collision| collision.phase != ContactPhase::End) {
        let [Some(a), Some(b)] = collision.colliders.map(|collider| physics.entity(PhysicsHandle::Collider(collider)))
        else {
            continue;
        };
        now.push(Touch {
            pair: Pair::Colliders(collision.colliders),
            entities: [a, b],
            bodies: collision.colliders.map(body),
            point: collision.point,
            normal: collision.normal,
            impulse: collision.impulse,
        });
    }
    for contact in world.contacts().iter().filter(|contact| contact.phase != ContactPhase::End) {
        let (other, other_body) = match contact.other {
            ContactPartner::Collider(collider) => (physics.entity(PhysicsHandle::Collider(collider)), body(collider)),
            ContactPartner::Object(object) => (physics.entity(PhysicsHandle::Object(object)), None),
        };
        let (Some(entity), Some(other)) = (physics.entity(PhysicsHandle::Object(contact.object)), other) else {
            continue;
        };
        now.push(Touch {
            pair: Pair::Particles(contact.object, contact.other),
            entities: [entity, other],
            bodies: [None, other_body],
            point: contact.point,
            normal: contact.normal,
            impulse: contact.impulse,
        });
    }
}

impl Touch {
    /// As seen from the other side.
    fn turned(&self) -> Self {
        let ([a, b], [body_a, body_b]) = (self.entities, self.bodies);
        Self { entities: [b, a], bodies: [body_b, body_a], normal: -self.normal, ..*self }
    }

    fn started(&self) -> CollisionStarted {
        let Self { entities: [entity, other], bodies: [body, other_body], point, normal, impulse, .. } = *self;
        CollisionStarted { entity, other, body, other_body, point, normal, impulse }
    }

    fn ended(&self) -> CollisionEnded {
        let Self { entities: [entity, other], bodies: [body, other_body], .. } = *self;
        CollisionEnded { entity, other, body, other_body }
    }
}
