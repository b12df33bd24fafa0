//! The fast cable: the directions along which constraints act.

use super::{Axis, CompareError, Curve, FRAME, Figure, Outcome, Section, Table};
use crate::reference::scenes::Chain;
use crate::reference::{Directions, Implicit, IntegrationOrder, Integrator, Projection, VelocityTimeStepping};

/// A rigid cable of a metre.
pub const CABLE: Chain = Chain { links: 20, link: 0.05, compliance: 0.0, gravity: -9.81, hangs: false };
/// Initial angular velocity about the fixed end \[rad/s\].
pub const RATE: f64 = 40.0;
/// Iterations of all that iterate.
pub const ITERATIONS: usize = 20;
/// Frames of the comparison.
const FRAMES: usize = 120;

/// The stretch and the energy of a cable during its flight.
#[derive(Debug, Clone, PartialEq)]
pub struct FlightResult {
    /// After each frame the largest error of a link over its length.
    pub stretch: Vec<f64>,
    /// After each frame the energy of motion over that at the start.
    pub energy: Vec<f64>,
}

impl FlightResult {
    /// Returns the worst error of a link over its length.
    pub fn largest_stretch(&self) -> f64 {
        self.stretch.iter().copied().fold(0.0, f64::max)
    }

    /// Returns the most energy there was, over that at the start.
    pub fn largest_energy(&self) -> f64 {
        self.energy.iter().copied().fold(0.0, f64::max)
    }
}

/// Lets the cable fly.
///
/// # Errors
/// A step cannot be solved.
pub fn simulate_flight(
    integrator: &mut dyn Integrator,
    rate: f64,
    substeps: usize,
) -> Result<FlightResult, CompareError> {
    let (system, mut state) = CABLE.spinning(rate)?;
    let start = system.motion_energy(&state);
    let mut fate = FlightResult { stretch: vec![0.0], energy: vec![1.0] };
    for _ in 0..FRAMES {
        for _ in 0..substeps {
            integrator.step(&system, &mut state, FRAME / substeps as f64)?;
        }
        fate.stretch.push(system.values(&state.x).amax() / CABLE.link);
        fate.energy.push(system.motion_energy(&state) / start);
    }
    Ok(fate)
}

/// Returns the velocity time stepping that takes back most of an error in a step.
pub fn velocities(directions: Directions) -> VelocityTimeStepping {
    VelocityTimeStepping { directions, correction: 0.9 }
}

pub(super) fn section() -> Outcome {
    let pbd = Projection::Pbd { iterations: ITERATIONS, stiffness: 1.0 };
    let mut cases: [(&str, Box<dyn Integrator>); 3] = [
        ("VTS, explicit directions", Box::new(velocities(Directions::Explicit))),
        ("VTS, implicit directions", Box::new(velocities(Directions::Implicit(ITERATIONS)))),
        ("PBD", Box::new(Implicit::new(pbd, IntegrationOrder::First))),
    ];
    let (mut curves, mut rows) = (Vec::new(), Vec::new());
    for (label, integrator) in &mut cases {
        let fate = simulate_flight(integrator.as_mut(), RATE, 1)?;
        rows.push((String::from(*label), vec![fate.largest_stretch(), fate.largest_energy()]));
        let points = fate.stretch.iter().enumerate().map(|(frame, stretch)| (frame as f64 * FRAME, *stretch));
        curves.push(Curve::new(*label, points.collect()));
    }
    Ok(Section {
        name: "cable",
        title: "The fast cable",
        text: "A rigid cable of twenty links rotates about its end at 40 rad/s, in steps of 1/60 s. Velocity time \
               stepping (VTS) along the directions before the step pulls the cable apart, although its linear \
               system is solved exactly, because forces across the links are integrated explicitly. Along the \
               directions after the step, in 20 iterations, it holds, and so does PBD with 20 sweeps.",
        timed: false,
        figure: Figure {
            x: Axis::linear("time [s]", &[0.0, 0.5, 1.0, 1.5, 2.0]),
            y: Axis::linear("largest error of a link over its length [1]", &[0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]),
            curves,
        },
        table: Table {
            head: vec!["", "largest error of a link over its length [1]", "largest energy relative to the start [1]"],
            rows,
        },
    })
}
