//! Characters in an app without a window.

use std::f32::consts::{FRAC_PI_2, PI};

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, points, steps};

const DT: f32 = 1.0 / 60.0;
const RADIUS: f32 = 0.3;
/// Height of the middle of the capsule above the ground: half of its length, and the offset.
const HEIGHT: f32 = 0.92;

fn spawn(app: &mut App, at: Vec3, more: impl Bundle) -> Entity {
    let shape = Collider::capsule(0.6, RADIUS);
    app.world_mut().spawn((CharacterController::default(), shape, Transform::from_translation(at), more)).id()
}

fn walk(app: &mut App, entity: Entity, velocity: Vec3, count: usize) {
    app.world_mut().get_mut::<CharacterInput>(entity).unwrap().velocity = velocity;
    steps(app, count);
}

fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).unwrap().translation
}

fn output(app: &App, entity: Entity) -> &CharacterOutput {
    app.world().get::<CharacterOutput>(entity).unwrap()
}

fn errors(app: &mut App) -> Vec<PhysicsError> {
    app.world_mut().resource_mut::<Messages<PhysicsError>>().drain().collect()
}

/// x = x₀ + v t on the floor and over a step, and the transform is that of the body. The wall is what it collides with.
#[test]
fn a_character_walks_climbs_a_step_and_stops_at_a_wall() {
    let mut app = app();
    let ground = floor(&mut app);
    let step = app.world_mut().spawn((Collider::cuboid(3.0, 0.15, 2.0), Transform::from_xyz(6.0, 0.15, 0.0))).id();
    let wall = app.world_mut().spawn((Collider::cuboid(0.5, 2.0, 2.0), Transform::from_xyz(8.0, 2.0, 0.0))).id();
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    walk(&mut app, entity, Vec3::X * 2.0, 30);
    assert_eq!(output(&app, entity).ground.unwrap().entity, Some(ground));
    let from = place(&app, entity);
    walk(&mut app, entity, Vec3::X * 2.0, 30);
    assert!((place(&app, entity).x - from.x - 1.0).abs() < 1e-3, "{}", place(&app, entity));
    assert!(output(&app, entity).velocity.distance(Vec3::X * 2.0) < 1e-3);
    walk(&mut app, entity, Vec3::X * 2.0, 60);
    let up = place(&app, entity);
    assert!((up.x - from.x - 3.0).abs() < 0.05 && (up.y - HEIGHT - 0.3).abs() < 4e-3, "{up}");
    assert_eq!(output(&app, entity).ground.unwrap().entity, Some(step));
    walk(&mut app, entity, Vec3::X * 2.0, 120);
    let end = place(&app, entity);
    assert!((end.x - 7.5 + RADIUS + 0.02).abs() < 0.01, "{end}");
    assert!(output(&app, entity).collisions.iter().any(|hit| hit.entity == Some(wall)));
    assert_eq!(body(&app, entity).pose.translation, end);
    assert!(errors(&mut app).is_empty());
}

/// A curtain of two sheets, 2 m high and of 0.3 kg/m², that meet in the middle. The character comes through with most of its speed;
/// no vertex is in it on the way; and both sheets hang behind it again.
#[test]
fn a_character_parts_a_curtain() {
    let mut app = app();
    floor(&mut app);
    let sheet = Plane3d::default().mesh().size(2.0, 1.0).subdivisions(15).build();
    let sheet = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet);
    let curtain = [-0.51, 0.51].map(|z| {
        let settings = ClothSettings { density: 0.3, ..default() };
        let top = Pinned::when(|_, vertex| vertex.x > 0.99);
        let hung = Transform::from_xyz(2.0, 1.15, z).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
        app.world_mut().spawn((Cloth(settings), Mesh3d(sheet.clone()), top, hung, LinearDamping(0.5))).id()
    });
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    walk(&mut app, entity, Vec3::ZERO, 60);
    let from = place(&app, entity).x;
    let (mut deepest, mut moved) = (f32::MAX, 0.0_f32);
    for _ in 0..150 {
        walk(&mut app, entity, Vec3::X * 1.5, 1);
        let middle = place(&app, entity);
        for sheet in curtain {
            for point in points(&app, sheet) {
                let nearest = middle + Vec3::Y * (point.y - middle.y).clamp(-0.6, 0.6);
                deepest = deepest.min(point.distance(nearest) - RADIUS);
                moved = moved.max((point.x - 2.0).abs());
            }
        }
    }
    let way = place(&app, entity).x - from;
    // 2.5 s at 1.5 m/s, less what it takes to start and what the sheets take away.
    assert!(way > 0.85 * 3.75 && way < 3.75, "{way}");
    assert!(deepest > -5e-3 && deepest < 0.05, "{deepest}");
    assert!(moved > 0.3, "{moved}");
    walk(&mut app, entity, Vec3::X * 1.5, 300);
    for sheet in curtain {
        let far = points(&app, sheet).into_iter().map(|point| (point.x - 2.0).abs()).fold(0.0, f32::max);
        assert!(far < 0.25, "{far}");
    }
}

