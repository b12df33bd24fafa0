//! Springs: the divergence of explicit steps and the energy loss of implicit ones.

use examples::compare::FRAME;
use examples::reference::scenes::Chain;
use examples::reference::{
    Implicit, IntegrationOrder, Integrator, Newton, Projection, State, Symplectic, System, eigenvalues,
};
use xpbd_cloth::constraint::{Distance, DistanceParameters};

use super::largest;

/// Returns a particle of 1 kg on a spring of 1 m with this frequency \[rad/s\], pulled out by `amplitude` \[m\].
fn spring(frequency: f64, amplitude: f64) -> (System, State) {
    let system = System::new(vec![1.0, 1.0], [0.0; 3]).and_then(|system| system.pin(0)).and_then(|system| {
        system.with_constraint(Distance, [0, 1], DistanceParameters { rest_length: 1.0 }, 1.0 / (frequency * frequency))
    });
    (system.expect("a spring"), State::at_rest(&[[0.0; 3], [1.0 + amplitude, 0.0, 0.0]]))
}

/// Returns how far the particle is from its place after each of some steps \[m\].
fn motion(integrator: &mut dyn Integrator, frequency: f64, amplitude: f64, steps: usize) -> Vec<f64> {
    let (system, mut state) = spring(frequency, amplitude);
    let place = |_| {
        integrator.step(&system, &mut state, FRAME).expect("the step has a solution");
        state.x[3] - 1.0
    };
    (0..steps).map(place).collect()
}

/// With ωh = s a step multiplies (x, v) by a matrix of determinant 1 and trace 2 − s²: for s < 2 it turns, and x never
/// passes x₀/√(1 − s²/4) by more than rounding; for s > 2 x grows by (s²/2 − 1) + √((s²/2 − 1)² − 1) a step.
#[test]
fn explicit_springs_diverge_past_their_limit_and_not_below() {
    let below = motion(&mut Symplectic, 1.99 / FRAME, 1e-3, 10_000);
    let bound = 1e-3 / f64::sqrt(1.0 - 0.25 * 1.99 * 1.99);
    assert!(largest(&below) <= bound * (1.0 + 1e-9), "{} {bound}", largest(&below));
    assert!(largest(&below) > 0.9 * bound);

    let past = motion(&mut Symplectic, 2.01 / FRAME, 1e-9, 40);
    let half: f64 = 0.5 * 2.01 * 2.01 - 1.0;
    let growth = half + (half * half - 1.0).sqrt();
    let measured = (past[39] / past[38]).abs();
    assert!((measured - growth).abs() < 1e-6, "{measured} {growth}");
}

/// The limit of a chain is that of its highest frequency, the root of the largest eigenvalue of M^(−½) ∇Cᵀ α⁻¹ ∇C M^(−½).
#[test]
fn a_chain_diverges_past_the_limit_of_its_highest_frequency() {
    let chain = Chain { links: 12, link: 0.1, compliance: 1e-5, gravity: 0.0, hangs: false };
    let (system, start) = chain.build().expect("a chain");
    let jacobian = system.jacobian(&start.x);
    let stiffness = jacobian.transpose() * system.stiffness().expect("springs") * &jacobian;
    let scale: Vec<f64> = system.masses().iter().map(|mass| 1.0 / mass.sqrt()).collect();
    let highest = eigenvalues(&stiffness, &scale).last().copied().expect("frequencies").sqrt();
    let end = |part: f64, steps| {
        let mut state = start.clone();
        state.x[3 * chain.links] += 1e-7;
        Symplectic.run(&system, &mut state, part * 2.0 / highest, steps, |_, _| ()).expect("explicit steps");
        state.distance(&start)
    };
    let (below, past) = (end(0.99, 5000), end(1.01, 200));
    assert!(below < 1e-5, "{below}");
    assert!(past > 1.0, "{past}");
}

/// Returns the energy of an oscillation left after so many steps.
fn left(mut integrator: impl Integrator, turn: f64, steps: usize) -> f64 {
    let frequency = turn / FRAME;
    let (system, mut state) = spring(frequency, 0.1);
    let energy = |state: &State| system.motion_energy(state) + system.elastic_energy(&state.x).expect("a spring");
    let start = energy(&state);
    integrator.run(&system, &mut state, FRAME, steps, |_, _| ()).expect("implicit steps");
    energy(&state) / start
}

/// Backward Euler multiplies the amplitude by (1 + s²)^(−½) a step. BDF2 has 3/2 − 2y + y²/2 = ± i s for y = 1/z, that is
/// y = 2 − √(1 ± 2 i s), and multiplies it by |z| = 1/|y|.
#[test]
fn second_order_loses_less_energy_than_first() {
    let turn = 0.1;
    let first = left(Implicit::new(Newton, IntegrationOrder::First), turn, 200);
    let expected = libm::pow(1.0 + turn * turn, -200.0);
    assert!((first / expected - 1.0).abs() < 1e-6, "{first} {expected}");

    // √(1 + 2 i s) = a + b i
    let size = f64::sqrt(1.0 + 4.0 * turn * turn);
    let (a, b) = (f64::sqrt(0.5 * (size + 1.0)), f64::sqrt(0.5 * (size - 1.0)));
    let factor = 1.0 / ((2.0 - a) * (2.0 - a) + b * b);
    let late = left(Implicit::new(Newton, IntegrationOrder::Second), turn, 400);
    let early = left(Implicit::new(Newton, IntegrationOrder::Second), turn, 200);
    let expected = libm::pow(factor, 200.0);
    assert!((late / early / expected - 1.0).abs() < 0.01, "{} {expected}", late / early);
    let (lost_first, lost_second) = (-libm::log(first), -libm::log(late / early));
    assert!(lost_first / lost_second > 50.0, "{lost_first} {lost_second}");
}

/// XPBD on one spring is backward Euler to rounding, whatever its iterations, and BDF2 where it is asked to be.
#[test]
fn one_spring_is_solved_by_one_projection() {
    for order in [IntegrationOrder::First, IntegrationOrder::Second] {
        let newton = motion(&mut Implicit::new(Newton, order), 30.0, 0.5, 60);
        for iterations in [1, 10] {
            let xpbd = motion(&mut Implicit::new(Projection::Xpbd { iterations }, order), 30.0, 0.5, 60);
            assert!(super::apart(&newton, &xpbd) < 1e-12, "{order:?}, {iterations} iterations");
        }
    }
}
