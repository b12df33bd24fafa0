//! An implicit step by projection: constraints are solved one after the other, repeatedly.
//!
//! ```text
//! XPBD   (∇C M⁻¹ ∇Cᵀ + α̃) Δλ = −C − α̃ λ,   x += M⁻¹ ∇Cᵀ Δλ,   λ += Δλ     [XPBD16] eq. 17–18
//! PBD     ∇C M⁻¹ ∇Cᵀ      Δλ = −C,          x += k M⁻¹ ∇Cᵀ Δλ               [PBD07] §3.3
//! ```
//!
//! The stiffness k of PBD is a number from 0 to 1 that knows neither units nor the step: what it amounts to depends on
//! how often the constraints are solved. With XPBD the compliance decides, from which λ keeps.

use nalgebra::{DMatrix, DVector};

use super::dense::{apply, apply_transposed};
use super::term::Term;
use super::{ReferenceError, Solution, Solver, System};

/// Sweeps of Gauss–Seidel over the constraints in their order.
#[derive(Debug, Clone, Copy)]
pub enum Projection {
    /// XPBD: compliance, and multipliers that are kept over the sweeps.
    Xpbd {
        /// Sweeps.
        iterations: usize,
    },
    /// PBD: a stiffness instead of a compliance.
    Pbd {
        /// Sweeps.
        iterations: usize,
        /// The part k of a correction that is made, from 0 to 1.
        stiffness: f64,
    },
}

impl Projection {
    fn iterations(self) -> usize {
        match self {
            Self::Xpbd { iterations } | Self::Pbd { iterations, .. } => iterations,
        }
    }

    /// Solves one constraint, whose multipliers are `lambda`; one that nothing can change is left as it is.
    fn project(self, system: &System, term: &dyn Term, x: &mut [f64], lambda: &mut [f64], h: f64) {
        let gradient = term.gradient(x);
        let weight = |column: usize| system.inverse_mass(term.nodes()[column / 3]);
        let mut matrix = DMatrix::from_fn(term.rows(), term.rows(), |a, b| {
            (0..gradient.ncols()).map(|k| gradient[(a, k)] * weight(k) * gradient[(b, k)]).sum()
        });
        let mut right = -DVector::from_vec(term.values(x));
        let mut part = 1.0;
        match self {
            Self::Xpbd { .. } => {
                let compliance = term.compliance() / (h * h);
                right -= apply(&compliance, &DVector::from_column_slice(lambda));
                matrix += compliance;
            }
            Self::Pbd { stiffness, .. } => part = stiffness,
        }
        let Some(change) = matrix.lu().solve(&right) else { return };
        let change = change * part;
        let push = apply_transposed(&gradient, &change);
        for (k, push) in push.iter().enumerate() {
            x[3 * term.nodes()[k / 3] + k % 3] += weight(k) * push;
        }
        lambda.iter_mut().zip(change.iter()).for_each(|(lambda, change)| *lambda += change);
    }
}

impl Solver for Projection {
    fn solve(&self, system: &System, predicted: &[f64], h: f64) -> Result<Solution, ReferenceError> {
        let mut x = predicted.to_vec();
        let mut multipliers = vec![0.0; system.rows()];
        for _ in 0..self.iterations() {
            let mut first = 0;
            for term in system.terms() {
                let lambda = &mut multipliers[first..first + term.rows()];
                self.project(system, term.as_ref(), &mut x, lambda, h);
                first += term.rows();
            }
        }
        Ok(Solution { x, multipliers, passes: self.iterations() })
    }
}
