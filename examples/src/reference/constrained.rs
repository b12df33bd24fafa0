//! An implicit step in positions and multipliers, by Newton's method on its equations.
//!
//! ```text
//! | A   −∇Cᵀ | |Δx|     | g        |      A = M − Σ λᵣ ∇²Cᵣ
//! | ∇C   α̃   | |Δλ| = − | C + α̃ λ |      g = M (x − x̃) − ∇Cᵀ λ
//! ```
//!
//! either as it stands (the KKT system), or with Δx eliminated (the Schur complement),
//!
//! ```text
//! (∇C A⁻¹ ∇Cᵀ + α̃) Δλ = ∇C A⁻¹ g − C − α̃ λ,   Δx = A⁻¹ (∇Cᵀ Δλ − g)
//! ```
//!
//! With A = M, g = 0 and one row at a time this is XPBD (\[XPBD16\] eq. 11–18), which therefore approaches the same
//! multipliers where gradients do not turn during the solve, and nearly the same where they do.
//! Compliance may be 0.

use nalgebra::{DMatrix, DVector};

use super::dense::{apply, apply_transposed, product, solve, solve_all};
use super::{ReferenceError, Solution, Solver, System};

/// The method that solves the linear system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearSolver {
    /// Positions and multipliers together.
    Kkt,
    /// Multipliers first.
    Schur,
}

/// Newton's method on positions and multipliers.
#[derive(Debug, Clone, Copy)]
pub struct Constrained {
    /// Method that solves the linear systems.
    pub linear: LinearSolver,
    /// Number of Newton steps; until convergence if not given.
    pub steps: Option<usize>,
}

/// Steps before it gives up.
const MAX_STEPS: usize = 200;
/// A step shorter than this part of the scene is the last one.
const STEP_TOLERANCE: f64 = 1e-13;

impl Constrained {
    /// Creates a solver that iterates until convergence.
    pub fn new(linear: LinearSolver) -> Self {
        Self { linear, steps: None }
    }

    fn name(self) -> &'static str {
        match self.linear {
            LinearSolver::Kkt => "KKT",
            LinearSolver::Schur => "Schur complement",
        }
    }

    /// Δx and Δλ for the block A, the Jacobian, α̃ and both residuals.
    fn step(self, a: DMatrix<f64>, equations: &Equations) -> Result<(DVector<f64>, DVector<f64>), ReferenceError> {
        let Equations { jacobian, compliance, forces, violations } = equations;
        let (n, m) = (a.nrows(), jacobian.nrows());
        match self.linear {
            LinearSolver::Kkt => {
                let mut matrix = DMatrix::zeros(n + m, n + m);
                matrix.view_mut((0, 0), (n, n)).copy_from(&a);
                matrix.view_mut((0, n), (n, m)).copy_from(&-jacobian.transpose());
                matrix.view_mut((n, 0), (m, n)).copy_from(jacobian);
                matrix.view_mut((n, n), (m, m)).copy_from(compliance);
                let right = DVector::from_iterator(n + m, forces.iter().chain(violations.iter()).map(|number| -number));
                let both = solve(matrix, &right, self.name())?;
                Ok((both.rows(0, n).into_owned(), both.rows(n, m).into_owned()))
            }
            LinearSolver::Schur => {
                let spread = solve_all(a.clone(), &jacobian.transpose(), self.name())?;
                let free = solve(a, forces, self.name())?;
                let matrix = product(jacobian, &spread) + compliance;
                let multipliers = solve(matrix, &(apply(jacobian, &free) - violations), self.name())?;
                Ok((apply(&spread, &multipliers) - free, multipliers))
            }
        }
    }
}

/// The equations of one step.
struct Equations {
    jacobian: DMatrix<f64>,
    /// α̃.
    compliance: DMatrix<f64>,
    /// g.
    forces: DVector<f64>,
    /// C + α̃ λ.
    violations: DVector<f64>,
}

impl Solver for Constrained {
    fn solve(&self, system: &System, predicted: &[f64], h: f64) -> Result<Solution, ReferenceError> {
        let compliance = system.compliance() / (h * h);
        let masses = DVector::from_vec(system.masses());
        let from = system.gather(predicted);
        let mut x = predicted.to_vec();
        let mut lambda = DVector::zeros(system.rows());
        let size = x.iter().fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
        let limit = self.steps.unwrap_or(MAX_STEPS);
        let mut length = 0.0;
        for passes in 1..=limit {
            let jacobian = system.jacobian(&x);
            let forces = (system.gather(&x) - &from).component_mul(&masses) - apply_transposed(&jacobian, &lambda);
            let violations = system.values(&x) + apply(&compliance, &lambda);
            let a = DMatrix::from_diagonal(&masses) - system.curvature(&x, lambda.as_slice());
            let equations = Equations { jacobian, compliance: compliance.clone(), forces, violations };
            let (dx, dl) = self.step(a, &equations)?;
            system.add(&mut x, 1.0, &dx);
            lambda += dl;
            length = dx.amax();
            if self.steps.is_none() && length <= STEP_TOLERANCE * size {
                return Ok(Solution { x, multipliers: lambda.iter().copied().collect(), passes });
            }
        }
        match self.steps {
            Some(passes) => Ok(Solution { x, multipliers: lambda.iter().copied().collect(), passes }),
            None => Err(ReferenceError::NotConverged { method: self.name(), steps: limit, length }),
        }
    }
}
