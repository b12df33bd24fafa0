//! Compliance is physical.

use glam::Vec3;
use parry3d::shape::Cuboid;
use xpbd_core::world::{Settings, SolverMethod};
use xpbd_rigid::Cluster;

use crate::support::{run, world};

/// Returns two particles of 1 kg one below the other, the upper one pinned: how far the lower one sags \[m\], and
/// the largest force toward a goal \[N\].
fn pendulum(settings: Settings, compliance: f32) -> [f32; 2] {
    let points = [Vec3::ZERO, Vec3::NEG_Y * 0.1];
    let object =
        Cluster::from_points(&points, 0.1).compliance(compliance).linear_damping(5.0).pin([0]).build().unwrap();
    assert!((object.masses[0] - 1.0).abs() < 1e-6);
    let (mut world, object) = world(settings, object);
    run(&mut world, 300);
    let batch = world.batches_of(object)[0];
    [-0.1 - world.position(object, 1).unwrap().y, world.row_forces(batch, 0).unwrap()[0]]
}

/// A member that hangs from pinned ones is α m g below its place.
#[test]
fn elongation_does_not_depend_on_substeps_or_iterations() {
    let compliance = 1e-3;
    for (substeps, iterations) in [(1, 1), (5, 1), (20, 1), (50, 1), (5, 4), (1, 20)] {
        let settings = Settings { substeps, iterations, ..Settings::default() };
        let [stretch, force] = pendulum(settings, compliance);
        assert!((force / 9.81 - 1.0).abs() < 2e-3, "{substeps} × {iterations}: {force}");
        let expected = compliance * 9.81;
        // Pins count for a thousand times the mass of the cluster, not for infinitely much.
        assert!((stretch / expected - 1.0).abs() < 2e-3, "{substeps} × {iterations}: {stretch} {expected}");
    }
}

/// Method::Pbd ignores compliance.
#[test]
fn without_compliance_nothing_sags() {
    let [stretch, _] = pendulum(Settings { solver_method: SolverMethod::Pbd, ..Settings::default() }, 1e-3);
    assert!(stretch.abs() < 1e-5, "{stretch}");
}

/// x_k = 0.5 ρ^k cos(kφ), ρ = (1+ω²h²)^(−1/2), φ = atan(ωh), ω² = 1/(αm), for each half of a pair that
/// is stretched: its centre stays, and each is tied to its goal by a spring of its own.
#[test]
fn a_stretched_pair_swings_like_the_discrete_oscillator() {
    let alpha = 1e-3;
    let points = [Vec3::ZERO, Vec3::X];
    for iterations in [1, 10] {
        let mut object = Cluster::from_points(&points, 0.1).compliance(alpha).build().unwrap();
        object.positions = vec![Vec3::X * -0.1, Vec3::X * 1.1];
        let settings = Settings { gravity: Vec3::ZERO, iterations, ..Settings::default() };
        let (mut world, object) = world(settings, object);
        run(&mut world, 60);
        let (h, k) = (1.0 / 1200.0_f64, 1200.0);
        let omega = (1.0 / f64::from(alpha)).sqrt();
        let rho = 1.0 / (1.0 + omega * omega * h * h).sqrt();
        let phase = xpbd_core::scalar::trig::atan2((omega * h) as f32, 1.0);
        let mut swing = (1.0_f64, 0.0_f64);
        let (c, s) = (f64::from(xpbd_core::scalar::trig::cos(phase)), f64::from(xpbd_core::scalar::trig::sin(phase)));
        for _ in 0..k as usize {
            swing = (rho * (swing.0 * c - swing.1 * s), rho * (swing.1 * c + swing.0 * s));
        }
        let found = f64::from(world.position(object, 1).unwrap().x) - 1.0;
        assert!((found - 0.1 * swing.0).abs() < 1e-4, "{iterations}: {found} {}", 0.1 * swing.0);
    }
}

/// A rigid beam held at one end stays straight.
#[test]
fn a_rigid_cluster_holds_to_its_pins() {
    let shape = Cuboid::new(Vec3::new(0.3, 0.05, 0.05));
    let object = Cluster::from_shape(&shape, 0.05).pin_where(|x| x.x < -0.2).build().unwrap();
    let start = object.positions.clone();
    let (mut world, object) = world(Settings::default(), object);
    run(&mut world, 120);
    let moved = world.positions(object).unwrap().zip(&start).map(|(x, s)| x.distance(*s)).fold(0.0, f32::max);
    assert!(moved < 1e-3, "{moved}");
}
