//! Things that are moved at once.

use bevy::prelude::*;
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, points, steps};

/// Spawns a hanging sheet of 1 m, held by its first row of vertices.
fn hang(app: &mut App, more: impl Bundle) -> Entity {
    let mesh =
        app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9));
    let held = Pinned::when(|_, place| place.z < -0.49);
    app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), held, more)).id()
}

fn fastest(app: &App, entity: Entity) -> f32 {
    let physics = app.world().resource::<Physics>();
    let object = physics.object_of(entity).unwrap();
    physics.world().velocities(object).unwrap().map(Vec3::length).fold(0.0, f32::max)
}

/// Returns the largest difference between what the points are and where a motion takes those before \[m\].
fn error(before: &[Vec3], now: &[Vec3], motion: Isometry3d) -> f32 {
    before.iter().zip(now).map(|(&before, &now)| (motion * before).distance(now)).fold(0.0, f32::max)
}

#[test]
fn a_pinned_sheet_goes_whole_with_an_entity_that_jumps() {
    let mut app = app();
    let sheet = hang(&mut app, Transform::default());
    steps(&mut app, 120);
    let (before, speed) = (points(&app, sheet), fastest(&app, sheet));
    let jump = Isometry3d::new(Vec3::new(2.0, 3.0, -1.0), Quat::from_rotation_y(1.0));
    let mut transform = app.world_mut().get_mut::<Transform>(sheet).unwrap();
    *transform = Transform::from_isometry(jump);
    steps(&mut app, 1);
    // A step of the swing that goes on, and no more.
    assert!(
        error(&before, &points(&app, sheet), jump) < (speed + 0.2) / 60.0,
        "{}",
        error(&before, &points(&app, sheet), jump)
    );
    assert!(fastest(&app, sheet) < speed + 0.2, "{} m/s, before {speed}", fastest(&app, sheet));
    app.world_mut().entity_mut(sheet).remove::<Pinned>();
    steps(&mut app, 60);
    let highest = points(&app, sheet).iter().map(|x| x.y).fold(f32::MIN, f32::max);
    assert!(highest < 3.1, "it was flung to {highest} m");
}

#[test]
fn a_cape_goes_with_the_one_who_wears_it_and_slow_motion_is_no_jump() {
    let mut app = app();
    let hero = app.world_mut().spawn(Transform::default()).id();
    let mesh =
        app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9));
    let held = Pinned::when(|_, place| place.z < -0.49).held_by(hero);
    let cape = app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), held)).id();
    steps(&mut app, 60);
    let before = points(&app, cape);
    app.world_mut().get_mut::<Transform>(hero).unwrap().translation.x = 50.0;
    steps(&mut app, 1);
    assert!(error(&before, &points(&app, cape), Isometry3d::from_xyz(50.0, 0.0, 0.0)) < 0.1);
    // 30 m/s pulls the cape behind.
    let before = points(&app, cape);
    app.world_mut().get_mut::<Transform>(hero).unwrap().translation.x += 0.5;
    steps(&mut app, 1);
    let behind = error(&before, &points(&app, cape), Isometry3d::from_xyz(0.5, 0.0, 0.0));
    assert!(behind > 0.3, "{behind}");
}

