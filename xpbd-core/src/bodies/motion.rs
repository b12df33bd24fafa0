//! The motion of a free body in a substep, written once for every back end.
//!
//! What a body keeps when nothing touches it is its angular momentum L = I ω, not its angular
//! velocity: ω̇ = I⁻¹(τ − ω × I ω), the gyroscopic term. The energy ½ lᵀ I⁻¹ l of l = Rᵀ L, the momentum in the frame of the
//! body, is split into that of a ball with the middle one of the inverse moments, I_m⁻¹, and what the other two axes p and q
//! have besides. Each part alone turns the body about an axis that it keeps, and a substep is their symmetric product:
//!
//! ```text
//! L  = R I Rᵀ ω + h τ
//! R⁺ = exp(h I_m⁻¹ L) R exp(½ h c_q l_q q) exp(h c_p l_p p) exp(½ h c_q l_q q)        c_k = I_k⁻¹ − I_m⁻¹
//! ω⁺ = R⁺ I⁻¹ R⁺ᵀ L
//! ```
//!
//! with l as each rotation leaves it. L is constant but for rounding, what has two equal moments moves exactly, and the energy of
//! anything else errs with h² and does not drift. A rotation by the angular velocity halfway also errs with h², but of a thin
//! rod, which spins about its axis a hundred times faster than it can tumble with the same L, it made a hundred times the
//! energy in a substep. A departure from \[Rigid20\] algorithm 2, whose explicit term gains energy.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R | rotation from the principal axes to the world | 1 |
//! | I | principal moments of inertia | kg m² |
//! | ω | angular velocity in the world | rad/s |
//! | τ | torque in the world | N m |

use crate::program::{Graph, InputSource, Program, Sym};
use crate::scalar::rotation::{
    about_axis_less_one, inverse, multiply_less_one, rotated_by, rotated_within_and_by_exponential,
};
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
        let (within, by) = self.rotations(momentum, h, inverse_inertia);
        // Axes of the world that are held take away the torques that keep L.
        let is_free = free.x * free.y * free.z;
        let held = times(angular_velocity_of(momentum, self.rotation, inverse_inertia), free) * h;
        let within = within.map(|component| component * is_free);
        let by = Vec3::select_lt(is_free, S::literal(0.5), held, by);
        let rotation = rotated_within_and_by_exponential(self.rotation, within, by);
        let after = Self { rotation, ..self };
        // The change alone is divided by the inertia: rounding of I I⁻¹ would add up over substeps.
        let change = angular_velocity_of(momentum - after.momentum(inverse_inertia), rotation, inverse_inertia);
        Self { angular_velocity: times(self.angular_velocity + change, free), ..after }
    }

    /// Returns the rotations of a substep with this angular momentum: in the frame of the body, less the identity, and as a
    /// vector in the world \[rad\].
    fn rotations(self, momentum: Vec3<S>, h: S, inverse_inertia: Vec3<S>) -> ([S; 4], Vec3<S>) {
        let [largest, middle, least] = axes_by_size(inverse_inertia);
        let [p, m, q] = [largest, middle, least].map(|axis| axis.dot(inverse_inertia));
        let local = momentum.rotate(inverse(self.rotation));
        let first = about_axis_less_one(least, (q - m) * least.dot(local) * (h * 0.5));
        let local = rotated_back(local, first);
        let second = about_axis_less_one(largest, (p - m) * largest.dot(local) * h);
        let local = rotated_back(local, second);
        let third = about_axis_less_one(least, (q - m) * least.dot(local) * (h * 0.5));
        (multiply_less_one(first, multiply_less_one(second, third)), momentum * (m * h))
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

/// Returns a vector as seen after its frame has turned by a rotation that is given less the identity.
fn rotated_back<S: Real>(v: Vec3<S>, [x, y, z, w]: [S; 4]) -> Vec3<S> {
    v.rotate([-x, -y, -z, w + 1.0])
}

/// Returns the axes of the largest, the middle and the least of three numbers.
fn axes_by_size<S: Real>(v: Vec3<S>) -> [Vec3<S>; 3] {
    // 1 where the first is not smaller than the second.
    let not_below = |a: S, b: S| a.select_lt(b, S::zero(), S::one());
    let one = S::one();
    let largest_x = not_below(v.x, v.y) * not_below(v.x, v.z);
    let largest_y = (one - largest_x) * not_below(v.y, v.z);
    let largest = Vec3::new(largest_x, largest_y, one - largest_x - largest_y);
    let least_z = not_below(v.x, v.z) * not_below(v.y, v.z);
    let least_y = (one - least_z) * not_below(v.x, v.y);
    let least = Vec3::new(one - least_z - least_y, least_y, least_z);
    [largest, Vec3::new(one, one, one) - largest - least, least]
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
