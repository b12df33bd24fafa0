//! Contact and friction of bodies as traced constraints: a manifold is one constraint, the whole
//! frame at the points found at its start.
//!
//! The first four rows are the gaps at up to four pairs of points (a, b) that were one, halfway
//! between the surfaces, when these were g_k apart: C_k = n·(a_k − b_k) + g_k + s_k ≥ 0, relaxed by the
//! slack s that is left of an overlap with which the bodies met (\[SmallSteps19\] eq. 10), and shrinks
//! by v_max h a substep. Only overlaps of the first touch are relaxed: those under a load have to bear
//! it. A point that is not there has endless slack.
//!
//! Then come the slip, the length of mean(a) − mean(b) + d along the surface, and the twist, the angle
//! about n from an axis t of one body to that of the other. Both are measured from where the bodies
//! began to stick, so that friction holds a place, not only a velocity, and what rests does not creep.
//! Their limits are those of all points together: |λ| ≤ μ Σ λ_k, and for the twist r μ Σ λ_k, with r the
//! mean distance of the points from their middle. Where friction slides, points that are opposite
//! each other as predicted are taken anew every substep, with d the way that brings them there
//! ([`BodyContacts`](super::body_contacts::BodyContacts)): forces on both bodies then have one line.
//!
//! These rows are solved in turn and twice: four points of one face pull at each other, and a
//! second sweep over numbers that are at hand costs less than another substep. The last two rows,
//! the middles along t and n × t, only serve the velocities.
//!
//! A substep leaves a contact that pushed with the speed u at which it rebounds (\[Rigid20\] §3.6), and
//! one that sticks without sliding, so that what resolving errors has moved gives no speed.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n | normal from b to a, constant in a frame | 1 |
//! | t | axis along the surface | 1 |
//! | g | distance of the surfaces when the points were taken | m |
//! | d | way along the surface in this substep | m |
//! | s | overlap that is not resolved yet | m |
//! | μ_s, μ_k | friction sticking and sliding | 1 |
//! | r | arm of the friction against twisting | m |
//! | u | speed of rebound | m/s |

use super::contact::{FrictionParameters, SAMPLE_FRICTION, coulomb};
use crate::constraint::{Constraint, Points, RowOrder};
use crate::scalar::{Real, Vec3};

/// Number of points of a manifold.
pub const MANIFOLD_POINTS: usize = 4;

/// The order in which rows are solved: gaps, slip, twist, then all of them again.
const SWEEPS: &[&[usize]] = &[&[0], &[1], &[2], &[3], &[4], &[5], &[0], &[1], &[2], &[3], &[4], &[5]];

/// Distance of friction from its limit, as a part of the limit, below which it slides \[1\].
pub const SLIDING_TOLERANCE: f32 = 1e-4;

/// Slack of an unused point, which never touches \[m\].
pub const UNUSED_POINT_SLACK: f32 = 1e9;

crate::parameters! {
    /// Parameters that both types of manifolds share.
    pub struct ManifoldParameters<S> {
        /// Offset of each gap \[m\]: g_k + s_k, for a surface that does not move less n·(b_k − mean(b)).
        pub gaps: [S; MANIFOLD_POINTS],
        /// Friction of both surfaces together.
        pub friction: FrictionParameters<S>,
        /// Lever arm r of the friction against twisting \[m\].
        pub twist_arm: S,
        /// Speed u at which points that pushed rebound \[m/s\].
        pub rebound_speed: S,
    }
}

crate::parameters! {
    /// Parameters of [`BodyContact`].
    pub struct BodyContactParameters<S> {
        /// Unit normal n from the second body to the first \[1\].
        pub normal: Vec3<S>,
        /// Displacement d along the surface that brought the points opposite each other \[m\].
        pub displacement: Vec3<S>,
        /// Gaps, friction and restitution.
        pub manifold: ManifoldParameters<S>,
    }
}

/// A body against a body. Points: four on the first, four on the second, an axis on each.
pub struct BodyContact;

impl Constraint<10, 8> for BodyContact {
    type Parameters<S: Copy> = BodyContactParameters<S>;

