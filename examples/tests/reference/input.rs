//! Inputs that a system or a solver refuses.

use examples::reference::scenes::Chain;
use examples::reference::{
    Directions, Implicit, IntegrationOrder, Integrator, Newton, ReferenceError, Symplectic, System,
    VelocityTimeStepping,
};
use xpbd_cloth::constraint::{Distance, DistanceParameters};

fn pair() -> System {
    System::new(vec![1.0, 1.0], [0.0; 3]).expect("two particles")
}

fn refusal<T>(result: Result<T, ReferenceError>) -> String {
    result.err().expect("this is refused").to_string()
}

#[test]
fn the_element_at_fault_is_named() {
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let text = refusal(System::new(vec![1.0, mass], [0.0; 3]));
        assert!(text.starts_with("particle 1: its mass is"), "{text}");
    }
    let text = refusal(pair().pin(2));
    assert_eq!(text, "a pin names particle 2, but there are 2");
    let text = refusal(pair().with_constraint(Distance, [0, 7], DistanceParameters { rest_length: 1.0 }, 0.0));
    assert_eq!(text, "constraint 0 (`distance`) names particle 7, but there are 2");
    let text = refusal(pair().with_constraint(Distance, [0, 1], DistanceParameters { rest_length: f64::NAN }, 0.0));
    assert_eq!(text, "constraint 0: a parameter is NaN; it must be finite");
    for compliance in [-1e-3, f64::NAN, f64::INFINITY] {
        let text =
            refusal(pair().with_constraint(Distance, [0, 1], DistanceParameters { rest_length: 1.0 }, compliance));
        assert!(text.starts_with("constraint 0: the compliance is"), "{text}");
    }
}

#[test]
fn methods_name_the_constraints_that_they_cannot_solve() {
    let chain = Chain { links: 2, link: 1.0, compliance: 0.0, gravity: -9.81, hangs: true };
    let (rigid, start) = chain.build().expect("a chain");
    let (soft, _) = Chain { compliance: 1e-3, ..chain }.build().expect("a chain");
    let step = |integrator: &mut dyn Integrator, system: &System| integrator.step(system, &mut start.clone(), 0.01);
    assert_eq!(step(&mut Symplectic, &rigid), Err(ReferenceError::Rigid(0)));
    assert_eq!(step(&mut Implicit::new(Newton, IntegrationOrder::First), &rigid), Err(ReferenceError::Rigid(0)));
    let mut velocities = VelocityTimeStepping { directions: Directions::Explicit, correction: 0.5 };
    assert_eq!(step(&mut velocities, &soft), Err(ReferenceError::Compliant(0, 1e-3)));
}

#[test]
fn a_constraint_between_pinned_particles_is_harmless() {
    let system = pair()
        .pin(0)
        .and_then(|system| system.pin(1))
        .and_then(|s| s.with_constraint(Distance, [0, 1], DistanceParameters { rest_length: 2.0 }, 0.0));
    let system = system.expect("two pinned particles");
    let start = examples::reference::State::at_rest(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let mut state = start.clone();
    let solver = examples::reference::Projection::Xpbd { iterations: 3 };
    Implicit::new(solver, IntegrationOrder::First).step(&system, &mut state, 0.01).expect("nothing to solve");
    assert_eq!(state, start);
}
