//! The parts of their inverse masses with which the points of a contact take part, where something else holds them.
//!
//! # Pins
//!
//! A particle that is [free](crate::object::Supports::free_part) to follow the part s of a push takes part as if its inverse
//! mass were s' w. With s' = s a light sheet that holds a heavy body would throw it: constraints pull the particles of
//! the sheet back by more than the body has moved, and the body would take the whole overlap for its own. So what is
//! free is pushed back by no more than it has approached, and a little more; what is held follows for the rest:
//!
//! ```text
//! s' = min(1, s r + (r − 1) b/w),   r = max(1, overlap / (approach + v h))
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | w, b | inverse masses of what is held and of what is free, as the contact weights them | 1/kg |
//! | approach | way that what is free has come closer in this substep | m |
//! | v | speed at which what is free is pushed out besides | m/s |
//!
//! A particle of a surface, or one that meets another particle and has a taut support, which its pins
//! [surround](crate::object::Supports::surrounded_part) by the part a is free to follow no more than
//!
//! ```text
//! s = m/(a N M)
//! ```
//!
//! as if it had the mass of N times what it meets. A sweep stretches the edges of a light bag by what bears the load in it,
//! shared by 1 + N: a bag of 0.2 kg/m² let most of 5,000 particles of 16 g through, with N = 1 it is stretched by 20 %, with
//! N = 3 by 5 % and with N = 10 by 2 %, all with a = 1. What is lost of an impulse goes to the pins. Of two surfaces that holds
//! for the one that has pins, if the other has none; of soft bodies thrown in a closed bag with up to 50 m/s, 62 % came out
//! without this limit, 25 % with N = 10, 16 % with N = 30 and 13 % with N = 100.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | M, m | mass of what the particle meets, and its own | kg |
//! | N | [`HELD_AGAINST_BODY`], [`HELD_AGAINST_PARTICLE`] or [`HELD_AGAINST_SURFACE`] | 1 |
//!
//! # Stiffness
//!
//! A particle that stiff constraints [hold](crate::object::stiffness) among its neighbours takes part with the mass that it has
//! in an implicit step by itself, but for no more than a part of the mass of what it meets:
//!
//! ```text
//! s = m/(m + min(h d + h² k, max(0, MOST_HELD M − m)))
//! ```

use crate::object::stiffness::MOST_HELD;
use crate::scalar::Real;

/// Speed v at which a body is pushed out \[m/s\].
pub const BODY_PUSH_OUT: f32 = 0.5;

/// Speed v at which a particle is pushed out \[m/s\]: several triangles around it do so, each in every sweep.
pub const PARTICLE_PUSH_OUT: f32 = 0.05;

/// Mass with which a particle that pins surround meets a body, in masses of the body \[1\].
pub(super) const HELD_AGAINST_BODY: f32 = 2.0;

/// Mass with which it meets a particle, in masses of that \[1\]: others may lie on it.
pub const HELD_AGAINST_PARTICLE: f32 = 10.0;

/// Mass with which it meets the nearest point of a surface without pins, in masses of that \[1\]: a body may be behind.
pub(super) const HELD_AGAINST_SURFACE: f32 = 30.0;

/// Least ratio of the inverse masses of what is held and what is free \[1\].
const LEAST_RATIO: f32 = 1e-9;

/// Least inverse mass of what is held \[1/kg\].
const LEAST_INVERSE_MASS: f32 = 1e-30;

/// A point of a contact.
pub(super) struct PushedPoint<S> {
    /// Part of its push that it is free to follow \[1\].
    pub free: S,
    /// Inverse mass times the square of its weight in the gap \[1/kg\].
    pub inverse_mass: S,
    /// Way by which it has closed the gap in this substep \[m\].
    pub approach: S,
}

/// Returns the part of its inverse mass with which a particle takes part that its object holds with a
/// [stiffness](crate::object::ParticleStiffness) \[N/m\] and a damping \[N s/m\], in a contact with what has another inverse
/// mass \[1/kg\].
pub(super) fn stiff_mobility<S: Real>([inverse_mass, other]: [S; 2], [stiffness, damping]: [S; 2], dt: S) -> S {
    let one = S::literal(1.0);
    let held = inverse_mass * ((stiffness * dt + damping) * dt);
    let most = S::literal(MOST_HELD) * (inverse_mass / other.max(S::literal(LEAST_INVERSE_MASS))) - one;
    one / (one + held.min(most.max(S::zero())))
}

/// Returns the part of its inverse mass with which each point takes part, for an overlap \[m\] and a way v h \[m\] by which
/// what is free is pushed out besides.
pub(super) fn mobilities<S: Real, const N: usize>(points: [PushedPoint<S>; N], overlap: S, push_out: S) -> [S; N] {
    let one = S::literal(1.0);
    let (mut held, mut free, mut approach) = (S::zero(), S::zero(), S::zero());
    for point in &points {
        held = held + point.free.select_lt(one, point.inverse_mass, S::zero());
        free = free + point.free.select_lt(one, S::zero(), point.inverse_mass);
        approach = approach + point.free.select_lt(one, S::zero(), point.approach);
    }
    let excess = (overlap / (approach.max(S::zero()) + push_out)).max(one);
    let least = (free * S::literal(LEAST_RATIO)).max(S::literal(LEAST_INVERSE_MASS));
    let rest = (excess - one) * (free / held.max(least));
    points.map(|point| (point.free * excess + rest).min(one))
}
