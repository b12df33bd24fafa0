//! The convergence of XPBD to the solution of a step, in positions and in multipliers.

use nalgebra::DMatrix;

use super::{Axis, CompareError, Curve, Engine, FRAME, Figure, Outcome, Section, Table};
use crate::reference::scenes::Chain;
use crate::reference::{
    Constrained, Implicit, IntegrationOrder, Integrator, LinearSolver, Newton, Projection, State, System, eigenvalues,
};

/// The chain of \[XPBD16\], hanging: its gradients do not turn.
pub const HANGING: Chain = Chain { links: 19, link: 0.05, compliance: 1e-8, gravity: -9.81, hangs: true };
/// The same, which swings down from level: its gradients turn.
pub const SWINGING: Chain = Chain { hangs: false, ..HANGING };
/// Frames that it swings.
const FRAMES: usize = 10;
/// Steps of a frame in the finer one of two comparisons.
const FINE: usize = 10;
/// Head of the table.
const HEAD: [&str; 7] = [
    "iterations",
    "x, hanging",
    "λ, hanging",
    "λ, hanging, engine",
    "x, swinging",
    "λ, swinging",
    "λ, swinging, 1/600 s",
];
/// Iterations compared.
const ITERATIONS: [usize; 12] = [1, 10, 20, 50, 100, 200, 400, 600, 800, 1000, 1500, 2000];

/// A step from a state, with its solution.
pub struct ReferenceStep {
    h: f64,
    system: System,
    start: State,
    end: State,
    multipliers: Vec<f64>,
}

/// The deviation of a solution from that of Newton's method, relative to the largest value there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// Deviation of the particles' corrections \[1\].
    pub positions: f64,
    /// Deviation of the multipliers \[1\].
    pub multipliers: f64,
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |largest, number| largest.max(number.abs()))
}

impl ReferenceStep {
    /// The step of this chain after some frames of so many steps each that Newton's method has solved.
    ///
    /// # Errors
    /// It does not converge.
    pub fn after_frames(chain: Chain, frames: usize, steps: usize) -> Result<Self, CompareError> {
        let h = FRAME / steps as f64;
        let (system, mut start) = chain.build()?;
        let mut newton = Implicit::new(Newton, IntegrationOrder::First);
        newton.run(&system, &mut start, h, frames * steps, |_, _| ())?;
        let mut end = start.clone();
        let multipliers = newton.step(&system, &mut end, h)?;
        Ok(Self { h, system, start, end, multipliers })
    }

    /// Returns how far the step of another integrator is from it.
    ///
    /// # Errors
    /// The other fails.
    pub fn deviation(&self, other: &mut dyn Integrator) -> Result<Deviation, CompareError> {
        let mut state = self.start.clone();
        let multipliers = other.step(&self.system, &mut state, self.h)?;
        Ok(self.compare(&state, &multipliers))
    }

    /// Returns how far a state and its multipliers are from it.
    pub fn compare(&self, state: &State, multipliers: &[f64]) -> Deviation {
        let apart = |a: &[f64], b: &[f64]| largest(a.iter().zip(b).map(|(a, b)| a - b));
        let corrected = apart(&self.system.predicted(&self.start, self.h), &self.end.x);
        Deviation {
            positions: apart(&state.x, &self.end.x) / corrected,
            multipliers: apart(multipliers, &self.multipliers) / largest(self.multipliers.iter().copied()),
        }
    }

    /// Returns what a sweep of Gauss–Seidel makes of an error in the end: the square of the largest eigenvalue of
    /// Jacobi's method on ∇C M⁻¹ ∇Cᵀ + α̃, since the links of a chain can be coloured with two colours (\[Young54\]
    /// Iterative Methods for Solving Partial Difference Equations of Elliptic Type).
    pub fn rate(&self) -> f64 {
        let jacobian = self.system.jacobian(&self.end.x);
        let (masses, compliance) = (self.system.masses(), self.system.compliance() / (self.h * self.h));
        let weighed = |a, b| (0..masses.len()).map(|k| jacobian[(a, k)] / masses[k] * jacobian[(b, k)]).sum::<f64>();
        let matrix = DMatrix::from_fn(jacobian.nrows(), jacobian.nrows(), |a, b| weighed(a, b) + compliance[(a, b)]);
        let scale: Vec<f64> = matrix.diagonal().iter().map(|entry| 1.0 / entry.sqrt()).collect();
        let jacobi = 1.0 - eigenvalues(&matrix, &scale).first().copied().unwrap_or(1.0);
        jacobi * jacobi
    }
}

/// XPBD with so many iterations.
fn xpbd(iterations: usize) -> Implicit<Projection> {
    Implicit::new(Projection::Xpbd { iterations }, IntegrationOrder::First)
}

/// Returns the engine's deviation from the first step of the hanging chain.
pub fn engine(step: &ReferenceStep, iterations: u32) -> Result<Deviation, CompareError> {
    let mut engine = Engine::new(HANGING, 1, iterations)?;
    engine.step()?;
    let multipliers: Vec<f64> = engine.forces()?.iter().map(|force| force * FRAME * FRAME).collect();
    Ok(step.compare(&engine.state()?, &multipliers))
}

pub(super) fn section() -> Outcome {
    let hanging = ReferenceStep::after_frames(HANGING, 0, 1)?;
    let (swinging, finer) =
        (ReferenceStep::after_frames(SWINGING, FRAMES, 1)?, ReferenceStep::after_frames(SWINGING, FRAMES, FINE)?);
    let (mut rows, mut lines) = (Vec::new(), vec![Vec::new(); HEAD.len()]);
    for iterations in ITERATIONS {
        let (first, second) = (hanging.deviation(&mut xpbd(iterations))?, swinging.deviation(&mut xpbd(iterations))?);
        let (product, third) = (engine(&hanging, iterations as u32)?, finer.deviation(&mut xpbd(iterations))?);
        let columns = vec![
            first.positions,
            first.multipliers,
            product.multipliers,
            second.positions,
            second.multipliers,
            third.multipliers,
        ];
        lines.iter_mut().zip(&columns).for_each(|(line, y)| line.push((iterations as f64, *y)));
        rows.push((iterations.to_string(), columns));
    }
    for steps in 1..=5 {
        let newton = Constrained { linear: LinearSolver::Kkt, steps: Some(steps) };
        let deviation = swinging.deviation(&mut Implicit::new(newton, IntegrationOrder::First))?;
        lines[HEAD.len() - 1].push((steps as f64, deviation.multipliers));
    }
    let labels = HEAD[1..].iter().chain(&["λ, swinging, Newton"]);
    Ok(Section {
        name: "convergence",
        title: "Positions and multipliers",
        text: "One step of 1/60 s of twenty particles on stiff links (1e-8 m/N) is solved by XPBD with an \
               increasing number of iterations, and by Newton's method with exact Hessians. Errors are relative to \
               the largest correction of a position and to the largest multiplier λ. If gradients do not rotate \
               (the chain falls straight into its links), XPBD converges to the solution at the rate of \
               Gauss–Seidel, and the engine does the same up to single precision. If they rotate during the solve \
               (the chain swings, 10 frames after its release from a level position), XPBD converges to a point \
               that is some percent away from the solution, because each correction follows the gradient at its own \
               iterate. In a step a tenth as long the gradients rotate less.",
        timed: false,
        figure: Figure {
            x: Axis::log("iterations", &[1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0]),
            y: Axis::decades("deviation from Newton's solution [1]", -8, 0),
            curves: labels.zip(lines).map(|(label, points)| Curve::new(*label, points)).collect(),
        },
        table: Table { head: HEAD.to_vec(), rows },
    })
}
