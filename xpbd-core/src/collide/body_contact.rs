//! Contact and friction of bodies as traced constraints: a manifold is one constraint, the whole
//! frame at the points found at its start.
//!
//! It is solved by a soft step (\[Solver2D24\]). A substep begins with the multipliers of the one before, which bear
//! what rests. Then positions are swept once. The first four rows are the gaps at up to four pairs of points (a, b)
//! that were one, halfway between the surfaces, when these were g_k apart:
//!
//! ```text
//! C_k = n·(a_k − b_k) + g_k + s_k ≥ 0,   s_k = o_k − min(β o_k, v_max h),   o_k = overlap at the start of the substep
//! ```
//!
//! so that a substep resolves the part β of an overlap, by a spring that yields a little under its load. A point that is
//! not there has an endless gap. The other rows are the twist, the angle about n from an axis t of one body to that of
//! the other, and mean(a) − mean(b) + d along t and n × t. They are measured from where the bodies began to stick, and a
//! part of them is taken back in every substep, so that friction holds a place, not only a velocity, and what rests does
//! not creep. Surfaces that move against their bodies, as belts do, add their way in a substep to d and to the change of
//! these rows. Their limits are those of all points together: |λ| ≤ μ Σ λ_k, and for the twist r μ Σ λ_k, with r the mean
//! distance of the points from their middle. Where friction slides, points that are opposite each other as predicted are
//! taken anew every substep, with d the displacement that brings them there
//! ([`BodyContacts`](super::body_contacts::BodyContacts)): forces on both bodies then have one line.
//!
//! Once the velocities are taken two sweeps solve the rates of the same rows without that push, so that what resolves an
//! overlap leaves no speed. A gap may close as far as it is open; the other rows stop.
//!
//! Surfaces with restitution that will meet in the next substep hit each other at the end of this one: the mean of the
//! points that meet takes the rate −e times its own, one manifold after the other and over and over, so that an impulse
//! passes through a row of touching balls within a substep. No such impulse adds energy, and what is left for the sweeps
//! above is a contact that parts.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n | normal from b to a, constant in a frame | 1 |
//! | t | axis along the surface | 1 |
//! | g | distance of the surfaces when the points were taken | m |
//! | d | way along the surface in this substep | m |
//! | β | part of an overlap that a substep resolves | 1 |
//! | v_max | fastest depenetration | m/s |
//! | μ_s, μ_k | friction sticking and sliding | 1 |
//! | r | arm of the friction against twisting | m |
//! | e | restitution | 1 |
//! | w | velocity of the surfaces against each other, besides that of the bodies | m/s |

use super::contact::{FrictionParameters, SAMPLE_FRICTION, coulomb, rebounding};
use super::mobility::{BODY_PUSH_OUT, PushedPoint, mobilities, stiff_mobility};
use crate::connector::Connector;
use crate::constraint::{Constraint, Impact, Point, Points, RowOrder};
use crate::scalar::{Real, Vec3};

/// Number of points of a manifold.
pub const MANIFOLD_POINTS: usize = 4;

/// The order in which rows are solved: friction, then the gaps, so that bodies do not enter each other. Four gaps of one
/// face pull at each other: a second sweep over numbers that are at hand costs less than another substep.
const GROUPS: &[&[usize]] = &[&[5, 6], &[4], &[0], &[1], &[2], &[3], &[0], &[1], &[2], &[3]];

/// The frequency of the spring of a gap times the length of a substep \[1\]: a quarter of the rate of substeps, the
/// stiffest spring that substeps can follow.
const FREQUENCY: f32 = 0.25 * std::f32::consts::TAU;

/// Damping ratio of the spring of a gap \[1\]: so far above critical that an overlap decays without rebounding.
const DAMPING_RATIO: f32 = 10.0;

/// Part β of an overlap that a substep resolves \[1\] (\[Solver2D24\]).
const RESOLVED: f32 = FREQUENCY / (2.0 * DAMPING_RATIO + FREQUENCY);

/// Part of a slip or twist that a substep takes back \[1\]: enough that what sticks does not creep.
const RETURNED: f32 = 0.08;

