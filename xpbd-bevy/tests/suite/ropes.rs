//! Ropes, wind and uniform accelerations in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::object::rope::CutLinks;
use xpbd_bevy::prelude::*;
use xpbd_core::scalar::trig::atan2;
use xpbd_core::settings::ConstraintSolver;

use crate::support::{app, app_of, points, steps};

fn length(points: &[Vec3]) -> f32 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// Returns the parameter a of the catenary y = a cosh(x/a) of this length over this span, by bisection of 2a sinh(s/2a)
/// = l.
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
    let rope = (Rope::between(Vec3::ZERO, Vec3::X * span, 40, long), LinearDamping(2.0));
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

/// Returns the angle \[rad\] by which a rope that hangs from its first point leans along x.
fn lean(app: &App, rope: Entity) -> f32 {
    let points = points(app, rope);
    let way = points[points.len() - 1] - points[0];
    atan2(way.x, -way.y)
}

#[test]
fn wind_tilts_a_rope_by_its_drag() {
    let mut app = app();
    app.insert_resource(Wind::new(Vec3::X * 3.0));
    let rope = app.world_mut().spawn((Rope::default(), LinearDamping(2.0), Pinned::vertices([0]))).id();
    steps(&mut app, 900);
    // Every particle has the weight m g and is pushed with m d u: tan φ = d u/g.
    let expected = atan2(2.0 * 3.0, 9.81);
    assert!((lean(&app, rope) - expected).abs() < 2e-3, "{} {expected}", lean(&app, rope));
}

#[test]
fn an_acceleration_tilts_a_rope_and_does_not_add_up_in_a_pause() {
    let mut app = app();
    let pushed = (LinearDamping(2.0), ConstantAcceleration(Vec3::X * 4.0));
    let rope = app.world_mut().spawn((Rope::default(), Pinned::vertices([0]), pushed)).id();
    for frame in 0..900 {
        app.world_mut().resource_mut::<PhysicsTime>().paused = (100..200).contains(&frame);
        app.update();
        assert!(frame == 0 || points(&app, rope).iter().all(|x| x.length() < 1.01));
    }
    let expected = atan2(4.0, 9.81);
    assert!((lean(&app, rope) - expected).abs() < 2e-3, "{} {expected}", lean(&app, rope));
}

/// Returns the half a metre of rope that hangs from a winch.
fn crane(app: &mut App, spool: u32) -> Entity {
    let settings = RopeSettings { density: 1.0, bending: 1e-3, spool, ..default() };
    let rope = Rope { settings, ..Rope::between(Vec3::NEG_Y * 0.5, Vec3::ZERO, 5, 0.5) };
    let at = Transform::from_xyz(0.0, 3.0, 0.0);
    app.world_mut().spawn((rope, Winch { length: 0.5, speed: 0.4, attached_to: None }, at)).id()
}

#[test]
fn a_winch_pays_out_and_reels_in_and_moves() {
    let mut app = app_of(XpbdPlugins::new(Settings { substeps: 20, ..Settings::default() }), ());
    let rope = crane(&mut app, 10);
    let out = |app: &App| app.world().get::<WinchDrum>(rope).unwrap().paid_out();
    steps(&mut app, 5);
    let object = app.world().resource::<Physics>().object_of(rope);
    assert!((out(&app) - 0.5).abs() < 1e-6);
    for (length, frames) in [(1.2, 105), (0.3, 135), (9.0, 300)] {
        app.world_mut().get_mut::<Winch>(rope).unwrap().length = length;
        steps(&mut app, frames - 6);
        assert!((out(&app) - length).abs() > 0.01, "as fast as it may be: {}", out(&app));
        steps(&mut app, 30);
        let expected = length.min(0.1 * 15.6);
        assert!((out(&app) - expected).abs() < 1e-4, "{} {expected}", out(&app));
        let low = points(&app, rope)[0];
        assert!((3.0 - low.y - expected).abs() < 0.02, "{low} {expected}");
    }
    assert_eq!(app.world().resource::<Physics>().object_of(rope), object, "it has not been made anew");
    app.world_mut().get_mut::<Transform>(rope).unwrap().translation.x = 0.05;
    steps(&mut app, 1);
    assert!(points(&app, rope)[15].distance(Vec3::new(0.05, 3.0, 0.0)) < 1e-5);
    app.world_mut().entity_mut(rope).remove::<Winch>();
    steps(&mut app, 30);
    assert!(points(&app, rope)[15].y < 2.0, "it is let go");
}

