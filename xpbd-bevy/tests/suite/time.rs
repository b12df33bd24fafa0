//! The clock of physics: scales that time cannot have, and frames of the game that owe too many steps.

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use xpbd_bevy::prelude::*;

use super::support::{app, body, steps};

fn time(app: &mut App) -> Mut<'_, PhysicsTime> {
    app.world_mut().resource_mut::<PhysicsTime>()
}

#[test]
fn a_scale_that_is_no_number_or_negative_stops_time_until_it_is_valid_again() {
    let mut app = app();
    let ball = app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.5))).id();
    steps(&mut app, 10);
    let (elapsed, before) = (time(&mut app).elapsed, body(&app, ball));
    for scale in [f32::NAN, f32::INFINITY, -1.0] {
        time(&mut app).scale = scale;
        steps(&mut app, 5);
        assert_eq!((time(&mut app).elapsed, body(&app, ball)), (elapsed, before), "{scale}");
    }
    time(&mut app).scale = 1.0;
    steps(&mut app, 5);
    assert!((time(&mut app).elapsed - elapsed - 5.0 / 60.0).abs() < 1e-6);
    assert!(body(&app, ball).pose.translation.y < before.pose.translation.y);
}

#[test]
fn a_frame_makes_no_more_steps_than_it_may_and_counts_the_rest() {
    let mut app = app();
    let before = time(&mut app).elapsed;
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(10));
    steps(&mut app, 3);
    assert!((time(&mut app).elapsed - before - 12.0 / 60.0).abs() < 1e-6);
    assert_eq!(time(&mut app).dropped_steps, 18);
    time(&mut app).max_steps_per_frame = 10;
    steps(&mut app, 3);
    assert!((time(&mut app).elapsed - before - 42.0 / 60.0).abs() < 1e-6);
    assert_eq!(time(&mut app).dropped_steps, 18);
}
