//! Viscosity against the equation of Navier and Stokes.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Object, Settings, World};
use xpbd_fluid::{Fluid, FluidMaterial};

use crate::probe::{D, H, Probe, Random, weightless};

/// Kinematic viscosity \[m²/s\] and the liquid that has it.
const NU: f32 = 0.02;
const SYRUP: FluidMaterial = FluidMaterial::new(1000.0).viscosity(1000.0 * NU);

fn positions(world: &World) -> Vec<Vec3> {
    (0..world.state().particles.len()).map(|i| world.state().particles.position(i)).collect()
}

/// ∂v/∂t = ν ∇²v: a shear wave v = sin(k y) loses the part ν k² h of itself; on the lattice, whose kernel sees
/// one layer up and down, 2 ν h (1 − cos k d)/d² of itself.
#[test]
fn a_shear_wave_decays_as_its_viscosity_says() {
    let mut world = weightless(D);
    Fluid::block(Vec3::ZERO, Vec3::new(8.0, 20.0, 8.0) * D).material(SYRUP).add_to_world(&mut world).expect("valid");
    let places = positions(&world);
    let k = std::f64::consts::TAU / (10.0 * f64::from(D));
    let wave = |y: f32| (k * f64::from(y)).sin();
    let velocities: Vec<Vec3> = places.iter().map(|x| Vec3::X * wave(x.y) as f32).collect();
    let changes = Probe::new(&world).changes(H, &velocities);
    let (nu, h, d) = (f64::from(NU), f64::from(H), f64::from(D));
    let (rate, on_lattice) = (nu * k * k * h, 2.0 * nu * h * (1.0 - (k * d).cos()) / (d * d));
    let inside = |x: &Vec3| x.min_element() > D && (x.x.max(x.z) < 7.0 * D) && x.y < 19.0 * D;
    let mut seen = 0;
    for (place, change) in places.iter().zip(changes).filter(|(place, _)| inside(place)) {
        let change = change.as_dvec3();
        assert!((change.x + on_lattice * wave(place.y)).abs() < 1e-5 * rate, "{place}: {change}");
        assert!((change.x + rate * wave(place.y)).abs() < 0.05 * rate, "{place}: {change}");
        assert!(change.y == 0.0 && change.z == 0.0, "{place}: {change}");
        seen += 1;
    }
    assert_eq!(seen, 6 * 18 * 6);
}

/// The same by stepping: the wave v = cos(π y/L) between two free surfaces decays like exp(−ν k² t). What the
/// sides of the block lack of neighbours reaches the middle only later.
#[test]
fn a_slab_comes_to_rest_like_exp() {
    let (layers, width) = (10.0, 18.0);
    let mut world = weightless(D);
    let size = Vec3::new(width, layers, width) * D;
    let slab = Fluid::block(Vec3::ZERO, size).material(SYRUP).add_to_world(&mut world).expect("valid");
    let places = positions(&world);
    let k = std::f64::consts::PI / f64::from(size.y);
    let wave = |y: f32| (k * f64::from(y)).cos();
    for (i, place) in places.iter().enumerate() {
        world.set_position(slab, i, *place, Vec3::X * 0.02 * wave(place.y) as f32).expect("the particle exists");
    }
    let amplitude = |world: &World| {
        let middle = |x: &Vec3| (x - 0.5 * size).with_y(0.0).abs().max_element() < 3.0 * D;
        let inside = places.iter().zip(world.velocities(slab).expect("it exists")).filter(|(x, _)| middle(x));
        inside.map(|(x, v)| f64::from(v.x) * wave(x.y)).sum::<f64>()
    };
    let before = amplitude(&world);
    let frames = 50;
    for _ in 0..frames {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    let (found, expected) = (-(amplitude(&world) / before).ln(), f64::from(NU) * k * k * f64::from(frames) / 60.0);
    assert!((found / expected - 1.0).abs() < 0.05, "{found} for {expected}");
}

/// A linear profile on a wall that does not move is in equilibrium: v = s y at every height, since the fluid
/// does not slip. The second layer feels 0.7 % of what a layer does to the next from the wall, which the lattice
/// does not have.
#[test]
fn a_linear_profile_on_a_wall_stays() {
    let mut world = weightless(D);
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y))).expect("valid");
    Fluid::block(Vec3::ZERO, Vec3::new(6.0, 6.0, 6.0) * D).material(SYRUP).add_to_world(&mut world).expect("valid");
    let places = positions(&world);
    let slope = 3.0;
    let velocities: Vec<Vec3> = places.iter().map(|x| Vec3::X * slope * x.y).collect();
    let changes = Probe::new(&world).changes(H, &velocities);
    let inside = |x: &Vec3| x.x.min(x.z) > D && x.x.max(x.z) < 5.0 * D && x.y < 5.0 * D;
    let mut seen = 0;
    for (place, change) in places.iter().zip(&changes).filter(|(place, _)| inside(place)) {
        assert!(change.length() < 2e-4 * slope * D, "{place}: {change}");
        seen += 1;
    }
    assert_eq!(seen, 4 * 5 * 4);
    // At rest on a wall that moves by, the lowest layer is taken along.
    let still = vec![Vec3::X; places.len()];
    let changes = Probe::new(&world).changes(H, &still);
    assert!(places.iter().zip(&changes).all(|(x, change)| (x.y < D) == (change.x < -1e-3)), "{changes:?}");
}

