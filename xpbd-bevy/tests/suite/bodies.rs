//! Bodies and colliders in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::body::BodyId;
use xpbd_bevy::collider::ColliderId;
use xpbd_bevy::prelude::*;
use xpbd_core::world::Settings;

use crate::support::{app, body, floor, steps};

const DT: f32 = 1.0 / 60.0;

fn ball(app: &mut App, place: Vec3, more: impl Bundle) -> Entity {
    let parts = (RigidBody::Dynamic, Collider::ball(0.5), Transform::from_translation(place), more);
    app.world_mut().spawn(parts).id()
}

fn crate_at(app: &mut App, place: Vec3, more: impl Bundle) -> Entity {
    let parts = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), Transform::from_translation(place), more);
    app.world_mut().spawn(parts).id()
}

#[test]
fn a_body_falls_as_far_as_the_formula_says() {
    let mut app = app();
    let velocity = (LinearVelocity(Vec3::new(1.0, 2.0, 0.0)), AngularVelocity(Vec3::Z));
    let entity = ball(&mut app, Vec3::new(0.0, 5.0, 0.0), (velocity, NoTransformEasing));
    steps(&mut app, 30);
    let Settings { gravity, substeps, .. } = *app.world().resource::<Physics>().world().settings();
    let (t, h) = (30.0 * DT, DT / substeps as f32);
    let transform = *app.world().get::<Transform>(entity).unwrap();
    // Symplectic Euler is ahead by half a substep of velocity.
    let expected = Vec3::new(0.0, 5.0, 0.0) + velocity.0.0 * t + gravity * (0.5 * t * (t + h));
    let apart = transform.translation.distance(expected);
    assert!(apart < 0.02, "{} and {expected}", transform.translation);
    let found = app.world().get::<LinearVelocity>(entity).unwrap();
    assert!(found.distance(velocity.0.0 + gravity * t) < 1e-3, "{found:?}");
    let (axis, angle) = transform.rotation.to_axis_angle();
    assert!(axis.distance(Vec3::Z) < 1e-3 && (angle - t).abs() < 1e-3, "{axis} {angle}");
}

#[test]
fn gravity_damping_and_locked_axes_hold_from_when_they_are_said() {
    let mut app = app();
    let entity = ball(&mut app, Vec3::ZERO, (GravityScale(0.0), LinearVelocity(Vec3::ONE)));
    steps(&mut app, 10);
    assert!(body(&app, entity).velocity.distance(Vec3::ONE) < 1e-4);
    app.world_mut().entity_mut(entity).insert(LockedAxes { translation: [true, false, false], ..default() });
    app.world_mut().entity_mut(entity).insert(LinearDamping(2.0));
    // It falls to exp(−2).
    let before = body(&app, entity).pose.translation.x;
    steps(&mut app, 60);
    let after = body(&app, entity);
    assert!((after.pose.translation.x - before).abs() < 1e-4);
    assert!((after.velocity.z - 0.135_335).abs() < 0.02, "{}", after.velocity.z);
    app.world_mut().entity_mut(entity).remove::<GravityScale>();
    steps(&mut app, 10);
    assert!(body(&app, entity).velocity.y < -1.0);
}

#[test]
fn a_box_rests_sleeps_and_wakes_when_hit() {
    let mut app = app();
    floor(&mut app);
    let entity = crate_at(&mut app, Vec3::new(0.0, 0.6, 0.0), ());
    steps(&mut app, 150);
    assert!(app.world().get::<Sleeping>(entity).is_some());
    let transform = *app.world().get::<Transform>(entity).unwrap();
    assert!((transform.translation.y - 0.5).abs() < 0.01, "{transform:?}");
    let seen = app.world().entity(entity).get_ref::<Transform>().unwrap().last_changed();
    steps(&mut app, 5);
    assert_eq!(app.world().entity(entity).get_ref::<Transform>().unwrap().last_changed(), seen);
    ball(&mut app, Vec3::new(-2.0, 0.6, 0.0), LinearVelocity(Vec3::X * 8.0));
    steps(&mut app, 30);
    assert!(app.world().get::<Sleeping>(entity).is_none());
    assert!(app.world().get::<Transform>(entity).unwrap().translation.x > 0.05);
}

