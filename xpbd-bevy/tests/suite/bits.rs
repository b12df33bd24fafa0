//! The plugin adds nothing to physics: its world has the bits of the library's.

use bevy::prelude::*;
use xpbd_bevy::object::{ObjectPlugin, TornMesh, VertexMap};
use xpbd_bevy::prelude::*;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::World as Core;

use crate::grains::Grains;
use crate::support::{app_of, floor};

/// Steps the world of an app and, by the library alone, what is restored from its snapshot, and compares.
fn compare(app: &mut App, steps: usize) {
    compare_with(app, steps, |_| {});
}

/// The same with this before each step of the library.
fn compare_with(app: &mut App, steps: usize, mut before_each: impl FnMut(&mut Core)) {
    app.update();
    let snapshot = app.world_mut().resource_mut::<Physics>().world_mut().snapshot().unwrap();
    let mut alone = Core::default();
    xpbd_cloth::register(alone.registry_mut()).unwrap();
    xpbd_rigid::register(alone.registry_mut()).unwrap();
    xpbd_fluid::register(alone.registry_mut()).unwrap();
    alone.restore(&snapshot).unwrap();
    let mut cpu = CpuBackend::default();
    let before = alone.state_hash();
    for step in 0..steps {
        app.update();
        before_each(&mut alone);
        alone.step(&mut cpu, app.world().resource::<Time<Fixed>>().delta_secs()).unwrap();
        let hash = app.world().resource::<Physics>().world().state_hash();
        assert_eq!(hash, alone.state_hash(), "step {step}");
    }
    assert_ne!(alone.state_hash(), before);
}

fn app() -> App {
    let settings = Settings { particle_radius: 0.03, ..Settings::default() };
    app_of(XpbdPlugins::new(settings), ObjectPlugin::<Grains>::default())
}

/// A cloth held by two corners.
fn cloth(app: &mut App) {
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build();
    let sheet = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet));
    let place = Transform::from_xyz(0.0, 1.5, 0.0);
    app.world_mut().spawn((Cloth::default(), sheet, Pinned::vertices([0, 10]), Friction::new(0.2), place));
}

/// Three crates that fall, two of them hinged.
fn crates(app: &mut App) {
    let [_, a, b] = [0.0f32, 0.35, 0.7].map(|x| {
        let turned = Quat::from_axis_angle(Vec3::Z, x);
        let place = Transform::from_xyz(x, 0.6 + x, 0.1 * x).with_rotation(turned);
        app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(0.15, 0.15, 0.15), place)).id()
    });
    app.world_mut().spawn(Joint::between(a, b, HingeJoint::new(Vec3::new(0.5, 1.1, 0.0), Vec3::Z)));
}

fn water(app: &mut App) {
    let block = Fluid::block(Vec3::new(0.3, 0.3, 0.3));
    app.world_mut().spawn((block, Transform::from_xyz(0.3, 0.3, 0.0)));
}

#[test]
fn of_a_cloth() {
    let mut app = app();
    cloth(&mut app);
    compare(&mut app, 60);
}

#[test]
fn of_bodies_and_joints() {
    let mut app = app();
    floor(&mut app);
    crates(&mut app);
    compare(&mut app, 60);
}

#[test]
fn of_a_liquid() {
    let mut app = app();
    floor(&mut app);
    water(&mut app);
    compare(&mut app, 30);
}

#[test]
fn of_a_rod() {
    let mut app = app();
    let rod = (Rod::helix(0.1, 0.05, 3.0, 30), LinearDamping(0.5));
    app.world_mut().spawn((rod, Clamped::first(), Transform::from_xyz(0.0, 1.0, 0.0)));
    compare(&mut app, 60);
}

#[test]
fn of_a_rope_on_a_winch() {
    let mut app = app();
    let settings = RopeSettings { spool: 10, bending: 1e-3, ..default() };
    let rope = Rope { settings, ..Rope::between(Vec3::NEG_Y, Vec3::ZERO, 10, 1.0) };
    app.world_mut().spawn((rope, Winch { length: 3.0, speed: 0.5, attached_to: None }));
    let due = 0.5 * app.world().resource::<Time<Fixed>>().timestep().as_secs_f32();
    let mut winch = None;
    compare_with(&mut app, 60, |alone| {
        let rope = alone.objects()[0];
        let winch = winch.get_or_insert_with(|| xpbd_cloth::Winch::new(alone, rope).unwrap());
        winch.pay_out(alone, due).unwrap();
    });
}

/// A sheet that is held by an edge and tears as its other one falls, and is cut at last.
#[test]
fn of_a_cloth_that_tears() {
    let mut app = app();
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build();
    let sheet = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet));
    let tearing = TearSettings { max_strain: 0.12, max_force: f32::INFINITY, capacity: 200 };
    let stretch = Stretch::Edges { stiffness: 30.0 };
    let cloth = Cloth(ClothSettings { tearing: Some(tearing), stretch, ..default() });
    let flag = app.world_mut().spawn((cloth, sheet, Pinned::vertices([0, 1, 2, 3, 4]))).id();
    let mut torn = 0;
    compare_with(&mut app, 90, |alone| {
        let sheet = alone.objects()[0];
        torn += xpbd_cloth::tear(alone, sheet).unwrap().split_vertices.len();
    });
    assert!(torn > 0);
    let physics = app.world().resource::<Physics>().world();
    let faces = xpbd_cloth::sheet_triangles(physics, physics.objects()[0]).unwrap();
    let vertices = app.world().get::<VertexMap>(flag).unwrap();
    let TornMesh { triangles, copies } = vertices.torn.as_ref().unwrap();
    let particles: Vec<_> = triangles.iter().map(|at| at.map(|vertex| vertices.particles[vertex as usize])).collect();
    assert_eq!(particles, faces);
    assert_eq!((vertices.particles.len(), vertices.rest.len()), (121 + copies.len(), 121 + copies.len()));
}

#[test]
fn of_all_together() {
    let mut app = app();
    floor(&mut app);
    cloth(&mut app);
    crates(&mut app);
    water(&mut app);
    let places = (0..20).map(|k| Vec3::new(0.1 * k as f32 - 1.0, 2.0, 0.01 * k as f32)).collect();
    app.world_mut().spawn(Grains { places, spare: 2, mass: 0.1 });
    compare(&mut app, 30);
}
