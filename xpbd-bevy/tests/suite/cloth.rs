//! Cloth in an app without a window.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::*;

use crate::support::{app, floor, steps};

fn sheet() -> Mesh {
    Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build()
}

fn spawn(app: &mut App, more: impl Bundle) -> Entity {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet());
    app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), more)).id()
}

fn height(app: &App, entity: Entity, particle: usize) -> f32 {
    let object = app.world().get::<ObjectId>(entity).expect("it has been made").handle();
    app.world().resource::<Physics>().world().position(object, particle).expect("it is there").y
}

#[test]
fn a_cloth_falls_and_goes() {
    let mut app = app();
    let cloth = spawn(&mut app, Transform::from_xyz(0.0, 2.0, 0.0));
    steps(&mut app, 30);
    let fallen = 2.0 - height(&app, cloth, 60);
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.1, "{fallen}");
    app.world_mut().despawn(cloth);
    app.update();
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
}

#[test]
fn pins_follow_their_entity() {
    let mut app = app();
    let cloth = spawn(&mut app, Pinned::vertices([0, 10]));
    for frame in 0..35 {
        app.world_mut().get_mut::<Transform>(cloth).unwrap().translation.y = frame as f32 * 0.01;
        app.update();
    }
    assert!((height(&app, cloth, 0) - 0.34).abs() < 1e-3, "{}", height(&app, cloth, 0));
    let low = (0..121).map(|k| height(&app, cloth, k)).fold(1.0, f32::min);
    assert!(low < -0.1, "{low}");
    app.world_mut().entity_mut(cloth).remove::<Pinned>();
    steps(&mut app, 30);
    assert!(height(&app, cloth, 0) < 0.0);
}

#[test]
fn a_cloth_that_may_sleep_does_so_on_the_floor_until_it_may_no_longer() {
    let mut app = app();
    floor(&mut app);
    let cloth = spawn(&mut app, (Transform::from_xyz(0.0, 0.05, 0.0), SleepingEnabled));
    steps(&mut app, 240);
    let sleeps = |app: &App| {
        let object = app.world().get::<ObjectId>(cloth).unwrap().handle();
        app.world().resource::<Physics>().world().is_object_asleep(object).unwrap()
    };
    assert!(sleeps(&app), "it is awake after 4 s");
    let before = height(&app, cloth, 60);
    steps(&mut app, 10);
    assert!(sleeps(&app) && height(&app, cloth, 60) == before);
    app.world_mut().entity_mut(cloth).remove::<SleepingEnabled>();
    steps(&mut app, 60);
    assert!(!sleeps(&app));
}

/// What was heard of tears.
#[derive(Resource, Default)]
struct Heard(Vec<ClothTorn>);

#[test]
fn a_cut_cloth_falls_in_two() {
    let mut app = app();
    app.init_resource::<Heard>();
    let tearing = TearSettings { max_strain: f32::INFINITY, max_force: f32::INFINITY, capacity: 20 };
    let pins = Pinned::when(|_, place| place.z < -0.49);
    let cloth = spawn(&mut app, pins);
    app.world_mut().get_mut::<Cloth>(cloth).unwrap().tearing = Some(tearing);
    app.world_mut().entity_mut(cloth).observe(|torn: On<ClothTorn>, mut heard: ResMut<Heard>| heard.0.push(*torn));
    steps(&mut app, 2);
    let lowest = |app: &App| (0..121).map(|k| height(app, cloth, k)).fold(1.0, f32::min);
    // Across the middle, and through a pin.
    let across = Blade { corner: Vec3::new(-1.0, -1.0, 0.01), edge: Vec3::Y * 2.0, path: Vec3::X * 2.0 };
    let along = Blade { corner: Vec3::new(0.01, -1.0, -0.6), edge: Vec3::Y * 2.0, path: Vec3::Z * 0.35 };
    let empty = Blade { path: Vec3::ZERO, ..across };
    for blade in [across, empty, along] {
        app.world_mut().write_message(CutCloth { entity: cloth, blade });
    }
    app.world_mut().write_message(CutCloth { entity: Entity::PLACEHOLDER, blade: across });
    steps(&mut app, 1);
    let heard = &app.world().resource::<Heard>().0;
    assert_eq!(heard.iter().map(|torn| (torn.splits, torn.pieces)).collect::<Vec<_>>(), [(11, 2), (3, 2)]);
    assert!(heard[0].point.distance(Vec3::new(0.0, 0.0, 0.0)) < 0.12, "{:?}", heard[0]);
    // Both parts of the pin that was cut follow the entity.
    app.world_mut().get_mut::<Transform>(cloth).unwrap().translation.y = 1.0;
    steps(&mut app, 60);
    let world = app.world().resource::<Physics>().world();
    let object = world.objects()[0];
    let held: Vec<_> = (0..141).filter(|&k| world.state().particles.pinned[k]).collect();
    assert_eq!(held.len(), 12);
    assert!(held.iter().all(|&k| (world.position(object, k).unwrap().y - 1.0).abs() < 1e-5));
    assert!(lowest(&app) < -2.0);
    app.world_mut().despawn(cloth);
    steps(&mut app, 1);
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
}

