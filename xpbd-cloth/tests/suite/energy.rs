//! Stored energies against closed forms.

use glam::Vec3;
use xpbd_cloth::constraint::{Dihedral, IsometricBending, RopeBending, TriangleStrain};
use xpbd_cloth::{Bending, Cloth, Plate, Rope, Stretch, bending_stiffness};
use xpbd_core::batch::ConstraintBatch;

use crate::measurement::{batch, energy, sin_cos};

/// A membrane stretched by ε along x, free across, stores ½ E ε² for each m³.
#[test]
fn a_strip_pulled_along_its_length() {
    let (e, nu, thickness, strain) = (2e6, 0.3, 2e-3, 1e-3);
    let pair = Cloth::grid(2, 2, 0.5, 0.2)
        .thickness(thickness)
        .stretch(Stretch::Strain { youngs_modulus: e, poisson_ratio: nu })
        .build()
        .unwrap();
    let pulled = |x: &Vec3| Vec3::new(x.x * (1.0 + strain), x.y, x.z * (1.0 - nu * strain));
    let at: Vec<_> = pair.rest_positions.iter().map(pulled).collect();
    let stored = energy(TriangleStrain, batch(&pair, "triangle-strain"), &at);
    let expected = f64::from(0.5 * e * strain * strain * thickness * 0.5 * 0.2);
    assert!((stored / expected - 1.0).abs() < 0.01, "{stored} {expected}");
}

/// A membrane sheared by the angle γ stores ½ G γ² for each m³, G = E/(2 (1 + ν)).
#[test]
fn a_sheared_square() {
    let (e, nu, thickness, gamma) = (2e6, 0.25, 1e-3, 1e-3);
    let pair = Cloth::grid(2, 2, 0.5, 0.5)
        .thickness(thickness)
        .stretch(Stretch::Strain { youngs_modulus: e, poisson_ratio: nu })
        .build()
        .unwrap();
    let at: Vec<_> = pair.rest_positions.iter().map(|x| Vec3::new(x.x + gamma * x.z, x.y, x.z)).collect();
    let stored = energy(TriangleStrain, batch(&pair, "triangle-strain"), &at);
    let expected = f64::from(0.5 * e / (2.0 * (1.0 + nu)) * gamma * gamma * thickness * 0.25);
    assert!((stored / expected - 1.0).abs() < 0.01, "{stored} {expected}");
}

/// Returns the sheet rolled onto a cylinder of this radius, its axis at an angle to z, each vertex outside
/// of it by its `height`.
fn rolled(sheet: &[Vec3], radius: f64, axis: f64, height: impl Fn(usize) -> f64) -> Vec<Vec3> {
    let (sine, cosine) = sin_cos(axis);
    let roll = |(vertex, x): (usize, &Vec3)| {
        let (x, z) = (f64::from(x.x), f64::from(x.z));
        let (around, along) = (cosine * x + sine * z, cosine * z - sine * x);
        let (s, c) = sin_cos(around / radius);
        let outer = radius + height(vertex);
        Vec3::new((outer * s) as f32, (radius - outer * c) as f32, along as f32)
    };
    sheet.iter().enumerate().map(roll).collect()
}

/// Returns the energy over ½ B A/R², the least over all heights ±a of a vertex by its `sign`: the energy is
/// quadratic in a, so three values tell. An edge at the border has no flap: on meshes of 80 × 80
/// squares that takes off about a hundredth.
fn stiffness_ratio(sheet: &Cloth, axis: f64, area: f64, bending: Bending, sign: impl Fn(usize) -> f64) -> f64 {
    let (b, radius) = (2e-4, 0.8);
    let object = sheet.clone().bending(bending).build().unwrap();
    let stored = |a: f64| {
        let at = rolled(&object.rest_positions, radius, axis, |vertex| a * sign(vertex));
        match bending {
            Bending::Isometric { .. } => energy(IsometricBending, batch(&object, "isometric-bending"), &at),
            _ => energy(Dihedral, batch(&object, "dihedral"), &at),
        }
    };
    let [before, middle, after] = [-1e-5, 0.0, 1e-5].map(stored);
    let (slope, curvature) = (0.5 * (after - before), before + after - 2.0 * middle);
    let gain = if slope == 0.0 { 0.0 } else { 0.5 * slope * slope / curvature };
    (middle - gain) / (0.5 * b * area / (radius * radius))
}