/// A net that is held on all sides stops the character: what the net pushes with grows until the legs push with as much.
#[test]
fn a_net_that_is_held_stops_a_character() {
    let mut app = app();
    floor(&mut app);
    let sheet = Plane3d::default().mesh().size(2.0, 2.0).subdivisions(15).build();
    let sheet = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet);
    let rim = Pinned::when(|_, vertex| vertex.x.abs().max(vertex.z.abs()) > 0.99);
    let hung = Transform::from_xyz(1.5, 1.1, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
    app.world_mut().spawn((Cloth(ClothSettings { density: 1.0, ..default() }), Mesh3d(sheet), rim, hung));
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    walk(&mut app, entity, Vec3::X * 1.5, 300);
    let at = place(&app, entity);
    walk(&mut app, entity, Vec3::X * 1.5, 120);
    let end = place(&app, entity);
    assert!(end.x < 2.0 && end.distance(at) < 0.1, "{at} {end}");
}

/// It goes with platforms that are moved by their velocity and by their transform.
#[test]
fn a_character_rides_on_platforms() {
    let mut app = app();
    let shape = (RigidBody::Kinematic, Collider::cuboid(2.0, 0.25, 2.0));
    let velocity = LinearVelocity(Vec3::new(0.8, 0.4, -0.3));
    let ferry = app.world_mut().spawn((shape.clone(), velocity, Transform::from_xyz(0.0, -0.25, 0.0))).id();
    let table = app.world_mut().spawn((shape, Transform::from_xyz(20.0, -0.25, 0.0))).id();
    let (on_ferry, on_table) =
        (spawn(&mut app, Vec3::Y * HEIGHT, ()), spawn(&mut app, Vec3::new(21.0, HEIGHT, 0.5), ()));
    let local = |app: &App, rider: Entity, ground: Entity| {
        let ground = app.world().get::<Transform>(ground).unwrap();
        ground.rotation.inverse() * (place(app, rider) - ground.translation)
    };
    let mut start = [Vec3::ZERO; 2];
    for k in 0..240 {
        app.world_mut().get_mut::<Transform>(table).unwrap().rotation = Quat::from_rotation_y(0.01 * k as f32);
        steps(&mut app, 1);
        let now = [local(&app, on_ferry, ferry), local(&app, on_table, table)];
        if k == 60 {
            start = now;
        } else if k > 60 {
            let drift = [now[0].distance(start[0]), now[1].distance(start[1])];
            assert!(drift[0].max(drift[1]) < 3e-3, "{k}: {drift:?}");
        }
    }
    let carried = output(&app, on_ferry).ground_velocity;
    assert!(carried.distance(Vec3::new(0.8, 0.4, -0.3)) < 1e-3, "{carried}");
}

