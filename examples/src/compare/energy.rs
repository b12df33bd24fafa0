//! The energy that integrators conserve.

use super::{Axis, CompareError, Curve, FRAME, Figure, Outcome, Section, Table};
use crate::reference::scenes::Chain;
use crate::reference::{Implicit, IntegrationOrder, Integrator, Newton, Projection, State, Symplectic, System};

/// Ten elastic links let go from level. At this compliance the shortest period asks of springs for steps below 3.2 ms.
const CHAIN: Chain = Chain { links: 10, link: 0.1, compliance: 1e-5, gravity: -9.81, hangs: false };
/// Frames shown.
const FRAMES: usize = 180;
/// Substeps, and iterations.
const PASSES: usize = 20;

/// Returns the kinetic and gravitational energy after each frame, 1 at the start and 0 for the chain at rest.
pub fn energy_history(
    chain: Chain,
    integrator: &mut dyn Integrator,
    substeps: usize,
    frames: usize,
) -> Result<Vec<f64>, CompareError> {
    let (system, mut state) = chain.build()?;
    let lowest = lowest(chain);
    let ratio = |system: &System, state: &State| (system.motion_energy(state) - lowest) / -lowest;
    let mut energies = vec![ratio(&system, &state)];
    for _ in 0..frames {
        for _ in 0..substeps {
            integrator.step(&system, &mut state, FRAME / substeps as f64)?;
        }
        energies.push(ratio(&system, &state));
        if !state.is_finite() {
            break;
        }
    }
    Ok(energies)
}

/// Returns the energy of the chain at rest, whose every link is stretched by what hangs on it \[J\].
fn lowest(chain: Chain) -> f64 {
    let (mut depth, mut energy) = (0.0, 0.0);
    for below in (1..=chain.links).rev() {
        depth += chain.link - chain.compliance * below as f64 * chain.gravity;
        energy += chain.gravity * depth;
    }
    energy
}

pub(super) fn section() -> Outcome {
    let mut cases: Vec<(&str, Box<dyn Integrator>, usize)> = vec![
        ("symplectic Euler, 1 step", Box::new(Symplectic), 1),
        ("symplectic Euler, 20 substeps", Box::new(Symplectic), PASSES),
        ("backward Euler, Newton", Box::new(Implicit::new(Newton, IntegrationOrder::First)), 1),
        ("BDF2, Newton", Box::new(Implicit::new(Newton, IntegrationOrder::Second)), 1),
        ("XPBD, 1 × 20", Box::new(Implicit::new(Projection::Xpbd { iterations: PASSES }, IntegrationOrder::First)), 1),
        ("XPBD, 20 × 1", Box::new(Implicit::new(Projection::Xpbd { iterations: 1 }, IntegrationOrder::First)), PASSES),
    ];
    let (mut curves, mut rows) = (Vec::new(), Vec::new());
    for (label, integrator, substeps) in &mut cases {
        let energies = energy_history(CHAIN, integrator.as_mut(), *substeps, FRAMES)?;
        let at = |seconds: usize| energies.get(60 * seconds).copied().unwrap_or(f64::INFINITY);
        rows.push((String::from(*label), vec![at(1), at(2), at(3)]));
        let points = energies.iter().enumerate().map(|(frame, energy)| (frame as f64 * FRAME, *energy));
        curves.push(Curve::new(*label, points.collect()));
    }
    Ok(Section {
        name: "energy",
        title: "Energy over time",
        text: "A chain of ten elastic links (1 kg each, 1e-5 m/N) is released from a level position and swings for \
               three seconds. The figure shows its kinetic and gravitational energy. Explicitly integrated springs \
               conserve it, except for the energy of their own vibration, or explode if the step exceeds 2/ω. \
               Backward Euler loses most of it, and BDF2 far less at the same step. XPBD solves the step of \
               backward Euler. With one step of many iterations it loses as much, and with the same number of \
               substeps of one iteration it conserves about as much as BDF2. *n* × *m* means *n* substeps of *m* \
               iterations per frame.",
        timed: false,
        figure: Figure {
            x: Axis::linear("time [s]", &[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]),
            y: Axis::linear("energy over that at the start [1]", &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2]),
            curves,
        },
        table: Table { head: vec!["remaining energy [1]", "after 1 s", "2 s", "3 s"], rows },
    })
}