const KINDS: [Bending; 2] = [Bending::Isometric { stiffness: 2e-4 }, Bending::Dihedral { stiffness: 2e-4 }];

#[test]
fn a_square_grid_rolled_in_any_direction() {
    let sheet = Cloth::grid(81, 81, 1.0, 1.0);
    let checkers = |vertex: usize| if (vertex / 81 + vertex % 81).is_multiple_of(2) { 1.0 } else { -1.0 };
    for bending in KINDS {
        for step in 0..5 {
            let axis = std::f64::consts::FRAC_PI_8 * f64::from(step);
            let ratio = stiffness_ratio(&sheet, axis, 1.0, bending, checkers);
            assert!((ratio - 1.0).abs() < 0.03, "{bending:?} {step} {ratio}");
        }
    }
}

/// Equilateral triangles, and their area [m²].
fn equilateral() -> (Cloth, f64) {
    let (n, side) = (80_u32, 0.0125_f32);
    let height = side * 0.75_f32.sqrt();
    let place = |row: u32, column: u32| {
        Vec3::new((column as f32 + 0.5 * (row % 2) as f32) * side - 0.5, 0.0, row as f32 * height - 0.5)
    };
    let positions: Vec<_> = (0..n).flat_map(|row| (0..n).map(move |column| place(row, column))).collect();
    let mut indices = Vec::new();
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let (a, b, c, d) =
                (row * n + column, row * n + column + 1, (row + 1) * n + column, (row + 1) * n + column + 1);
            indices.extend(if row % 2 == 0 { [a, c, b, b, c, d] } else { [a, c, d, a, d, b] });
        }
    }
    let area = f64::from(indices.len() as u32 / 3) * f64::from(0.5 * side * height);
    (Cloth::from_mesh(&positions, &indices), area)
}

#[test]
fn equilateral_triangles_rolled_in_any_direction() {
    let (sheet, area) = equilateral();
    for bending in KINDS {
        for step in 0..6 {
            let ratio = stiffness_ratio(&sheet, 0.2 * f64::from(step), area, bending, |_| 0.0);
            assert!((ratio - 1.0).abs() < 0.03, "{bending:?} {step} {ratio}");
        }
    }
}

/// What hinges make of curvatures in two directions: ½ B (H² − 8/3 K) on crossed squares and on equilateral triangles, at
/// any angle to the mesh.
#[test]
fn bowls_and_saddles() {
    let checkers = |vertex: usize| if (vertex / 81 + vertex % 81).is_multiple_of(2) { 1.0 } else { -1.0 };
    let (triangles, area) = equilateral();
    let meshes = [(Cloth::grid(81, 81, 1.0, 1.0), 1.0), (triangles, area)];
    for (k, (sheet, area)) in meshes.iter().enumerate() {
        let object = sheet.clone().bending(KINDS[0]).build().unwrap();
        for (axis, [one, two]) in [(0.0, [0.02, 0.02]), (0.3, [0.02, -0.02]), (0.7, [0.02, -0.02]), (1.1, [0.02, 0.01])]
        {
            let (sine, cosine) = sin_cos(axis);
            let stored = |a: f64| {
                let bend = |(vertex, x): (usize, &Vec3)| {
                    let (u, v) = (
                        f64::from(x.x) * cosine + f64::from(x.z) * sine,
                        f64::from(x.z) * cosine - f64::from(x.x) * sine,
                    );
                    let ripple = if k == 0 { a * checkers(vertex) } else { 0.0 };
                    Vec3::new(x.x, (0.5 * (one * u * u + two * v * v) + ripple) as f32, x.z)
                };
                let at: Vec<_> = object.rest_positions.iter().enumerate().map(bend).collect();
                energy(IsometricBending, batch(&object, "isometric-bending"), &at)
            };
            let [before, middle, after] = [-1e-6, 0.0, 1e-6].map(stored);
            let (slope, curvature) = (0.5 * (after - before), before + after - 2.0 * middle);
            let gain = if k == 0 { 0.5 * slope * slope / curvature } else { 0.0 };
            let (mean, gauss) = (one + two, one * two);
            let expected = 0.5 * 2e-4 * area * (mean * mean - 8.0 / 3.0 * gauss);
            let ratio = (middle - gain) / expected;
            assert!((ratio - 1.0).abs() < 0.03, "{k} {axis} {one} {two}: {ratio}");
        }
    }
}

