//! What the builder of cloth hands over.

use glam::{Affine3A, Quat, Vec3};
use xpbd_cloth::{Bending, Cloth, Stretch};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::world::Object;

use crate::measurement::batch;

#[test]
fn masses_sum_to_density_times_area() {
    for (columns, rows) in [(2, 2), (31, 17), (150, 150)] {
        let object = Cloth::grid(columns, rows, 1.5, 0.8).density(0.3).build().unwrap();
        let mass: f64 = object.masses.iter().map(|&mass| f64::from(mass)).sum();
        assert!((mass / (0.3 * 1.5 * 0.8) - 1.0).abs() < 1e-5, "{mass}");
    }
}

#[test]
fn counts_of_a_grid() {
    let (a, b) = (99, 99);
    let object = Cloth::grid(a + 1, b + 1, 1.0, 1.0).build().unwrap();
    assert_eq!(batch(&object, "distance").len() as u32, 3 * a * b + a + b);
    assert_eq!(batch(&object, "isometric-bending").len() as u32, 3 * a * b - a - b);
}

#[test]
fn stiffness_becomes_compliance() {
    let object =
        Cloth::grid(3, 3, 1.0, 1.0).stretch(Stretch::Edges { stiffness: 250.0 }).damping_time(0.1).build().unwrap();
    let edges = batch(&object, "distance");
    assert_eq!(edges.compliance_of(3), 1.0 / 250.0);
    assert!((edges.damping_of(0) - 25.0).abs() < 1e-4);
    let rigid = Cloth::grid(3, 3, 1.0, 1.0).damping_time(0.1).build().unwrap();
    assert_eq!(batch(&rigid, "distance").compliance_of(0), 0.0);
    assert_eq!(batch(&rigid, "distance").damping_of(0), 0.0);
    let strain = Stretch::Strain { youngs_modulus: 1e6, poisson_ratio: 0.2 };
    let membrane = Cloth::grid(2, 2, 0.2, 0.1).thickness(1e-3).stretch(strain).build().unwrap();
    let alpha = batch(&membrane, "triangle-strain").compliance_of(1);
    assert!((alpha * 1e6 * 1e-3 * 0.01 - 1.0).abs() < 1e-5, "{alpha}");
}

#[test]
fn placing_far_away_keeps_the_rest_shape() {
    let near = Cloth::grid(20, 20, 0.3, 0.3).build().unwrap();
    let far = Cloth::grid(20, 20, 0.3, 0.3).at(Vec3::splat(1000.0)).build().unwrap();
    let lengths = |object: &Object| (0..100).map(|k| batch(object, "distance").parameters(k)[0]).collect::<Vec<_>>();
    assert_eq!(lengths(&near), lengths(&far));
    assert_eq!(near.rest_positions, far.rest_positions);
    assert!((far.positions[399] - Vec3::new(1000.15, 1000.0, 1000.15)).length() < 1e-3);
}

#[test]
fn transforms_and_pins_follow_each_other() {
    let upright =
        Affine3A::from_rotation_translation(Quat::from_xyzw(0.5_f32.sqrt(), 0.0, 0.0, 0.5_f32.sqrt()), Vec3::Y);
    let object =
        Cloth::grid(5, 5, 2.0, 2.0).transform(upright).at(Vec3::Y).pin_where(|_, x| x.y > 2.9).build().unwrap();
    assert_eq!(object.pins, [0, 1, 2, 3, 4]);
    assert!((object.positions[0] - Vec3::new(-1.0, 3.0, 0.0)).length() < 1e-5, "{}", object.positions[0]);
    let repeated = Cloth::grid(5, 5, 2.0, 2.0).pin([7, 3, 7]).pin([3]).build().unwrap();
    assert_eq!(repeated.pins, [3, 7]);
}

#[test]
fn one_triangle_has_no_flap() {
    let names = |bending| {
        let triangle = Cloth::from_mesh(&[Vec3::ZERO, Vec3::Z, Vec3::X], &[0, 1, 2]).bending(bending);
        triangle.build().unwrap().batches.iter().map(|batch| batch.name().to_string()).collect::<Vec<_>>()
    };
    let stiffness = 1.0;
    for bending in [
        Bending::None,
        Bending::Distance { stiffness },
        Bending::Dihedral { stiffness },
        Bending::Isometric { stiffness },
    ] {
        assert_eq!(names(bending), ["distance"]);
    }
}

#[test]
fn the_same_description_builds_the_same_object() {
    let build = || Cloth::grid(40, 30, 1.0, 1.0).damping_time(0.01).pin([0, 39]).build().unwrap();
    assert_eq!(format!("{:?}", build()), format!("{:?}", build()));
}

#[test]
fn a_large_cloth_is_built_quickly() {
    let start = std::time::Instant::now();
    let cloth = Cloth::grid(150, 150, 1.5, 1.5).pin([0, 149, 149 * 150, 22_499]);
    let object = cloth.build().unwrap();
    let taken = start.elapsed();
    println!("22,500 particles, 4 pins: {taken:?}");
    assert_eq!(batch(&object, "tether").len(), 4 * 22_496);
    assert!(taken.as_secs_f32() < 2.0, "{taken:?}");
}