#[test]
fn a_cloth_that_cannot_be_cut_stays_whole() {
    let mut app = app();
    let cloth = spawn(&mut app, Transform::IDENTITY);
    steps(&mut app, 1);
    let blade = Blade { corner: Vec3::new(-1.0, -1.0, 0.05), edge: Vec3::Y * 2.0, path: Vec3::X * 2.0 };
    app.world_mut().write_message(CutCloth { entity: cloth, blade });
    steps(&mut app, 2);
    assert_eq!(app.world().resource::<Physics>().world().state().particles.len(), 121);
}

/// Reflection, by which scenes are made, leaves nothing out, and entities are those of the world that they come into.
#[test]
fn reflection_keeps_what_components_say() {
    let tearing = TearSettings { max_strain: 0.3, max_force: f32::INFINITY, capacity: 12 };
    let stretch = Stretch::Edges { stiffness: 3.0 };
    let cloth = Cloth(ClothSettings { stretch, tearing: Some(tearing), air: Some(Air::default()), ..default() });
    assert_eq!(Cloth::from_reflect(cloth.as_partial_reflect()), Some(cloth));
    let elasticity = Elasticity::StVenantKirchhoff { youngs_modulus: 1e4, poisson_ratio: 0.2 };
    let settings = SoftBodySettings { elasticity, ..default() };
    let body = SoftBody { settings, ..default() };
    assert_eq!(SoftBody::from_reflect(body.as_partial_reflect()), Some(body));
    let mut cluster = Cluster::soft(0.1);
    cluster.plasticity = Some(Plasticity { yield_strain: 0.1, creep: 2.0, limit: 0.5 });
    assert_eq!(Cluster::from_reflect(cluster.as_partial_reflect()), Some(cluster));
    let [a, b] = [3, 7].map(|k| Entity::from_raw_u32(k).expect("a number of an entity"));
    let mut map = EntityHashMap::from_iter([(a, b)]);
    let mut joint = Joint::new(a, BallJoint::new(Vec3::X));
    let (mut winch, mut rider) =
        (Winch { attached_to: Some(a), ..Winch::default() }, SegmentAttachment { rod: a, segment: 3 });
    let (mut clamped, mut damping) =
        (Clamped::last().held_by(a), FrameDamping { frame_entity: Some(a), ..FrameDamping::default() });
    Component::map_entities(&mut joint, &mut map);
    Component::map_entities(&mut winch, &mut map);
    Component::map_entities(&mut rider, &mut map);
    Component::map_entities(&mut clamped, &mut map);
    Component::map_entities(&mut damping, &mut map);
    assert_eq!((joint.b, winch.attached_to, rider.rod), (b, Some(b), b));
    assert_eq!((clamped.clamps[0].held_by, damping.frame_entity), (Some(b), Some(b)));
}
