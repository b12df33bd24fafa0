//! Plastic flow.

use glam::{Mat3, Vec3};
use parry3d::shape::Cuboid;
use xpbd_core::plasticity::Plasticity;
use xpbd_rigid::{Cluster, ClusterBatch};

use crate::support::{floating, run, world};

/// Returns the plastic deformation of a block after its particles were held in a stretched shape for a second.
fn held(stretch: Mat3, plasticity: Plasticity) -> Mat3 {
    let shape = Cuboid::new(Vec3::splat(0.1));
    let mut object = Cluster::from_shape(&shape, 0.05).compliance(1e-3).plasticity(plasticity).build().unwrap();
    object.positions.iter_mut().for_each(|x| *x = stretch * *x);
    object.pins = (0..object.positions.len() as u32).collect();
    let (mut world, object) = world(floating(), object);
    run(&mut world, 60);
    let batch: &dyn std::any::Any = world.batch(world.batches_of(object)[0]).unwrap();
    batch.downcast_ref::<ClusterBatch>().unwrap().plastic_deformation(0).unwrap()
}

fn apart(a: Mat3, b: Mat3) -> f32 {
    let d = a - b;
    (d.x_axis.length_squared() + d.y_axis.length_squared() + d.z_axis.length_squared()).sqrt()
}

const LAW: Plasticity = Plasticity { yield_strain: 0.05, creep: 10.0, limit: 0.5 };

/// An isochoric stretch flows until the rest of the strain is what the material bears.
#[test]
fn what_exceeds_the_yield_strain_flows() {
    let stretch = Mat3::from_diagonal(Vec3::new(1.25, 0.8, 1.0));
    let p = held(stretch, LAW);
    let rest = apart(stretch * p.inverse(), Mat3::IDENTITY);
    assert!(rest <= LAW.yield_strain + 1e-4 && rest > 0.9 * LAW.yield_strain, "{rest} {p}");
    assert!((p.determinant() - 1.0).abs() < 1e-5);
}

#[test]
fn what_the_material_bears_does_not_flow() {
    let p = held(Mat3::from_diagonal(Vec3::new(1.03, 1.0 / 1.03, 1.0)), LAW);
    assert_eq!(p, Mat3::IDENTITY);
}

/// Creep: the excess falls by c h a substep, so after the first second with a tiny yield strain the
/// rest is exp(−c) of it to first order.
#[test]
fn creep_is_a_rate() {
    let slow = Plasticity { yield_strain: 1e-4, creep: 0.5, limit: 0.9 };
    let strain = 0.01_f32;
    let p = held(Mat3::from_diagonal(Vec3::new(1.0 + strain, 1.0 / (1.0 + strain), 1.0)), slow);
    let expected = strain * (1.0 - 0.606_530_7);
    assert!((p.x_axis.x - 1.0 - expected).abs() < 0.02 * expected, "{} {expected}", p.x_axis.x - 1.0);
}

#[test]
fn the_limit_holds_and_so_does_the_volume() {
    for stretch in [Vec3::new(3.0, 1.0, 1.0), Vec3::new(0.1, 0.1, 0.1), Vec3::new(4.0, 0.5, 0.1)] {
        let p = held(Mat3::from_diagonal(stretch), Plasticity { creep: 1e3, ..LAW });
        assert!((p.determinant() - 1.0).abs() < 1e-5, "{p}");
        // The limit is kept up to what the volume is corrected by.
        assert!(apart(p, Mat3::IDENTITY) < LAW.limit * 1.5, "{p}");
        let smallest = p.inverse();
        assert!(smallest.is_finite() && apart(smallest, Mat3::ZERO) < 6.0, "{p}");
    }
}

#[test]
fn a_flat_cluster_does_not_flow() {
    let points: Vec<_> = (0..16).map(|k| Vec3::new((k % 4) as f32, 0.0, (k / 4) as f32) * 0.1).collect();
    let mut object = Cluster::from_points(&points, 0.1).plasticity(LAW).build().unwrap();
    object.positions.iter_mut().for_each(|x| x.x *= 2.0);
    let (mut world, object) = world(floating(), object);
    run(&mut world, 10);
    assert!(!world.is_frozen(object).unwrap());
    let batch: &dyn std::any::Any = world.batch(world.batches_of(object)[0]).unwrap();
    assert_eq!(batch.downcast_ref::<ClusterBatch>().unwrap().plastic_deformation(0), Some(Mat3::IDENTITY));
}