/// Compliance of a gap relative to the inverse of its effective mass \[1\] (\[Solver2D24\]).
const GAP_SOFTNESS: f32 = 1.0 / (FREQUENCY * (2.0 * DAMPING_RATIO + FREQUENCY));

/// Compliance of slip and twist relative to the inverse of their effective mass \[1\].
///
/// A sweep corrects only a small part ε of a slow mode z of a heap. With one sweep over velocities (there are
/// [`VELOCITY_SWEEPS`](super::contact_set::VELOCITY_SWEEPS)) the mode follows z‴ + (σ + 2ε) z″ + 2ε z′ + εβ z = 0 over
/// substeps, with σ = s/(1 + s) of a row of softness s. It decays iff 2σ + 4ε > β. The spring of a gap is stiffer than that, or tall towers would buckle; friction this soft damps what it
/// lets tremble. With the softness of a gap a pyramid of 20 layers trembles at 0.3 m/s; softer, a tower under a thousand
/// times its weight buckles by sliding.
const FRICTION_SOFTNESS: f32 = 0.5;

/// Softness of all rows \[1\].
const SOFTNESS: [f32; 7] = {
    let [gap, friction] = [GAP_SOFTNESS, FRICTION_SOFTNESS];
    [gap, gap, gap, gap, friction, friction, friction]
};

/// Distance of friction from its limit, as a part of the limit, below which it slides \[1\].
pub const SLIDING_TOLERANCE: f32 = 1e-4;

/// Slip that sliding surfaces keep \[m\], which they take back where they stick again. Near the limit of friction the
/// rounding of gaps of many short substeps lets surfaces slide for a substep now and then: what rests would lose its place
/// by a little each time.
pub const SLIDING_SLIP: f32 = 1e-6;

/// Factor of the way of a point in the next substep within which it rebounds \[1\]. A point that rounding takes for too far
/// would be stopped without a rebound.
const REACH: f32 = 1.01;

/// Gap of an unused point, which never touches \[m\].
pub const UNUSED_POINT_GAP: f32 = 1e9;

crate::parameters! {
    /// Parameters that both types of manifolds share.
    pub struct ManifoldParameters<S> {
        /// Offset of each gap \[m\]: g_k, for a surface that does not move less n·(b_k − mean(b)).
        pub gaps: [S; MANIFOLD_POINTS],
        /// Friction of both surfaces together.
        pub friction: FrictionParameters<S>,
        /// Lever arm r of the friction against twisting \[m\].
        pub twist_arm: S,
        /// Velocity w of the first surface against its body less that of the second against its own, along the surface
        /// \[m/s\].
        pub surface_velocity: Vec3<S>,
        /// Coefficient of restitution e of both surfaces together \[1\].
        pub restitution: S,
        /// Slowest approach that rebounds \[m/s\], where e is not 0.
        pub slowest_rebound: S,
        /// Acceleration of the bodies against each other by gravity and forces \[m/s²\], where e is not 0.
        pub acceleration: S,
        /// Greatest speed at which an overlap is resolved \[m/s\].
        pub max_depenetration_speed: S,
    }
}

crate::parameters! {
    /// Parameters of [`BodyContact`].
    pub struct BodyContactParameters<S> {
        /// Unit normal n from the second body to the first \[1\].
        pub normal: Vec3<S>,
        /// Displacement d that brought the points opposite each other, along the axis of the second body and along n × it
        /// \[m\]: it turns with the bodies.
        pub displacement: [S; 2],
        /// Gaps, friction and restitution.
        pub manifold: ManifoldParameters<S>,
    }
}

/// A body against a body. Points: four on the first, four on the second, an axis on each.
pub struct BodyContact;

impl BodyContact {
    /// Returns the connectors of the points.
    pub fn connectors() -> [Connector; 10] {
        let [a, b] = [0, 1].map(|node| Connector::BodyPoint { node });
        [a, a, a, a, b, b, b, b, Connector::BodyAxis { node: 0 }, Connector::BodyAxis { node: 1 }]
    }
}

