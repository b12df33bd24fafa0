//! Saved states of physics, and rollback.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, points, steps};

fn hash(app: &App) -> u64 {
    app.world().resource::<Physics>().world().state_hash()
}

fn save(app: &mut App) -> PhysicsSnapshot {
    PhysicsSnapshot::save(app.world_mut()).unwrap()
}

fn restore(app: &mut App, snapshot: &PhysicsSnapshot) -> RestoredEntities {
    snapshot.restore(app.world_mut()).unwrap()
}

fn ball(app: &mut App, place: Vec3) -> Entity {
    app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.2), Transform::from_translation(place))).id()
}

/// Returns an app with crates on a hinge, a crate at rest, a cloth in wind that hangs on what moves, and a rope on a winch;
/// and the entity that the cloth hangs on.
fn scene() -> (App, Entity) {
    let mut app = app();
    floor(&mut app);
    let [a, b, _] = [0.5, 0.9, 4.0].map(|x| {
        let place = Transform::from_xyz(x, if x > 1.0 { 0.15 } else { 0.5 + x }, 0.0);
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(0.15, 0.15, 0.15), place)).id()
    });
    app.world_mut().spawn(Joint::between(a, b, HingeJoint::new(Vec3::new(0.7, 1.2, 0.0), Vec3::Z)));
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(6).build();
    let sheet = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet));
    let place = Transform::from_xyz(0.0, 2.0, 1.0);
    let cloth = app.world_mut().spawn((Cloth::default(), sheet, Pinned::vertices([0, 7]), place)).id();
    let wind = xpbd_cloth::Wind { velocity: Vec3::X * 3.0, gust_strength: 0.5, ..default() };
    app.insert_resource(Wind(wind));
    let settings = RopeSettings { density: 1.0, spool: 10, ..default() };
    let rope = Rope { settings, ..Rope::between(Vec3::NEG_Y * 0.5, Vec3::ZERO, 5, 0.5) };
    let winch = Winch { length: 1.0, speed: 0.3, attached_to: None };
    app.world_mut().spawn((rope, winch, Transform::from_xyz(-2.0, 3.0, 0.0)));
    // Nothing is built before the first step.
    app.update();
    (app, cloth)
}

/// Makes a step after the game has moved what it moves.
fn step(app: &mut App, holder: Entity, frame: usize) {
    app.world_mut().get_mut::<Transform>(holder).unwrap().translation.x =
        xpbd_core::scalar::trig::sin(0.1 * frame as f32) * 0.3;
    app.update();
}

#[test]
fn frames_that_are_taken_back_and_made_again_have_the_same_bits() {
    let (mut straight, holder) = scene();
    let expected: Vec<u64> = (0..60)
        .map(|frame| {
            step(&mut straight, holder, frame);
            hash(&straight)
        })
        .collect();
    let (mut app, holder) = scene();
    for (frame, &expected) in expected.iter().enumerate() {
        let snapshot = save(&mut app);
        for ahead in 0..8 {
            if ahead == 2 {
                ball(&mut app, Vec3::new(0.5, 3.0, 0.0));
            }
            step(&mut app, holder, frame + ahead);
        }
        let restored = restore(&mut app, &snapshot);
        assert_eq!((restored.spawned_since.len(), restored.despawned_since.len()), (1, 0));
        app.world_mut().despawn(restored.spawned_since[0]);
        step(&mut app, holder, frame);
        assert_eq!(hash(&app), expected, "frame {frame}");
    }
}

#[test]
fn a_restored_snapshot_names_who_came_and_who_went() {
    let mut app = app();
    let (stays, goes) = (ball(&mut app, Vec3::Y), ball(&mut app, Vec3::new(1.0, 1.0, 0.0)));
    steps(&mut app, 5);
    let snapshot = save(&mut app);
    let (saved, elapsed) = (body(&app, stays), app.world().resource::<PhysicsTime>().elapsed);
    let comes = ball(&mut app, Vec3::new(2.0, 1.0, 0.0));
    app.world_mut().despawn(goes);
    steps(&mut app, 20);
    let restored = restore(&mut app, &snapshot);
    assert_eq!(restored, RestoredEntities { spawned_since: vec![comes], despawned_since: vec![goes] });
    assert_eq!((body(&app, stays), app.world().resource::<PhysicsTime>().elapsed), (saved, elapsed));
    assert_eq!(app.world().get::<Transform>(stays).unwrap().translation, saved.pose.translation);
    assert_eq!(app.world().get::<LinearVelocity>(stays).unwrap().0, saved.velocity);
    // What came is built again where it is.
    let place = app.world().get::<Transform>(comes).unwrap().translation;
    steps(&mut app, 1);
    assert!(body(&app, comes).pose.translation.distance(place) < 0.2);
    let physics = app.world().resource::<Physics>();
    assert_eq!((physics.body_of(stays).is_some(), physics.body_of(goes)), (true, None));
    assert_eq!(physics.owned_count(), 4, "two bodies and their colliders");
}

#[test]
fn a_body_that_sleeps_before_and_after_is_drawn_where_it_slept_before() {
    let mut app = app();
    let sleeper = ball(&mut app, Vec3::Y * 3.0);
    app.world_mut().entity_mut(sleeper).insert(Sleeping);
    steps(&mut app, 3);
    let snapshot = save(&mut app);
    app.world_mut().get_mut::<Transform>(sleeper).unwrap().translation.x = 1.0;
    steps(&mut app, 3);
    app.world_mut().entity_mut(sleeper).insert(Sleeping);
    steps(&mut app, 3);
    assert!(app.world().entity(sleeper).contains::<Sleeping>());
    restore(&mut app, &snapshot);
    steps(&mut app, 3);
    assert!(app.world().entity(sleeper).contains::<Sleeping>());
    assert_eq!(app.world().get::<Transform>(sleeper).unwrap().translation, Vec3::Y * 3.0);
    app.world_mut().entity_mut(sleeper).remove::<Sleeping>();
    steps(&mut app, 10);
    assert!(app.world().get::<Transform>(sleeper).unwrap().translation.y < 2.95);
}

#[test]
fn a_body_that_is_taken_back_by_one_step_goes_on_with_the_same_bits() {
    let mut app = app();
    floor(&mut app);
    let [resting, falling] = [0.2, 3.0].map(|height| ball(&mut app, Vec3::new(height, height, 0.0)));
    steps(&mut app, 5);
    let snapshot = save(&mut app);
    steps(&mut app, 1);
    let expected = [resting, falling].map(|entity| body(&app, entity));
    for _ in 0..3 {
        restore(&mut app, &snapshot);
        steps(&mut app, 1);
        assert_eq!([resting, falling].map(|entity| body(&app, entity)), expected);
    }
}

#[test]
fn a_torn_down_object_comes_back_with_its_pins_and_numbers() {
    let (mut app, cloth) = scene();
    steps(&mut app, 5);
    let snapshot = save(&mut app);
    let (before, held) = (points(&app, cloth), points(&app, cloth)[0]);
    app.world_mut().get_mut::<Cloth>(cloth).unwrap().0.density = 5.0;
    app.world_mut().entity_mut(cloth).remove::<Pinned>();
    steps(&mut app, 30);
    assert!(points(&app, cloth)[0].y < held.y - 0.3);
    app.world_mut().entity_mut(cloth).insert(Pinned::vertices([0, 7]));
    restore(&mut app, &snapshot);
    assert_eq!(points(&app, cloth), before);
    steps(&mut app, 30);
    assert!(points(&app, cloth)[0].distance(held) < 1e-5);
}
