//! Ellipsoids against the covariances that \[Yu13\] defines, worked out here by hand.

use glam::{Mat3, Quat, Vec3};
use xpbd_fluid::render::{Ellipsoid, EllipsoidOptions, Ellipsoids};

use crate::lattice;

const SPACING: f32 = 0.05;

fn fit(positions: &[Vec3]) -> Vec<Ellipsoid> {
    Ellipsoids::new(EllipsoidOptions::default()).expect("valid").fit(positions, SPACING).to_vec()
}

/// Returns the variance of a coordinate over weighted places around a particle, in squared spacings: Σ w x² / Σ w
/// with w = 1 − (r / 2.5)³, over lattice points with r < 2.5.
fn variance(places: &[(f64, f64)]) -> f64 {
    let weighted = places.iter().filter(|(r, _)| *r < 2.5).map(|(r, x)| (1.0 - (r / 2.5) * (r / 2.5) * (r / 2.5), x));
    let (top, bottom) = weighted.fold((0.0, 0.0), |(top, bottom), (w, x)| (top + w * x * x, bottom + w));
    top / bottom
}

/// Returns the radius along an axis with this variance: r σ / (0.15 R²).
fn radius(variance: f64) -> f32 {
    let options = EllipsoidOptions::default();
    SPACING * options.radius * variance as f32 / (0.15 * 2.5 * 2.5)
}

fn turn() -> Quat {
    Quat::from_xyzw(0.2, -0.5, 0.4, 0.7).normalize()
}

#[test]
fn in_a_line_they_are_as_long_as_allowed() {
    let turn = turn();
    let positions: Vec<Vec3> = (-10..=10).map(|k| turn * (Vec3::X * (SPACING * k as f32))).collect();
    let middle = fit(&positions)[10];
    let along = variance(&[-2.0, -1.0, 0.0, 1.0, 2.0].map(|x: f64| (x.abs(), x)));
    assert!((middle.radii.x / radius(along) - 1.0).abs() < 1e-4, "{:?}", middle.radii);
    for across in [middle.radii.y, middle.radii.z] {
        assert!((middle.radii.x / across - 4.0).abs() < 1e-4, "{:?}", middle.radii);
    }
    assert!((middle.rotation * Vec3::X).dot(turn * Vec3::X).abs() > 1.0 - 1e-5);
    assert!(middle.center.length() < 1e-6);
}

#[test]
fn in_a_sheet_they_are_flat() {
    let turn = turn();
    let sheet = lattice(SPACING, 6, |p| p.z == 0.0);
    let middle = sheet.iter().position(|p| *p == Vec3::ZERO).expect("a middle");
    let positions: Vec<Vec3> = sheet.iter().map(|&p| turn * p).collect();
    let fitted = fit(&positions)[middle];
    let places: Vec<(f64, f64)> =
        (-3..=3).flat_map(|x| (-3..=3).map(move |y| (f64::from(x * x + y * y).sqrt(), f64::from(x)))).collect();
    for wide in [fitted.radii.x, fitted.radii.y] {
        assert!((wide / radius(variance(&places)) - 1.0).abs() < 1e-4, "{:?}", fitted.radii);
    }
    assert!((fitted.radii.x / fitted.radii.z - 4.0).abs() < 1e-4, "{:?}", fitted.radii);
    assert!((fitted.rotation * Vec3::Z).dot(turn * Vec3::Z).abs() > 1.0 - 1e-5);
}

#[test]
fn within_the_liquid_they_are_balls() {
    let block = lattice(SPACING, 4, |_| true);
    let middle = fit(&block)[block.len() / 2];
    let radius = EllipsoidOptions::default().radius * SPACING;
    assert!((middle.radii / radius - 1.0).abs().max_element() < 0.06, "{:?}", middle.radii / radius);
    assert!(middle.center.length() < 1e-6);
}

/// The surface of a liquid of particles one spacing apart is half a spacing outside of the outermost.
#[test]
fn at_a_flat_surface_they_end_where_the_liquid_does() {
    let half = lattice(SPACING, 6, |p| p.y <= 0.0);
    let fitted = fit(&half);
    let top = half.iter().position(|p| *p == Vec3::ZERO).expect("a middle");
    let Ellipsoid { center, rotation, radii } = fitted[top];
    assert!((rotation * Vec3::Z).y.abs() > 0.999, "{rotation}");
    let end = (center.y + radii.z) / SPACING;
    assert!((end - 0.5).abs() < 0.05, "{end} {center} {radii}");
}

