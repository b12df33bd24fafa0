//! The error of a frame for the same work as iterations and as substeps.

use super::{Axis, CompareError, Curve, FRAME, Figure, Outcome, Section, Table};
use crate::reference::scenes::Chain;
use crate::reference::{Constrained, Implicit, IntegrationOrder, Integrator, LinearSolver, Newton, Projection, State};

/// Ten links let go from level.
const CHAIN: Chain = Chain { links: 10, link: 0.1, compliance: 1e-6, gravity: -9.81, hangs: false };
/// Frames until they are compared.
const FRAMES: usize = 30;
/// Steps of a frame that the true motion is found with.
pub const REFERENCE_STEPS: usize = 256;
/// Sweeps of a frame compared.
const WORK: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];

/// Returns where the chain truly is in the end, as near as so many steps of a frame come.
///
/// # Errors
/// A step has no solution.
pub fn reference_state(steps: usize) -> Result<State, CompareError> {
    end(Implicit::new(Constrained::new(LinearSolver::Kkt), IntegrationOrder::Second), steps)
}

/// Returns where the chain is after some frames of so many steps each.
fn end(mut integrator: impl Integrator, steps: usize) -> Result<State, CompareError> {
    let (system, mut state) = CHAIN.build()?;
    integrator.run(&system, &mut state, FRAME / steps as f64, FRAMES * steps, |_, _| ())?;
    Ok(state)
}

fn xpbd(iterations: usize, order: IntegrationOrder) -> Implicit<Projection> {
    Implicit::new(Projection::Xpbd { iterations }, order)
}

pub(super) fn section() -> Outcome {
    let exact = reference_state(REFERENCE_STEPS)?;
    let newton = end(Implicit::new(Newton, IntegrationOrder::First), 1)?;
    let mut rows = Vec::new();
    let mut lines = vec![Vec::new(); 4];
    for work in WORK {
        let (iterations, substeps) =
            (end(xpbd(work, IntegrationOrder::First), 1)?, end(xpbd(1, IntegrationOrder::First), work)?);
        let columns = [
            iterations.distance(&newton),
            iterations.distance(&exact),
            substeps.distance(&exact),
            end(xpbd(1, IntegrationOrder::Second), work)?.distance(&exact),
        ];
        lines.iter_mut().zip(columns).for_each(|(line, y)| line.push((work as f64, y)));
        rows.push((work.to_string(), columns.to_vec()));
    }
    let newton = newton.distance(&exact);
    rows.push(("backward Euler, Newton".into(), vec![0.0, newton, f64::NAN, f64::NAN]));
    let labels = ["1 × n, to Newton", "1 × n, to truth", "n × 1, to truth", "n × 1, BDF2, to truth"];
    let mut curves: Vec<_> = labels.into_iter().zip(lines).map(|(label, line)| Curve::new(label, line)).collect();
    curves.push(Curve::new("Newton, to truth", vec![(1.0, newton), (200.0, newton)]));
    Ok(Section {
        name: "work",
        title: "Error against work",
        text: "Ten links (1e-6 m/N) swing down from a level position for half a second. The error is the root mean \
               square distance of the particles from two references: backward Euler with 60 steps per second, \
               solved by Newton's method, and the converged motion, computed by BDF2 with 256 steps per frame. \
               Iterations approach the step of backward Euler, except for rotating gradients, and therefore its \
               error. The same number of substeps of one iteration approaches the converged motion.",
        timed: false,
        figure: Figure {
            x: Axis::log("sweeps a frame, n", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]),
            y: Axis::decades("error [m]", -6, 0),
            curves,
        },
        table: Table {
            head: vec![
                "sweeps per frame",
                "1 × n to Newton [m]",
                "1 × n to converged [m]",
                "n × 1 to converged [m]",
                "n × 1 BDF2 to converged [m]",
            ],
            rows,
        },
    })
}
