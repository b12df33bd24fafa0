//! Solvers of one step compared with each other and with XPBD.

use examples::compare::Engine;
use examples::compare::cable::{self, simulate_flight, velocities};
use examples::compare::convergence::{HANGING, ReferenceStep, SWINGING, engine};
use examples::compare::stiffness::{self, stretch};
use examples::compare::work;
use examples::reference::scenes::Chain;
use examples::reference::{
    Constrained, Directions, Implicit, IntegrationOrder, Integrator, LinearSolver, Newton, Projection, State,
};

use super::{FRAME, after, apart, largest};

const SOFT: Chain = Chain { links: 8, link: 0.1, compliance: 1e-4, gravity: -9.81, hangs: false };

#[test]
fn kkt_and_schur_agree_to_rounding() {
    for compliance in [1e-4, 1e-8, 0.0] {
        for order in [IntegrationOrder::First, IntegrationOrder::Second] {
            let (system, start) = Chain { compliance, ..SOFT }.build().expect("a chain");
            let solve = |linear| after(&mut Implicit::new(Constrained::new(linear), order), &system, &start, 30);
            let ((x, lambda), (y, other)) = (solve(LinearSolver::Kkt), solve(LinearSolver::Schur));
            assert!(apart(&x.x, &y.x) < 1e-12, "{}", apart(&x.x, &y.x));
            assert!(apart(&lambda, &other) < 1e-9 * largest(&lambda), "{}", apart(&lambda, &other));
        }
    }
}

#[test]
fn newton_on_positions_agrees_with_newton_on_positions_and_multipliers() {
    for order in [IntegrationOrder::First, IntegrationOrder::Second] {
        let (system, start) = SOFT.build().expect("a chain");
        let (x, lambda) = after(&mut Implicit::new(Newton, order), &system, &start, 30);
        let (y, other) = after(&mut Implicit::new(Constrained::new(LinearSolver::Kkt), order), &system, &start, 30);
        assert!(apart(&x.x, &y.x) < 1e-11, "{}", apart(&x.x, &y.x));
        assert!(apart(&lambda, &other) < 1e-9 * largest(&lambda), "{}", apart(&lambda, &other));
    }
}

#[test]
fn a_rigid_chain_keeps_its_lengths_and_carries_its_weight() {
    let chain = Chain { compliance: 0.0, hangs: true, ..SOFT };
    let (system, start) = chain.build().expect("a chain");
    let solver = Constrained::new(LinearSolver::Schur);
    let (state, lambda) = after(&mut Implicit::new(solver, IntegrationOrder::First), &system, &start, 5);
    assert!(largest(system.values(&state.x).as_slice()) < 1e-14);
    let top = -lambda[0] / (FRAME * FRAME);
    assert!((top - 8.0 * 9.81).abs() < 1e-9, "{top}");
}

fn xpbd(iterations: usize) -> Implicit<Projection> {
    Implicit::new(Projection::Xpbd { iterations }, IntegrationOrder::First)
}

/// Gradients do not turn: the error falls with every iteration, in the end by the rate of Gauss–Seidel.
#[test]
fn xpbd_approaches_newton_in_positions_and_multipliers() {
    let step = ReferenceStep::after_frames(HANGING, 0, 1).expect("Newton's method converges");
    let mut errors = Vec::new();
    for iterations in (100..=1500).step_by(100) {
        errors.push(step.deviation(&mut xpbd(iterations)).expect("XPBD always ends"));
    }
    for pair in errors.windows(2) {
        assert!(pair[1].positions < pair[0].positions && pair[1].multipliers < pair[0].multipliers, "{pair:?}");
    }
    let last = errors[errors.len() - 1];
    assert!(last.positions < 1e-4 && last.multipliers < 1e-4, "{last:?}");
    let expected = libm::pow(step.rate(), 100.0);
    let (a, b) = (errors[10], errors[11]);
    for measured in [b.positions / a.positions, b.multipliers / a.multipliers] {
        assert!((measured / expected - 1.0).abs() < 1e-3, "{measured} {expected}");
    }
}

/// Where gradients turn XPBD ends beside the solution, the less the shorter the step.
#[test]
fn xpbd_converges_near_newton_if_gradients_rotate() {
    let end = |steps| {
        let step = ReferenceStep::after_frames(SWINGING, 10, steps).expect("Newton's method converges");
        step.deviation(&mut xpbd(2000)).expect("XPBD always ends")
    };
    let [coarse, fine] = [end(1), end(10)];
    assert!(coarse.positions < 0.05 && coarse.multipliers < 0.02, "{coarse:?}");
    assert!(fine.multipliers < 0.1 * coarse.multipliers, "{fine:?} {coarse:?}");
}

/// Newton's steps square the error.
#[test]
fn newton_converges_quadratically() {
    let step = ReferenceStep::after_frames(SWINGING, 10, 1).expect("Newton's method converges");
    let error = |steps| {
        let solver = Constrained { linear: LinearSolver::Kkt, steps: Some(steps) };
        step.deviation(&mut Implicit::new(solver, IntegrationOrder::First))
            .expect("there are so many steps")
            .multipliers
    };
    let errors: Vec<f64> = (1..=4).map(error).collect();
    for pair in errors.windows(2) {
        assert!(pair[1] < (10.0 * pair[0] * pair[0]).max(1e-7), "{errors:?}");
    }
}