#[test]
fn colliders_below_a_body_weigh_on_it() {
    let mut app = app();
    let end = |x: f32| (Collider::ball(0.5), ColliderDensity(500.0), Transform::from_xyz(x, 0.0, 0.0));
    let dumbbell = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_scale(Vec3::splat(2.0)))).id();
    let ends = [-1.0, 1.0].map(|x| app.world_mut().spawn((end(x), ChildOf(dumbbell))).id());
    steps(&mut app, 1);
    let volume = 4.0 / 3.0 * std::f32::consts::PI;
    let mass = body(&app, dumbbell).mass;
    assert!((mass.mass / (2.0 * 500.0 * volume) - 1.0).abs() < 1e-4, "{mass:?}");
    // Each ball 2/5 m r² about itself, and two metres from the centre.
    let most = 1000.0 * volume * (0.4 + 4.0);
    assert!((mass.principal_inertia.max_element() / most - 1.0).abs() < 1e-3, "{mass:?}");
    app.world_mut().entity_mut(ends[0]).insert(ColliderDensity(1500.0));
    steps(&mut app, 1);
    let mass = body(&app, dumbbell).mass;
    assert!((mass.mass / (2000.0 * volume) - 1.0).abs() < 1e-4);
    assert!((mass.center_of_mass.x + 1.0).abs() < 1e-4, "{mass:?}");
    app.world_mut().despawn(ends[1]);
    steps(&mut app, 1);
    assert!((body(&app, dumbbell).mass.mass / (1500.0 * volume) - 1.0).abs() < 1e-4);
    app.world_mut().entity_mut(dumbbell).insert(Mass::new(7.0));
    steps(&mut app, 1);
    assert!((body(&app, dumbbell).mass.mass - 7.0).abs() < 1e-4);
}

#[test]
fn a_body_without_a_mass_waits_for_one() {
    let mut app = app();
    let entity = app.world_mut().spawn(RigidBody::Dynamic).id();
    steps(&mut app, 2);
    assert!(app.world().get::<BodyId>(entity).is_none());
    app.world_mut().entity_mut(entity).insert(Collider::ball(1.0));
    steps(&mut app, 1);
    assert!(app.world().get::<BodyId>(entity).is_some());
    assert!(app.world().get::<ColliderId>(entity).is_some());
    let other = app.world_mut().spawn((RigidBody::Dynamic, Mass::new(2.0))).id();
    steps(&mut app, 1);
    assert!(app.world().get::<BodyId>(other).is_none());
    app.world_mut().entity_mut(other).insert(Mass::new(2.0).inertia(Vec3::ONE));
    steps(&mut app, 1);
    assert_eq!(body(&app, other).mass.mass, 2.0);
}

#[test]
fn a_lift_carries_what_stands_on_it() {
    let mut app = app();
    let parts = (RigidBody::Kinematic, Collider::cuboid(1.0, 0.1, 1.0), Transform::from_xyz(0.0, -0.1, 0.0));
    let lift = app.world_mut().spawn(parts).id();
    let entity = crate_at(&mut app, Vec3::new(0.0, 0.5, 0.0), ());
    steps(&mut app, 30);
    for _ in 0..60 {
        app.world_mut().get_mut::<Transform>(lift).unwrap().translation.y += DT;
        app.update();
    }
    let (rider, moved) = (body(&app, entity), body(&app, lift));
    assert!((moved.pose.translation.y - 0.9).abs() < 1e-4, "{:?}", moved.pose);
    assert!((rider.pose.translation.y - 1.5).abs() < 0.02, "{:?}", rider.pose);
    assert!((rider.velocity.y - 1.0).abs() < 0.05);
}

#[test]
fn a_body_is_placed_and_thrown_between_frames_though_it_is_eased() {
    let mut app = app();
    let entity = ball(&mut app, Vec3::ZERO, ());
    steps(&mut app, 20);
    let mut it = app.world_mut().entity_mut(entity);
    it.get_mut::<Transform>().unwrap().translation = Vec3::new(3.0, 10.0, 0.0);
    it.get_mut::<LinearVelocity>().unwrap().0 = Vec3::new(0.0, 6.0, 0.0);
    steps(&mut app, 1);
    let after = body(&app, entity);
    assert!((after.pose.translation - Vec3::new(3.0, 10.0 + 6.0 * DT, 0.0)).length() < 0.01, "{:?}", after.pose);
    // Drawn from where it was put.
    let drawn = app.world().get::<Transform>(entity).unwrap().translation;
    assert!(drawn.x == 3.0 && drawn.y >= 10.0 && drawn.y <= after.pose.translation.y, "{drawn}");
    steps(&mut app, 5);
    assert!(body(&app, entity).pose.translation.y > 10.3);
}

