//! The air: its coefficients, its bound, its sides, and wind that changes.

use glam::{DVec3, Quat, Vec3};
use xpbd_cloth::constraint::{Aerodynamics, AerodynamicsParameters};
use xpbd_cloth::{Air, AirSides, Bending, Cloth, Wind, set_wind, set_wind_field};
use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, ObjectHandle, Settings, World, WorldError};

use crate::measurement;

const FRAME: f32 = 1.0 / 60.0;

/// Returns the force \[N\] on a corner of a triangle in the xz plane, −∇(C²/(2α)), by differences of the wind.
fn force(air: Air, wind: Vec3) -> DVec3 {
    let energy = |wind: Vec3| {
        let object = Cloth::from_mesh(&TRIANGLE, &[0, 2, 1]).air(Air { wind, ..air }).build().unwrap();
        let batch = measurement::batch(&object, Aerodynamics::NAME);
        let [row, ..] = measurement::rows(Aerodynamics, batch, 0, &TRIANGLE);
        0.5 * row * row / f64::from(batch.compliance_of(0))
    };
    let step = 1.0 / 64.0;
    let slope = |axis: Vec3| (energy(wind + axis * step) - energy(wind - axis * step)) / f64::from(2.0 * step);
    DVec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z))
}

/// Half a square metre that faces up.
const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Z];

#[test]
fn drag_and_lift_are_those_of_a_plate() {
    let air =
        Air { density: 1.2, drag_coefficient: 1.1, lift_slope: 2.0, edge_drag_coefficient: 0.05, ..Air::default() };
    let (a, b, c) = (2.0, 0.05, 1.1);
    for angle in [0.0_f32, 0.1, 0.4, 0.8, 1.2, 1.5] {
        let (sin, cos) = measurement::sin_cos(f64::from(angle));
        let speed = 8.0;
        let along = DVec3::new(cos, sin, 0.0);
        let force = force(air, (along * speed).as_vec3());
        let pressure = 0.5 * 1.2 * (0.5 / 3.0) * speed * speed;
        let drag = b + 1.5 * a * sin * sin + (c - b - 1.5 * a) * sin * sin * sin;
        let lift = sin * cos * (a - (1.5 * a + b - c) * sin);
        let found = [force.dot(along), force.dot(DVec3::new(-sin, cos, 0.0))].map(|force| force / pressure);
        assert!((found[0] - drag).abs() < 2e-3 && (found[1] - lift).abs() < 2e-3, "{angle}: {found:?}, {drag}, {lift}");
    }
}

#[test]
fn a_closed_surface_feels_air_on_its_front_only() {
    let air = Air { sides: AirSides::Front, ..Air::default() };
    let (front, back) = (force(air, -Vec3::Y * 5.0), force(air, Vec3::Y * 5.0));
    assert!(front.y < -0.2, "{front}");
    // What is left is friction, 0.02 of 1.2.
    assert!((back.y + front.y * 0.02 / 1.2).abs() < 1e-3, "{back} and {front}");
}

/// Hundreds of loose triangles of any weight and direction in winds of up to 200 m/s.
#[test]
fn no_speed_relative_to_the_wind_ever_grows() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, substeps: 7, ..Settings::default() }).unwrap();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let mut winds = Vec::new();
    for k in 0..300 {
        let turn = Quat::from_xyzw(random(), random(), random(), 0.7).normalize();
        let wind = Vec3::new(random(), random(), random()) * if k % 2 == 0 { 120.0 } else { 1.0 };
        let air = AerodynamicsParameters::new(wind, [1.5, 2.0 + 2.0 * random(), 0.05], k % 3 > 0);
        let places = TRIANGLE.map(|x| turn * x * 0.1 + Vec3::X * k as f32);
        let mass = [1e-8, 1e-5, 1e-2][k % 3];
        let batch = Batch::new(Aerodynamics, &[[0, 1, 2]], &[air]).unwrap();
        let object = Object::new("loose", places.to_vec(), mass);
        winds.push((world.add(object.with(batch.compliance(Aerodynamics::compliance(0.005, 1.2)))).unwrap(), wind));
    }
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    let mut last: Vec<f32> = winds.iter().map(|(_, wind)| wind.length()).collect();
    for _ in 0..20 {
        world.step(&mut backend, FRAME).unwrap();
        for ((object, wind), last) in winds.iter().zip(&mut last) {
            let now = world.velocities(*object).unwrap().map(|v| v.distance(*wind)).fold(0.0, f32::max);
            assert!(now <= *last * (1.0 + 1e-5) + 1e-6, "{now} after {last} in {wind}");
            *last = now;
        }
    }
    assert!(winds.iter().zip(&last).filter(|((_, wind), now)| **now < 0.5 * wind.length()).count() > 100);
}

