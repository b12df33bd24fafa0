//! The classical solvers that XPBD is compared with, in double precision, on small scenes.
//!
//! No game depends on them. A [`System`] holds particles and the constraints of the engine: the same functions, run on
//! [`Double`](xpbd_core::scalar::Double) for values, on `Dual<Double>` for gradients and on `Dual<Dual<Double>>` for
//! second derivatives, so that nothing here is derived by hand. An [`Integrator`] takes it through time:
//!
//! | integrator | what it does |
//! |---|---|
//! | [`Symplectic`] | symplectic Euler, constraints as stiff springs |
//! | [`Implicit`] of [`Newton`] | backward Euler or BDF2, the energy minimised with exact Hessians |
//! | [`Implicit`] of [`Constrained`] | the same step in positions and multipliers, by KKT or by Schur complement |
//! | [`Implicit`] of [`Projection`] | the same step by Gauss–Seidel: XPBD, or PBD with its stiffness |
//! | [`VelocityTimeStepping`] | velocity time stepping, along constraint directions before or after the step |
//!
//! With M the masses, x̃ where the particles would go without constraints and α̃ = α/h², an implicit step is the minimum
//! of ½ |x − x̃|²_M + ½ Cᵀ α̃⁻¹ C, or with multipliers λ (\[XPBD16\] eq. 8–9)
//!
//! ```text
//! g = M (x − x̃) − ∇Cᵀ λ = 0,   C + α̃ λ = 0
//! ```
//!
//! so that λ/h² is the force along the gradient, as in the engine. Constraints are equalities: what multipliers are
//! admissible is not asked.
//!
//! Sources beyond those of [`xpbd_core`]: \[Goldenthal07\] Efficient Simulation of Inextensible Cloth; \[English08\]
//! Animating Developable Surfaces (BDF2); \[Tournier15\] Stable Constrained Dynamics.

mod constrained;
mod dense;
mod error;
mod implicit;
mod newton;
mod projection;
pub mod scenes;
mod state;
mod symplectic;
mod system;
mod term;
mod velocity;

pub use constrained::{Constrained, LinearSolver};
pub use dense::eigenvalues;
pub use error::ReferenceError;
pub use implicit::{Implicit, IntegrationOrder, Solution, Solver};
pub use newton::Newton;
pub use projection::Projection;
pub use state::State;
pub use symplectic::Symplectic;
pub use system::System;
pub use velocity::{Directions, VelocityTimeStepping};

/// An integrator that advances a system in time.
pub trait Integrator {
    /// Advances the state by `h` \[s\]; gives the multipliers, row after row, of which λ/h² is the force.
    ///
    /// # Errors
    /// The equations of the step have no solution that can be found.
    fn step(&mut self, system: &System, state: &mut State, h: f64) -> Result<Vec<f64>, ReferenceError>;

    /// Takes `count` steps of `h` \[s\], with a look at the state and the multipliers after each.
    ///
    /// # Errors
    /// A step fails.
    fn run(
        &mut self,
        system: &System,
        state: &mut State,
        h: f64,
        count: usize,
        mut look: impl FnMut(&State, &[f64]),
    ) -> Result<(), ReferenceError>
    where
        Self: Sized,
    {
        for _ in 0..count {
            let multipliers = self.step(system, state, h)?;
            look(state, &multipliers);
        }
        Ok(())
    }
}
