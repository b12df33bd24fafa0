//! Impulses and forces, against closed forms.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, points, steps};

const DT: f32 = 1.0 / 60.0;
/// The mass of a box of 0.2 × 0.4 × 0.6 m of the density of water \[kg\].
const MASS: f32 = 48.0;

/// A box whose three moments of inertia differ, where nothing touches it.
fn tilted_box(app: &mut App, more: impl Bundle) -> Entity {
    let transform = Transform::from_xyz(3.0, 1.0, -2.0).with_rotation(Quat::from_euler(EulerRot::XYZ, 0.4, -0.9, 1.3));
    let shape = (RigidBody::Dynamic, Collider::cuboid(0.1, 0.2, 0.3), ColliderDensity(1000.0));
    app.world_mut().spawn((shape, GravityScale(0.0), transform, more)).id()
}

/// Returns R diag(I₁, I₂, I₃) Rᵀ x, with the moments m (b² + c²)/3 of a box.
fn inertia(rotation: Quat, x: Vec3) -> Vec3 {
    let s = Vec3::new(0.1, 0.2, 0.3).powf(2.0);
    rotation * (Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (MASS / 3.0) * (rotation.inverse() * x))
}

fn velocities(app: &App, entity: Entity) -> Vec<Vec3> {
    let physics = app.world().resource::<Physics>();
    physics.world().velocities(physics.object_of(entity).unwrap()).unwrap().collect()
}

fn errors(app: &mut App) -> Vec<PhysicsError> {
    app.world_mut().resource_mut::<Messages<PhysicsError>>().drain().collect()
}

/// m v = J and I ω = r × J + L. The angular momentum stays while the body turns on.
#[test]
fn an_impulse_at_a_point_moves_and_turns_a_body() {
    let mut app = app();
    // It comes together with the body, which is built in the step that follows.
    let entity = tilted_box(&mut app, ());
    let (impulse, lever, angular) = (Vec3::new(20.0, -9.0, 4.0), Vec3::new(0.1, 0.3, -0.2), Vec3::new(0.2, 0.5, -0.7));
    let point = Vec3::new(3.0, 1.0, -2.0) + lever;
    app.world_mut().trigger(ApplyImpulse::at_point(entity, impulse, point));
    app.world_mut().trigger(ApplyImpulse::angular(entity, angular));
    steps(&mut app, 1);
    for _ in 0..2 {
        let body = body(&app, entity);
        assert!((body.mass.mass - MASS).abs() < 1e-4);
        assert!(body.velocity.distance(impulse / MASS) < 1e-6, "{}", body.velocity);
        let (found, expected) = (inertia(body.pose.rotation, body.angular_velocity), lever.cross(impulse) + angular);
        assert!(found.distance(expected) < 1e-4 * expected.length(), "{found} {expected}");
        // It acts once.
        steps(&mut app, 30);
    }
    assert_eq!(app.world().get::<LinearVelocity>(entity).unwrap().0, body(&app, entity).velocity);
}

/// m v = F dt and I ω = (r × F + M) dt, up to what the body turns on the way.
#[test]
fn a_force_at_a_point_acts_for_one_step_and_waits_in_a_pause() {
    let mut app = app();
    let entity = tilted_box(&mut app, ());
    steps(&mut app, 1);
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    let (force, lever, torque) = (Vec3::new(30.0, 5.0, -8.0), Vec3::new(-0.1, 0.2, 0.3), Vec3::new(1.0, -2.0, 0.5));
    app.world_mut().trigger(ApplyForce::at_point(entity, force, Vec3::new(3.0, 1.0, -2.0) + lever));
    app.world_mut().trigger(ApplyForce::torque(entity, torque));
    steps(&mut app, 5);
    assert_eq!(body(&app, entity).velocity, Vec3::ZERO);
    let waits = PhysicsSnapshot::save(app.world_mut()).unwrap();
    app.world_mut().resource_mut::<PhysicsTime>().paused = false;
    steps(&mut app, 1);
    let pushed = body(&app, entity);
    assert!(pushed.velocity.distance(force / MASS * DT) < 1e-6, "{}", pushed.velocity);
    let (found, expected) =
        (inertia(pushed.pose.rotation, pushed.angular_velocity), (lever.cross(force) + torque) * DT);
    assert!(found.distance(expected) < 1e-3 * expected.length(), "{found} {expected}");
    steps(&mut app, 1);
    assert!(body(&app, entity).velocity.distance(force / MASS * DT) < 1e-6);
    // What waits is part of a snapshot.
    waits.restore(app.world_mut()).unwrap();
    assert_eq!(body(&app, entity).velocity, Vec3::ZERO);
    steps(&mut app, 1);
    assert_eq!(body(&app, entity), pushed);
}