impl Constraint<10, 7> for BodyContact {
    type Parameters<S: Copy> = BodyContactParameters<S>;

    const NAME: &'static str = "body-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(GROUPS);
    const SOFTNESS: [f32; 7] = SOFTNESS;
    const KEEPS_MULTIPLIERS: bool = true;

    fn value<S: Real>(x: &Points<S, 10>, contact: BodyContactParameters<S>) -> [S; 7] {
        let (normal, axis) = (contact.normal, x.now[9].axis());
        let belt = belt_rates(normal, axis, &contact.manifold);
        relaxed(pair_rows(&x.now, &contact), pair_rows(&x.before, &contact), belt, &contact.manifold, x.dt)
    }

    fn admissible<S: Real>(lambda: [S; 7], contact: BodyContactParameters<S>, _: S) -> [S; 7] {
        limits(lambda, &contact.manifold)
    }

    fn target_rates<S: Real>(
        x: &Points<S, 10>,
        rates: [S; 7],
        _: [S; 7],
        contact: BodyContactParameters<S>,
    ) -> Option<[S; 7]> {
        let belt = belt_rates(contact.normal, x.now[9].axis(), &contact.manifold);
        Some(wanted(pair_rows(&x.now, &contact), rates, belt, &contact.manifold, x.dt))
    }

    fn impact<S: Real>(x: &Points<S, 10>, rates: [S; 7], contact: BodyContactParameters<S>) -> Option<Impact<S, 7>> {
        Some(impact(pair_rows(&x.now, &contact), rates, &contact.manifold, x.dt))
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
            surface_velocity: Vec3 { x: 0.4, y: 0.1, z: -0.3 },
            restitution: 0.3,
            slowest_rebound: 0.02,
            acceleration: 9.0,
            max_depenetration_speed: 0.001,
        };
        let normal = Vec3 { x: 0.6, y: 0.0, z: 0.8 };
        Some((points, BodyContactParameters { normal, displacement: [0.003, 0.004], manifold }))
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

impl GroundContact {
    /// Returns the connectors of the points.
    pub fn connectors() -> [Connector; 5] {
        let point = Connector::BodyPoint { node: 0 };
        [point, point, point, point, Connector::BodyAxis { node: 0 }]
    }
}

impl Constraint<5, 7> for GroundContact {
    type Parameters<S: Copy> = GroundContactParameters<S>;

    const NAME: &'static str = "ground-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(GROUPS);
    const SOFTNESS: [f32; 7] = SOFTNESS;
    const KEEPS_MULTIPLIERS: bool = true;

    fn value<S: Real>(x: &Points<S, 5>, contact: GroundContactParameters<S>) -> [S; 7] {
        let belt = belt_rates(contact.normal, contact.axis, &contact.manifold);
        relaxed(ground_rows(&x.now, &contact), ground_rows(&x.before, &contact), belt, &contact.manifold, x.dt)
    }

    fn admissible<S: Real>(lambda: [S; 7], contact: GroundContactParameters<S>, _: S) -> [S; 7] {
        limits(lambda, &contact.manifold)
    }

    fn target_rates<S: Real>(
        x: &Points<S, 5>,
        rates: [S; 7],
        _: [S; 7],
        contact: GroundContactParameters<S>,
    ) -> Option<[S; 7]> {
        let belt = belt_rates(contact.normal, contact.axis, &contact.manifold);
        Some(wanted(ground_rows(&x.now, &contact), rates, belt, &contact.manifold, x.dt))
    }

    fn impact<S: Real>(x: &Points<S, 5>, rates: [S; 7], contact: GroundContactParameters<S>) -> Option<Impact<S, 7>> {
        Some(impact(ground_rows(&x.now, &contact), rates, &contact.manifold, x.dt))
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
        /// Way that both rebound in the substep \[m\], 0 if they do not.
        pub rebound: S,
        /// Part of a push that the particle is free to follow \[1\].
        pub free: S,
        /// Stiffness with which its object holds the particle \[N/m\].
        pub stiffness: S,
        /// Damping of the same \[N s/m\].
        pub damping: S,
    }
}

/// A particle against a body.
pub struct ParticleBodyContact;

impl Constraint<2, 2> for ParticleBodyContact {
    type Parameters<S: Copy> = ParticleBodyContactParameters<S>;

