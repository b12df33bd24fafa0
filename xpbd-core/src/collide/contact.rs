//! Contact and friction as traced constraints.
//!
//! Both have two rows solved in turn. The first is the gap, C_n = n·(a − b) ≥ 0 (\[SmallSteps19\]
//! eq. 9), relaxed while an overlap is being resolved (eq. 10):
//!
//! ```text
//! C_n = n·(a − b) + max(d₀ − v_max h, 0) ≥ 0,   d₀ = overlap at the start of the substep
//! ```
//!
//! The second is the slip, the length of the relative tangential displacement of the two surfaces
//! in this substep (eq. 11 along its own direction), with Coulomb's limit (eq. 12): it sticks while
//! |λ_f| ≤ μ_s λ_n, and slides with |λ_f| = μ_k λ_n otherwise (\[Unified14\] §6.1).
//!
//! Particles with restitution that meet faster than the slowest rebound move apart in the substep by u h, instead of to
//! where they touch: u is e times the speed at which they approached, before gravity and forces acted or after, whichever is
//! less. They do so only if nothing else has slowed them below u, so that a rebound never adds energy.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n | contact normal | 1 |
//! | v_max | fastest depenetration | m/s |
//! | μ_s, μ_k | friction sticking and sliding | 1 |

use super::mobility::{PARTICLE_PUSH_OUT, PushedPoint, mobilities, stiff_mobility};
use crate::constraint::{Constraint, Points, RowOrder};
use crate::friction::Friction;
use crate::scalar::{Real, Vec3};

crate::parameters! {
    /// Coulomb friction coefficients of two surfaces together.
    pub struct FrictionParameters<S> {
        /// Tangential over normal force up to which the surfaces stick \[1\].
        pub static_coefficient: S,
        /// Tangential over normal force while they slide \[1\].
        pub dynamic_coefficient: S,
    }
}

impl From<Friction> for FrictionParameters<f32> {
    fn from(Friction { static_coefficient, dynamic_coefficient }: Friction) -> Self {
        Self { static_coefficient, dynamic_coefficient }
    }
}

crate::parameters! {
    /// Parameters of [`ShapeContact`].
    pub struct ShapeContactParameters<S> {
        /// Unit normal of the plane, to the side of the particle \[1\].
        pub normal: Vec3<S>,
        /// Height of the particle's surface above the plane when the particle is at its anchor \[m\].
        pub gap: S,
        /// Displacement of the plane in the substep \[m\].
        pub displacement: Vec3<S>,
        /// Friction of both surfaces together.
        pub friction: FrictionParameters<S>,
        /// Greatest speed at which an overlap is resolved \[m/s\].
        pub max_depenetration_speed: S,
        /// Way u h that the particle rebounds in the substep \[m\], 0 if it does not.
        pub rebound: S,
    }
}

/// A particle against the plane of a collider that moves by a given displacement.
pub struct ShapeContact;

impl Constraint<1, 2> for ShapeContact {
    type Parameters<S: Copy> = ShapeContactParameters<S>;

    const NAME: &'static str = "shape-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 1>, contact: ShapeContactParameters<S>) -> [S; 2] {
        let ShapeContactParameters { normal: n, gap, displacement, max_depenetration_speed, rebound, .. } = contact;
        let overlap = -(n.dot(x.before[0].local() + displacement) + gap);
        let slack = (overlap - max_depenetration_speed * x.dt).max(S::zero());
        let moved = (x.now[0] - x.before[0]) - displacement;
        let parted = n.dot(moved);
        let slip = moved - n * parted;
        [rebounding(n.dot(x.now[0].local()) + gap + slack, parted, rebound), slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: ShapeContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 1], ShapeContactParameters)> {
        let k = number as f32;
        let contact = ShapeContactParameters {
            normal: Vec3 { x: 0.6, y: 0.0, z: 0.8 },
            gap: 0.05 * k - 0.2,
            displacement: Vec3 { x: 0.01, y: 0.02 * k, z: -0.01 },
            friction: SAMPLE_FRICTION,
            max_depenetration_speed: 0.001,
            rebound: 0.0,
        };
        Some(([[0.1 * k, -0.2, 0.3]], contact))
    }
}