/// x̄ = x + λ (m − x): two particles one spacing apart approach by λ w / (1 + w) each, w = 1 − 0.4³.
#[test]
fn a_pair_is_smoothed_toward_its_mean() {
    let pair = fit(&[Vec3::ZERO, Vec3::X * SPACING]);
    let w = 1.0 - 0.4 * 0.4 * 0.4;
    let expected = 0.9 * w / (1.0 + w) * SPACING;
    assert!((pair[0].center.x - expected).abs() < 1e-6 * SPACING.max(1.0), "{} {expected}", pair[0].center);
    assert!((pair[1].center.x - (SPACING - expected)).abs() < 1e-6);
}

#[test]
fn alone_they_are_small_balls() {
    let positions = [Vec3::ZERO, Vec3::splat(3.0), Vec3::splat(3.0) + Vec3::X * SPACING];
    for (fitted, position) in fit(&positions).into_iter().zip(positions).take(1) {
        assert_eq!(fitted, Ellipsoid { center: position, rotation: Quat::IDENTITY, radii: Vec3::splat(0.5 * SPACING) });
    }
    assert!(fit(&positions).iter().all(|fitted| fitted.radii == Vec3::splat(0.5 * SPACING)));
    let heap = vec![Vec3::ONE; 9];
    assert!(fit(&heap).iter().all(|fitted| fitted.radii == Vec3::splat(0.5 * SPACING)));
}

#[test]
fn frames_are_right_handed_and_the_same_bits_again() {
    let ball: Vec<Vec3> = lattice(SPACING, 5, |p| p.length() < 4.6 * SPACING)
        .into_iter()
        .map(|p| p + 0.3 * SPACING * Vec3::new((p.y * 977.0).fract(), (p.z * 577.0).fract(), (p.x * 1277.0).fract()))
        .collect();
    let mut fitter = Ellipsoids::new(EllipsoidOptions::default()).expect("valid");
    let first = fitter.fit(&ball, SPACING).to_vec();
    for fitted in &first {
        let Ellipsoid { rotation, radii, .. } = fitted;
        assert!(radii.x >= radii.y && radii.y >= radii.z && radii.x <= 4.0001 * radii.z, "{radii}");
        assert!((Mat3::from_quat(*rotation).determinant() - 1.0).abs() < 1e-5);
    }
    fitter.fit(&ball[..7], SPACING);
    assert_eq!(fitter.fit(&ball, SPACING), first);
}

#[test]
fn what_is_not_finite_has_no_part() {
    let clean = lattice(SPACING, 3, |_| true);
    let expected = fit(&clean);
    let mut broken = clean.clone();
    broken.extend([Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, 0.0)]);
    let fitted = fit(&broken);
    assert_eq!(fitted[..clean.len()], expected);
    assert!(fitted[clean.len()..].iter().all(|ellipsoid| ellipsoid.radii == Vec3::ZERO));
    let mut fitter = Ellipsoids::new(EllipsoidOptions::default()).expect("valid");
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-42] {
        assert!(fitter.fit(&clean, spacing).is_empty());
    }
    assert!(fitter.fit(&[], SPACING).is_empty());
    for spacing in [1e-30, 1e30, 1e38] {
        assert_eq!(fitter.fit(&broken, spacing).len(), broken.len());
    }
}

#[test]
fn options_without_sense_are_named() {
    let refused = |change: fn(&mut EllipsoidOptions)| {
        let mut options = EllipsoidOptions::default();
        change(&mut options);
        Ellipsoids::new(options).expect_err("refused").name
    };
    assert_eq!(refused(|options| options.reach = f32::NAN), "reach");
    assert_eq!(refused(|options| options.smoothing = 1.5), "smoothing");
    assert_eq!(refused(|options| options.max_ratio = 0.5), "max_ratio");
    assert_eq!(refused(|options| options.isolated_radius = -1.0), "isolated_radius");
}
