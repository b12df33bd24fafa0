//! Symplectic Euler: constraints as springs with the energy ½ Cᵀ α⁻¹ C, whose forces are taken before the step.
//!
//! ```text
//! v' = v + h (g − M⁻¹ ∇C(x)ᵀ α⁻¹ C(x)),   x' = x + h v'
//! ```
//!
//! It keeps energy in the mean, and diverges where h passes 2/ω, with ω the highest frequency of the system.

use super::dense::{apply, apply_transposed};
use super::{Integrator, ReferenceError, State, System};

/// Symplectic Euler with stiff springs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Symplectic;

impl Integrator for Symplectic {
    fn step(&mut self, system: &System, state: &mut State, h: f64) -> Result<Vec<f64>, ReferenceError> {
        let multipliers = apply(&system.stiffness()?, &system.values(&state.x)) * (-h * h);
        let impulses = apply_transposed(&system.jacobian(&state.x), &multipliers) / h;
        for (coordinate, v) in state.v.iter_mut().enumerate() {
            *v += h * system.gravity(coordinate);
        }
        let changes = impulses.zip_map(&nalgebra::DVector::from_vec(system.masses()), |impulse, mass| impulse / mass);
        system.add(&mut state.v, 1.0, &changes);
        let v = system.gather(&state.v);
        system.add(&mut state.x, h, &v);
        Ok(multipliers.iter().copied().collect())
    }
}