/// In a pool its speed is k w/(k + D) as in the tests of the library, and it floats where it is deep; a change of the region counts.
#[test]
fn a_character_wades_and_floats_in_a_pool() {
    let mut app = app();
    floor(&mut app);
    let field = |surface: f32| ForceField::Buoyancy {
        density: 1000.0,
        particle_density: 500.0,
        damping: 10.0,
        velocity: Vec3::ZERO,
        surface,
    };
    let pool = app.world_mut().spawn(ForceRegion::new(Collider::cuboid(50.0, 50.0, 50.0), field(0.6))).id();
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    app.world_mut().get_mut::<CharacterController>(entity).unwrap().mass = 300.0;
    walk(&mut app, entity, Vec3::X * 2.0, 120);
    let volume = |h: f32| PI * RADIUS * RADIUS * (h - RADIUS / 3.0);
    let part = 10.0 * volume(0.58) / volume(1.8 - RADIUS / 3.0);
    let drag = part / (1.0 + part * DT);
    let expected = 2.0 * 15.0 / (15.0 + drag);
    assert!((output(&app, entity).velocity.x - expected).abs() < 5e-3, "{}", output(&app, entity).velocity);
    app.world_mut().get_mut::<ForceRegion>(pool).unwrap().field = field(5.0);
    walk(&mut app, entity, Vec3::ZERO, 600);
    let deep = (0.3 - volume(2.0 * RADIUS)) / (PI * RADIUS * RADIUS) + 2.0 * RADIUS;
    let height = place(&app, entity).y;
    assert!((height - (5.9 - deep)).abs() < 3e-3 && !output(&app, entity).is_grounded(), "{height}");
}

/// A crate on wheels gains F/m; the character on it weighs on it.
#[test]
fn a_character_pushes_bodies_and_weighs_on_them() {
    let mut app = app();
    floor(&mut app);
    let half = Vec3::splat(0.5);
    let box_of = |at: Vec3, mass: f32| {
        let shape = Collider::cuboid(half.x, half.y, half.z);
        (RigidBody::Dynamic, shape, Mass::new(mass), Friction::new(0.0), Transform::from_translation(at))
    };
    let cart = app.world_mut().spawn((box_of(Vec3::new(1.0, 0.5, 0.0), 200.0), LockedAxes::ROTATION_LOCKED)).id();
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    walk(&mut app, entity, Vec3::X * 2.0, 30);
    let before = body(&app, cart).velocity.x;
    walk(&mut app, entity, Vec3::X * 2.0, 30);
    let gain = body(&app, cart).velocity.x - before;
    assert!((gain - 1.0).abs() < 0.03, "{gain}");
    // A scale with a spring: it hangs lower by m g/k, with the stiffness k.
    let scale = app.world_mut().spawn((box_of(Vec3::new(0.0, 5.0, 9.0), 20.0), LockedAxes::ROTATION_LOCKED)).id();
    let spring =
        SpringJoint::new(Vec3::new(0.0, 9.0, 9.0), Vec3::ZERO, 4.0).stiffness(4000.0).damping_coefficient(800.0);
    app.world_mut().spawn(Joint::new(scale, spring));
    steps(&mut app, 300);
    let empty = place(&app, scale).y;
    let on_scale = spawn(&mut app, Vec3::new(0.0, empty + 0.5 + HEIGHT, 9.0), ());
    steps(&mut app, 300);
    let sunk = empty - place(&app, scale).y;
    assert!((sunk - 80.0 * 9.81 / 4000.0).abs() < 2e-3, "{sunk}");
    assert_eq!(output(&app, on_scale).ground.unwrap().entity, Some(scale));
}

/// A transform that is written is where the character goes on at once, through whatever is in between.
#[test]
fn a_character_whose_transform_is_written_jumps_there() {
    let mut app = app();
    floor(&mut app);
    app.world_mut().spawn((Collider::cuboid(0.2, 2.0, 9.0), Transform::from_xyz(3.0, 2.0, 0.0)));
    let entity = spawn(&mut app, Vec3::Y * HEIGHT, ());
    steps(&mut app, 10);
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation = Vec3::new(6.0, HEIGHT, 1.0);
    steps(&mut app, 1);
    assert!(place(&app, entity).distance(Vec3::new(6.0, HEIGHT, 1.0)) < 5e-3, "{}", place(&app, entity));
    app.world_mut().trigger(Teleport { entity, motion: Isometry3d::from_translation(Vec3::NEG_X * 12.0) });
    steps(&mut app, 2);
    assert!(place(&app, entity).distance(Vec3::new(-6.0, HEIGHT, 1.0)) < 5e-3, "{}", place(&app, entity));
    walk(&mut app, entity, Vec3::X, 30);
    assert!(output(&app, entity).is_grounded() && place(&app, entity).x > -5.7);
}