/// Returns two liquids and a cloth of its own spacing, all in disorder and some in one place.
fn crowd(viscosity: f32) -> World {
    let mut world = weightless(D);
    let mut random = Random(7);
    let mut cloud = |count: usize, size: f32| -> Vec<Vec3> { (0..count).map(|_| random.vector() * size).collect() };
    let water = Fluid::particles([cloud(300, 0.15), vec![Vec3::splat(0.05); 80]].concat());
    water.material(FluidMaterial::WATER.viscosity(viscosity)).add_to_world(&mut world).expect("valid");
    let oil = Fluid::particles(cloud(300, 0.15)).material(FluidMaterial::OIL.viscosity(0.3 * viscosity));
    oil.add_to_world(&mut world).expect("valid");
    world.add(Object::new("cloth", cloud(100, 0.1), 0.002)).expect("valid");
    world
}

#[test]
fn pairs_keep_momentum_and_never_gain_energy() {
    for viscosity in [1e-3, 1.0, 1e3, 1e30] {
        let world = crowd(viscosity);
        let mut probe = Probe::new(&world);
        let mut random = Random(3);
        let velocities: Vec<Vec3> = (0..world.state().particles.len()).map(|_| random.vector()).collect();
        let changes = probe.changes(H, &velocities);
        assert!(changes.iter().all(|change| change.is_finite()) && changes.iter().any(|change| *change != Vec3::ZERO));
        let error = probe.momentum_error(&changes);
        assert!(error < 1e-7, "{viscosity}: {error}");
        let after: Vec<Vec3> = velocities.iter().zip(&changes).map(|(v, change)| v + change).collect();
        let (before, after) = (probe.energy(&velocities), probe.energy(&after));
        assert!(after < before, "{viscosity}: {after} of {before}");
    }
}

/// Two particles of one mass: what one gains the other loses, to the bit.
#[test]
fn a_pair_is_equal_and_opposite() {
    let mut world = weightless(D);
    let places = vec![Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.32, 0.13, -0.21)];
    Fluid::particles(places).material(SYRUP).add_to_world(&mut world).expect("valid");
    let changes = Probe::new(&world).changes(H, &[Vec3::new(0.3, 0.5, -0.7), Vec3::new(-1.1, 0.2, 0.4)]);
    assert_eq!(changes[0], -changes[1]);
    assert!(changes[0].x < 0.0);
}

/// Far more viscous than a step can do, a fluid is as viscous as it can be.
#[test]
fn the_bound_is_where_the_documentation_says() {
    let change = |viscosity: f32| {
        let mut world = weightless(D);
        let liquid = FluidMaterial::new(1000.0).viscosity(viscosity);
        Fluid::block(Vec3::ZERO, Vec3::splat(7.0 * D)).material(liquid).add_to_world(&mut world).expect("valid");
        let velocities: Vec<Vec3> = positions(&world)
            .iter()
            .map(|x| if x.distance(Vec3::splat(3.5 * D)) < 0.1 * D { Vec3::X } else { Vec3::ZERO })
            .collect();
        Probe::new(&world).changes(H, &velocities).iter().map(|change| change.x).fold(0.0, f32::min)
    };
    let most = FluidMaterial::new(1000.0).max_viscosity(D, H);
    let bound = change(1e6 * most);
    assert!((change(0.99 * most) / bound - 0.99).abs() < 1e-3);
    assert!((change(1.01 * most) / bound - 1.0).abs() < 1e-3);
}

#[test]
fn a_fluid_that_does_nothing_else_costs_nothing() {
    let mut world = World::new(Settings { particle_radius: 0.5 * D, ..Settings::default() }).expect("valid");
    Fluid::block(Vec3::ZERO, Vec3::splat(3.0 * D)).add_to_world(&mut world).expect("valid");
    let probe = Probe::new(&world);
    assert!(!xpbd_fluid::FLUID_MEDIUM.solver().changes_velocities(&probe.survey.materials));
}
