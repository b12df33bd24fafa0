//! Derivatives by dual numbers compared with finite differences, for constraints of every arity.

use examples::reference::{State, System};
use glam::Vec3;
use xpbd_cloth::constraint::{
    Dihedral, DihedralParameters, Distance, DistanceParameters, IsometricBending, IsometricBendingParameters,
    RopeBending, RopeBendingParameters, TriangleStrain, TriangleStrainParameters,
};
use xpbd_core::constraint::Parameters;

use super::{apart, largest};

/// Returns the four particles, a bent flap, with one constraint of each kind.
fn flap() -> (System, State) {
    let rest = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.8, 0.0), Vec3::new(0.6, -0.9, 0.0)];
    let strain = doubled(TriangleStrainParameters::new([rest[0], rest[1], rest[2]], 0.3));
    let isometric = doubled(IsometricBendingParameters::new(rest));
    let system = System::new(vec![0.4, 0.7, 1.0, 1.3], [0.0, 0.0, -9.81])
        .and_then(|system| system.with_constraint(Distance, [0, 1], DistanceParameters { rest_length: 0.9 }, 1e-4))
        .and_then(|system| system.with_constraint(TriangleStrain, [0, 1, 2], strain, 1e-3))
        .and_then(|system| system.with_constraint(Dihedral, [0, 1, 2, 3], DihedralParameters { rest_angle: 0.2 }, 1e-2))
        .and_then(|system| system.with_constraint(IsometricBending, [0, 1, 2, 3], isometric, 1e-2))
        .and_then(|system| {
            system.with_constraint(RopeBending, [2, 0, 3], RopeBendingParameters { position: 0.4 }, 1e-2)
        })
        .and_then(|system| system.pin(1));
    let places = [[0.02, 0.01, -0.05], [1.1, 0.0, 0.04], [0.31, 0.75, 0.3], [0.55, -0.8, 0.25]];
    (system.expect("the flap is well formed"), State::at_rest(&places))
}

/// Returns parameters in double precision.
fn doubled<Single: Parameters<f32>, Double: Parameters<f64>>(parameters: Single) -> Double {
    let numbers: Vec<f64> = parameters.to_numbers().into_iter().map(f64::from).collect();
    Double::from_numbers(&numbers)
}

fn shifted(x: &[f64], coordinate: usize, by: f64) -> Vec<f64> {
    let mut x = x.to_vec();
    x[coordinate] += by;
    x
}

/// The coordinates that are not those of the pinned particle 1.
const FREE: [usize; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];
const STEP: f64 = 1e-5;

#[test]
fn gradients_agree_with_finite_differences() {
    let (system, State { x, .. }) = flap();
    let jacobian = system.jacobian(&x);
    for (column, coordinate) in FREE.into_iter().enumerate() {
        let [more, less] = [STEP, -STEP].map(|by| system.values(&shifted(&x, coordinate, by)));
        let slope = (more - less) / (2.0 * STEP);
        let off = apart(slope.as_slice(), jacobian.column(column).as_slice());
        assert!(off < 1e-8, "coordinate {coordinate}: {off}");
    }
}

#[test]
fn second_derivatives_agree_with_finite_differences() {
    let (system, State { x, .. }) = flap();
    let weights: Vec<f64> = (0..system.rows()).map(|row| 1.0 - 0.3 * row as f64).collect();
    let curvature = system.curvature(&x, &weights);
    assert!(largest(curvature.as_slice()) > 1.0);
    for (column, coordinate) in FREE.into_iter().enumerate() {
        let [more, less] = [STEP, -STEP].map(|by| system.jacobian(&shifted(&x, coordinate, by)));
        for row in 0..FREE.len() {
            let difference = |k: usize| weights[k] * (more[(k, row)] - less[(k, row)]) / (2.0 * STEP);
            let expected: f64 = (0..system.rows()).map(difference).sum();
            let off = (curvature[(row, column)] - expected).abs();
            assert!(off < 1e-7, "coordinates {row}, {column}: {} and {expected}", curvature[(row, column)]);
        }
    }
}