    const NAME: &'static str = "body-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(SWEEPS);

    fn value<S: Real>(x: &Points<S, 10>, contact: BodyContactParameters<S>) -> [S; 8] {
        let BodyContactParameters { normal: n, displacement, manifold } = contact;
        let apart = [0, 1, 2, 3].map(|k| x.now[k] - x.now[MANIFOLD_POINTS + k]);
        let gaps = [0, 1, 2, 3].map(|k| n.dot(apart[k]) + manifold.gaps[k]);
        rows(n, gaps, mean(apart) + displacement, x.now[8].axis(), x.now[9].axis())
    }

    fn admissible<S: Real>(lambda: [S; 8], contact: BodyContactParameters<S>, _: S) -> [S; 8] {
        limits(lambda, &contact.manifold)
    }

    fn target_rates<S: Real>(rates: [S; 8], lambda: [S; 8], contact: BodyContactParameters<S>) -> Option<[S; 8]> {
        Some(rebound(rates, lambda, &contact.manifold))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 10], BodyContactParameters)> {
        let mut points = [[0.0; 3]; 10];
        for (k, point) in points.iter_mut().enumerate() {
            let k = k as f32;
            *point = [0.1 * k - 0.3, 0.07 * k * k - 0.2, 0.3 - 0.05 * k + 0.1 * number as f32];
        }
        (points[8], points[9]) = ([0.8, 0.0, -0.6], [0.6, 0.64, -0.48]);
        let manifold = ManifoldParameters {
            gaps: [0.01, 0.0, 0.2, 0.0],
            friction: SAMPLE_FRICTION,
            twist_arm: 0.1,
            rebound_speed: 0.05 * number as f32,
        };
        let normal = Vec3 { x: 0.6, y: 0.0, z: 0.8 };
        Some((points, BodyContactParameters { normal, displacement: Vec3 { x: 0.003, y: 0.004, z: -0.002 }, manifold }))
    }
}

crate::parameters! {
    /// Parameters of [`GroundContact`].
    pub struct GroundContactParameters<S> {
        /// Unit normal n from the surface to the body \[1\].
        pub normal: Vec3<S>,
        /// Middle of the points of the surface less d, from the anchor of the body \[m\].
        pub foot: Vec3<S>,
        /// Axis of the surface \[1\].
        pub axis: Vec3<S>,
        /// Gaps, friction and restitution.
        pub manifold: ManifoldParameters<S>,
    }
}

/// A body against a surface that does not move. Points: four on the body, and an axis.
pub struct GroundContact;

impl Constraint<5, 8> for GroundContact {
    type Parameters<S: Copy> = GroundContactParameters<S>;

    const NAME: &'static str = "ground-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(SWEEPS);

    fn value<S: Real>(x: &Points<S, 5>, contact: GroundContactParameters<S>) -> [S; 8] {
        let GroundContactParameters { normal: n, foot, axis, manifold } = contact;
        let apart = [0, 1, 2, 3].map(|k| x.now[k].local() - foot);
        let gaps = [0, 1, 2, 3].map(|k| n.dot(apart[k]) + manifold.gaps[k]);
        rows(n, gaps, mean(apart), x.now[4].axis(), axis)
    }

    fn admissible<S: Real>(lambda: [S; 8], contact: GroundContactParameters<S>, _: S) -> [S; 8] {
        limits(lambda, &contact.manifold)
    }

    fn target_rates<S: Real>(rates: [S; 8], lambda: [S; 8], contact: GroundContactParameters<S>) -> Option<[S; 8]> {
        Some(rebound(rates, lambda, &contact.manifold))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 5], GroundContactParameters)> {
        let (points, BodyContactParameters { normal, manifold, .. }) = BodyContact::sample(number)?;
        let mut own = [[0.0; 3]; 5];
        own[..4].copy_from_slice(&points[..4]);
        own[4] = points[8];
        let [foot, axis] = [points[4], points[9]].map(|[x, y, z]| Vec3 { x, y, z });
        Some((own, GroundContactParameters { normal, foot, axis, manifold }))
    }
}

