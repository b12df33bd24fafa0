//! The rotation nearest to a matrix.

use glam::{DMat3, DVec3, Mat3, Quat, Vec3};
use parry3d::shape::Cuboid;
use xpbd_core::world::Object;
use xpbd_rigid::cluster::polar::{SUFFICIENT_STEPS, rotation};
use xpbd_rigid::{Cluster, ClusterBatch};

use crate::random::Random;
use crate::support::{floating, run, world};

/// Returns the angle between rotations \[rad\], from the chord, exact for small ones.
fn apart(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    2.0 * (a - b).length()
}

fn is_unit(q: Quat) -> bool {
    (q.length() - 1.0).abs() < 1e-6
}

#[test]
fn a_million_random_rotations_converge() {
    let mut random = Random(1);
    let mut worst = 0.0_f32;
    for _ in 0..1_000_000 {
        let wanted = random.rotation();
        worst = worst.max(apart(rotation(Mat3::from_quat(wanted), Quat::IDENTITY, SUFFICIENT_STEPS), wanted));
    }
    assert!(worst < 2e-6, "{worst:e}");
}

/// A = R S with S symmetric and positive definite has the polar rotation R.
#[test]
fn stretched_and_sheared_rotations_converge() {
    let mut random = Random(2);
    let mut worst = 0.0_f32;
    for k in 0..100_000 {
        let (wanted, axes) = (random.rotation(), Mat3::from_quat(random.rotation()));
        let thin = [1.0, 0.3, 0.05][k % 3];
        let stretch = Vec3::new(1.0 + random.unit(), thin * (1.0 + random.unit()), thin * (1.0 + random.unit()));
        let symmetric = axes * Mat3::from_diagonal(stretch) * axes.transpose();
        let found = rotation(Mat3::from_quat(wanted) * symmetric, random.rotation(), SUFFICIENT_STEPS);
        worst = worst.max(apart(found, wanted) * thin);
    }
    assert!(worst < 2e-6, "{worst:e}");
}

/// Singular values of very different sizes, as pinned members give. Rounding of the entries leaves an angle of about
/// 1e-7 σ₁/(σ₂ + σ₃) about the long axis.
#[test]
fn matrices_of_any_condition_converge_from_any_guess() {
    let mut random = Random(4);
    let mut worst = 0.0_f64;
    for k in 0..100_000 {
        let long = 10.0_f64.powf(4.0 * f64::from(random.unit()));
        let values = if k == 0 {
            DVec3::new(3070.0, 5.0, 0.63)
        } else {
            DVec3::new(long, 1.0, 10.0_f64.powf(-f64::from(random.unit())))
        };
        let [wanted, axes] = [random.rotation(), random.rotation()].map(|q| q.as_dquat().normalize());
        let axes = DMat3::from_quat(axes);
        let matrix = DMat3::from_quat(wanted) * axes * DMat3::from_diagonal(values) * axes.transpose();
        for guess in [Quat::IDENTITY, random.rotation()] {
            let found = rotation(matrix.as_mat3(), guess, SUFFICIENT_STEPS);
            worst = worst.max(f64::from(apart(found, wanted.as_quat())) * (values.y + values.z) / values.x);
        }
    }
    assert!(worst < 2e-6, "{worst:e}");
}

/// The largest tr(Rᵀ A) over rotations is σ₁ + σ₂ ± σ₃, with the sign of the determinant.
#[test]
fn inverted_and_singular_matrices_give_the_best_rotation() {
    let mut random = Random(3);
    for k in 0..100_000 {
        let (left, right) = (Mat3::from_quat(random.rotation()), Mat3::from_quat(random.rotation()));
        let a = 1.0 + random.unit();
        let b = 0.2 + 0.6 * random.unit();
        let values = match k % 4 {
            0 => Vec3::new(a, b, -0.5 * b),
            1 => Vec3::new(a, b, 0.0),
            2 => Vec3::new(a, 0.0, 0.0),
            _ => Vec3::ZERO,
        };
        let matrix = left * Mat3::from_diagonal(values) * right.transpose();
        let q = rotation(matrix, random.rotation(), SUFFICIENT_STEPS);
        assert!(q.is_finite() && is_unit(q), "{q} for {values}");
        let product = Mat3::from_quat(q).transpose() * matrix;
        let trace = product.x_axis.x + product.y_axis.y + product.z_axis.z;
        let best = values.x + values.y + values.z;
        assert!((trace - best).abs() < 1e-5, "{trace} {best} for {values}, {k}");
    }
}

#[test]
fn a_guess_that_is_turned_by_half_a_turn_is_left() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, 0.8)] {
        for stretch in [Vec3::ONE, Vec3::new(9.0, 1.0, 1.0), Vec3::new(1.0, 1.0, 9.0), Vec3::new(3.0, 2.0, 1.0)] {
            let guess = Quat::from_vec4(axis.extend(0.0));
            let found = rotation(Mat3::from_diagonal(stretch), guess, SUFFICIENT_STEPS);
            assert!(apart(found, Quat::IDENTITY) < 2e-6, "{axis} {stretch} {found}");
        }
    }
}

#[test]
fn what_is_not_a_matrix_or_a_guess_gives_a_rotation() {
    let guess = Quat::from_rotation_x(0.3);
    for entry in [f32::NAN, f32::INFINITY, 0.0, 1e-38] {
        let matrix = Mat3::from_diagonal(Vec3::new(entry, entry, entry));
        assert!(apart(rotation(matrix, guess, 8), guess) < 1e-6);
        assert_eq!(rotation(matrix, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), 8), Quat::IDENTITY);
        assert_eq!(rotation(matrix, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), 8), Quat::IDENTITY);
    }
    let huge = rotation(Mat3::from_quat(guess) * 1e38, Quat::IDENTITY, SUFFICIENT_STEPS);
    assert!(apart(huge, guess) < 2e-6);
}

/// A cluster that two pins hold far from its rest pose, whose search for the rotation starts at none: pinned members count
/// many times, which makes a matrix of very different singular values.
#[test]
fn a_cluster_with_two_pins_finds_its_turn() {
    let object = Cluster::from_shape(&Cuboid::new(Vec3::new(1.0, 0.6, 0.4)), 0.2).build().unwrap();
    let mut random = Random(5);
    for _ in 0..20 {
        let rest = &object.rest_positions;
        let turn = random.rotation();
        let all: Vec<u32> = (0..rest.len() as u32).collect();
        let mut object = Object::new("pinned", rest.iter().map(|&x| turn * x).collect(), 1.0);
        object.masses = vec![0.1; rest.len()];
        let batch = ClusterBatch::new(rest, &object.masses, &[all]).unwrap();
        let expected = object.positions.clone();
        let (mut world, handle) = world(floating(), object.pin([0, rest.len() as u32 - 1]).with(batch));
        run(&mut world, 10);
        let error = world.positions(handle).unwrap().zip(&expected).map(|(x, y)| x.distance(*y)).fold(0.0, f32::max);
        // The turn about the axis through both pins is free, and rounding moves it a little.
        assert!(error < 0.02, "{error} m for {turn}");
    }
}
