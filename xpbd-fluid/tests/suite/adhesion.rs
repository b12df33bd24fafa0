//! Adhesion to walls and solids.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Friction, Object};
use xpbd_fluid::{Fluid, FluidMaterial};

use crate::probe::{H, Probe, Random, weightless};

const SPACING: f32 = 0.003;
const WATER: FluidMaterial = FluidMaterial::WATER.viscosity(0.2).adhesion(0.0);

/// Returns the angle \[degrees\] at which a drop meets a wall without weight, told from its height, when it has come to
/// rest; none if it does not touch. It is a brick of these cells at first.
///
/// A cap of volume V and angle θ has the height h with V = π h³ (2 + cos θ)/(3 (1 − cos θ)).
fn angle(cells: Vec3, adhesion: f32) -> Option<f64> {
    let mut world = weightless(SPACING);
    let floor = Collider::new(SharedShape::halfspace(Vector::Y)).friction(Friction::new(0.0));
    world.add_collider(floor).expect("valid");
    let brick = Fluid::block(Vec3::ZERO, cells * SPACING).material(WATER.adhesion(adhesion));
    let drop = brick.add_to_world(&mut world).expect("valid");
    for _ in 0..150 {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    let heights = || world.positions(drop).expect("it exists").map(|x| x.y / SPACING);
    let (low, high) = (heights().fold(f32::MAX, f32::min), heights().fold(0.0, f32::max) + 0.5);
    let cube = f64::from(high * high * high) * std::f64::consts::PI / (3.0 * f64::from(cells.element_product()));
    (low < 1.0).then(|| ((1.0 - 2.0 * cube) / (1.0 + cube)).clamp(-1.0, 1.0).acos().to_degrees())
}

/// Lines of contact stick: what spreads stops short, and what draws back too. The angle of Young and Dupré,
/// E = γ (1 + cos θ), is in between, and what is not held lets go.
#[test]
fn drops_meet_walls_at_their_angle() {
    let (tall, flat) = (Vec3::new(7.0, 14.0, 7.0), Vec3::new(15.0, 3.0, 15.0));
    for due in [120.0_f64, 90.0, 60.0] {
        let adhesion = WATER.surface_tension * (1.0 + due.to_radians().cos() as f32);
        let [wide, narrow] = [tall, flat].map(|cells| angle(cells, adhesion).expect("it is held"));
        assert!(wide > due - 10.0 && narrow < due + 10.0 && wide - narrow < 50.0, "{narrow} to {wide}, {due} is due");
    }
    assert_eq!(angle(tall, 0.0), None);
}

/// A cloth and a fluid in disorder: the cloth takes what the fluid gets.
#[test]
fn solids_take_the_opposite() {
    let mut world = weightless(SPACING);
    let mut random = Random(11);
    let mut cloud = |count: usize| -> Vec<Vec3> { (0..count).map(|_| random.vector() * 0.01).collect() };
    Fluid::particles(cloud(200))
        .material(FluidMaterial::new(998.0).adhesion(0.1))
        .add_to_world(&mut world)
        .expect("valid");
    world.add(Object::new("cloth", cloud(60), 1e-6)).expect("valid");
    let mut probe = Probe::new(&world);
    let changes = probe.changes(H, &[Vec3::ZERO; 260]);
    assert!(changes.iter().all(|change| change.is_finite()));
    assert!(changes[..200].iter().any(|change| *change != Vec3::ZERO));
    let error = probe.momentum_error(&changes);
    assert!(error < 1e-6, "{error}");
}
