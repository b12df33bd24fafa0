//! Adhesion to walls and solids.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Friction, Object};
use xpbd_fluid::{Fluid, Liquid};

use crate::probe::{H, Probe, Random, weightless};

const SPACING: f32 = 0.003;
const WATER: Liquid = Liquid::WATER.viscosity(0.2).adhesion(0.0);

/// The height of a drop on a wall without weight after it has come to rest, over what a cap of this contact
/// angle has.
///
/// A cap of volume V and angle θ has the height h with V = π h³ (2 + cos θ)/(3 (1 − cos θ)).
fn height(cosine: f64) -> f64 {
    let mut world = weightless(SPACING);
    let floor = Collider::new(SharedShape::halfspace(Vector::Y)).friction(Friction::new(0.0));
    world.add_collider(floor).expect("valid");
    let size = Vec3::new(10.0, 7.0, 10.0) * SPACING;
    let liquid = WATER.adhesion(WATER.surface_tension * (1.0 + cosine as f32));
    let drop = Fluid::block(Vec3::ZERO, size).liquid(liquid).add_to(&mut world).expect("valid");
    for _ in 0..240 {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    let top = world.positions(drop).expect("it exists").map(|x| x.y).fold(0.0, f32::max) + 0.5 * SPACING;
    let bottom = world.positions(drop).expect("it exists").map(|x| x.y).fold(f32::MAX, f32::min);
    assert!(cosine <= -1.0 || bottom < SPACING, "it stays on the wall: {bottom}");
    let volume = f64::from(size.element_product());
    let cap = (3.0 * volume * (1.0 - cosine) / (std::f64::consts::PI * (2.0 + cosine))).cbrt();
    f64::from(top) / cap
}

#[test]
fn drops_meet_walls_at_their_angle() {
    let heights = [-0.5, 0.0, 0.5].map(height);
    assert!(heights[..2].iter().all(|ratio| (0.8..1.2).contains(ratio)), "{heights:?}");
    // What wets spreads too little, since walls push particles away that have hardly any above them.
    assert!((0.8..1.5).contains(&heights[2]), "{heights:?}");
}

/// A cloth and a fluid in disorder: the cloth takes what the fluid gets.
#[test]
fn solids_take_the_opposite() {
    let mut world = weightless(SPACING);
    let mut random = Random(11);
    let mut cloud = |count: usize| -> Vec<Vec3> { (0..count).map(|_| random.vector() * 0.01).collect() };
    Fluid::particles(cloud(200)).liquid(Liquid::new(998.0).adhesion(0.1)).add_to(&mut world).expect("valid");
    world.add(Object::new("cloth", cloud(60), 1e-6)).expect("valid");
    let mut probe = Probe::new(&world);
    let changes = probe.changes(H, &[Vec3::ZERO; 260]);
    assert!(changes.iter().all(|change| change.is_finite()));
    assert!(changes[..200].iter().any(|change| *change != Vec3::ZERO));
    let error = probe.momentum_error(&changes);
    assert!(error < 1e-6, "{error}");
}
