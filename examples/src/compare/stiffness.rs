//! The stiffness of a chain as a function of iterations and compliance.

use super::{Axis, CompareError, Curve, FRAME, Figure, Outcome, Section, Table};
use crate::reference::scenes::Chain;
use crate::reference::{Implicit, IntegrationOrder, Integrator, Projection};

/// A soft chain.
pub const CHAIN: Chain = Chain { links: 5, link: 0.1, compliance: 1e-3, gravity: -9.81, hangs: true };
/// Frames until it hangs still, if all motion is taken from it after each.
const FRAMES: usize = 600;
/// The part of a correction that PBD makes.
pub const STIFFNESS: f64 = 0.1;
/// Iterations compared.
const ITERATIONS: [usize; 8] = [1, 2, 5, 10, 20, 50, 100, 200];

/// Returns how much longer the chain is at rest than its links \[m\].
///
/// # Errors
/// It cannot be built.
pub fn stretch(chain: Chain, solver: Projection) -> Result<f64, CompareError> {
    let (system, mut state) = chain.build()?;
    let mut integrator = Implicit::new(solver, IntegrationOrder::First);
    for _ in 0..FRAMES {
        integrator.step(&system, &mut state, FRAME)?;
        state.v.fill(0.0);
    }
    Ok(-state.position(chain.links)[1] - chain.link * chain.links as f64)
}

/// Returns the same by statics: α m g n (n + 1)/2.
pub fn expected(chain: Chain) -> f64 {
    let links = chain.links as f64;
    -chain.compliance * chain.gravity * 0.5 * links * (links + 1.0)
}

pub(super) fn section() -> Outcome {
    let of = |solver: fn(usize) -> Projection| -> Result<Vec<f64>, CompareError> {
        let part = |&iterations: &usize| Ok(stretch(CHAIN, solver(iterations))? / expected(CHAIN));
        ITERATIONS.iter().map(part).collect()
    };
    let xpbd = of(|iterations| Projection::Xpbd { iterations })?;
    let pbd = of(|iterations| Projection::Pbd { iterations, stiffness: STIFFNESS })?;
    let points = |ratios: &[f64]| ITERATIONS.iter().map(|&n| n as f64).zip(ratios.iter().copied()).collect();
    let curves = vec![Curve::new("PBD, k = 0.1", points(&pbd)), Curve::new("XPBD, α = 1e-3 m/N", points(&xpbd))];
    let rows = ITERATIONS.iter().zip(pbd.iter().zip(&xpbd)).map(|(n, (pbd, xpbd))| (n.to_string(), vec![*pbd, *xpbd]));
    Ok(Section {
        name: "stiffness",
        title: "Stiffness and iterations",
        text: "A chain of five links hangs at rest. Its stretch is compared with that of springs of 1e-3 m/N, α m g \
               n (n + 1)/2. With PBD, more iterations make it stiffer without limit. With XPBD, the compliance \
               determines the stretch, if there are enough iterations to solve a step.",
        timed: false,
        figure: Figure {
            x: Axis::log("iterations of a step", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]),
            y: Axis::log(
                "stretch over that of the springs [1]",
                &[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0],
            ),
            curves,
        },
        table: Table { head: vec!["iterations", "PBD", "XPBD"], rows: rows.collect() },
    })
}
