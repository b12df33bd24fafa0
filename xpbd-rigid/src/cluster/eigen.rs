//! The eigenvalues and eigenvectors of a symmetric matrix of three rows, recorded.

use xpbd_core::scalar::{Real, Vec3};

/// Sweeps of rotations: the entries off the diagonal fall below rounding in the fourth.
const SWEEPS: usize = 4;
/// The smallest denominator of a rotation.
const TINY: f32 = 1e-30;

/// Returns the eigenvalues of a symmetric matrix and its unit eigenvectors, in no order, by Jacobi's rotations. The
/// matrix is given by its diagonal, and by its entries 01, 02 and 12.
pub(super) fn eigen<S: Real>((diagonal, mixed): (Vec3<S>, Vec3<S>)) -> ([S; 3], [Vec3<S>; 3]) {
    let mut values = diagonal.to_array();
    // The entry of a pair of rows has the number of the third row.
    let mut off = [mixed.z, mixed.y, mixed.x];
    let unit = |axis: usize| {
        let [x, y, z] = std::array::from_fn(|k| if k == axis { S::one() } else { S::zero() });
        Vec3::new(x, y, z)
    };
    let mut vectors = [unit(0), unit(1), unit(2)];
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let r = 3 - p - q;
            let (apart, twice) = (values[q] - values[p], off[r] * 2.0);
            let root = (apart * apart + twice * twice).sqrt();
            let sign = apart.select_lt(S::zero(), -S::one(), S::one());
            let tangent = twice * sign / (apart.abs() + root).max(S::literal(TINY));
            let cosine = S::one() / (tangent * tangent + 1.0).sqrt();
            let sine = tangent * cosine;
            values[p] = values[p] - tangent * off[r];
            values[q] = values[q] + tangent * off[r];
            off[r] = S::zero();
            // The entries of p and q with r have the numbers q and p.
            (off[q], off[p]) = (off[q] * cosine - off[p] * sine, off[q] * sine + off[p] * cosine);
            (vectors[p], vectors[q]) =
                (vectors[p] * cosine - vectors[q] * sine, vectors[p] * sine + vectors[q] * cosine);
        }
    }
    (values, vectors)
}

#[cfg(test)]
mod tests {
    use xpbd_core::scalar::Single;

    use super::*;

    #[test]
    fn eigen_of_a_random_matrix_gives_back_the_matrix() {
        let number =
            |k: u32| Single((k.wrapping_add(1).wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0);
        for k in 0..1000 {
            let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|entry| number(6 * k + entry));
            let h = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            let (values, vectors) = eigen(h);
            for (value, vector) in values.into_iter().zip(vectors) {
                let rows = [Vec3::new(a, d, e), Vec3::new(d, b, f), Vec3::new(e, f, c)];
                let error = Vec3::new(rows[0].dot(vector), rows[1].dot(vector), rows[2].dot(vector)) - vector * value;
                assert!(error.length().0 < 2e-6 && (vector.length().0 - 1.0).abs() < 1e-6, "{k}: {error:?}");
            }
        }
    }
}