#[test]
fn free_objects_and_bodies_are_teleported_with_their_velocities() {
    let mut app = app();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 10, 1.0);
    let rope = app.world_mut().spawn((rope, GravityScale(0.0), LinearVelocity(Vec3::X))).id();
    let ball = (RigidBody::Dynamic, Collider::ball(0.1), GravityScale(0.0), LinearVelocity(Vec3::X));
    let ball = app.world_mut().spawn((ball, Transform::from_xyz(0.0, 5.0, 0.0))).id();
    let cart = (RigidBody::Kinematic, Collider::ball(0.1), Transform::from_xyz(0.0, 9.0, 0.0));
    let cart = app.world_mut().spawn(cart).id();
    steps(&mut app, 2);
    let (before, place) = (points(&app, rope), body(&app, ball).pose.translation);
    let motion = Isometry3d::new(Vec3::new(10.0, 1.0, 0.0), Quat::from_rotation_y(std::f32::consts::FRAC_PI_2));
    for entity in [rope, ball, cart] {
        app.world_mut().trigger(Teleport { entity, motion });
    }
    assert!(error(&before, &points(&app, rope), motion) < 1e-5);
    assert!(body(&app, ball).pose.translation.distance(motion * place) < 1e-5);
    let at = app.world().get::<Transform>(ball).unwrap();
    assert!(at.translation.distance(motion * place) < 1e-5 && at.rotation.angle_between(motion.rotation) < 1e-3);
    // What flew along x flies along −z now; what is kinematic has arrived and has no velocity.
    steps(&mut app, 30);
    let now = body(&app, ball);
    assert!(now.velocity.distance(Vec3::NEG_Z) < 1e-4, "{now:?}");
    assert!(now.pose.translation.distance(motion * place + Vec3::NEG_Z * 0.5) < 1e-3, "{now:?}");
    let moved = error(&before, &points(&app, rope), Isometry3d::from_translation(Vec3::NEG_Z * 0.5) * motion);
    assert!(moved < 1e-3, "{moved}");
    let arrived = body(&app, cart);
    assert!(arrived.pose.translation.distance(Vec3::new(10.0, 10.0, 0.0)) < 1e-5 && arrived.velocity == Vec3::ZERO);
    // What is nothing, or no number, is left alone.
    let nothing = app.world_mut().spawn_empty().id();
    app.world_mut().trigger(Teleport { entity: nothing, motion });
    app.world_mut().trigger(Teleport { entity: ball, motion: Isometry3d::from_xyz(f32::NAN, 0.0, 0.0) });
    assert!(body(&app, ball).pose.translation.is_finite());
}

#[test]
fn a_sheet_goes_on_from_where_it_hangs_when_it_gets_another_mesh() {
    let mut app = app();
    let sheet = hang(&mut app, Transform::default());
    steps(&mut app, 240);
    let object = app.world().get::<ObjectId>(sheet).unwrap().handle();
    let before = points(&app, sheet);
    let nearest = |x: &Vec3| before.iter().map(|other| other.distance(*x)).fold(f32::MAX, f32::min);
    let finer = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(19).build();
    let finer = app.world_mut().resource_mut::<Assets<Mesh>>().add(finer);
    app.world_mut().entity_mut(sheet).insert(Mesh3d(finer.clone()));
    steps(&mut app, 1);
    let now = points(&app, sheet);
    assert_eq!((before.len(), now.len()), (121, 441));
    assert!(app.world().get::<ObjectId>(sheet).unwrap().handle() != object);
    assert!(now.iter().all(|x| nearest(x) < 0.15), "it does not hang where it hung");
    let held = app.world().get::<ObjectId>(sheet).unwrap().handle();
    steps(&mut app, 5);
    assert_eq!(app.world().get::<ObjectId>(sheet).unwrap().handle(), held, "it was built again without a reason");

    // The asset is loaded again, half as wide.
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    let mesh = meshes.get_mut(&finer).unwrap().into_inner();
    let Some(bevy::mesh::VertexAttributeValues::Float32x3(vertices)) = mesh.attribute_mut(Mesh::ATTRIBUTE_POSITION)
    else {
        panic!("it has positions")
    };
    vertices.iter_mut().for_each(|vertex| vertex[0] *= 0.5);
    steps(&mut app, 240);
    let width = |points: &[Vec3]| points.iter().map(|x| x.x).fold(f32::MIN, f32::max) * 2.0;
    assert_eq!(points(&app, sheet).len(), 441);
    assert!((width(&points(&app, sheet)) - 0.5).abs() < 0.05, "{}", width(&points(&app, sheet)));
}