#[test]
fn an_impulse_wakes_a_body_that_sleeps() {
    let mut app = app();
    floor(&mut app);
    let sleeper = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), Transform::from_xyz(0.0, 0.5, 0.0), Sleeping);
    let entity = app.world_mut().spawn(sleeper).id();
    steps(&mut app, 10);
    assert!(app.world().entity(entity).contains::<Sleeping>());
    let mass = body(&app, entity).mass.mass;
    app.world_mut().trigger(ApplyImpulse::new(entity, Vec3::Y * 3.0 * mass));
    steps(&mut app, 1);
    assert!(!app.world().entity(entity).contains::<Sleeping>());
    let speed = body(&app, entity).velocity.y;
    assert!((speed - (3.0 - 9.81 * DT)).abs() < 1e-3, "{speed}");
}

/// v = J/M everywhere for a rope in free space, and J/m for its nearest particle while the impulse acts.
#[test]
fn an_impulse_pushes_all_free_particles_alike_or_the_nearest() {
    let mut app = app();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 10, 2.0);
    let free = app.world_mut().spawn((rope.clone(), GravityScale(0.0))).id();
    let held =
        app.world_mut().spawn((rope, GravityScale(0.0), Pinned::vertices([0]), Transform::from_xyz(0.0, 5.0, 0.0)));
    let held = held.id();
    steps(&mut app, 1);
    let mass: f32 = {
        let physics = app.world().resource::<Physics>();
        let object = physics.object_of(free).unwrap();
        let state = physics.world().state();
        state.particles.mass[state.objects.get(object).unwrap().range.clone()].iter().sum()
    };
    let impulse = Vec3::new(0.0, 0.5, 1.0);
    app.world_mut().trigger(ApplyImpulse::new(free, impulse));
    steps(&mut app, 1);
    for velocity in velocities(&app, free) {
        assert!(velocity.distance(impulse / mass) < 1e-4, "{velocity}");
    }
    app.world_mut().trigger(ApplyForce::new(free, -impulse / DT));
    steps(&mut app, 1);
    for velocity in velocities(&app, free) {
        assert!(velocity.length() < 1e-4, "{velocity}");
    }
    // At a point the momentum is the same, and it begins at the nearest particle.
    let before = points(&app, free);
    app.world_mut().trigger(ApplyImpulse::at_point(free, Vec3::Y * 0.1, before[3] + Vec3::new(0.02, 0.01, 0.0)));
    steps(&mut app, 1);
    let now = velocities(&app, free);
    let fastest = (0..11).max_by(|&a, &b| now[a].y.total_cmp(&now[b].y)).unwrap();
    assert_eq!(fastest, 3, "{now:?}");
    let physics = app.world().resource::<Physics>();
    let momentum = physics.world().momentum().linear.as_vec3();
    assert!(momentum.distance(Vec3::Y * 0.1) < 1e-4, "{momentum}");
    // What is held is not pushed: the others share the impulse.
    let pinned = points(&app, held)[0];
    app.world_mut().trigger(ApplyImpulse::new(held, Vec3::Z * 0.1));
    steps(&mut app, 1);
    assert_eq!(points(&app, held)[0], pinned);
    let along = app.world().resource::<Physics>().world().momentum().linear.z;
    assert!((along - 0.1).abs() < 0.02, "{along}");
}

/// v = a t, as for particles.
#[test]
fn an_acceleration_moves_a_body_as_gravity_would() {
    let mut app = app();
    let entity = tilted_box(&mut app, ConstantAcceleration(Vec3::new(1.0, -2.0, 0.5)));
    steps(&mut app, 60);
    let body = body(&app, entity);
    assert!(body.velocity.distance(Vec3::new(1.0, -2.0, 0.5)) < 1e-4, "{}", body.velocity);
    assert_eq!(body.angular_velocity, Vec3::ZERO);
}