    const NAME: &'static str = "particle-body-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, contact: ParticleBodyContactParameters<S>) -> [S; 2] {
        let ParticleBodyContactParameters { normal: n, distance, slack, rebound, .. } = contact;
        let between = x.now[0] - x.now[1];
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        let gap = rebounding(n.dot(between) - distance + slack, n.dot(moved), rebound);
        [gap, tangential(moved, n).length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: ParticleBodyContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn mobilities<S: Real>(
        x: &Points<S, 2>,
        [particle, body]: [S; 2],
        contact: ParticleBodyContactParameters<S>,
    ) -> Option<[S; 2]> {
        let ParticleBodyContactParameters { normal: n, distance, slack, free, .. } = contact;
        let approach = n.dot(x.now[1] - x.before[1]);
        let points = [
            PushedPoint { free, inverse_mass: particle, approach: S::zero() },
            PushedPoint { free: S::literal(1.0), inverse_mass: body, approach },
        ];
        let overlap = distance - slack - n.dot(x.now[0] - x.now[1]);
        let [first, second] = mobilities(points, overlap, x.dt * S::literal(BODY_PUSH_OUT));
        Some([first * stiff_mobility([particle, body], [contact.stiffness, contact.damping], x.dt), second])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 2], ParticleBodyContactParameters)> {
        let k = number as f32;
        let contact = ParticleBodyContactParameters {
            normal: Vec3 { x: 0.6, y: 0.0, z: 0.8 },
            distance: 0.05 * k - 0.2,
            friction: SAMPLE_FRICTION,
            slack: 0.001,
            rebound: 0.0,
            free: 0.3,
            stiffness: 10.0,
            damping: 0.1,
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

/// Returns gaps, twist and slip of two bodies.
fn pair_rows<S: Real>(points: &[Point<S>; 10], contact: &BodyContactParameters<S>) -> [S; 7] {
    let apart = [0, 1, 2, 3].map(|k| points[k] - points[MANIFOLD_POINTS + k]);
    rows(contact.normal, apart, contact.displacement, &contact.manifold, [points[8].axis(), points[9].axis()])
}

/// Returns gaps, twist and slip of a body on a surface that does not move.
fn ground_rows<S: Real>(points: &[Point<S>; 5], contact: &GroundContactParameters<S>) -> [S; 7] {
    let apart = [0, 1, 2, 3].map(|k| points[k].local() - contact.foot);
    rows(contact.normal, apart, [S::zero(); 2], &contact.manifold, [points[4].axis(), contact.axis])
}

fn rows<S: Real>(
    n: Vec3<S>,
    apart: [Vec3<S>; 4],
    [along, across]: [S; 2],
    manifold: &ManifoldParameters<S>,
    [axis, other]: [Vec3<S>; 2],
) -> [S; 7] {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| n.dot(apart[k]) + manifold.gaps[k]);
    let slip = mean(apart);
    [a, b, c, d, n.dot(other.cross(axis)), other.dot(slip) + along, n.cross(other).dot(slip) + across]
}

/// Returns the rates at which the surfaces themselves change the two rows of the slip.
fn belt_rates<S: Real>(n: Vec3<S>, axis: Vec3<S>, manifold: &ManifoldParameters<S>) -> [S; 2] {
    [axis.dot(manifold.surface_velocity), n.cross(axis).dot(manifold.surface_velocity)]
}

/// Returns rows relaxed by what a substep leaves of overlap, twist and slip: it resolves a part of each, and of an
/// overlap no more than the greatest speed allows.
fn relaxed<S: Real>(now: [S; 7], before: [S; 7], belt: [S; 2], manifold: &ManifoldParameters<S>, dt: S) -> [S; 7] {
    // The way of the surfaces in this substep is in d already.
    let [a, b, c, d, twist, along, across] = before;
    let before = [a, b, c, d, twist, along - belt[0] * dt, across - belt[1] * dt];
    std::array::from_fn(|row| {
        if row < MANIFOLD_POINTS {
            let overlap = (-before[row]).max(S::zero());
            now[row] + overlap - (overlap * S::literal(RESOLVED)).min(manifold.max_depenetration_speed * dt)
        } else {
            now[row] - before[row] * S::literal(1.0 - RETURNED)
        }
    })
}

/// Returns the nearest admissible multipliers: points push, and friction stays within what all of them allow.
fn limits<S: Real>(lambda: [S; 7], manifold: &ManifoldParameters<S>) -> [S; 7] {
    let (friction, arm) = (manifold.friction, manifold.twist_arm);
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| lambda[k].max(S::zero()));
    let push = a + b + c + d;
    let (stuck, sliding) = (friction.static_coefficient * push, friction.dynamic_coefficient * push);
    let slip = (lambda[5] * lambda[5] + lambda[6] * lambda[6]).sqrt();
    let part = stuck.select_lt(slip, sliding / slip.max(S::literal(f32::MIN_POSITIVE)), S::one());
    let twisting = lambda[4].select_lt(S::zero(), -(arm * sliding), arm * sliding);
    let twist = (arm * stuck).select_lt(lambda[4].abs(), twisting, lambda[4]);
    [a, b, c, d, twist, lambda[5] * part, lambda[6] * part]
}

/// Returns the target rates: gaps close no faster than they are open, unless they will rebound, the twist stops, and the
/// slip follows the surfaces.
fn wanted<S: Real>(rows: [S; 7], rates: [S; 7], belt: [S; 2], manifold: &ManifoldParameters<S>, dt: S) -> [S; 7] {
    let (e, slowest, per_dt) = (manifold.restitution, manifold.slowest_rebound, S::one() / dt);
    std::array::from_fn(|row| {
        if row > MANIFOLD_POINTS {
            S::zero() - belt[row - MANIFOLD_POINTS - 1]
        } else if row < MANIFOLD_POINTS {
            let closing = -(rows[row].max(S::zero()) * per_dt);
            let fast = rates[row].select_lt(-slowest, rates[row], closing);
            S::zero().select_lt(e, fast, closing)
        } else {
            S::zero()
        }
    })
}

/// Returns the impact of the points that meet within the next substep and approach faster than the slowest rebound.
///
/// Surfaces at the distance g that approach at v and fall with the acceleration a would hit each other at √(v² + 2 a g) and
/// leave at e times that speed. They are the distance g apart again at the speed u with u² = e² (v² + 2 a g) − 2 a g, which is
/// never more than e v.
fn impact<S: Real>(rows: [S; 7], rates: [S; 7], manifold: &ManifoldParameters<S>, dt: S) -> Impact<S, 7> {
    let (e, fall) = (manifold.restitution, manifold.acceleration.max(S::zero()));
    let weights: [S; 7] = std::array::from_fn(|row| {
        if row >= MANIFOLD_POINTS {
            return S::zero();
        }
        let approach = -rates[row];
        let reach = (approach + fall * dt) * dt * REACH;
        let meets = rows[row].select_lt(reach, S::one(), S::zero());
        let hits = manifold.slowest_rebound.select_lt(approach, meets, S::zero());
        S::zero().select_lt(e, hits, S::zero())
    });
    let [a, b, c, d, ..] = weights;
    let count = (a + b + c + d).max(S::one());
    let weights = std::array::from_fn(|row| if row < MANIFOLD_POINTS { weights[row] / count } else { S::zero() });
    let mean = |numbers: [S; 7]| [0, 1, 2, 3].into_iter().fold(S::zero(), |sum, k| sum + weights[k] * numbers[k]);
    let (height, approach) = (mean(rows).max(S::zero()), -mean(rates));
    let fallen = fall * height * 2.0;
    Impact { weights, rate: (e * e * (approach * approach + fallen) - fallen).max(S::zero()).sqrt() }
}