#[test]
fn all_components_are_registered_for_inspectors() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let names = [
        "Cloth",
        "Rope",
        "Rod",
        "SoftBody",
        "Cluster",
        "Fluid",
        "Pinned",
        "RigidBody",
        "Mass",
        "LockedAxes",
        "Collider",
        "Sensor",
        "Friction",
        "Restitution",
        "CollisionLayers",
        "SelfCollision",
        "SleepingEnabled",
        "SurfaceVelocity",
        "OneWayPlatform",
        "ColliderDensity",
        "GravityScale",
        "LinearVelocity",
        "AngularVelocity",
        "LinearDamping",
        "AngularDamping",
        "ConstantAcceleration",
        "Joint",
        "Emitter",
        "Sink",
        "RayCaster",
        "ShapeCaster",
        "AxisMotor",
        "AxisLimits",
        "Constraints",
        "ForceRegion",
        "CollidingEntities",
    ];
    for name in names {
        let found = registry.iter().find(|of| {
            let table = of.type_info().type_path_table();
            table.ident() == Some(name) && table.crate_name() == Some("xpbd_bevy")
        });
        let registration = found.unwrap_or_else(|| panic!("{name} is not registered"));
        assert!(registration.data::<ReflectComponent>().is_some(), "{name} is not a reflected component");
        let is_opaque = matches!(registration.type_info(), bevy::reflect::TypeInfo::Opaque(_));
        assert!(!is_opaque, "{name} shows no fields");
    }
}

#[test]
fn a_transform_says_where_a_free_sheet_is_and_moves_it_where_it_is_written() {
    let mut app = app();
    let mesh = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    let parent =
        app.world_mut().spawn(Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(1.0))).id();
    let start = Transform::from_xyz(0.0, 4.0, 0.5);
    let sheet = app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), start, ChildOf(parent))).id();
    steps(&mut app, 1);
    let global = |app: &App| {
        let parent = *app.world().get::<Transform>(parent).unwrap();
        GlobalTransform::from(parent) * *app.world().get::<Transform>(sheet).unwrap()
    };
    let mean = |app: &App| points(app, sheet).iter().sum::<Vec3>() / 121.0;
    let offset = mean(&app) - global(&app).translation();
    steps(&mut app, 30);
    let fallen = mean(&app);
    assert!(fallen.y < 5.0, "{fallen}");
    assert!((fallen - global(&app).translation()).distance(offset) < 1e-4);
    // Half a turn about x, and away.
    let before = points(&app, sheet);
    let was = global(&app);
    let mut transform = app.world_mut().get_mut::<Transform>(sheet).unwrap();
    transform.translation += Vec3::X * 7.0;
    transform.rotation = Quat::from_rotation_x(std::f32::consts::PI);
    let now = global(&app);
    steps(&mut app, 1);
    let expected = |x: &Vec3| now.transform_point(was.affine().inverse().transform_point3(*x));
    let error = before.iter().zip(points(&app, sheet)).map(|(x, now)| expected(x).distance(now)).fold(0.0, f32::max);
    assert!(error < (0.5 * 9.81 + 1.0) / 60.0, "{error}");
    steps(&mut app, 10);
    assert!((mean(&app) - global(&app).translation()).length() < 0.2);
    // What a hero holds is moved with the hero alone.
    let hero = app.world_mut().spawn(Transform::default()).id();
    app.world_mut().entity_mut(sheet).insert(Pinned::vertices([0]).held_by(hero));
    steps(&mut app, 2);
    let held = points(&app, sheet);
    app.world_mut().get_mut::<Transform>(sheet).unwrap().translation.y += 50.0;
    steps(&mut app, 1);
    assert!(points(&app, sheet).iter().zip(&held).all(|(now, before)| now.distance(*before) < 0.3));
    let told = app.world_mut().resource_mut::<Messages<PhysicsError>>().drain().collect::<Vec<_>>();
    assert!(told.len() == 1 && told[0].entity == sheet && told[0].message.contains("holds"), "{told:?}");
    assert!(app.world().get::<Transform>(sheet).unwrap().translation.y < 40.0);
}

