//! Rows and energies of constraints at given positions, in double precision.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::{Constraint, Parameters, Point, Points};
use xpbd_core::scalar::{self, Double, Real};
use xpbd_core::world::Object;

/// Returns the batch of an object with this name.
pub fn batch<'a>(object: &'a Object, name: &str) -> &'a Batch {
    let traced = object.batches.iter().filter_map(|batch| batch.traced());
    traced.into_iter().find(|batch| batch.kind().name() == name).unwrap()
}

/// Returns the parameters of one constraint of a batch.
fn parameters<P: Parameters<Double>>(batch: &Batch, k: usize) -> P {
    P::from_numbers(&batch.parameters(k).iter().map(|&number| Double(f64::from(number))).collect::<Vec<_>>())
}

/// C of one constraint of a batch.
pub fn rows<K, const N: usize, const M: usize>(_: K, batch: &Batch, k: usize, at: &[Vec3]) -> [f64; M]
where
    K: Constraint<N, M>,
{
    let origin = at[batch.node_indices(k)[0] as usize];
    let double = |v: Vec3| {
        let [x, y, z] = v.to_array().map(|component| Double(f64::from(component)));
        scalar::Vec3::new(x, y, z)
    };
    let nodes = batch.node_indices(k);
    let now = std::array::from_fn(|i| Point::new(double(at[nodes[i] as usize] - origin), double(origin)));
    let x: Points<Double, N> = Points { now, before: now, dt: Double(1.0) };
    K::value(&x, parameters::<K::Parameters<Double>>(batch, k)).map(|row| row.0)
}

/// Returns the largest |C| of a batch.
pub fn largest<K, const N: usize, const M: usize>(constraint: K, batch: &Batch, at: &[Vec3]) -> f64
where
    K: Constraint<N, M> + Copy,
{
    use xpbd_core::batch::ConstraintBatch;
    let all = (0..batch.len()).flat_map(|k| rows(constraint, batch, k, at));
    all.map(f64::abs).fold(0.0, f64::max)
}

/// Σ ½ Cᵀ α⁻¹ C \[J\] of a batch.
pub fn energy<K, const N: usize, const M: usize>(constraint: K, batch: &Batch, at: &[Vec3]) -> f64
where
    K: Constraint<N, M> + Copy,
{
    use xpbd_core::batch::ConstraintBatch;
    let one = |k: usize| {
        let c = rows(constraint, batch, k, at);
        let matrix = K::compliance(Double(f64::from(batch.compliance_of(k))), parameters(batch, k));
        let force = solve(matrix.map(|row| row.map(|entry| entry.0)), c);
        0.5 * c.iter().zip(&force).map(|(c, f)| c * f).sum::<f64>()
    };
    (0..batch.len()).map(one).sum()
}

/// Gaussian elimination without pivoting: the matrices are positive definite.
fn solve<const M: usize>(mut a: [[f64; M]; M], mut b: [f64; M]) -> [f64; M] {
    for i in 0..M {
        for j in i + 1..M {
            let factor = a[j][i] / a[i][i];
            (i..M).for_each(|k| a[j][k] -= factor * a[i][k]);
            b[j] -= factor * b[i];
        }
    }
    for i in (0..M).rev() {
        b[i] = (b[i] - (i + 1..M).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    b
}

/// Sine and cosine of an angle \[rad\].
pub fn sin_cos(angle: f64) -> (f64, f64) {
    (Double(angle).sin().0, Double(angle).cos().0)
}