#[test]
fn the_stiffness_of_a_plate() {
    let expected = 70e9 * 1e-9 / (12.0 * (1.0 - 0.09));
    assert!((bending_stiffness(70e9, 0.3, 1e-3) / expected - 1.0).abs() < 1e-6);
    let plate = Plate { youngs_modulus: 70e9, poisson_ratio: 0.3, thickness: 1e-3 };
    let flat = Cloth::grid(4, 4, 1.0, 1.0).plate(plate);
    let strain = Stretch::Strain { youngs_modulus: 70e9, poisson_ratio: 0.3 };
    let bending = Bending::Isometric { stiffness: plate.bending_stiffness() };
    let same = Cloth::grid(4, 4, 1.0, 1.0).thickness(1e-3).stretch(strain).bending(bending);
    let numbers = |cloth: Cloth| {
        let object = cloth.build().unwrap();
        let of = |name| {
            let batch = batch(&object, name);
            (0..batch.len()).map(|k| (batch.compliance_of(k), batch.parameters(k).to_vec())).collect::<Vec<_>>()
        };
        [of("triangle-strain"), of("isometric-bending")]
    };
    assert_eq!(numbers(flat), numbers(same));
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.5, 1.0)];
    let shell = Cloth::from_mesh(&corners, &[0, 2, 1, 1, 2, 3]).plate(plate).build().unwrap();
    assert!(batch(&shell, "dihedral").compliance_of(0) > 0.0);
}

/// An arc of radius R of a rod stores ½ EI L/R².
#[test]
fn a_rope_bent_to_an_arc() {
    let (stiffness, radius, links) = (3e-3, 0.7, 200_u32);
    let straight: Vec<_> = (0..=links).map(|k| Vec3::X * (k as f32 * 0.005)).collect();
    let rope = Rope::from_points(&straight).bending(stiffness).build().unwrap();
    let at = rolled(&straight, radius, 0.0, |_| 0.0);
    let stored = energy(RopeBending, batch(&rope, "rope-bending"), &at);
    let expected = 0.5 * f64::from(stiffness) * f64::from(links - 1) * 0.005 / (radius * radius);
    assert!((stored / expected - 1.0).abs() < 1e-3, "{stored} {expected}");
}

/// The same arc with links of two lengths.
#[test]
fn a_rope_with_unequal_links() {
    let (stiffness, radius) = (3e-3, 0.7);
    let ends = (0..200).scan(0.0_f32, |x, k| {
        *x += if k % 2 == 0 { 0.004 } else { 0.006 };
        Some(*x)
    });
    let straight: Vec<_> = std::iter::once(0.0).chain(ends).map(|x| Vec3::X * x).collect();
    let rope = Rope::from_points(&straight).bending(stiffness).build().unwrap();
    let stored = energy(RopeBending, batch(&rope, "rope-bending"), &rolled(&straight, radius, 0.0, |_| 0.0));
    let expected = 0.5 * f64::from(stiffness) * 0.995 / (radius * radius);
    assert!((stored / expected - 1.0).abs() < 2e-3, "{stored} {expected}");
}
