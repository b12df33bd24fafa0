//! Dense linear algebra. Products are written out: those of nalgebra choose instructions by the machine that they run
//! on, and differ in their last bits.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::ReferenceError;

/// Returns a B.
pub(super) fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), b.ncols(), |row, column| (0..a.ncols()).map(|k| a[(row, k)] * b[(k, column)]).sum())
}

/// Returns a x.
pub(super) fn apply(a: &DMatrix<f64>, x: &DVector<f64>) -> DVector<f64> {
    DVector::from_fn(a.nrows(), |row, _| (0..a.ncols()).map(|k| a[(row, k)] * x[k]).sum())
}

/// Aᵀ x.
pub(super) fn apply_transposed(a: &DMatrix<f64>, x: &DVector<f64>) -> DVector<f64> {
    DVector::from_fn(a.ncols(), |column, _| (0..a.nrows()).map(|k| a[(k, column)] * x[k]).sum())
}

/// Returns the solution of A x = b, of any A that has an inverse.
pub(super) fn solve(a: DMatrix<f64>, b: &DVector<f64>, method: &'static str) -> Result<DVector<f64>, ReferenceError> {
    let solution = a.lu().solve(b).filter(|x| x.iter().all(|x| x.is_finite()));
    solution.ok_or(ReferenceError::Singular(method))
}

/// Returns the solutions of A X = B, a column each.
pub(super) fn solve_all(
    a: DMatrix<f64>,
    b: &DMatrix<f64>,
    method: &'static str,
) -> Result<DMatrix<f64>, ReferenceError> {
    let solution = a.lu().solve(b).filter(|x| x.iter().all(|x| x.is_finite()));
    solution.ok_or(ReferenceError::Singular(method))
}

/// Returns the eigenvalues of a symmetric matrix whose rows and columns are scaled by `scale`, in rising order.
pub fn eigenvalues(matrix: &DMatrix<f64>, scale: &[f64]) -> Vec<f64> {
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |row, column| {
        matrix[(row, column)] * scale[row] * scale[column]
    });
    let mut values: Vec<f64> = SymmetricEigen::new(scaled).eigenvalues.iter().copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}
