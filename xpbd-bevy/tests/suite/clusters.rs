//! Clusters in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::object::cluster::{Cluster, ClusterMeshSkin};
use xpbd_bevy::object::{ObjectId, VertexMap};
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, steps};

fn spawn(app: &mut App, cluster: Cluster, more: impl Bundle) -> Entity {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Cuboid::new(0.2, 0.2, 0.2));
    app.world_mut().spawn((cluster, Mesh3d(mesh), more)).id()
}

/// Returns where the skin has the vertices of the mesh now.
fn skinned(app: &App, entity: Entity) -> Vec<Vec3> {
    let object = app.world().get::<ObjectId>(entity).unwrap().handle();
    let skin = app.world().get::<ClusterMeshSkin>(entity).unwrap();
    skin.0.positions(app.world().resource::<Physics>().world(), object).unwrap()
}

fn rest(app: &App, entity: Entity) -> Vec<Vec3> {
    app.world().get::<VertexMap>(entity).unwrap().rest.clone()
}

#[test]
fn a_cluster_falls_with_its_skin() {
    let mut app = app();
    let at = Transform::from_xyz(0.0, 3.0, 0.0).with_scale(Vec3::new(2.0, 1.0, 1.0));
    let velocity = (LinearVelocity(Vec3::X), AngularVelocity(Vec3::Y));
    let entity = spawn(&mut app, Cluster::rigid(0.05), (at, velocity));
    steps(&mut app, 30);
    let (t, g) = (0.5f32, 9.81f32);
    let place = Transform::from_xyz(t, 3.0 - 0.5 * g * t * (t + 1.0 / 600.0), 0.0)
        .with_rotation(Quat::from_rotation_y(t))
        .with_scale(at.scale);
    for (found, vertex) in skinned(&app, entity).into_iter().zip(rest(&app, entity)) {
        let expected = place.transform_point(vertex);
        assert!(found.distance(expected) < 0.02, "{found} {expected}");
    }
}

#[test]
fn vertices_follow_the_nearest_particles() {
    let mut app = app();
    let entity = spawn(&mut app, Cluster::rigid(0.05), (Transform::IDENTITY, GravityScale(0.0)));
    steps(&mut app, 1);
    let object = app.world().get::<ObjectId>(entity).unwrap().handle();
    let physics = app.world().resource::<Physics>();
    let places: Vec<Vec3> = physics.world().positions(object).unwrap().collect();
    let vertices = app.world().get::<VertexMap>(entity).unwrap();
    for (&particle, &vertex) in vertices.particles.iter().zip(&vertices.rest) {
        let found = places[particle as usize].distance(vertex);
        let least = places.iter().map(|place| place.distance(vertex)).fold(f32::MAX, f32::min);
        assert!(found <= least + 1e-5, "{found} {least}");
    }
}

#[test]
fn a_soft_body_hangs_by_its_pins_and_gives_way() {
    let mut app = app();
    let pins = || Pinned::when(|_, place| place.y > 0.0);
    let mut soft = Cluster::soft(0.04);
    soft.compliance = 2e-2;
    let soft = spawn(&mut app, soft, pins());
    let rigid = spawn(&mut app, Cluster::rigid(0.04), (pins(), Transform::from_xyz(2.0, 0.0, 0.0)));
    steps(&mut app, 60);
    let lowest = |app: &App, entity| skinned(app, entity).into_iter().map(|place| place.y).fold(f32::MAX, f32::min);
    assert!((lowest(&app, rigid) + 0.1).abs() < 0.005, "{}", lowest(&app, rigid));
    assert!(lowest(&app, soft) < -0.105 && lowest(&app, soft) > -0.3, "{}", lowest(&app, soft));
}

#[test]
fn a_cluster_rests_on_the_floor_and_goes() {
    let mut app = app();
    floor(&mut app);
    let entity = spawn(&mut app, Cluster::rigid(0.05), Transform::from_xyz(0.0, 0.3, 0.0));
    steps(&mut app, 60);
    let mean: Vec3 = skinned(&app, entity).into_iter().sum::<Vec3>() / 24.0;
    assert!((mean.y - 0.1).abs() < 0.03, "{mean}");
    app.world_mut().entity_mut(entity).remove::<Cluster>();
    steps(&mut app, 1);
    assert!(app.world().get::<ClusterMeshSkin>(entity).is_none() && app.world().get::<ObjectId>(entity).is_none());
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
    // An open mesh has no inside.
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default().mesh().size(1.0, 1.0).build());
    let open = app.world_mut().spawn((Cluster::default(), Mesh3d(mesh))).id();
    steps(&mut app, 2);
    assert!(app.world().get::<ObjectId>(open).is_none());
}

#[test]
fn a_cluster_pushes_a_body() {
    let mut app = app();
    let parts = (RigidBody::Dynamic, Collider::cuboid(0.2, 0.1, 0.2), ColliderDensity(1000.0), GravityScale(0.0));
    let target = app.world_mut().spawn(parts).id();
    let velocity = LinearVelocity(Vec3::NEG_Y * 2.0);
    let more = (Transform::from_xyz(0.0, 0.3, 0.0), velocity, GravityScale(0.0));
    let cluster = spawn(&mut app, Cluster::rigid(0.05), more);
    steps(&mut app, 20);
    let object = app.world().get::<ObjectId>(cluster).unwrap().handle();
    let velocities = app.world().resource::<Physics>().world().velocities(object).unwrap();
    let mean = velocities.map(|velocity| velocity / 64.0).sum::<Vec3>();
    // Eight kilograms at two metres a second: what they lost the body has.
    let after = body(&app, target);
    assert!((after.mass.mass - 32.0).abs() < 1e-3);
    assert!(after.velocity.y < -0.39 && after.velocity.y < mean.y, "{} {mean}", after.velocity);
    let momentum = mean * 8.0 + after.velocity * 32.0;
    assert!(momentum.distance(Vec3::NEG_Y * 16.0) < 0.05, "{momentum}");
}