#[test]
fn what_is_eased_is_drawn_between_two_steps() {
    let mut app = app();
    let eased = ball(&mut app, Vec3::ZERO, GravityScale(0.0));
    let velocity = LinearVelocity(Vec3::X);
    app.world_mut().entity_mut(eased).insert(velocity);
    app.insert_resource(bevy::time::TimeUpdateStrategy::ManualDuration(std::time::Duration::from_secs_f32(0.75 * DT)));
    steps(&mut app, 20);
    let mut last = app.world().get::<Transform>(eased).unwrap().translation.x;
    for _ in 0..20 {
        app.update();
        let x = app.world().get::<Transform>(eased).unwrap().translation.x;
        assert!((x - last - 0.75 * DT).abs() < 1e-4, "{x} {last}");
        last = x;
    }
}

#[test]
fn a_child_that_is_a_body_moves_in_the_world() {
    let mut app = app();
    let at = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_z(1.0));
    let parent = app.world_mut().spawn(at).id();
    let child = ball(&mut app, Vec3::X, (GravityScale(0.0), NoTransformEasing, ChildOf(parent)));
    steps(&mut app, 1);
    let start = at.transform_point(Vec3::X);
    assert!(body(&app, child).pose.translation.distance(start) < 1e-5);
    app.world_mut().get_mut::<LinearVelocity>(child).unwrap().0 = Vec3::Y;
    for _ in 0..60 {
        app.world_mut().get_mut::<Transform>(parent).unwrap().translation.x += 0.01;
        app.update();
    }
    let pose = body(&app, child).pose;
    assert!(pose.translation.distance(start + Vec3::Y) < 1e-3, "{pose:?}");
    let local = *app.world().get::<Transform>(child).unwrap();
    let parent = *app.world().get::<Transform>(parent).unwrap();
    assert!(parent.transform_point(local.translation).distance(pose.translation) < 1e-4);
}

#[test]
fn forces_push_and_do_not_add_up_in_a_pause() {
    let mut app = app();
    let force = ExternalForce { force: Vec3::X * 6.0, torque: Vec3::ZERO };
    let entity = ball(&mut app, Vec3::ZERO, (GravityScale(0.0), Mass::new(3.0), force));
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    steps(&mut app, 10);
    app.world_mut().resource_mut::<PhysicsTime>().paused = false;
    steps(&mut app, 30);
    assert!((body(&app, entity).velocity.x - 1.0).abs() < 1e-3);
}

#[test]
fn friction_is_changed_while_it_slides() {
    let mut app = app();
    let ground = floor(&mut app);
    app.world_mut().entity_mut(ground).insert(Friction::new(0.0));
    let throw = LinearVelocity(Vec3::X * 2.0);
    let entity = crate_at(&mut app, Vec3::new(0.0, 0.5, 0.0), (throw, SleepingDisabled));
    steps(&mut app, 60);
    assert!((body(&app, entity).velocity.x - 2.0).abs() < 0.02);
    app.world_mut().entity_mut(ground).insert(Friction::new(1.0));
    app.world_mut().entity_mut(entity).insert(Friction::new(1.0));
    steps(&mut app, 60);
    assert!(body(&app, entity).velocity.x.abs() < 0.01);
    app.world_mut().entity_mut(ground).remove::<Friction>();
    app.world_mut().entity_mut(entity).insert(CollisionLayers { memberships: 0, filters: 0 });
    steps(&mut app, 30);
    assert!(body(&app, entity).pose.translation.y < 0.0);
}

#[test]
fn colliders_follow_their_transforms_and_change_bodies() {
    let mut app = app();
    let shelf = app.world_mut().spawn((Collider::cuboid(1.0, 0.1, 1.0), Transform::from_xyz(0.0, -0.1, 0.0))).id();
    let entity = crate_at(&mut app, Vec3::new(0.0, 0.5, 0.0), SleepingDisabled);
    steps(&mut app, 30);
    assert!((body(&app, entity).pose.translation.y - 0.5).abs() < 0.02);
    let lift = app.world_mut().spawn((RigidBody::Kinematic, Transform::IDENTITY)).id();
    app.world_mut().entity_mut(shelf).insert(ChildOf(lift));
    for _ in 0..60 {
        app.world_mut().get_mut::<Transform>(lift).unwrap().translation.y += DT;
        app.update();
    }
    assert!((body(&app, entity).pose.translation.y - 1.5).abs() < 0.03, "{:?}", body(&app, entity).pose);
    app.world_mut().entity_mut(shelf).remove::<ChildOf>();
    steps(&mut app, 60);
    assert!((body(&app, entity).pose.translation.y - 0.5).abs() < 0.03, "{:?}", body(&app, entity).pose);
    app.world_mut().entity_mut(shelf).insert(Transform::from_xyz(50.0, 0.0, 0.0));
    steps(&mut app, 30);
    assert!(body(&app, entity).pose.translation.y < -0.5);
}

