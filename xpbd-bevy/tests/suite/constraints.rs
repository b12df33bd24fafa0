//! Constraints of one's own in an app without a window.

use bevy::prelude::*;
use parry3d::math::Pose;
use xpbd_bevy::constraint::BatchId;
use xpbd_bevy::object::ObjectPlugin;
use xpbd_bevy::physics::PhysicsHandle;
use xpbd_bevy::prelude::*;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::prelude::{Batch, Body, Constraint, ConstraintType, Mass, Points, Real};

use crate::grains::Grains;
use crate::support::{app_of, steps};

/// Keeps two points at a distance.
struct Spring;

impl Constraint<2, 1> for Spring {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "spring";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }
}

fn app() -> App {
    let mut app = app_of(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
    app.add_constraint(Spring);
    app
}

/// Grains of 1 kg.
fn grains(places: impl IntoIterator<Item = Vec3>) -> Grains {
    Grains { places: places.into_iter().collect(), spare: 0, mass: 1.0 }
}

fn place(app: &App, entity: Entity, particle: usize) -> Vec3 {
    let physics = app.world().resource::<Physics>();
    physics.world().position(physics.object_of(entity).unwrap(), particle).unwrap()
}

fn batches(app: &App) -> usize {
    app.world().resource::<Physics>().world().state().batches.len()
}

#[test]
fn a_spring_hangs_and_swings_as_it_must() {
    let mut app = app();
    let (stiffness, rest) = (100.0, 0.5);
    let spring = Batch::new(Spring, &[[0, 1]], &[[rest]]).unwrap().compliance(1.0 / stiffness);
    let pair = grains([Vec3::ZERO, Vec3::NEG_Y * rest]);
    let hung = app.world_mut().spawn((pair, Constraints::new(spring), Pinned::vertices([0]))).id();
    let mut heights = Vec::new();
    for _ in 0..300 {
        app.update();
        heights.push(place(&app, hung, 1).y);
    }
    // 1 kg at 100 N/m is stretched by g/100 in the mean, and swings with 2π/10 s about that.
    let lowest = heights.iter().copied().fold(0.0, f32::min);
    assert!((lowest + rest + 2.0 * 9.81 / stiffness).abs() < 2e-3, "{lowest}");
    let first = (0..300).min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap();
    assert!((f64::from(first as u32 + 1) / 60.0 - 0.314).abs() < 0.02, "{first}");
    // The last of 5 s are nearer the mean, by the damping of first order.
    let mean = heights[225..].iter().sum::<f32>() / 75.0;
    assert!((mean + rest + 9.81 / stiffness).abs() < 0.01, "{mean}");

    app.world_mut().entity_mut(hung).remove::<Constraints>();
    app.update();
    assert!(app.world().get::<BatchId>(hung).is_none());
    assert_eq!(batches(&app), 0);
}

#[test]
fn ends_are_waited_for_and_may_go() {
    let mut app = app();
    let a = app.world_mut().spawn(grains([Vec3::ZERO])).id();
    let b = app.world_mut().spawn_empty().id();
    let spring = Batch::new(Spring, &[[0, 1]], &[[1.0]]).unwrap();
    let ties = app.world_mut().spawn(Constraints::new(spring).between([a, b])).id();
    app.update();
    assert_eq!((batches(&app), app.world().get::<BatchId>(ties).is_some()), (0, false));
    app.world_mut().entity_mut(b).insert((grains([Vec3::ZERO]), Transform::from_xyz(1.5, 0.0, 0.0)));
    app.update();
    assert_eq!(batches(&app), 1);
    assert!((place(&app, a, 0).distance(place(&app, b, 0)) - 1.0).abs() < 1e-3);

    // Made anew: tied anew.
    let before = *app.world().get::<BatchId>(ties).unwrap();
    app.world_mut().get_mut::<Grains>(b).unwrap().places.push(Vec3::Y);
    app.update();
    assert_eq!(batches(&app), 1);
    assert_ne!(*app.world().get::<BatchId>(ties).unwrap(), before);
    for gone in [b, a, ties] {
        app.world_mut().despawn(gone);
        app.update();
        assert_eq!(batches(&app), 0);
    }
}

#[test]
fn a_particle_hangs_on_a_body() {
    let mut app = app();
    let grain = app.world_mut().spawn(grains([Vec3::NEG_Y * 2.0])).id();
    let body = app.world_mut().spawn_empty().id();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let fixed = Body { gravity_scale: 0.0, ..Body::dynamic(Pose::IDENTITY, Mass::ball(1e6, 0.5)) };
    let handle = physics.world_mut().add_body(fixed).unwrap();
    physics.set_owner(PhysicsHandle::Body(handle), body);
    let points = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
    let kind = ConstraintType::of(Spring).unwrap();
    let connectors = Connectors::new(&points).unwrap();
    let spring = Batch::from_parts(kind, connectors, vec![0, 0], vec![Vec3::NEG_Y], vec![0.5]).unwrap();
    app.world_mut().spawn(Constraints::new(spring).between([body, grain]));
    steps(&mut app, 120);
    let hangs = place(&app, grain, 0);
    assert!((hangs - Vec3::NEG_Y * 1.5).length() < 1e-3, "{hangs}");
}

#[test]
fn what_does_not_fit_is_told_and_left_out() {
    let mut app = app();
    let spring = Batch::new(Spring, &[[0, 7]], &[[1.0]]).unwrap();
    let grains = app.world_mut().spawn((grains([Vec3::ZERO]), Constraints::new(spring))).id();
    steps(&mut app, 3);
    assert!(app.world().get::<BatchId>(grains).is_none());
    let twice = Batch::new(Spring, &[[0, 1]], &[[1.0]]).unwrap();
    app.world_mut().entity_mut(grains).insert(Constraints::new(twice).between([grains, grains]));
    steps(&mut app, 3);
    assert_eq!(batches(&app), 0);
}
