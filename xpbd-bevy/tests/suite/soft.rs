//! Soft bodies, and cloth in air and with gas, in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::object::soft_body::SoftBodyMeshSkin;
use xpbd_bevy::prelude::*;

use crate::support::{app, app_of, floor, points, steps};

fn spawn(app: &mut App, mesh: Mesh, more: impl Bundle) -> Entity {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    app.world_mut().spawn((Mesh3d(mesh), more)).id()
}

/// Returns where the mesh of a soft body is now, vertices in one place once.
fn skin(app: &App, entity: Entity) -> Vec<Vec3> {
    let skin = &app.world().get::<SoftBodyMeshSkin>(entity).expect("it has been made").0;
    skin.positions(&points(app, entity)).expect("it is its skin")
}

#[test]
fn a_soft_body_flies_with_its_skin() {
    let mut app = app();
    let place = Transform::from_xyz(1.0, 3.0, 0.0).with_scale(Vec3::new(2.0, 1.0, 1.0));
    let velocity = (LinearVelocity(Vec3::X), AngularVelocity(Vec3::Z));
    let body = spawn(&mut app, Cuboid::new(0.2, 0.2, 0.2).into(), (SoftBody::default(), place, velocity));
    steps(&mut app, 1);
    assert_eq!(skin(&app, body).len(), 8);
    steps(&mut app, 29);
    let corners = skin(&app, body);
    let (t, g) = (0.5f32, 9.81f32);
    let middle = corners.iter().sum::<Vec3>() / 8.0;
    let expected = Vec3::new(1.0 + t, 3.0 - 0.5 * g * t * t, 0.0);
    assert!(middle.distance(expected) < 0.05, "{middle} {expected}");
    // Turned by half a radian, and as long as it was.
    let long = corners.iter().map(|x| (x - middle).length()).fold(0.0, f32::max);
    assert!((long - Vec3::new(0.2, 0.1, 0.1).length()).abs() < 0.01, "{long}");
    app.world_mut().entity_mut(body).remove::<SoftBody>();
    steps(&mut app, 1);
    assert!(app.world().get::<SoftBodyMeshSkin>(body).is_none());
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
}

#[test]
fn a_soft_body_rests_and_hangs() {
    let mut app = app_of(XpbdPlugins::new(Settings { particle_radius: 0.01, ..Settings::default() }), ());
    floor(&mut app);
    let settings = SoftBodySettings { damping_time: 0.02, ..default() };
    let jelly = SoftBody { cell: Some(0.1), settings };
    let cube: Mesh = Cuboid::new(0.4, 0.4, 0.4).into();
    let rests = spawn(&mut app, cube.clone(), (jelly.clone(), Transform::from_xyz(0.0, 0.3, 0.0)));
    let pins = Pinned::when(|_, place| place.y > 0.19);
    let hangs = spawn(&mut app, cube, (jelly, pins, Transform::from_xyz(2.0, 2.0, 0.0)));
    steps(&mut app, 120);
    let heights =
        |entity| skin(&app, entity).iter().map(|x| x.y).fold((f32::MAX, f32::MIN), |(a, b), y| (a.min(y), b.max(y)));
    let (low, high) = heights(rests);
    // Its lower side is at the radius of a particle; ρ g h²/(2 E) is 8 mm.
    assert!((low - 0.01).abs() < 1e-3 && (high - low - 0.4 + 0.008).abs() < 0.004, "{low} {high}");
    // By its four upper corners, which the weight draws out.
    let (low, high) = heights(hangs);
    assert!((high - 2.2).abs() < 0.01 && (1.68..1.75).contains(&low), "{low} {high}");
}

#[test]
fn an_open_mesh_is_refused() {
    let mut app = app();
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).build();
    let body = spawn(&mut app, sheet, SoftBody::default());
    steps(&mut app, 2);
    assert!(app.world().get::<SoftBodyMeshSkin>(body).is_none());
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
}

