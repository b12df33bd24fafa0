//! Rods in an app without a window.

use std::f32::consts::FRAC_PI_2;

use bevy::prelude::*;
use xpbd_bevy::prelude::*;
use xpbd_core::scalar::trig;

use crate::support::{app_of, body, points, steps};

fn weightless() -> App {
    app_of(XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }), ())
}

fn left(app: &App) -> [usize; 4] {
    let physics = app.world().resource::<Physics>();
    let state = physics.world().state();
    [state.objects.len(), state.body_handles.len(), state.batches.len(), physics.owned_count()]
}

/// w = q l⁴/(8 E I), the tip of a cantilever under its own weight q = ρ A g, with I/A = r²/4.
#[test]
fn a_clamped_rod_sags_by_its_weight() {
    let mut app = app_of(XpbdPlugins::new(Settings { substeps: 80, ..Settings::default() }), ());
    let rod = (Rod::between(Vec3::ZERO, Vec3::X * 0.3, 5), LinearDamping(2.0));
    let (place, expected) = (Vec3::new(1.0, 2.0, 0.0), 1100.0 * 9.81 * 0.0081 / (2.0 * 1e7 * 1e-4));
    let rod = app.world_mut().spawn((rod, Clamped::first(), Transform::from_translation(place))).id();
    steps(&mut app, 300);
    let sag = place.y - points(&app, rod)[5].y;
    assert!((sag / expected - 1.0).abs() < 0.05, "{sag} {expected}");
}

#[test]
fn what_rides_on_a_rod_turns_with_the_entity_that_holds_it() {
    let mut app = weightless();
    let settings = RodSettings { damping_time: 0.05, ..default() };
    let rod = Rod { normal: Some(Vec3::Y), settings, ..Rod::between(Vec3::ZERO, Vec3::X * 0.5, 5) };
    let rod = app.world_mut().spawn((rod, LinearDamping(5.0), Clamped::first())).id();
    let above = app.world_mut().spawn(Transform::from_xyz(0.0, 3.0, 0.0)).id();
    let rider =
        app.world_mut().spawn((SegmentAttachment { rod, segment: 4 }, Transform::from_scale(Vec3::splat(2.0)))).id();
    let child = app.world_mut().spawn((SegmentAttachment { rod, segment: 0 }, ChildOf(above))).id();
    let lost = app.world_mut().spawn(SegmentAttachment { rod, segment: 5 }).id();
    steps(&mut app, 1);
    let at = *app.world().get::<Transform>(rider).unwrap();
    assert!(at.translation.distance(Vec3::X * 0.45) < 1e-5 && at.scale == Vec3::splat(2.0), "{at:?}");
    assert!((at.rotation * Vec3::Z).distance(Vec3::X) < 1e-5 && (at.rotation * Vec3::X).distance(Vec3::Y) < 1e-5);
    let below = app.world().get::<Transform>(child).unwrap().translation;
    assert!(below.distance(Vec3::new(0.05, -3.0, 0.0)) < 1e-5, "{below}");
    assert_eq!(app.world().get::<Transform>(lost), Some(&Transform::IDENTITY));
    // The rod's entity turns about x, along the rod: half a turn in a second.
    for k in 0..60 {
        let turn = Quat::from_rotation_x(FRAC_PI_2 * (k + 1) as f32 / 60.0);
        app.world_mut().get_mut::<Transform>(rod).unwrap().rotation = turn;
        steps(&mut app, 1);
    }
    steps(&mut app, 180);
    let at = *app.world().get::<Transform>(rider).unwrap();
    assert!((at.rotation * Vec3::X).distance(Vec3::Z) < 0.02, "{:?}", at.rotation * Vec3::X);
    assert!(at.translation.distance(Vec3::X * 0.45) < 1e-3, "{at:?}");
}

#[test]
fn a_rod_flies_spins_and_goes() {
    let mut app = weightless();
    let velocity = (LinearVelocity(Vec3::X), AngularVelocity(Vec3::Z * 2.0));
    let settings = RodSettings { youngs_modulus: 1e6, ..default() };
    let rod = Rod { settings, ..Rod::between(Vec3::NEG_X * 0.5, Vec3::X * 0.5, 10) };
    let rod = app.world_mut().spawn((rod, velocity, Transform::from_xyz(0.0, 1.0, 0.0))).id();
    steps(&mut app, 30);
    let (middle, ends) = (points(&app, rod)[5], points(&app, rod)[10] - points(&app, rod)[0]);
    assert!(middle.distance(Vec3::new(0.5, 1.0, 0.0)) < 0.01, "{middle}");
    assert!(ends.distance(Vec3::new(trig::cos(1.0), trig::sin(1.0), 0.0)) < 0.03, "{ends}");
    app.world_mut().entity_mut(rod).insert(Clamped::first());
    steps(&mut app, 1);
    app.world_mut().get_mut::<Rod>(rod).unwrap().radius = 0.02;
    steps(&mut app, 2);
    assert_eq!(left(&app), [1, 11, 4, 3], "ten segments, and what stands for the entity");
    app.world_mut().get_mut::<Rod>(rod).unwrap().radius = -1.0;
    steps(&mut app, 2);
    assert_eq!(left(&app), [1, 11, 4, 3], "an invalid change leaves the rod as it was");
    assert!(app.world().get::<RodId>(rod).is_some());
    app.world_mut().get_mut::<Rod>(rod).unwrap().radius = 0.02;
    steps(&mut app, 2);
    app.world_mut().entity_mut(rod).remove::<Clamped>();
    assert_eq!(left(&app), [1, 10, 2, 3]);
    app.world_mut().despawn(rod);
    steps(&mut app, 1);
    assert_eq!(left(&app), [0; 4]);
}

/// What is clamped to a body hangs on it, and goes on without it.
#[test]
fn a_rod_holds_bodies() {
    let mut app = app_of(XpbdPlugins::new(Settings { substeps: 20, ..Settings::default() }), ());
    let weight = (RigidBody::Dynamic, Collider::ball(0.03), Transform::from_xyz(0.0, -0.55, 0.0));
    let weight = app.world_mut().spawn(weight).id();
    let rod = (Rod::between(Vec3::ZERO, Vec3::NEG_Y * 0.5, 5), LinearDamping(0.5));
    let rod = app.world_mut().spawn((rod, Clamped::first().and(Clamped::last().held_by(weight)))).id();
    steps(&mut app, 60);
    let (at, end) = (body(&app, weight).pose.translation, points(&app, rod)[5]);
    assert!(at.y > -0.57 && (end - at).distance(Vec3::Y * 0.05) < 1e-3, "{at} {end}");
    app.world_mut().despawn(weight);
    steps(&mut app, 60);
    assert!(points(&app, rod)[5].y > -0.52);
}