/// The engine, in single precision, makes the sweeps of the reference, in double.
#[test]
fn the_engine_and_the_reference_make_the_same_sweeps() {
    let (system, start) = SWINGING.build().expect("a chain");
    for iterations in [1, 10, 100] {
        let mut world = Engine::new(SWINGING, 1, iterations as u32).expect("a world");
        for _ in 0..10 {
            world.step().expect("the world steps");
        }
        let (state, lambda) = after(&mut xpbd(iterations), &system, &start, 10);
        let off = state.distance(&world.state().expect("the chain is there"));
        assert!(off < 2e-6, "{iterations} iterations: {off} m");
        let forces: Vec<f64> = lambda.iter().map(|lambda| lambda / (FRAME * FRAME)).collect();
        let found = world.forces().expect("the links are there");
        assert!(apart(&forces, &found) < 1e-3 * largest(&forces), "{iterations} iterations: {forces:?} {found:?}");
    }
}

/// Top force of a chain that falls into its links, over 30 frames, against Newton's method (\[XPBD16\] fig. 5).
#[test]
fn the_force_at_the_top_agrees_with_newton() {
    let (system, mut state) = HANGING.build().expect("a chain");
    let mut expected = Vec::new();
    let mut newton = Implicit::new(Newton, IntegrationOrder::First);
    let pull = |_: &State, lambda: &[f64]| expected.push(lambda[0] / (FRAME * FRAME));
    newton.run(&system, &mut state, FRAME, 30, pull).expect("Newton's method converges");
    let mut before = f64::INFINITY;
    for (iterations, bound) in [(50, 0.15), (100, 0.05), (1000, 0.005)] {
        let mut world = Engine::new(HANGING, 1, iterations).expect("a world");
        let mut off = 0.0;
        for pull in &expected {
            world.step().expect("the world steps");
            off += (world.forces().expect("the links are there")[0] - pull).abs();
        }
        let off = off / expected.iter().map(|pull| pull.abs()).sum::<f64>();
        assert!(off < bound && off < before, "{iterations} iterations: {off}");
        before = off;
    }
}

#[test]
fn the_engine_converges_to_single_precision() {
    let step = ReferenceStep::after_frames(HANGING, 0, 1).expect("Newton's method converges");
    let end = engine(&step, 2000).expect("the world steps");
    assert!(end.multipliers < 1e-3 && end.positions < 1e-3, "{end:?}");
}

/// Half the steps change what stands for the true motion by less than a third of the smallest error compared with it;
/// its own error is a third of that change, being of second order.
#[test]
fn the_converged_motion_does_not_change_with_more_steps() {
    let [coarse, fine] = [work::REFERENCE_STEPS / 2, work::REFERENCE_STEPS]
        .map(|steps| work::reference_state(steps).expect("steps have solutions"));
    assert!(coarse.distance(&fine) < 2e-6, "{}", coarse.distance(&fine));
}

#[test]
fn iterations_make_pbd_stiffer_and_not_xpbd() {
    let expected = stiffness::expected(stiffness::CHAIN);
    let ratio = |solver| stretch(stiffness::CHAIN, solver).expect("the chain hangs") / expected;
    let xpbd = [40, 80, 160].map(|iterations| ratio(Projection::Xpbd { iterations }));
    for ratio in xpbd {
        assert!((ratio - 1.0).abs() < 1e-3, "{xpbd:?}");
    }
    let pbd =
        [20, 40, 80, 160].map(|iterations| ratio(Projection::Pbd { iterations, stiffness: stiffness::STIFFNESS }));
    assert!(pbd.windows(2).all(|pair| pair[1] < 0.7 * pair[0]), "{pbd:?}");
}

#[test]
fn explicit_directions_tear_the_fast_cable_and_implicit_ones_do_not() {
    let fate = |directions, rate, substeps| {
        simulate_flight(&mut velocities(directions), rate, substeps).expect("it can be solved")
    };
    let explicit = fate(Directions::Explicit, cable::RATE, 1);
    assert!(
        explicit.largest_stretch() > 10.0 && explicit.largest_energy() > 1.3,
        "{} {}",
        explicit.largest_stretch(),
        explicit.largest_energy()
    );
    let implicit = fate(Directions::Implicit(cable::ITERATIONS), cable::RATE, 1);
    assert!(
        implicit.largest_stretch() < 1.5 && implicit.largest_energy() <= 1.0,
        "{} {}",
        implicit.largest_stretch(),
        implicit.largest_energy()
    );
    let pbd = Projection::Pbd { iterations: cable::ITERATIONS, stiffness: 1.0 };
    let pbd =
        simulate_flight(&mut Implicit::new(pbd, IntegrationOrder::First), cable::RATE, 1).expect("it always ends");
    assert!(
        pbd.largest_stretch() < 2.0 && pbd.largest_energy() <= 1.0,
        "{} {}",
        pbd.largest_stretch(),
        pbd.largest_energy()
    );
    // A pull T = m ω² l n²/2 makes links swing with √2 ω n = 1131 rad/s: within the limit of 1.8 ms explicit steps hold.
    let fine = fate(Directions::Explicit, cable::RATE, 40);
    assert!(
        fine.largest_stretch() < 0.2 && fine.largest_energy() < 1.01,
        "{} {}",
        fine.largest_stretch(),
        fine.largest_energy()
    );
}
