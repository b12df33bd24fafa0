//! A handle whose thing is gone, or of another world, is refused by every edit and query.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::world::{
    BatchHandle, BodyHandle, ColliderHandle, CollisionLayers, Friction, ObjectHandle, Settings, World, WorldError,
};

use super::support::{Distance, chain, refused, step};

struct Handles {
    object: ObjectHandle,
    batch: BatchHandle,
    body: BodyHandle,
    collider: ColliderHandle,
}

fn link() -> Batch {
    Batch::new(Distance, &[[0, 1]], &[[0.1]]).unwrap()
}

fn fill(world: &mut World) -> Handles {
    let object = world.add(chain("chain", Vec3::Y, 3, 0.1)).unwrap();
    let batch = world.add_batch(&[object], &[], link()).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    let collider = world.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(body)).unwrap();
    Handles { object, batch, body, collider }
}

/// Every edit and query with handles that name nothing.
fn all_refused(world: &mut World, stale: &Handles) {
    let Handles { object, batch, body, collider } = *stale;
    let pose = Pose::IDENTITY;
    let living = fill(world);
    type Edit<'a> = Box<dyn FnOnce(&mut World) -> Result<(), WorldError> + 'a>;
    let objects: Vec<Edit> = vec![
        Box::new(|w| w.remove(object)),
        Box::new(|w| w.set_pinned(object, 0, true)),
        Box::new(|w| w.move_pinned(object, 0, Vec3::ZERO)),
        Box::new(|w| w.set_position(object, 0, Vec3::ZERO, Vec3::ZERO)),
        Box::new(|w| w.add_force(object, 0, Vec3::X)),
        Box::new(|w| w.add_impulse(object, 0, Vec3::X)),
        Box::new(|w| w.set_collision_layers(object, CollisionLayers::default())),
        Box::new(|w| w.set_friction(object, Friction::new(0.1))),
        Box::new(|w| w.unfreeze(object)),
        Box::new(|w| w.add_batch(&[living.object, object], &[], link()).map(drop)),
        Box::new(|w| w.positions(object).map(drop)),
        Box::new(|w| w.packed_positions(object).map(drop)),
        Box::new(|w| w.velocities(object).map(drop)),
        Box::new(|w| w.position(object, 0).map(drop)),
        Box::new(|w| w.velocity(object, 0).map(drop)),
        Box::new(|w| w.is_frozen(object).map(drop)),
    ];
    let batches: Vec<Edit> = vec![
        Box::new(|w| w.remove_batch(batch)),
        Box::new(|w| w.edit_batch(batch, |batch| batch.parameters_mut(0)[0] = 2.0)),
        Box::new(|w| w.batch(batch).map(drop)),
        Box::new(|w| w.row_forces(batch, 0).map(drop)),
        Box::new(|w| w.residual(batch).map(drop)),
    ];
    let bodies: Vec<Edit> = vec![
        Box::new(|w| w.move_body(body, pose)),
        Box::new(|w| w.set_body_pose(body, pose)),
        Box::new(|w| w.remove_body(body)),
        Box::new(|w| w.body_pose(body).map(drop)),
        Box::new(|w| w.add_batch(&[living.object], &[body], link()).map(drop)),
        Box::new(|w| w.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(body)).map(drop)),
        Box::new(|w| w.edit_collider(living.collider, |collider| collider.body = Some(body))),
    ];
    let colliders: Vec<Edit> = vec![
        Box::new(|w| w.remove_collider(collider)),
        Box::new(|w| w.edit_collider(collider, |collider| collider.pose = pose)),
    ];
    for (kind, edits) in [("object", objects), ("batch", batches), ("body", bodies), ("collider", colliders)] {
        for (number, edit) in edits.into_iter().enumerate() {
            assert_eq!(refused(world, edit), WorldError::StaleHandle(kind), "{kind} {number}");
        }
    }
    assert!(world.batches_of(object).is_empty());
    assert_eq!(world.batches_of(living.object).len(), 2);
    world.batch(living.batch).unwrap();
    step(world, 3);
}

#[test]
fn handles_of_what_was_removed() {
    let mut world = World::new(Settings::default()).unwrap();
    let gone = fill(&mut world);
    step(&mut world, 2);
    world.remove(gone.object).unwrap();
    assert!(world.batch(gone.batch).is_err(), "constraints go with their object");
    world.remove_body(gone.body).unwrap();
    assert!(world.edit_collider(gone.collider, |_| ()).is_err(), "colliders go with their body");
    all_refused(&mut world, &gone);
}

#[test]
fn handles_of_another_world_that_holds_more() {
    let mut other = World::new(Settings::default()).unwrap();
    for _ in 0..3 {
        fill(&mut other);
    }
    let foreign = fill(&mut other);
    all_refused(&mut World::new(Settings::default()).unwrap(), &foreign);
}

#[test]
fn handles_made_after_a_snapshot_that_is_restored() {
    let mut world = World::new(Settings::default()).unwrap();
    let saved = world.snapshot().unwrap();
    fill(&mut world);
    fill(&mut world);
    let late = fill(&mut world);
    world.restore(&saved).unwrap();
    all_refused(&mut world, &late);
}