crate::parameters! {
    /// Parameters of [`ParticleContact`].
    pub struct ParticleContactParameters<S> {
        /// Distance at which the particles touch \[m\].
        pub distance: S,
        /// Friction of both particles together.
        pub friction: FrictionParameters<S>,
        /// Greatest speed at which an overlap is resolved \[m/s\].
        pub max_depenetration_speed: S,
        /// Vector by which the first particle is shifted before the distance is taken \[m\].
        pub shift: Vec3<S>,
        /// Way u h that the particles rebound in the substep \[m\], 0 if they do not.
        pub rebound: S,
        /// Stiffness with which its object holds each particle, shared among the contacts of the particle \[N/m\].
        pub stiffness: [S; 2],
        /// Damping of the same, shared alike \[N s/m\].
        pub damping: [S; 2],
        /// Part of its push that each particle is free to follow \[1\].
        pub free: [S; 2],
    }
}

impl<S: Real> ParticleContactParameters<S> {
    /// Returns how far apart the surfaces are \[m\], relaxed while an overlap is being resolved, and the unit normal from the
    /// second particle to the first at the start of the substep.
    fn gap(&self, x: &Points<S, 2>) -> (S, Vec3<S>) {
        let before = (x.before[0] - x.before[1]) + self.shift;
        let slack = (self.distance - before.length() - self.max_depenetration_speed * x.dt).max(S::zero());
        (((x.now[0] - x.now[1]) + self.shift).length() - self.distance + slack, before.normalize())
    }
}

/// Two particles that may not come closer than a distance.
pub struct ParticleContact;

impl Constraint<2, 2> for ParticleContact {
    type Parameters<S: Copy> = ParticleContactParameters<S>;

    const NAME: &'static str = "particle-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, contact: ParticleContactParameters<S>) -> [S; 2] {
        let (gap, normal) = contact.gap(x);
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        let parted = normal.dot(moved);
        let slip = moved - normal * parted;
        [rebounding(gap, parted, contact.rebound), slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: ParticleContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn mobilities<S: Real>(x: &Points<S, 2>, [a, b]: [S; 2], contact: ParticleContactParameters<S>) -> Option<[S; 2]> {
        let (gap, normal) = contact.gap(x);
        let approach = [normal.dot(x.before[0] - x.now[0]), normal.dot(x.now[1] - x.before[1])];
        let point = |k: usize| PushedPoint { free: contact.free[k], inverse_mass: [a, b][k], approach: approach[k] };
        let [first, second] = mobilities([point(0), point(1)], -gap, x.dt * S::literal(PARTICLE_PUSH_OUT));
        let hold = |k: usize| [contact.stiffness[k], contact.damping[k]];
        Some([first * stiff_mobility([a, b], hold(0), x.dt), second * stiff_mobility([b, a], hold(1), x.dt)])
    }
}

/// Part of the way of a rebound at which an approach must still be \[1\]: rounding may take the rest.
const STILL_FAST: f32 = 0.999;

/// Returns the row of a gap of which the surfaces have parted by so much in this substep \[m\], and of which they rebound so
/// far \[m\]: the way that is missing from a rebound, nothing once they part, and the gap itself if they do not rebound.
pub(super) fn rebounding<S: Real>(gap: S, parted: S, rebound: S) -> S {
    let fast = (parted + rebound * STILL_FAST).select_lt(S::zero(), parted - rebound, gap);
    let touching = gap.select_lt(S::zero(), fast, gap);
    let approaching = parted.select_lt(S::zero(), touching, S::zero());
    S::zero().select_lt(rebound, approaching, gap)
}

/// The friction of contacts in self-checks.
pub(super) const SAMPLE_FRICTION: FrictionParameters =
    FrictionParameters { static_coefficient: 0.5, dynamic_coefficient: 0.4 };

/// Returns the nearest admissible multipliers: a contact only pushes, and friction stays within Coulomb's limit.
pub(super) fn coulomb<S: Real>(normal: S, slip: S, friction: FrictionParameters<S>) -> [S; 2] {
    let normal = normal.max(S::zero());
    let limit = -(friction.static_coefficient * normal);
    let sliding = -(friction.dynamic_coefficient * normal);
    [normal, slip.select_lt(limit, sliding, slip.min(S::zero()))]
}