/// A snapshot in the middle of a jump from a moving platform goes on with the same bits.
#[test]
fn a_snapshot_holds_what_characters_keep() {
    let mut app = app();
    floor(&mut app);
    let velocity = LinearVelocity(Vec3::X * 0.7);
    let ferry = (RigidBody::Kinematic, Collider::cuboid(2.0, 0.25, 2.0), velocity);
    app.world_mut().spawn((ferry, Transform::from_xyz(0.0, 0.25, 0.0)));
    let entity = spawn(&mut app, Vec3::Y * (HEIGHT + 0.5), ());
    walk(&mut app, entity, Vec3::Z, 30);
    for rides in [true, false] {
        app.world_mut().get_mut::<CharacterInput>(entity).unwrap().jump_speed = if rides { 0.0 } else { 4.0 };
        steps(&mut app, 5);
        let saved = PhysicsSnapshot::save(app.world_mut()).unwrap();
        let run = |app: &mut App| -> Vec<(Vec3, CharacterOutput)> {
            let step = |_| {
                steps(app, 1);
                (place(app, entity), output(app, entity).clone())
            };
            (0..40).map(step).collect()
        };
        let expected = run(&mut app);
        saved.restore(app.world_mut()).unwrap();
        assert_eq!(run(&mut app), expected);
    }
}

#[test]
fn a_dynamic_character_stands_walks_and_jumps() {
    let mut app = app();
    let slope = Quat::from_rotation_z(35_f32.to_radians());
    app.world_mut().spawn(Collider::half_space(slope * Vec3::Y));
    let at = Vec3::Y * (0.6 + RADIUS / (slope * Vec3::Y).y);
    let shape = (Collider::capsule(0.6, RADIUS), Mass::new(80.0), Transform::from_translation(at));
    let entity = app.world_mut().spawn((DynamicCharacter::default(), shape)).id();
    steps(&mut app, 60);
    let stands = place(&app, entity);
    steps(&mut app, 120);
    assert!(place(&app, entity).distance(stands) < 1e-3 && output(&app, entity).is_grounded());
    walk(&mut app, entity, Vec3::X * 2.0, 60);
    let from = place(&app, entity);
    walk(&mut app, entity, Vec3::X * 2.0, 60);
    let way = place(&app, entity) - from;
    assert!(way.distance(slope * Vec3::X * 2.0) < 0.02, "{way}");
    walk(&mut app, entity, Vec3::ZERO, 60);
    let from = place(&app, entity).y;
    app.world_mut().get_mut::<CharacterInput>(entity).unwrap().jump_speed = 5.0;
    steps(&mut app, 1);
    app.world_mut().get_mut::<CharacterInput>(entity).unwrap().jump_speed = 0.0;
    let mut high = from;
    for _ in 0..60 {
        steps(&mut app, 1);
        high = high.max(place(&app, entity).y);
    }
    assert!((high - from - 25.0 / (2.0 * 9.81)).abs() < 0.05, "{}", high - from);
    assert!(errors(&mut app).is_empty());
}

#[test]
fn characters_that_cannot_move_are_told_once() {
    let mut app = app();
    floor(&mut app);
    let bare = app.world_mut().spawn((CharacterController::default(), Transform::from_xyz(0.0, 3.0, 0.0))).id();
    let heavy = spawn(&mut app, Vec3::new(3.0, HEIGHT, 0.0), RigidBody::Dynamic);
    let broken = spawn(&mut app, Vec3::new(6.0, HEIGHT, 0.0), ());
    app.world_mut().get_mut::<CharacterController>(broken).unwrap().offset = f32::NAN;
    let mut told = Vec::new();
    for _ in 0..5 {
        steps(&mut app, 1);
        told.extend(errors(&mut app));
    }
    for (entity, word) in [(bare, "collider"), (heavy, "kinematic"), (broken, "offset")] {
        let own = told.iter().filter(|error| error.entity == entity && error.message.contains(word));
        assert_eq!(own.count(), 1, "{word}: {told:?}");
    }
    app.world_mut().get_mut::<CharacterController>(broken).unwrap().offset = 0.02;
    walk(&mut app, broken, Vec3::X, 60);
    assert!(place(&app, broken).x > 6.5);
}
