//! Velocity time stepping: rigid constraints on velocities.
//!
//! ```text
//! M v' = M (v + h g) + ∇C(d)ᵀ μ,   ∇C(d) v' = −β/h C(x),   x' = x + h v'
//! ```
//!
//! The directions d along which constraints push are those before the step, d = x (explicit), or those after it, d = x'
//! (implicit). The latter are found by going on from v = v + h g with d = x + h v,
//!
//! ```text
//! ∇C(d) M⁻¹ ∇C(d)ᵀ Δμ = −β/h C(x) − ∇C(d) v,   v += M⁻¹ ∇C(d)ᵀ Δμ
//! ```
//!
//! of which the first iteration with d = x is explicit time stepping. What pulls across a link is then integrated
//! explicitly: a pull T makes masses m on links of length l swing with up to ω² = 4 T/(l m), and h has the limit 2/ω
//! (\[Tournier15\] §2). Implicit directions have none, if there are enough iterations.

use nalgebra::{DMatrix, DVector};

use super::dense::{apply, product, solve};
use super::term::Term;
use super::{Integrator, ReferenceError, State, System};

const NAME: &str = "velocity time stepping";

/// Along which directions constraints push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directions {
    /// Directions at the start of the step.
    Explicit,
    /// Directions at the end of the step, found in this number of iterations.
    Implicit(usize),
}

/// Velocity time stepping.
#[derive(Debug, Clone, Copy)]
pub struct VelocityTimeStepping {
    /// Along which directions constraints push.
    pub directions: Directions,
    /// β: which part of an error of position is taken back in a step, from 0 to 1.
    pub correction: f64,
}

impl Integrator for VelocityTimeStepping {
    fn step(&mut self, system: &System, state: &mut State, h: f64) -> Result<Vec<f64>, ReferenceError> {
        let softest = |term: &dyn Term| term.compliance().diagonal().max();
        let mut soft = system.terms().iter().map(|term| softest(term.as_ref())).enumerate();
        if let Some((constraint, alpha)) = soft.find(|(_, alpha)| *alpha > 0.0) {
            return Err(ReferenceError::Compliant(constraint, alpha));
        }
        for (coordinate, v) in state.v.iter_mut().enumerate() {
            *v += h * system.gravity(coordinate);
        }
        let masses = system.masses();
        let wanted = system.values(&state.x) * (-self.correction / h);
        let mut v = system.gather(&state.v);
        let mut impulses = DVector::zeros(system.rows());
        let iterations = match self.directions {
            Directions::Explicit => 1,
            Directions::Implicit(iterations) => iterations,
        };
        for _ in 0..iterations {
            let mut x = state.x.clone();
            if let Directions::Implicit(_) = self.directions {
                system.add(&mut x, h, &v);
            }
            let along = system.jacobian(&x);
            let spread = DMatrix::from_fn(masses.len(), along.nrows(), |k, row| along[(row, k)] / masses[k]);
            let change = solve(product(&along, &spread), &(&wanted - apply(&along, &v)), NAME)?;
            v += apply(&spread, &change);
            impulses += change;
        }
        let change = &v - system.gather(&state.v);
        system.add(&mut state.v, 1.0, &change);
        system.add(&mut state.x, h, &v);
        Ok(impulses.iter().map(|impulse| h * impulse).collect())
    }
}