#[test]
fn a_winch_of_a_rope_with_tethers_does_nothing() {
    let mut app = app();
    let rope = crane(&mut app, 0);
    app.world_mut().entity_mut(rope).insert(Pinned::vertices([5]));
    app.world_mut().get_mut::<Rope>(rope).unwrap().solver = ConstraintSolver::Sweep;
    app.world_mut().get_mut::<Winch>(rope).unwrap().length = f32::NAN;
    steps(&mut app, 30);
    assert!(app.world().get::<WinchDrum>(rope).unwrap().handle().is_none());
    app.world_mut().get_mut::<Rope>(rope).unwrap().tethers = false;
    steps(&mut app, 30);
    assert!((app.world().get::<WinchDrum>(rope).unwrap().paid_out() - 0.5).abs() < 1e-6, "no number is no length");
    app.world_mut().get_mut::<Winch>(rope).unwrap().length = 0.2;
    steps(&mut app, 60);
    assert!((app.world().get::<WinchDrum>(rope).unwrap().paid_out() - 0.2).abs() < 1e-4);
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

/// Messages and errors of cuts.
#[derive(Resource, Default)]
struct HeardCuts(Vec<RopeCut>, Vec<String>);

/// Returns an app that hears of cuts, and a rope of 20 links along x from the origin, a metre long, that hangs by both ends.
fn clothes_line() -> (App, Entity) {
    let mut app = app();
    app.init_resource::<HeardCuts>();
    let hear =
        |mut cuts: MessageReader<RopeCut>, mut errors: MessageReader<PhysicsError>, mut heard: ResMut<HeardCuts>| {
            heard.0.extend(cuts.read());
            heard.1.extend(errors.read().map(|error| error.message.clone()));
        };
    app.add_systems(Update, hear);
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0);
    let rope = app.world_mut().spawn((rope, Pinned::vertices([0, 20]), Transform::from_xyz(0.0, 2.0, 0.0))).id();
    steps(&mut app, 1);
    (app, rope)
}

#[test]
fn a_rope_that_is_cut_at_a_link_hangs_in_two_pieces() {
    let (mut app, rope) = clothes_line();
    let middle = 0.5 * (points(&app, rope)[14] + points(&app, rope)[15]);
    app.world_mut().write_message(CutRope { entity: rope, place: RopeCutPlace::Link(14) });
    steps(&mut app, 2);
    let heard = app.world().resource::<HeardCuts>().0.clone();
    assert_eq!(heard, [RopeCut { entity: rope, link: 14, pieces: 2, point: middle }]);
    assert_eq!(app.world().get::<CutLinks>(rope).map(|links| links.to_vec()), Some(vec![14]));
    // Again at the same link: nothing is cut. One that is not there is an error, and cuts nothing.
    for link in [14, 20] {
        app.world_mut().write_message(CutRope { entity: rope, place: RopeCutPlace::Link(link) });
    }
    app.world_mut().entity_mut(rope).insert(LinearDamping(4.0));
    steps(&mut app, 600);
    let HeardCuts(heard, errors) = app.world().resource();
    assert!(heard.len() == 1 && errors.len() == 1 && errors[0].contains("no particle 21"), "{heard:?} {errors:?}");
    // Both pieces hang straight down from their pins, 14 and 5 links of 0.05 m long.
    let points = points(&app, rope);
    for (end, expected) in [(points[14], Vec3::new(0.0, 1.3, 0.0)), (points[15], Vec3::new(1.0, 1.75, 0.0))] {
        assert!(end.distance(expected) < 5e-3, "{end} {expected}");
    }
}

#[test]
fn a_ray_cuts_the_first_link_that_it_meets() {
    let (mut app, rope) = clothes_line();
    let cut = |app: &mut App, origin: Vec3, direction: Dir3, radius: f32| {
        let place = RopeCutPlace::Ray { ray: Ray3d { origin, direction }, max_distance: 5.0, radius };
        app.world_mut().write_message(CutRope { entity: rope, place });
        steps(app, 2);
        app.world().resource::<HeardCuts>().0.clone()
    };
    // It passes 2 cm above, ends before the rope, or begins behind it.
    let x = points(&app, rope)[7].lerp(points(&app, rope)[8], 0.25);
    assert_eq!(cut(&mut app, x + Vec3::new(0.0, 0.02, 3.0), Dir3::NEG_Z, 0.01), []);
    assert_eq!(cut(&mut app, x + Vec3::Z * 6.0, Dir3::NEG_Z, 0.01), []);
    assert_eq!(cut(&mut app, x + Vec3::NEG_Z, Dir3::NEG_Z, 0.01), []);
    assert!(app.world().get::<CutLinks>(rope).is_none());
    let x = points(&app, rope)[7].lerp(points(&app, rope)[8], 0.25);
    let heard = cut(&mut app, x + Vec3::Z * 3.0, Dir3::NEG_Z, 0.01);
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0].link, heard[0].pieces), (7, 2));
    assert!(heard[0].point.distance(x) < 1e-3, "{} {x}", heard[0].point);
    // Along the rope from its end: the first link that is left.
    let end = points(&app, rope)[20];
    let heard = cut(&mut app, end + Vec3::X, Dir3::NEG_X, 0.02);
    assert_eq!((heard[1].link, heard[1].pieces), (19, 3));
    assert_eq!(app.world().get::<CutLinks>(rope).map(|links| links.to_vec()), Some(vec![7, 19]));
}

#[test]
fn the_spool_of_a_winch_is_not_a_cut() {
    let mut app = app_of(XpbdPlugins::new(Settings { substeps: 20, ..Settings::default() }), ());
    let rope = crane(&mut app, 10);
    for length in [0.5, 1.2, 0.3] {
        app.world_mut().get_mut::<Winch>(rope).unwrap().length = length;
        steps(&mut app, 130);
        assert!(app.world().get::<CutLinks>(rope).is_none());
    }
    app.world_mut().write_message(CutRope { entity: rope, place: RopeCutPlace::Link(1) });
    steps(&mut app, 2);
    assert_eq!(app.world().get::<CutLinks>(rope).map(|links| links.to_vec()), Some(vec![1]));
}
