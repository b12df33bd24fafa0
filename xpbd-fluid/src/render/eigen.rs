//! Principal axes of symmetric 3 × 3 matrices.
//!
//! Jacobi's rotations need a square root and nothing else, so the bits are the same everywhere, and small
//! eigenvalues are as exact as large ones are.

use glam::{Mat3, Vec3};

/// Sweeps over the three pairs of axes; five bring any matrix to rounding.
const SWEEPS: usize = 6;

/// Returns the eigenvalues of `matrix`, greatest first, and its eigenvectors in columns, right-handed. The matrix
/// must be symmetric and finite.
pub(super) fn principal(matrix: Mat3) -> (Vec3, Mat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut axes = Mat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut axes, p, q);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let [first, second, _] = order.map(|k| Vec3::from_array(axes[k]));
    (Vec3::from_array(order.map(|k| a[k][k])), Mat3::from_cols(first, second, first.cross(second)))
}

/// Rotates the axes p and q such that `a[p][q]` becomes zero: tan 2φ = 2 a_pq / (a_qq − a_pp), by the
/// smaller of the two angles.
fn rotate(a: &mut [[f32; 3]; 3], axes: &mut [[f32; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let slope = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let tangent = 1.0_f32.copysign(slope) / (slope.abs() + (slope * slope + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let change = tangent * a[p][q];
    a[p][p] -= change;
    a[q][q] += change;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let r = 3 - p - q;
    let (to_p, to_q) = (a[r][p], a[r][q]);
    a[r][p] = cosine * to_p - sine * to_q;
    a[r][q] = sine * to_p + cosine * to_q;
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for k in 0..3 {
        let (along_p, along_q) = (axes[p][k], axes[q][k]);
        axes[p][k] = cosine * along_p - sine * along_q;
        axes[q][k] = sine * along_p + cosine * along_q;
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    #[test]
    fn a_turned_diagonal_is_found_again() {
        for (k, values) in [[3.0, 2.0, 1.0], [1.0, 1.0, 1e-6], [5.0, 1e-3, 1e-3], [0.0; 3], [2.0, 2.0, 2.0]]
            .into_iter()
            .map(Vec3::from_array)
            .enumerate()
        {
            let turn = Mat3::from_quat(Quat::from_xyzw(0.3, -0.4 + k as f32, 0.5, 0.7).normalize());
            let matrix = turn * Mat3::from_diagonal(values) * turn.transpose();
            let (found, axes) = principal(matrix);
            assert!((found - values).abs().max_element() <= 2e-6 * values.x, "{found} {values}");
            assert!((axes * axes.transpose() - Mat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-6));
            assert!((axes.determinant() - 1.0).abs() < 1e-6);
            let again = axes * Mat3::from_diagonal(found) * axes.transpose();
            assert!((again - matrix).to_cols_array().iter().all(|x| x.abs() <= 3e-6 * values.x.max(1e-30)));
        }
    }

    #[test]
    fn tiny_and_huge_matrices_keep_their_ratios() {
        let turn = Mat3::from_quat(Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize());
        for scale in [1e-15, 1e15] {
            let (found, _) = principal(turn * Mat3::from_diagonal(Vec3::new(4.0, 2.0, 1.0) * scale) * turn.transpose());
            assert!((found / scale - Vec3::new(4.0, 2.0, 1.0)).abs().max_element() < 1e-5, "{found}");
        }
    }
}