crate::parameters! {
    /// Parameters of [`ParticleBodyContact`].
    pub struct ParticleBodyContactParameters<S> {
        /// Unit normal from the body to the particle \[1\].
        pub normal: Vec3<S>,
        /// Distance at which the particle touches the body's surface \[m\].
        pub distance: S,
        /// Friction of both together.
        pub friction: FrictionParameters<S>,
        /// Overlap s that need not be resolved in this substep \[m\].
        pub slack: S,
    }
}

/// A particle against a body.
pub struct ParticleBodyContact;

impl Constraint<2, 2> for ParticleBodyContact {
    type Parameters<S: Copy> = ParticleBodyContactParameters<S>;

    const NAME: &'static str = "particle-body-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, contact: ParticleBodyContactParameters<S>) -> [S; 2] {
        let ParticleBodyContactParameters { normal: n, distance, slack, .. } = contact;
        let between = x.now[0] - x.now[1];
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        [n.dot(between) - distance + slack, tangential(moved, n).length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: ParticleBodyContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 2], ParticleBodyContactParameters)> {
        let k = number as f32;
        let contact = ParticleBodyContactParameters {
            normal: Vec3 { x: 0.6, y: 0.0, z: 0.8 },
            distance: 0.05 * k - 0.2,
            friction: SAMPLE_FRICTION,
            slack: 0.001,
        };
        Some(([[0.1 * k, -0.2, 0.3], [0.1, 0.05 * k, -0.4]], contact))
    }
}

/// Returns the component of a vector tangential to a surface.
fn tangential<S: Real>(v: Vec3<S>, n: Vec3<S>) -> Vec3<S> {
    v - n * n.dot(v)
}

fn mean<S: Real>([a, b, c, d]: [Vec3<S>; 4]) -> Vec3<S> {
    (a + b + c + d) * S::literal(0.25)
}

fn rows<S: Real>(n: Vec3<S>, gaps: [S; 4], apart: Vec3<S>, axis: Vec3<S>, other: Vec3<S>) -> [S; 8] {
    let [a, b, c, d] = gaps;
    let twist = n.dot(other.cross(axis));
    [a, b, c, d, tangential(apart, n).length(), twist, other.dot(apart), n.cross(other).dot(apart)]
}

/// Returns the nearest admissible multipliers: points push, and friction stays within what all of them allow.
fn limits<S: Real>(lambda: [S; 8], manifold: &ManifoldParameters<S>) -> [S; 8] {
    let (friction, arm) = (manifold.friction, manifold.twist_arm);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| lambda[k].max(S::zero()));
    let push = a + b + c + d;
    let [_, slip] = coulomb(push, lambda[4], friction);
    let (stuck, sliding) = (arm * friction.static_coefficient * push, arm * friction.dynamic_coefficient * push);
    let twisting = lambda[5].select_lt(S::zero(), -sliding, sliding);
    let twist = stuck.select_lt(lambda[5].abs(), twisting, lambda[5]);
    [a, b, c, d, slip, twist, S::zero(), S::zero()]
}

/// Returns the target rates: points that pushed rebound, and rows that stick stop.
fn rebound<S: Real>(mut rates: [S; 8], lambda: [S; 8], manifold: &ManifoldParameters<S>) -> [S; 8] {
    for k in 0..MANIFOLD_POINTS {
        rates[k] = S::zero().select_lt(lambda[k], manifold.rebound_speed, rates[k]);
    }
    let sliding = manifold.friction.dynamic_coefficient * (lambda[0] + lambda[1] + lambda[2] + lambda[3]);
    let held = |row: usize, limit: S, rate: S| {
        (limit * SLIDING_TOLERANCE).select_lt((lambda[row].abs() - limit).abs(), S::zero(), rate)
    };
    rates[5] = held(5, manifold.twist_arm * sliding, rates[5]);
    rates[6] = held(4, sliding, rates[6]);
    rates[7] = held(4, sliding, rates[7]);
    rates
}
