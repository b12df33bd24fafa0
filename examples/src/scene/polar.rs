//! The polar decomposition in double precision, by a method that differs from that of the engine.

use glam::{DMat3, Quat};

/// Returns the rotation nearest to a matrix of positive determinant: the limit of R ← (R + R⁻ᵀ)/2
/// (N. Higham, *Computing the Polar Decomposition*, 1986).
pub(super) fn rotation(matrix: DMat3) -> DMat3 {
    let mut r = matrix;
    for _ in 0..60 {
        let next = (r + r.inverse().transpose()) * 0.5;
        if next.abs_diff_eq(r, 1e-15) {
            break;
        }
        r = next;
    }
    r
}

/// Returns the angle \[rad\] of the rotation between a rotation matrix and a quaternion: 2 asin of |ΔR|/√8 by
/// the Frobenius norm, which is exact for small angles too.
pub(super) fn angle_between(a: DMat3, b: Quat) -> f64 {
    let difference = a - DMat3::from_quat(b.as_dquat().normalize());
    let squares: f64 = difference.to_cols_array().iter().map(|entry| entry * entry).sum();
    2.0 * libm::asin((squares / 8.0).sqrt().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    #[test]
    fn a_stretched_rotation_has_its_rotation_as_polar_factor() {
        let turn = DQuat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        let stretch = DQuat::from_xyzw(0.1, 0.4, 0.2, 0.9).normalize();
        let stretch = DMat3::from_quat(stretch)
            * DMat3::from_diagonal(DVec3::new(0.1, 1.0, 3.0))
            * DMat3::from_quat(stretch.inverse());
        let found = rotation(DMat3::from_quat(turn) * stretch);
        assert!(found.abs_diff_eq(DMat3::from_quat(turn), 1e-13), "{found}");
    }

    #[test]
    fn small_angles_are_measured_accurately() {
        for angle in [1e-5, 0.3, 3.0] {
            let turned = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
            assert!((angle_between(turned, Quat::IDENTITY) / angle - 1.0).abs() < 1e-9, "{angle}");
        }
    }
}