fn sheet(wind: Vec3) -> Object {
    let cloth = Cloth::grid(6, 5, 0.5, 0.4).pin([0, 5]).air(Air { wind, ..Air::default() });
    cloth.bending(Bending::Isometric { stiffness: 1e-4 }).build().unwrap()
}

/// Returns the state after 20 frames in which `edit` is done before each.
fn played(wind: Vec3, edit: impl Fn(&mut World, ObjectHandle, u32)) -> u64 {
    let mut world = World::default();
    let object = world.add(sheet(wind)).unwrap();
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    for frame in 0..20 {
        edit(&mut world, object, frame);
        world.step(&mut backend, FRAME).unwrap();
    }
    world.state_hash()
}

#[test]
fn wind_that_is_set_is_wind_that_was_there() {
    let wind = Vec3::new(3.0, 0.5, -2.0);
    let built = played(wind, |_, _, _| {});
    assert_eq!(built, played(Vec3::ZERO, |world, object, _| set_wind(world, object, wind).unwrap()));
    assert_eq!(built, played(Vec3::ZERO, |world, object, _| set_wind_field(world, object, |_| wind).unwrap()));
    assert_ne!(built, played(Vec3::ZERO, |_, _, _| {}));
    // The plan is kept, and says the same as a new one.
    let gusts = Wind { velocity: wind, gust_strength: 0.5, gust_size: 0.3, seed: 3 };
    let gust = |world: &mut World, object, frame: u32| {
        set_wind_field(world, object, |place| gusts.velocity_at(place, f64::from(frame) / 60.0)).unwrap();
    };
    let replanned = played(wind, |world, object, frame| {
        gust(world, object, frame);
        let batch = world.batches_of(object)[0];
        world.edit_batch(batch, |_| {}).unwrap();
    });
    assert_eq!(played(wind, gust), replanned);
}

#[test]
fn winds_that_are_not_finite_are_refused() {
    let mut world = World::default();
    let object = world.add(sheet(Vec3::X)).unwrap();
    let batch = world.batches_of(object)[0];
    assert!(matches!(set_wind(&mut world, object, Vec3::NAN), Err(WorldError::Batch(_))));
    assert_eq!(world.batch(batch).unwrap().traced().unwrap().parameters(0)[..3], [1.0, 0.0, 0.0]);
    let still = world.add(Cloth::grid(3, 3, 1.0, 1.0).build().unwrap()).unwrap();
    assert_eq!(set_wind(&mut world, still, Vec3::X), Err(WorldError::StaleHandle("object in air")));
    let bad = [
        Air { density: 0.0, ..Air::default() },
        Air { drag_coefficient: 0.01, edge_drag_coefficient: 0.02, ..Air::default() },
        Air { lift_slope: f32::NAN, ..Air::default() },
        Air { edge_drag_coefficient: -1.0, ..Air::default() },
        Air { wind: Vec3::INFINITY, ..Air::default() },
    ];
    for air in bad {
        assert!(Cloth::grid(3, 3, 1.0, 1.0).air(air).build().is_err(), "{air:?}");
    }
}