/// Numbers that no material has are refused where they are used.
#[test]
fn plates_and_yielding_bodies_are_those_of_the_library() {
    let mut app = app();
    let plate = Plate { youngs_modulus: 1e7, poisson_ratio: 0.3, thickness: 2e-3 };
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(4).build();
    let sheet = spawn(&mut app, sheet, Cloth(ClothSettings::default().plate(plate)));
    let plasticity = Plasticity { yield_strain: 0.1, creep: 5.0, limit: 0.5 };
    let settings = SoftBodySettings { plasticity: Some(plasticity), ..default() };
    let body = SoftBody { settings, ..default() };
    let body = spawn(&mut app, Cuboid::new(0.2, 0.2, 0.2).into(), body);
    let batches = |app: &App, entity| {
        let physics = app.world().resource::<Physics>();
        let world = physics.world();
        let batches = world.batches_of(physics.object_of(entity).expect("it has been made"));
        batches.into_iter().map(|batch| world.batch(batch).expect("it is there").name().to_string()).collect::<Vec<_>>()
    };
    steps(&mut app, 2);
    assert_eq!(batches(&app, sheet), ["triangle-strain", "isometric-bending"]);
    assert!(batches(&app, body).iter().any(|name| name.contains("plastic")), "{:?}", batches(&app, body));
    app.world_mut().get_mut::<Cloth>(sheet).unwrap().thickness = -1.0;
    app.world_mut().get_mut::<SoftBody>(body).unwrap().plasticity = Some(Plasticity { limit: -1.0, ..plasticity });
    steps(&mut app, 2);
    let objects = app.world().resource::<Physics>().world().objects().len();
    assert_eq!(objects, 2, "an invalid change leaves an object as it was");
}

#[test]
fn a_sheet_in_air_falls_as_fast_as_it_may() {
    let mut app = app();
    let air = Air { drag_coefficient: 1.2, lift_slope: 0.0, edge_drag_coefficient: 0.0, ..Air::default() };
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(4).build();
    let sheet = spawn(&mut app, sheet, Cloth(ClothSettings { air: Some(air), ..default() }));
    steps(&mut app, 120);
    let before = points(&app, sheet)[0].y;
    steps(&mut app, 60);
    let speed = before - points(&app, sheet)[0].y;
    // √(2 m g/(ρ C A))
    let expected = (2.0f32 * 0.2 * 9.81 / (1.2 * 1.2)).sqrt();
    assert!((speed / expected - 1.0).abs() < 0.03, "{speed} {expected}");
}

#[test]
fn wind_blows_on_cloth_in_air_and_stops() {
    let mut app = app();
    let sheet = Plane3d::new(Vec3::Z, Vec2::splat(0.5)).mesh().subdivisions(4).build();
    let cloth = Cloth(ClothSettings { air: Some(Air::default()), damping_time: 0.1, ..default() });
    let flag = spawn(&mut app, sheet, (cloth, LinearDamping(1.0), Pinned::when(|_, place| place.y > 0.49)));
    let lowest = |app: &App| points(app, flag).into_iter().min_by(|a, b| a.y.total_cmp(&b.y)).expect("it has vertices");
    app.insert_resource(Wind::new(Vec3::Z * 3.0));
    steps(&mut app, 120);
    assert!(lowest(&app).z > 0.2, "{}", lowest(&app));
    app.insert_resource(Wind::default());
    steps(&mut app, 240);
    assert!(lowest(&app).z.abs() < 0.1, "{}", lowest(&app));
}

#[test]
fn a_balloon_holds_its_gas() {
    let mut app = app_of(XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }), ());
    let stretch = Stretch::Edges { stiffness: 100.0 };
    let gas = Some(Gas { amount: GasAmount::Ratio(1.3), compliance: 0.0 });
    let balloon = Cloth(ClothSettings { gas, stretch, ..default() });
    let ball = Sphere::new(0.3).mesh().ico(3).expect("it is small");
    let balloon = spawn(&mut app, ball, balloon);
    steps(&mut app, 1);
    let size =
        |app: &App| points(app, balloon).iter().map(|x| x.length()).sum::<f32>() / points(app, balloon).len() as f32;
    steps(&mut app, 120);
    let ratio = size(&app) / 0.3;
    assert!((ratio * ratio * ratio / 1.3 - 1.0).abs() < 0.03, "{ratio}");
}
