//! Surface tension against Lamb's oscillating drop, and what it must keep.

use glam::Vec3;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::{Fluid, FluidMaterial};

use crate::probe::{H, Probe, Random, weightless};

/// Water that does not stick and hardly drags.
const WATER: FluidMaterial = FluidMaterial::WATER.adhesion(0.0).viscosity(0.0);
/// Radius of a drop \[m\].
const RADIUS: f32 = 0.018;

/// Returns a drop of particles this far apart \[m\], stretched along x by a factor and thinner by its root.
fn drop(spacing: f32, stretch: f32, liquid: FluidMaterial) -> (World, ObjectHandle) {
    let mut world = weightless(spacing);
    let half = Vec3::new(stretch, stretch.sqrt().recip(), stretch.sqrt().recip()) * RADIUS;
    let count = (half.max_element() / spacing).ceil() as i32;
    let axis = || -count..count;
    let cells =
        axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x as f32, y as f32, z as f32))));
    let places = cells.map(|cell| (cell + 0.5) * spacing).filter(|place| (place / half).length() < 1.0).collect();
    let drop = Fluid::particles(places).material(liquid).add_to_world(&mut world).expect("valid");
    (world, drop)
}

/// Returns how much longer along x than across, by second moments, less 1.
fn elongation(world: &World, drop: ObjectHandle) -> f64 {
    let squares: Vec3 = world.positions(drop).expect("it exists").map(|x| x * x).sum();
    f64::from(squares.x / (squares.y * squares.z).sqrt()).sqrt() - 1.0
}

/// A drop stretched by 15 % swings with Lamb's ω² = 8 γ/(ρ a³): half a period from one turn to the next.
#[test]
fn a_drop_swings_as_its_tension_says() {
    let (mut world, drop) = drop(0.003, 1.15, WATER);
    let mut elongations = Vec::new();
    for _ in 0..60 {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
        elongations.push(elongation(&world, drop));
    }
    let turns: Vec<f64> = (1..59)
        .filter(|&k| (elongations[k] - elongations[k - 1]) * (elongations[k + 1] - elongations[k]) < 0.0)
        .map(|k| {
            // The vertex of the parabola through three frames.
            let [a, b, c] = [elongations[k - 1], elongations[k], elongations[k + 1]];
            k as f64 + 0.5 * (a - c) / (a - 2.0 * b + c)
        })
        .filter(|&frame| frame > 10.0)
        .collect();
    let square = 8.0 * f64::from(WATER.surface_tension) / (f64::from(WATER.density) * f64::from(RADIUS).powi(3));
    let expected = std::f64::consts::PI / square.sqrt() * 60.0;
    assert!(turns.len() >= 2, "{elongations:?}");
    let half = turns[1] - turns[0];
    assert!((half / expected - 1.0).abs() < 0.08, "{half} frames for {expected}: {turns:?}");
    let swing = elongations[..10].iter().copied().fold(0.0, f64::max);
    assert!(elongations[turns[0] as usize] < -0.3 * swing, "it swings through: {elongations:?}");
}

/// No force acts: Σ m v stays 0 to rounding, and Σ x × m v nearly.
#[test]
fn a_drop_keeps_its_momentum() {
    let (mut world, drop) = drop(0.004, 1.5, WATER);
    let seconds = 2.0;
    for _ in 0..120 {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    let mass = f64::from(world.state().particles.mass.iter().sum::<f32>());
    let radius = f64::from(RADIUS);
    let speed = (f64::from(WATER.surface_tension / WATER.density) / radius).sqrt();
    let momentum = world.momentum();
    assert!(momentum.linear.length() < 1e-5 * seconds * mass * speed, "{momentum:?}");
    assert!(momentum.angular.length() < 1e-2 * seconds * mass * speed * radius, "{momentum:?}");
    assert!(elongation(&world, drop).abs() < 0.5);
}

/// One projection of particles in disorder, two of them in one place: what pairs do is equal and opposite, and
/// finite.
#[test]
fn pairs_are_equal_and_opposite() {
    let mut world = weightless(0.004);
    let mut random = Random(5);
    let mut places: Vec<Vec3> = (0..400).map(|_| random.vector() * 0.016).collect();
    places.extend([Vec3::splat(0.001); 3]);
    Fluid::particles(places).material(WATER).add_to_world(&mut world).expect("valid");
    let corrections = Probe::new(&world).corrections(H);
    assert!(corrections.iter().all(|correction| correction.is_finite()));
    let sum: glam::DVec3 = corrections.iter().map(|x| x.as_dvec3()).sum();
    let size: f64 = corrections.iter().map(|x| x.as_dvec3().length()).sum();
    assert!(sum.length() < 1e-6 * size, "{sum} of {size}");
}

/// With more tension than a step can follow, a drop holds together all the same.
#[test]
fn the_bound_keeps_a_drop_whole() {
    let (spacing, h) = (0.004, 1.0 / 480.0);
    let most = WATER.max_surface_tension(spacing, h);
    let stretched = |tension: f32| {
        let (mut world, drop) = drop(spacing, 1.3, WATER.surface_tension(tension));
        for _ in 0..60 {
            world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
        }
        let farthest = world.positions(drop).expect("it exists").map(Vec3::length).fold(0.0, f32::max);
        (farthest, elongation(&world, drop))
    };
    assert_eq!(stretched(most * 1.001), stretched(most * 1e6));
    assert!(stretched(most * 2.0).0 < 1.5 * RADIUS);
}

/// Two liquids do not hold on to each other.
#[test]
fn other_liquids_are_let_go() {
    let change = |other: FluidMaterial| {
        let mut world = weightless(0.004);
        let places = |side: f32| (0..2).map(|k| Vec3::new(side * (1.0 + k as f32) - 0.5, 0.0, 0.0) * 0.003).collect();
        Fluid::particles(places(1.0)).material(WATER).add_to_world(&mut world).expect("valid");
        Fluid::particles(places(-1.0)).material(other).add_to_world(&mut world).expect("valid");
        Probe::new(&world).corrections(H)
    };
    let alone = change(WATER.surface_tension(0.0));
    assert_eq!(change(WATER.surface_tension(0.01))[..2], alone[..2]);
    assert_ne!(change(WATER)[..2], alone[..2]);
}
