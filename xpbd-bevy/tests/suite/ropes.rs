//! Ropes, wind and uniform accelerations in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;
use xpbd_core::scalar::trig::atan2;

use crate::support::{app, points, steps};

fn length(points: &[Vec3]) -> f32 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// The parameter a of the catenary y = a cosh(x/a) of this length over this span, by bisection of 2a sinh(s/2a) = l.
fn catenary(span: f64, length: f64) -> f64 {
    let (mut low, mut high) = (span / 50.0, span * 50.0);
    for _ in 0..200 {
        let a = 0.5 * (low + high);
        // The curve is longer where a is less.
        if 2.0 * a * (span / (2.0 * a)).sinh() > length { low = a } else { high = a }
    }
    0.5 * (low + high)
}

#[test]
fn a_rope_hangs_in_a_catenary() {
    let mut app = app();
    let (span, long) = (2.0, 2.6);
    let rope = Rope { drag: 2.0, ..Rope::between(Vec3::ZERO, Vec3::X * span, 40, long) };
    let place = Transform::from_xyz(0.3, 1.0, -2.0).with_rotation(Quat::from_axis_angle(Vec3::Y, 0.7));
    let rope = app.world_mut().spawn((rope, Pinned::vertices([0, 40]), place)).id();
    steps(&mut app, 600);
    let hanging: Vec<_> = points(&app, rope).iter().map(|&x| place.to_matrix().inverse().transform_point3(x)).collect();
    assert!((length(&hanging) - long).abs() < 2e-3 * long, "{}", length(&hanging));
    let a = catenary(f64::from(span), f64::from(long));
    let height = |x: f64| a * (x / a).cosh() - a * (f64::from(span) / 2.0 / a).cosh();
    for at in hanging {
        let expected = height(f64::from(at.x - span / 2.0)) as f32;
        assert!((at.y - expected).abs() < 0.01 && at.z.abs() < 1e-3, "{at}: {expected}");
    }
}

/// The angle \[rad\] by which a rope that hangs from its first point leans along x.
fn lean(app: &App, rope: Entity) -> f32 {
    let points = points(app, rope);
    let way = points[points.len() - 1] - points[0];
    atan2(way.x, -way.y)
}

#[test]
fn wind_tilts_a_rope_by_its_drag() {
    let mut app = app();
    app.insert_resource(Wind::new(Vec3::X * 3.0));
    let rope = Rope { drag: 2.0, ..Rope::default() };
    let rope = app.world_mut().spawn((rope, Pinned::vertices([0]))).id();
    steps(&mut app, 900);
    // Every particle has the weight m g and is pushed with m d u: tan φ = d u/g.
    let expected = atan2(2.0 * 3.0, 9.81);
    assert!((lean(&app, rope) - expected).abs() < 2e-3, "{} {expected}", lean(&app, rope));
}

#[test]
fn an_acceleration_tilts_a_rope_and_does_not_add_up_in_a_pause() {
    let mut app = app();
    let rope = Rope { drag: 2.0, ..Rope::default() };
    let rope = app.world_mut().spawn((rope, Pinned::vertices([0]), Acceleration(Vec3::X * 4.0))).id();
    for frame in 0..900 {
        app.world_mut().resource_mut::<PhysicsTime>().paused = (100..200).contains(&frame);
        app.update();
        assert!(frame == 0 || points(&app, rope).iter().all(|x| x.length() < 1.01));
    }
    let expected = atan2(4.0, 9.81);
    assert!((lean(&app, rope) - expected).abs() < 2e-3, "{} {expected}", lean(&app, rope));
}

#[test]
fn gusts_keep_to_their_bounds_and_travel() {
    let wind = Wind { gusts: 0.4, ..Wind::new(Vec3::new(3.0, 0.0, 4.0)) };
    let (mut least, mut most) = (f32::MAX, 0.0_f32);
    for k in 0..2000 {
        let time = f64::from(k) * 0.05;
        let here = wind.at(time, Vec3::ZERO).length();
        (least, most) = (least.min(here), most.max(here));
        let later = wind.at(time + 2.0, wind.velocity * 2.0).length();
        assert!((here - later).abs() < 1e-3, "{here} {later}");
    }
    assert!((5.0 * 0.6 - 1e-4..5.0 * 0.75).contains(&least), "{least}");
    assert!(most <= 5.0 * 1.4 + 1e-4 && most > 5.0 * 1.25, "{most}");
}

#[test]
fn what_is_no_rope_is_refused_until_it_is_one() {
    let mut app = app();
    let rope = app.world_mut().spawn(Rope::between(Vec3::ZERO, Vec3::X, 10, 0.5)).id();
    app.world_mut().spawn(Rope::through([]));
    steps(&mut app, 3);
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
    *app.world_mut().get_mut::<Rope>(rope).unwrap() = Rope::between(Vec3::ZERO, Vec3::X, 10, 1.5);
    app.update();
    assert_eq!(points(&app, rope).len(), 11);
}
