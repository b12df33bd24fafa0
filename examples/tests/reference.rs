//! The reference solvers compared with closed forms, with each other and with XPBD.

#[path = "reference/calculus.rs"]
mod calculus;
#[path = "reference/input.rs"]
mod input;
#[path = "reference/page.rs"]
mod page;
#[path = "reference/solvers.rs"]
mod solvers;
#[path = "reference/springs.rs"]
mod springs;

use examples::reference::{Integrator, State, System};

/// A frame \[s\].
const FRAME: f64 = examples::compare::FRAME;

/// Returns the state and the multipliers after some steps.
fn after(integrator: &mut dyn Integrator, system: &System, start: &State, steps: usize) -> (State, Vec<f64>) {
    let (mut state, mut multipliers) = (start.clone(), Vec::new());
    for _ in 0..steps {
        multipliers = integrator.step(system, &mut state, FRAME).expect("the step has a solution");
    }
    (state, multipliers)
}

/// Returns the largest difference of two lists of numbers.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
}

/// Returns the largest of a list of numbers without their signs.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}
