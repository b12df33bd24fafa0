//! Cloth that differs with direction and from place to place.

use glam::{Affine3A, Quat, Vec2, Vec3};
use xpbd_cloth::constraint::{Distance, IsometricBending, TriangleStrain, WovenStrain};
use xpbd_cloth::{Cloth, ClothError, Stretch};
use xpbd_core::constraint::Constraint;
use xpbd_core::world::Object;

use crate::measurement;

const YOUNG: f32 = 2e5;
const POISSON: f32 = 0.3;
const WOVEN: Stretch = Stretch::Woven { warp_modulus: 3e5, weft_modulus: 1e5, shear_modulus: 1e4, poisson_ratio: 0.4 };

fn sheet() -> Cloth {
    Cloth::grid(5, 4, 1.0, 0.7)
}

/// Returns the positions of an object pulled out of shape.
fn pulled(object: &Object) -> Vec<Vec3> {
    object.positions.iter().map(|x| Vec3::new(x.x * 1.1 + 0.05 * x.z, 0.1 * x.x * x.z, x.z * 0.95)).collect()
}

fn energy(cloth: Cloth, shape: impl Fn(&Object) -> Vec<Vec3>) -> f64 {
    let object = cloth.stretch(WOVEN).build().unwrap();
    measurement::energy(WovenStrain, measurement::batch(&object, WovenStrain::NAME), &shape(&object))
}

/// With equal moduli and G = E/(2 (1 + ν)) it is the isotropic material, whichever way the warp runs.
#[test]
fn woven_alike_in_all_directions_is_isotropic() {
    let isotropic = Stretch::Strain { youngs_modulus: YOUNG, poisson_ratio: POISSON };
    let object = sheet().stretch(isotropic).build().unwrap();
    let batch = measurement::batch(&object, TriangleStrain::NAME);
    let expected = measurement::energy(TriangleStrain, batch, &pulled(&object));
    let shear = YOUNG / (2.0 * (1.0 + POISSON));
    let alike =
        Stretch::Woven { warp_modulus: YOUNG, weft_modulus: YOUNG, shear_modulus: shear, poisson_ratio: POISSON };
    for warp in [Vec3::X, Vec3::new(1.0, 0.0, 2.0), Vec3::new(-3.0, 1.0, 1.0)] {
        let object = sheet().stretch(alike).warp_along(warp).build().unwrap();
        let found = measurement::energy(WovenStrain, measurement::batch(&object, WovenStrain::NAME), &pulled(&object));
        assert!((found / expected - 1.0).abs() < 1e-5, "{warp}: {found} for {expected}");
    }
}

/// ½ E ε² t A of a sheet stretched along its threads, its width free to follow by ν.
#[test]
fn energy_along_warp_and_weft() {
    let green = |factor: f32| 0.5 * (factor * factor - 1.0);
    let (stretch, poisson) = (1.02_f32, 0.4_f32);
    let strain = green(stretch);
    for (warp, modulus, poisson) in [(Vec3::X, 3e5, poisson), (Vec3::Z, 1e5, poisson / 3.0)] {
        let across = (1.0 - 2.0 * poisson * strain).sqrt();
        let shape = |object: &Object| -> Vec<Vec3> {
            object.positions.iter().map(|x| *x * Vec3::new(stretch, 1.0, across)).collect()
        };
        let found = energy(sheet().warp_along(warp), shape);
        let expected = f64::from(0.5 * modulus * strain * strain * 1e-3 * 0.7);
        assert!((found / expected - 1.0).abs() < 1e-3, "{warp}: {found} for {expected}");
    }
}

#[test]
fn the_warp_goes_with_the_texture_and_the_cloth() {
    let expected = energy(sheet().warp_along(Vec3::new(1.0, 0.0, 1.0)), pulled);
    let coordinates: Vec<Vec2> =
        sheet().build().unwrap().positions.iter().map(|x| Vec2::new(x.x + x.z, x.z - x.x) * 3.0).collect();
    let textured = energy(sheet().warp_from_texture(&coordinates), pulled);
    assert!((textured / expected - 1.0).abs() < 1e-4, "{textured} for {expected}");
    let turn = Quat::from_rotation_x(1.0);
    let turned = sheet().warp_along(Vec3::new(1.0, 0.0, 1.0)).transform(Affine3A::from_quat(turn));
    let back = |object: &Object| -> Vec<Vec3> {
        let flat = object.positions.iter().map(|x| turn.inverse() * *x);
        flat.map(|x| turn * Vec3::new(x.x * 1.1 + 0.05 * x.z, 0.1 * x.x * x.z, x.z * 0.95)).collect()
    };
    assert!((energy(turned, back) / expected - 1.0).abs() < 1e-4);
}

#[test]
fn a_map_multiplies_stiffness() {
    let factor = |_: u32, x: Vec3| if x.x > 0.0 { 4.0 } else { 0.5 };
    let plain = sheet().stretch(Stretch::Edges { stiffness: 100.0 }).build().unwrap();
    let mapped = sheet().stretch(Stretch::Edges { stiffness: 100.0 }).stiffness_map(factor).build().unwrap();
    for name in [Distance::NAME, IsometricBending::NAME] {
        let [before, after] = [&plain, &mapped].map(|object| measurement::batch(object, name));
        for k in 0..xpbd_core::batch::ConstraintBatch::len(before) {
            let nodes = before.node_indices(k);
            let sum: f32 = nodes.iter().map(|&i| factor(i, plain.positions[i as usize])).sum();
            let expected = before.compliance_of(k) / (sum / nodes.len() as f32);
            assert!((after.compliance_of(k) / expected - 1.0).abs() < 1e-6, "{name} {k}");
        }
    }
}

#[test]
fn fabrics_that_cannot_be_are_refused() {
    let woven = |warp, weft, shear, poisson_ratio| {
        sheet().stretch(Stretch::Woven { warp_modulus: warp, weft_modulus: weft, shear_modulus: shear, poisson_ratio })
    };
    for cloth in [woven(0.0, 1.0, 1.0, 0.1), woven(1.0, f32::INFINITY, 1.0, 0.1), woven(1.0, 1.0, f32::NAN, 0.1)] {
        assert!(matches!(cloth.build(), Err(ClothError::Number(_))));
    }
    assert!(matches!(woven(1.0, 4.0, 1.0, 0.5).build(), Err(ClothError::Number(_))));
    assert!(woven(4.0, 1.0, 1.0, 1.9).build().is_ok());
    let across = sheet().stretch(WOVEN).warp_along(Vec3::Y).build();
    assert!(matches!(across, Err(ClothError::WarpDirection { triangle: 0, .. })));
    assert!(sheet().stretch(WOVEN).warp_along(Vec3::NAN).build().is_err());
    let few = sheet().warp_from_texture(&[Vec2::ZERO; 3]).build();
    assert_eq!(few.unwrap_err(), ClothError::TextureCoordinates { coordinates: 3, vertices: 20 });
    let same = sheet().stretch(WOVEN).warp_from_texture(&[Vec2::ONE; 20]).build();
    assert!(matches!(same, Err(ClothError::WarpDirection { triangle: 0, .. })));
    for factor in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mapped = sheet().stiffness_map(|index, _| if index == 7 { factor } else { 1.0 }).build();
        assert!(matches!(mapped, Err(ClothError::StiffnessFactor { vertex: 7, .. })));
    }
}