#[test]
fn pushes_that_nothing_takes_are_told_with_their_entity() {
    let mut app = app();
    let cart = app.world_mut().spawn((RigidBody::Kinematic, Collider::ball(0.1))).id();
    let nothing = app.world_mut().spawn(Transform::default()).id();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 2, 1.0);
    let held = app.world_mut().spawn((rope.clone(), Pinned::vertices([0, 1, 2]))).id();
    let twisted = app.world_mut().spawn((rope, Transform::from_xyz(0.0, 3.0, 0.0))).id();
    let ball =
        app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.1), Transform::from_xyz(0.0, 9.0, 0.0))).id();
    steps(&mut app, 1);
    errors(&mut app);
    for _ in 0..2 {
        app.world_mut().trigger(ApplyImpulse::new(cart, Vec3::X));
        app.world_mut().trigger(ApplyForce::new(nothing, Vec3::X));
        app.world_mut().trigger(ApplyForce::new(held, Vec3::X));
        app.world_mut().trigger(ApplyImpulse::angular(twisted, Vec3::X));
        app.world_mut().trigger(ApplyImpulse::at_point(ball, Vec3::X, Vec3::NAN));
        steps(&mut app, 1);
    }
    let expected = [(cart, "dynamic"), (nothing, "neither"), (held, "held"), (twisted, "torque"), (ball, "point")];
    let told = errors(&mut app);
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (entity, words) in expected {
        assert!(told.iter().any(|error| error.entity == entity && error.message.contains(words)), "{words}: {told:?}");
    }
    // One that is despawned in the meantime is no fault.
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    app.world_mut().trigger(ApplyImpulse::new(ball, Vec3::X));
    app.world_mut().despawn(ball);
    app.world_mut().resource_mut::<PhysicsTime>().paused = false;
    steps(&mut app, 2);
    assert!(errors(&mut app).is_empty());
}

/// v = u (1 − (1 + d Δt)⁻ⁿ) in the frame of the entity, and no longer once the region has moved away.
#[test]
fn a_region_of_wind_goes_with_its_entity() {
    let mut app = app();
    let entity = tilted_box(&mut app, ());
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 4, 2.0);
    let rope = app.world_mut().spawn((rope, GravityScale(0.0), Transform::from_xyz(3.0, 0.5, -2.0))).id();
    let parent = app.world_mut().spawn(Transform::from_xyz(3.0, 0.0, -2.0)).id();
    let turned = Transform::from_rotation(Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2));
    let wind = ForceField::Wind { velocity: Vec3::Y * 2.0, damping: 3.0 };
    let region = ForceRegion::new(Collider::ball(3.0), wind);
    app.world_mut().spawn((region, turned, ChildOf(parent)));
    steps(&mut app, 30);
    let expected = 2.0 * (1.0 - (1.0f64 + 3.0 / 60.0).powf(-30.0)) as f32 * Vec3::X;
    let found = body(&app, entity).velocity;
    assert!(found.distance(expected) < 1e-4, "{found} {expected}");
    for velocity in velocities(&app, rope) {
        assert!(velocity.distance(expected) < 1e-3, "{velocity} {expected}");
    }
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation.y = 50.0;
    steps(&mut app, 1);
    let kept = body(&app, entity).velocity;
    steps(&mut app, 10);
    assert!(body(&app, entity).velocity.distance(kept) < 1e-6);
}

/// A raft of the density 600 rests with 0.6 of its height in water whose density is then halved by an inspector: it sinks. A
/// cube of this density would lie on an edge.
#[test]
fn a_raft_floats_in_a_pool_and_sinks_when_its_water_is_too_light() {
    let mut app = app();
    let shape = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.5, 1.0), ColliderDensity(600.0));
    let entity = app.world_mut().spawn((shape, Transform::from_xyz(0.3, 0.0, 0.2))).id();
    let field = ForceField::Buoyancy {
        density: 1000.0,
        particle_density: 500.0,
        damping: 2.0,
        velocity: Vec3::ZERO,
        surface: 2.0,
    };
    let pool = ForceRegion::new(Collider::cuboid(5.0, 2.0, 5.0), field);
    let pool = app.world_mut().spawn((pool, Transform::from_xyz(0.0, -2.0, 0.0))).id();
    steps(&mut app, 900);
    let rests = body(&app, entity);
    assert!((rests.pose.translation.y + 0.1).abs() < 1e-3 && rests.velocity.length() < 1e-3, "{rests:?}");
    let mut region = app.world_mut().get_mut::<ForceRegion>(pool).unwrap();
    *region.reflect_path_mut("field.density").unwrap().try_downcast_mut::<f32>().unwrap() = 500.0;
    steps(&mut app, 60);
    assert!(body(&app, entity).pose.translation.y < -0.5);
    // What is invalid is told once, and pushes nothing.
    let mut region = app.world_mut().get_mut::<ForceRegion>(pool).unwrap();
    *region.reflect_path_mut("field.density").unwrap().try_downcast_mut::<f32>().unwrap() = -1.0;
    let falling = body(&app, entity).velocity.y;
    steps(&mut app, 2);
    assert!((body(&app, entity).velocity.y - falling + 2.0 * 9.81 * DT).abs() < 1e-4);
    let told = errors(&mut app);
    assert!(told.len() == 1 && told[0].entity == pool && told[0].message.contains("density"), "{told:?}");
}