#[test]
fn all_goes_in_any_order() {
    for order in 0..6 {
        let mut app = app();
        let parent = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, 3.0, 0.0))).id();
        let child = app.world_mut().spawn((Collider::ball(0.5), ChildOf(parent))).id();
        let other = ball(&mut app, Vec3::new(2.0, 3.0, 0.0), ());
        floor(&mut app);
        let joint = app.world_mut().spawn(Joint::between(parent, other, HingeJoint::new(Vec3::Y * 3.0, Vec3::Z))).id();
        steps(&mut app, 3);
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for what in orders[order] {
            let world = app.world_mut();
            match what {
                0 => drop(world.try_despawn(joint)),
                1 => drop(world.try_despawn(child)),
                _ => drop(world.try_despawn(parent)),
            }
            steps(&mut app, 2);
        }
        app.world_mut().entity_mut(other).remove::<RigidBody>();
        steps(&mut app, 2);
        let physics = app.world().resource::<Physics>();
        assert_eq!(physics.world().state().bodies.len(), 0);
        // The ball is a static collider now, beside the floor.
        assert_eq!(physics.world().state().colliders.iter().count(), 2);
        assert!(physics.world().state().batches.iter().next().is_none());
    }
}

#[test]
fn kinds_of_bodies_and_shapes_change_live() {
    let mut app = app();
    let entity = app.world_mut().spawn((RigidBody::Fixed, Collider::ball(0.5), Transform::IDENTITY)).id();
    steps(&mut app, 10);
    let id = *app.world().get::<BodyId>(entity).unwrap();
    assert_eq!(body(&app, entity).pose.translation, Vec3::ZERO);
    app.world_mut().entity_mut(entity).insert(RigidBody::Dynamic);
    steps(&mut app, 30);
    assert_eq!(*app.world().get::<BodyId>(entity).unwrap(), id);
    assert!(body(&app, entity).pose.translation.y < -1.0);
    let mass = body(&app, entity).mass.mass;
    app.world_mut().entity_mut(entity).insert(Collider::cuboid(0.5, 0.5, 0.5));
    steps(&mut app, 1);
    assert!((body(&app, entity).mass.mass - 1000.0).abs() < 0.1, "{mass}");
}

#[test]
fn meshes_become_colliders_once_loaded() {
    let mut app = app();
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(1.0, 2.0, 3.0));
    for kind in [ColliderFromMesh::Triangles, ColliderFromMesh::ConvexHull] {
        let entity = app.world_mut().spawn((RigidBody::Dynamic, kind, Mesh3d(mesh.clone()))).id();
        steps(&mut app, 2);
        assert!((body(&app, entity).mass.mass - 6000.0).abs() < 1.0);
    }
    let heights = Collider::height_field(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 0.0]], Vec2::new(4.0, 2.0)).unwrap();
    let ray = parry3d::query::Ray::new(Vec3::new(0.0, 5.0, -1.0 + 1e-4), Vec3::NEG_Y);
    let hit = heights.shape().cast_local_ray(&ray, 10.0, false).unwrap();
    assert!((hit - 4.0).abs() < 1e-3, "{hit}");
    assert!(Collider::height_field(&[vec![0.0, 1.0]], Vec2::ONE).is_none());
    assert!(Collider::convex_hull(&[Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::ONE.with_y(0.0)]).is_none());
}

