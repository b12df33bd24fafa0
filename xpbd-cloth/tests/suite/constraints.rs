//! Every constraint passes its self-check, is zero at rest, and costs what it should.

use glam::{Quat, Vec3};
use xpbd_cloth::constraint::*;
use xpbd_cloth::{Bending, Cloth, Stretch, register};
use xpbd_core::batch::Registry;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::update::{UpdateVariant, solve_program};
use xpbd_core::constraint::{Constraint, ConstraintType};
use xpbd_core::scalar::Double;
use xpbd_core::world::Object;

use crate::measurement;

#[test]
fn all_pass_the_self_check_and_are_registered() {
    let mut registry = Registry::default();
    register(&mut registry).unwrap();
    let names: Vec<_> = registry.names().collect();
    let all = [
        "aerodynamics",
        "attachment",
        "backstop",
        "cloth-face",
        "dihedral",
        "distance",
        "fibre-strain",
        "frame-drag",
        "isometric-bending",
        "neo-hookean",
        "plastic-dihedral",
        "plastic-distance",
        "plastic-neo-hookean",
        "plastic-tetra-strain",
        "rod-bend-twist",
        "rod-stretch-shear",
        "rope-bending",
        "tether",
        "tetra-least-volume",
        "tetra-strain",
        "tetra-volume",
        "triangle-strain",
        "woven-strain",
        "inflation",
        "mass-scaling",
        "multilevel",
    ];
    assert_eq!(names, all);
    register(&mut registry).unwrap();
}

#[test]
fn programs_are_short() {
    let length = |kind: &ConstraintType| {
        solve_program(kind, &Connectors::particles(kind.point_count()), UpdateVariant::default()).instructions.len()
    };
    let mut registry = Registry::default();
    register(&mut registry).unwrap();
    let kinds = registry.names().filter_map(|name| Some((name, registry.get(name).ok()?)));
    let measured: Vec<_> = kinds.map(|(name, kind)| (name, length(kind))).collect();
    println!("{measured:?}");
    let of = |name: &str| measured.iter().find(|(other, _)| *other == name).unwrap().1;
    assert!(of("distance") <= 31, "{measured:?}");
    assert!(of("isometric-bending") <= 45, "{measured:?}");
    // 22 of them are the arctangent.
    assert!(of("dihedral") <= 136, "{measured:?}");
}

#[test]
fn a_tether_pulls_and_never_pushes() {
    assert_eq!(
        Tether::admissible([Double(0.5)], TetherParameters { max_distance: Double(1.0) }, Double(1.0)),
        [Double(0.0)]
    );
    assert_eq!(
        Tether::admissible([Double(-0.5)], TetherParameters { max_distance: Double(1.0) }, Double(1.0)),
        [Double(-0.5)]
    );
}

/// Returns a sheet, turned and moved as a rigid body.
fn turned(object: &Object, by: Vec3) -> Vec<Vec3> {
    let turn = Quat::from_xyzw(0.3, -0.5, 0.7, 0.4).normalize();
    object.rest_positions.iter().map(|&x| turn * x + by).collect()
}

#[test]
fn a_turned_rest_shape_is_at_rest() {
    let near = Vec3::new(0.4, -0.2, 0.3);
    let sheet = || Cloth::grid(9, 7, 1.0, 0.8);
    let strain = Stretch::Strain { youngs_modulus: 1e6, poisson_ratio: 0.3 };
    let strained = sheet().stretch(strain).bending(Bending::Isometric { stiffness: 1e-4 }).build().unwrap();
    let at = turned(&strained, near);
    assert!(measurement::largest(TriangleStrain, measurement::batch(&strained, "triangle-strain"), &at) < 1e-6 * 4.0);
    assert!(measurement::largest(IsometricBending, measurement::batch(&strained, "isometric-bending"), &at) < 1e-6);
    let sprung = sheet().bending(Bending::Distance { stiffness: 1.0 }).build().unwrap();
    let at = turned(&sprung, near);
    for batch in sprung.batches.iter().filter_map(|batch| batch.traced()) {
        assert!(measurement::largest(Distance, batch, &at) < 1e-6);
    }
}

/// Returns a roof of two slopes: bent at rest.
fn roof() -> Cloth {
    let positions = [(-1.0, 0.0), (0.0, 0.6), (1.0, 0.0)]
        .iter()
        .flat_map(|&(x, y)| [0.0, 1.0].map(|z| Vec3::new(x, y, z)))
        .collect::<Vec<_>>();
    Cloth::from_mesh(&positions, &[0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5])
}

#[test]
fn a_bent_rest_shape_is_at_rest_with_dihedral_bending() {
    let object = roof().bending(Bending::Dihedral { stiffness: 1e-3 }).build().unwrap();
    let batch = measurement::batch(&object, "dihedral");
    let angles: Vec<_> = (0..3).map(|k| batch.parameters(k)[0]).collect();
    let ridge = (2.0 * xpbd_core::scalar::trig::atan2(0.6, 1.0)).abs();
    assert!(angles[0].abs() < 1e-6 && angles[2].abs() < 1e-6, "{angles:?}");
    assert!((angles[1].abs() - ridge).abs() < 1e-6, "{angles:?}");
    assert!(measurement::largest(Dihedral, batch, &turned(&object, Vec3::ONE)) < 1e-6 * 3.0);
}

#[test]
fn the_dihedral_angle_is_right_from_flat_to_folded() {
    for step in -31..=31 {
        let angle = f64::from(step) * 0.1;
        let (sine, cosine) = measurement::sin_cos(angle);
        let third = Vec3::new(0.4, 1.2, 0.0);
        let fourth = Vec3::new(0.3, -0.7 * cosine as f32, -0.7 * sine as f32);
        let measured = Dihedral::angle([Vec3::ZERO, Vec3::X, third, fourth]);
        assert!((f64::from(measured).abs() - angle.abs()).abs() < 1e-6, "{angle} {measured}");
    }
}
