//! The motion of a free body in a substep, written once for every back end.
//!
//! What a body keeps when nothing touches it is its angular momentum L = I ω, not its angular
//! velocity: ω̇ = I⁻¹(τ − ω × I ω), the gyroscopic term. A substep turns the body by the angular
//! velocity that L gives halfway, and takes the angular velocity that L gives at its end:
//!
//! ```text
//! L  = R I Rᵀ ω + h τ
//! R½ = exp(½ h ω) R        ω½ = R½ I⁻¹ R½ᵀ L
//! R⁺ = exp(h ω½) R         ω⁺ = R⁺ I⁻¹ R⁺ᵀ L
//! ```
//!
//! L is constant but for rounding, so that |ω| stays within |L|/I however fast a body spins, and
//! the energy errs with h². A departure from \[Rigid20\] algorithm 2, whose explicit term gains energy.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R | rotation from the principal axes to the world | 1 |
//! | I | principal moments of inertia | kg m² |
//! | ω | angular velocity in the world | rad/s |
//! | τ | torque in the world | N m |

use crate::program::{Graph, InputSource, Program, Sym};
use crate::scalar::rotation::{inverse, rotated_by, rotated_by_exponential};
use crate::scalar::{Real, Vec3};

/// The rotation and the angular velocity of a body.
#[derive(Debug, Clone, Copy)]
pub struct RotationalState<S> {
    /// Rotation R, as a quaternion.
    pub rotation: [S; 4],
    /// ω \[rad/s\].
    pub angular_velocity: Vec3<S>,
}

impl<S: Real> RotationalState<S> {
    /// Advances a body by a substep of `h` \[s\] without constraints. An inverse moment of 0 stands for an axis that
    /// does not turn, as a component 0 of `free` does for an axis of the world.
    pub fn advance(self, h: S, torque: Vec3<S>, inverse_inertia: Vec3<S>, free: Vec3<S>) -> Self {
        let momentum = self.momentum(inverse_inertia) + torque * h;
        // Halfway a small turn does: its error is of the third order, as that of the midpoint rule.
        let halfway = rotated_by(self.rotation, self.angular_velocity * (h * 0.5));
        let mean = times(angular_velocity_of(momentum, halfway, inverse_inertia), free);
        let rotation = rotated_by_exponential(self.rotation, mean * h);
        let after = Self { rotation, ..self };
        // The change alone is divided by the inertia: rounding of I I⁻¹ would add up over substeps.
        let change = angular_velocity_of(momentum - after.momentum(inverse_inertia), rotation, inverse_inertia);
        Self { angular_velocity: times(self.angular_velocity + change, free), ..after }
    }

    /// Returns the angular velocity after the constraints of a substep of `h` \[s\] have turned the body by
    /// `turn` \[rad\] to where it is. Their angular impulses are those of the inertia that they found,
    /// before they turned it.
    pub fn angular_velocity_after(self, h: S, turn: Vec3<S>, inverse_inertia: Vec3<S>, free: Vec3<S>) -> Vec3<S> {
        let spin = self.angular_velocity + turn * (S::one() / h);
        let before = Self { rotation: rotated_by(self.rotation, -turn), angular_velocity: spin };
        let error =
            before.momentum(inverse_inertia) - Self { angular_velocity: spin, ..self }.momentum(inverse_inertia);
        times(spin + angular_velocity_of(error, self.rotation, inverse_inertia), free)
    }

    /// L = R I Rᵀ ω \[N m s\].
    fn momentum(self, inverse_inertia: Vec3<S>) -> Vec3<S> {
        let moment = |inverse: S| S::zero().select_lt(inverse, S::one() / inverse.max(S::literal(1e-30)), S::zero());
        let i = inverse_inertia;
        let inertia = Vec3::new(moment(i.x), moment(i.y), moment(i.z));
        times(self.angular_velocity.rotate(inverse(self.rotation)), inertia).rotate(self.rotation)
    }
}

/// ω = R I⁻¹ Rᵀ L.
fn angular_velocity_of<S: Real>(momentum: Vec3<S>, rotation: [S; 4], inverse_inertia: Vec3<S>) -> Vec3<S> {
    times(momentum.rotate(inverse(rotation)), inverse_inertia).rotate(rotation)
}

fn times<S: Real>(a: Vec3<S>, b: Vec3<S>) -> Vec3<S> {
    Vec3::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// Number of gathered inputs of both programs: rotation (4), angular velocity, torque or rotation correction, inverse
/// inertia, free axes (3 each). The only uniform is h \[s\]. Outputs are rotation (4) and angular velocity (3).
pub const INPUTS: usize = 16;

/// Returns the program of [`RotationalState::advance`].
pub fn advance_program() -> Program {
    record(|state, h, [torque, inertia, free]| state.advance(h, torque, inertia, free))
}

/// Returns the program of [`RotationalState::angular_velocity_after`].
pub fn velocity_program() -> Program {
    record(|state, h, [turn, inertia, free]| RotationalState {
        angular_velocity: state.angular_velocity_after(h, turn, inertia, free),
        ..state
    })
}

/// A step of a rotating body, from h \[s\], torque or rotation correction, inverse inertia and free axes.
type RotationStep = for<'g> fn(RotationalState<Sym<'g>>, Sym<'g>, [Vec3<Sym<'g>>; 3]) -> RotationalState<Sym<'g>>;

fn record(step: RotationStep) -> Program {
    let graph = Graph::new();
    let input = |k: u16| graph.input(InputSource::Gathered(k));
    let vector = |k: u16| Vec3::new(input(k), input(k + 1), input(k + 2));
    let state = RotationalState { rotation: [0, 1, 2, 3].map(input), angular_velocity: vector(4) };
    let after = step(state, graph.input(InputSource::Uniform(0)), [vector(7), vector(10), vector(13)]);
    let outputs: Vec<_> = after.rotation.into_iter().chain(after.angular_velocity.to_array()).collect();
    Program::lower(&graph, &outputs)
}