#[test]
fn a_kinematic_body_moves_by_its_velocity_and_carries_what_stands_on_it() {
    let mut app = app();
    let velocity = (LinearVelocity(Vec3::new(0.5, 0.0, 0.0)), AngularVelocity(Vec3::Y * 0.2));
    let parts = (RigidBody::Kinematic, Collider::cuboid(2.0, 0.1, 2.0), velocity, NoTransformEasing);
    let lift = app.world_mut().spawn(parts).id();
    let load = crate_at(&mut app, Vec3::new(0.0, 0.6, 0.0), NoTransformEasing);
    steps(&mut app, 120);
    let placed = *app.world().get::<Transform>(lift).unwrap();
    assert!(placed.translation.distance(Vec3::X) < 1e-4, "{}", placed.translation);
    assert!((placed.rotation.to_scaled_axis() - Vec3::Y * 0.4).length() < 1e-4, "{}", placed.rotation);
    assert_eq!(*app.world().get::<LinearVelocity>(lift).unwrap(), velocity.0);
    assert!((body(&app, load).pose.translation.x - 1.0).abs() < 0.05, "{}", body(&app, load).pose.translation);
    // A transform that is written goes before the velocity, which then goes on from there.
    app.world_mut().get_mut::<Transform>(lift).unwrap().translation = Vec3::new(1.0, 0.05, 0.0);
    steps(&mut app, 1);
    assert!(body(&app, lift).pose.translation.distance(Vec3::new(1.0, 0.05, 0.0)) < 1e-6);
    steps(&mut app, 60);
    assert!(body(&app, lift).pose.translation.distance(Vec3::new(1.5, 0.05, 0.0)) < 1e-4);
    app.world_mut().get_mut::<LinearVelocity>(lift).unwrap().0 = Vec3::splat(f32::NAN);
    steps(&mut app, 5);
    app.world_mut().get_mut::<LinearVelocity>(lift).unwrap().0 = Vec3::X;
    steps(&mut app, 60);
    assert!(body(&app, lift).pose.translation.distance(Vec3::new(2.5, 0.05, 0.0)) < 1e-4);
}

#[test]
fn sleeping_that_is_inserted_puts_a_body_to_sleep_and_removed_wakes_it() {
    let mut app = app();
    let early = ball(&mut app, Vec3::new(0.0, 5.0, 0.0), Sleeping);
    let late = ball(&mut app, Vec3::new(3.0, 5.0, 0.0), ());
    steps(&mut app, 10);
    assert_eq!(body(&app, early).pose.translation.y, 5.0);
    let fallen = body(&app, late).pose.translation.y;
    assert!(fallen < 4.95);
    app.world_mut().entity_mut(late).insert(Sleeping);
    steps(&mut app, 30);
    assert_eq!(body(&app, late).pose.translation.y, fallen);
    for entity in [early, late] {
        assert!(app.world().entity(entity).contains::<Sleeping>());
        app.world_mut().entity_mut(entity).remove::<Sleeping>();
    }
    steps(&mut app, 30);
    assert!(body(&app, early).pose.translation.y < 4.5 && body(&app, late).pose.translation.y < fallen - 0.5);
    // A body that may not sleep stays awake.
    app.world_mut().entity_mut(late).insert((SleepingDisabled, Sleeping));
    steps(&mut app, 2);
    assert!(!app.world().entity(late).contains::<Sleeping>());
    assert!(body(&app, late).velocity.y < -1.0);
}

/// v = v₀ + a t up to the speed of the belt, with a = μ g, and then with it; a changed component changes the speed.
#[test]
fn a_belt_carries_what_lies_on_it() {
    let mut app = app();
    let belt = floor(&mut app);
    app.world_mut().entity_mut(belt).insert((SurfaceVelocity(Vec3::X * 2.0), Friction::new(0.5)));
    let entity = crate_at(&mut app, Vec3::Y * 0.5, (Friction::new(0.5), NoTransformEasing));
    steps(&mut app, 12);
    let speed = body(&app, entity).velocity.x;
    assert!((speed / (0.5 * 9.81 * 12.0 * DT) - 1.0).abs() < 0.05, "{speed}");
    steps(&mut app, 60);
    assert!((body(&app, entity).velocity.x - 2.0).abs() < 0.02, "{}", body(&app, entity).velocity);
    app.world_mut().entity_mut(belt).insert(SurfaceVelocity(Vec3::Z * -1.0));
    steps(&mut app, 120);
    let velocity = body(&app, entity).velocity;
    assert!(velocity.distance(Vec3::Z * -1.0) < 0.02, "{velocity}");
}

/// A ball that is thrown up at 6 m/s passes a platform 1 m above and comes to rest on it; without the component it turns
/// round below.
#[test]
fn a_one_way_platform_lets_through_from_below_and_bears_from_above() {
    for is_platform in [true, false] {
        let mut app = app();
        let slab = (Collider::cuboid(2.0, 0.05, 2.0), Transform::from_xyz(0.0, 2.0, 0.0));
        let slab = app.world_mut().spawn(slab).id();
        if is_platform {
            app.world_mut().entity_mut(slab).insert(OneWayPlatform(Vec3::Y));
        }
        let entity = ball(&mut app, Vec3::Y * 0.5, (LinearVelocity(Vec3::Y * 8.0), NoTransformEasing));
        steps(&mut app, 180);
        let height = body(&app, entity).pose.translation.y;
        assert!(if is_platform { (height - 2.55).abs() < 0.01 } else { height < 0.0 }, "{is_platform}: {height}");
    }
}
