//! Implicit time steps with an exchangeable solver.
//!
//! First order is backward Euler, second order is BDF2 (\[English08\]; in positions \[XPBD16\]'s lecture):
//!
//! ```text
//! first    x̃ = x + h v + h² g                                           v' = (x' − x)/h
//! second   x̃ = 4/3 x − 1/3 x₋ + 8/9 h v − 2/9 h v₋ + 4/9 h² g           v' = (3/2 x' − 2 x + 1/2 x₋)/h
//! ```
//!
//! with x₋ and v₋ one step earlier. Second order solves for x' as first order does with a step of 2/3 h; its first step
//! is one of first order.

use super::{Integrator, ReferenceError, State, System};

/// The order of a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrationOrder {
    /// Backward Euler.
    First,
    /// BDF2.
    Second,
}

/// The result of an implicit step.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of all particles \[m\].
    pub x: Vec<f64>,
    /// Multipliers, row after row.
    pub multipliers: Vec<f64>,
    /// Number of Newton steps or sweeps taken.
    pub passes: usize,
}

/// A solver of implicit steps.
pub trait Solver {
    /// Returns the positions and multipliers of a step of `h` \[s\] from where the particles would go without
    /// constraints.
    ///
    /// # Errors
    /// No solution is found.
    fn solve(&self, system: &System, predicted: &[f64], h: f64) -> Result<Solution, ReferenceError>;
}

/// An implicit integrator.
#[derive(Debug, Clone)]
pub struct Implicit<S> {
    solver: S,
    order: IntegrationOrder,
    before: Option<State>,
}

impl<S: Solver> Implicit<S> {
    /// Creates an integrator of this order whose steps are solved by `solver`.
    pub fn new(solver: S, order: IntegrationOrder) -> Self {
        Self { solver, order, before: None }
    }
}

/// Returns where the particles would go without constraints \[m\], in a step of second order.
fn predict_second(system: &System, state: &State, before: &State, h: f64) -> Vec<f64> {
    let (x, v, x0, v0) = (&state.x, &state.v, &before.x, &before.v);
    let places = |k: usize| (4.0 * x[k] - x0[k]) / 3.0;
    let at = |k: usize| places(k) + h * ((8.0 * v[k] - 2.0 * v0[k]) / 9.0 + h * system.gravity(k) * 4.0 / 9.0);
    (0..x.len()).map(|k| if system.is_free(k) { at(k) } else { x[k] }).collect()
}

impl<S: Solver> Integrator for Implicit<S> {
    fn step(&mut self, system: &System, state: &mut State, h: f64) -> Result<Vec<f64>, ReferenceError> {
        let before = self.before.take().filter(|_| self.order == IntegrationOrder::Second);
        let (predicted, step) = match &before {
            None => (system.predicted(state, h), h),
            Some(before) => (predict_second(system, state, before, h), h * 2.0 / 3.0),
        };
        let solution = self.solver.solve(system, &predicted, step)?;
        let old = state.clone();
        for k in 0..state.x.len() {
            let new = solution.x[k];
            state.v[k] = match &before {
                None => (new - old.x[k]) / h,
                Some(before) => (1.5 * new - 2.0 * old.x[k] + 0.5 * before.x[k]) / h,
            };
            state.x[k] = new;
        }
        self.before = Some(old);
        // As multipliers of the whole step: λ/h² is the force.
        let scale = (h / step) * (h / step);
        Ok(solution.multipliers.iter().map(|lambda| scale * lambda).collect())
    }
}
