//! An implicit step as a minimum, by Newton's method with exact Hessians and a line search.
//!
//! ```text
//! E(x) = ½ |x − x̃|²_M + ½ Cᵀ α̃⁻¹ C,   α̃ = α/h²
//! ∇E   = M (x − x̃) − ∇Cᵀ λ,           λ = −α̃⁻¹ C
//! ∇²E  = M + ∇Cᵀ α̃⁻¹ ∇C − Σ λᵣ ∇²Cᵣ
//! ```
//!
//! Where the Hessian is not positive definite (springs that are pressed together) a multiple of M is added to it. Steps
//! are halved until E falls by a ten-thousandth of what its slope promises, or, where rounding hides that, the slope
//! falls; the last, short one is taken as it is.

use nalgebra::{DMatrix, DVector};

use super::dense::{apply, apply_transposed, product};
use super::{ReferenceError, Solution, Solver, System};

const NAME: &str = "Newton's method";
/// Steps before it gives up.
const MAX_STEPS: usize = 200;
/// Maximal number of times that a step is halved.
const MAX_HALVINGS: usize = 40;
/// A step shorter than this part of the scene is the last one: convergence is quadratic there.
const STEP_TOLERANCE: f64 = 1e-10;

/// Newton's method on positions alone; every constraint must have a compliance.
#[derive(Debug, Clone, Copy, Default)]
pub struct Newton;

/// The energy of one step.
struct Energy<'a> {
    system: &'a System,
    masses: Vec<f64>,
    predicted: &'a [f64],
    /// α̃⁻¹.
    stiffness: DMatrix<f64>,
}

impl Energy<'_> {
    fn at(&self, x: &[f64]) -> f64 {
        let c = self.system.values(x);
        let moved = self.displaced(x);
        let inertia: f64 = moved.iter().zip(&self.masses).map(|(d, mass)| d * d * mass).sum();
        0.5 * (inertia + apply(&self.stiffness, &c).dot(&c))
    }

    fn displaced(&self, x: &[f64]) -> DVector<f64> {
        self.system.gather(x) - self.system.gather(self.predicted)
    }

    fn multipliers(&self, x: &[f64]) -> DVector<f64> {
        -apply(&self.stiffness, &self.system.values(x))
    }

    fn gradient(&self, x: &[f64]) -> DVector<f64> {
        let masses = DVector::from_column_slice(&self.masses);
        let pushes = apply_transposed(&self.system.jacobian(x), &self.multipliers(x));
        self.displaced(x).component_mul(&masses) - pushes
    }

    /// Returns the gradient, and the step against it that the Hessian gives.
    fn newton_step(&self, x: &[f64]) -> Result<(DVector<f64>, DVector<f64>), ReferenceError> {
        let (jacobian, multipliers) = (self.system.jacobian(x), self.multipliers(x));
        let gradient = self.gradient(x);
        let elastic = product(&jacobian.transpose(), &product(&self.stiffness, &jacobian));
        let hessian = elastic - self.system.curvature(x, multipliers.as_slice());
        let mut shift = 1.0;
        for _ in 0..MAX_STEPS {
            let mut shifted = hessian.clone();
            for (k, mass) in self.masses.iter().enumerate() {
                shifted[(k, k)] += shift * mass;
            }
            if let Some(factors) = shifted.cholesky() {
                return Ok((gradient.clone(), -factors.solve(&gradient)));
            }
            shift *= 4.0;
        }
        Err(ReferenceError::Singular(NAME))
    }
}

impl Solver for Newton {
    fn solve(&self, system: &System, predicted: &[f64], h: f64) -> Result<Solution, ReferenceError> {
        let stiffness = system.stiffness()? * (h * h);
        let energy = Energy { system, masses: system.masses(), predicted, stiffness };
        let mut x = predicted.to_vec();
        let size = x.iter().fold(f64::MIN_POSITIVE, |size, x| size.max(x.abs()));
        let mut length = f64::INFINITY;
        for passes in 1..=MAX_STEPS {
            let (gradient, step) = energy.newton_step(&x)?;
            length = step.amax();
            if length <= STEP_TOLERANCE * size {
                x = displaced(system, &x, 1.0, &step);
                let multipliers = energy.multipliers(&x).iter().copied().collect();
                return Ok(Solution { x, multipliers, passes });
            }
            let (now, slope) = (energy.at(&x), gradient.dot(&step));
            let (mut part, mut next) = (1.0, displaced(system, &x, 1.0, &step));
            for _ in 0..MAX_HALVINGS {
                let falls = energy.at(&next) <= now + 1e-4 * part * slope;
                if falls || energy.gradient(&next).norm() < gradient.norm() {
                    break;
                }
                part *= 0.5;
                next = displaced(system, &x, part, &step);
            }
            x = next;
        }
        Err(ReferenceError::NotConverged { method: NAME, steps: MAX_STEPS, length })
    }
}

fn displaced(system: &System, x: &[f64], part: f64, step: &DVector<f64>) -> Vec<f64> {
    let mut x = x.to_vec();
    system.add(&mut x, part, step);
    x
}