#[test]
fn what_is_attached_to_a_body_is_teleported_with_it() {
    let mut app = app();
    let ball = (RigidBody::Dynamic, Collider::ball(0.1), GravityScale(0.0), Transform::default());
    let ball = app.world_mut().spawn(ball).id();
    steps(&mut app, 1);
    // It begins outside of the collider, so that no contact pushes against what holds it.
    let rope = Rope::between(Vec3::X * 0.2, Vec3::X * 1.2, 10, 1.0);
    let rope = app.world_mut().spawn((rope, GravityScale(0.0), Pinned::vertices([0]).held_by(ball))).id();
    steps(&mut app, 5);
    for far in [0.7, 40.0] {
        let before = points(&app, rope);
        let motion = Isometry3d::new(Vec3::Y * far, Quat::from_rotation_z(0.5));
        app.world_mut().trigger(Teleport { entity: ball, motion });
        steps(&mut app, 1);
        let error = error(&before, &points(&app, rope), motion);
        assert!(error < 1e-4, "{far}: {error}");
        assert!(fastest(&app, rope) < 1e-3, "{far}: {}", fastest(&app, rope));
    }
    // A transform that is written is a jump too.
    let before = points(&app, rope);
    app.world_mut().get_mut::<Transform>(ball).unwrap().translation.x += 30.0;
    steps(&mut app, 1);
    assert!(error(&before, &points(&app, rope), Isometry3d::from_xyz(30.0, 0.0, 0.0)) < 1e-3);
}

#[test]
fn settings_are_changed_by_their_resource_and_refused_ones_are_replaced() {
    let mut app = app();
    let settings = |app: &App| app.world().resource::<Physics>().world().settings().clone();
    app.world_mut().resource_mut::<PhysicsSettings>().gravity = Vec3::X;
    let substeps = {
        let mut settings = app.world_mut().resource_mut::<PhysicsSettings>();
        let value = settings.reflect_path_mut("0.substeps").unwrap().try_downcast_mut::<u32>().unwrap();
        *value = 7;
        *value
    };
    steps(&mut app, 1);
    assert_eq!((settings(&app).gravity, settings(&app).substeps), (Vec3::X, substeps));
    app.world_mut().resource_mut::<PhysicsSettings>().gravity.x = f32::NAN;
    steps(&mut app, 1);
    assert_eq!(app.world().resource::<PhysicsSettings>().gravity, Vec3::X);
    // What the world gets otherwise is seen.
    let other = Settings { substeps: 9, ..settings(&app) };
    app.world_mut().resource_mut::<Physics>().world_mut().set_settings(other).unwrap();
    steps(&mut app, 1);
    assert_eq!((app.world().resource::<PhysicsSettings>().substeps, settings(&app).substeps), (9, 9));
}

#[test]
fn odd_descriptions_are_told_once_with_their_entity() {
    let mut app = app();
    let mesh = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(4);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    let strip = Mesh::new(bevy::mesh::PrimitiveTopology::LineStrip, default());
    let strip = app.world_mut().resource_mut::<Assets<Mesh>>().add(strip);
    let world = app.world_mut();
    let holder = world.spawn(Transform::default()).id();
    let odd = [
        (world.spawn((Cloth::default(), Mesh3d(mesh.clone()), Pinned::vertices([99999]))).id(), "vertex 99999"),
        (world.spawn(Cloth::default()).id(), "Mesh3d"),
        (world.spawn((Cloth::default(), Mesh3d(strip))).id(), "LineStrip"),
        (world.spawn((Cloth::default(), Mesh3d(mesh.clone()), Transform::from_scale(Vec3::ZERO))).id(), "scale"),
        (world.spawn((Cloth::default(), Mesh3d(mesh), Pinned::vertices([0]).held_by(holder))).id(), "gone"),
        (world.spawn((RigidBody::Dynamic, Collider::half_space(Vec3::Y))).id(), "volume"),
    ];
    let friction = world.spawn((RigidBody::Dynamic, Collider::ball(0.1), Friction::new(0.5))).id();
    let mut told = Vec::new();
    for k in 0..70 {
        if k == 2 {
            app.world_mut().despawn(holder);
        }
        app.world_mut().entity_mut(friction).insert(Friction::new(-1.0 - k as f32));
        steps(&mut app, 1);
        told.extend(app.world_mut().resource_mut::<Messages<PhysicsError>>().drain());
    }
    for (entity, words) in odd.into_iter().chain([(friction, "friction")]) {
        let of_entity: Vec<_> = told.iter().filter(|error| error.entity == entity).collect();
        assert!(of_entity.len() == 1 && of_entity[0].message.contains(words), "{words}: {of_entity:?}");
    }
}
