//! The vehicle of the demo, in numbers.

#[path = "../../../examples/demos/vehicle/drive.rs"]
#[expect(unreachable_pub, reason = "the demo is a program")]
mod drive;

use bevy::prelude::*;
use drive::{Vehicle, vehicle};

use crate::support::{app, body, floor, steps};

/// Returns an app with a vehicle on a floor.
fn car() -> (App, Entity) {
    let mut app = app();
    drive::build(&mut app);
    floor(&mut app);
    let car = app.world_mut().spawn(vehicle(Vec3::ZERO)).id();
    (app, car)
}

fn controls(app: &mut App, car: Entity) -> Mut<'_, Vehicle> {
    app.world_mut().get_mut::<Vehicle>(car).unwrap()
}

/// Returns the speed along −z \[m/s\].
fn speed(app: &App, car: Entity) -> f64 {
    f64::from(-body(app, car).velocity.z)
}

#[test]
fn springs_rest_where_they_bear_the_weight() {
    let (mut app, car) = car();
    steps(&mut app, 300);
    // k x = m g / 4.
    let expected = Vehicle::MASS * 9.81 / 4.0 / Vehicle::default().stiffness;
    for wheel in controls(&mut app, car).wheels {
        assert!((wheel.compression - expected).abs() < 1e-3 * expected, "{} {expected}", wheel.compression);
    }
    let height = body(&app, car).pose.translation.y;
    assert!((height - (Vehicle::HEIGHT - expected)).abs() < 1e-4, "{height}");
}

#[test]
fn it_drives_straight_as_fast_as_engine_and_resistance_say_and_brakes_to_a_stop() {
    let (mut app, car) = car();
    steps(&mut app, 180);
    // No wheel slips, though half of the brakes take load from those at the rear.
    (controls(&mut app, car).throttle, controls(&mut app, car).friction) = (1.0, 10.0);
    let Vehicle { engine_force, brake_force, rolling_resistance, .. } = Vehicle::default();
    let [mass, engine, brakes, resistance] =
        [Vehicle::MASS, engine_force, 0.5 * brake_force, rolling_resistance].map(f64::from);
    for frames in [60, 240, 480] {
        let before = speed(&app, car);
        steps(&mut app, frames);
        // m v′ = F − b v: v = F/b + (v₀ − F/b) exp(−b t/m).
        let decay = (-resistance * frames as f64 / 60.0 / mass).exp();
        let expected = engine / resistance + (before - engine / resistance) * decay;
        let found = speed(&app, car);
        assert!((found - expected).abs() < 5e-3 * expected, "{frames}: {found} {expected}");
    }
    let straight = body(&app, car);
    assert!(straight.pose.translation.x.abs() < 1e-2, "{}", straight.pose.translation);
    assert!((straight.pose.rotation * Vec3::NEG_Z).x.abs() < 1e-3, "{}", straight.pose.rotation);

    (controls(&mut app, car).throttle, controls(&mut app, car).brake) = (0.0, 0.5);
    let (before, from) = (speed(&app, car), straight.pose.translation.z);
    // m v′ = −B − b v: it stands after t = m/b ln(1 + b v₀/B), at x = m/b (v₀ − B/b ln(1 + b v₀/B)).
    let logarithm = (1.0 + resistance * before / brakes).ln();
    let duration = mass / resistance * logarithm;
    let distance = mass / resistance * (before - brakes / resistance * logarithm);
    let mut frames = 0;
    while speed(&app, car) > 0.05 && frames < 1000 {
        steps(&mut app, 1);
        frames += 1;
    }
    assert!((f64::from(frames) / 60.0 - duration).abs() < 0.02 * duration, "{frames} frames, {duration} s");
    steps(&mut app, 120);
    let stopped = body(&app, car);
    let found = f64::from(from - stopped.pose.translation.z);
    assert!((found - distance).abs() < 0.01 * distance, "{found} {distance}");
    assert!(stopped.velocity.length() < 1e-3, "{}", stopped.velocity);
}

#[test]
fn wheels_that_slip_brake_by_the_friction_of_the_weight() {
    let (mut app, car) = car();
    steps(&mut app, 180);
    controls(&mut app, car).throttle = 1.0;
    steps(&mut app, 150);
    let mut state = controls(&mut app, car);
    (state.throttle, state.brake, state.friction, state.rolling_resistance) = (0.0, 1.0, 0.3, 0.0);
    steps(&mut app, 30);
    // v′ = −μ g, whatever part of the weight each wheel bears.
    let before = speed(&app, car);
    steps(&mut app, 90);
    let (found, expected) = (before - speed(&app, car), 0.3 * 9.81 * 1.5);
    assert!(before > expected + 1.0 && (found - expected).abs() < 0.01 * expected, "{found} {expected}");
}

#[test]
fn it_turns_toward_the_side_to_which_it_steers() {
    for steering in [-0.1, 0.1_f32] {
        let (mut app, car) = car();
        steps(&mut app, 120);
        (controls(&mut app, car).throttle, controls(&mut app, car).steering) = (0.2, steering);
        steps(&mut app, 300);
        let state = body(&app, car);
        // Wheels that do not slip go around the circle of radius L / tan δ, with the wheelbase L of 2.6 m.
        let rate = f64::from(state.velocity.length()) * f64::from(xpbd_core::scalar::trig::sin(steering)) / 2.6;
        let found = f64::from(state.angular_velocity.y);
        assert!((found - rate).abs() < 0.1 * rate.abs(), "{steering}: {found} {rate}");
    }
}

#[test]
fn in_the_air_wheels_do_nothing() {
    let (mut app, car) = car();
    app.world_mut().get_mut::<Transform>(car).unwrap().translation.y = 20.0;
    let mut state = controls(&mut app, car);
    (state.throttle, state.steering) = (1.0, 0.4);
    steps(&mut app, 60);
    let state = body(&app, car);
    assert!(state.velocity.with_y(0.0) == Vec3::ZERO && state.angular_velocity == Vec3::ZERO, "{state:?}");
    assert!(controls(&mut app, car).wheels.iter().all(|wheel| wheel.compression == 0.0));
}
