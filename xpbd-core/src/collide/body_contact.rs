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

use super::contact::coulomb;
use crate::constraint::{Constraint, Points, RowOrder};
use crate::scalar::{Real, Vec3};

/// Points of a manifold.
pub const MANIFOLD_POINTS: usize = 4;

/// The order of the rows: gaps, slip, twist, and once more.
const SWEEPS: &[&[usize]] = &[&[0], &[1], &[2], &[3], &[4], &[5], &[0], &[1], &[2], &[3], &[4], &[5]];

/// Friction that is as near its limit as this part of it slides.
pub const SLIDING_TOLERANCE: f32 = 1e-4;

/// The slack of a point that is not there \[m\].
pub const UNUSED_POINT_SLACK: f32 = 1e9;

/// A body against a body. Points: four on the first, four on the second, an axis on each.
///
/// Parameters: normal (3), d (3) \[m\], g_k + s_k (4) \[m\], μ_s, μ_k, r \[m\], u \[m/s\].
pub struct BodyContact;

impl Constraint<10, 8> for BodyContact {
    type Parameters<S: Copy> = [S; 14];

    const NAME: &'static str = "body-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(SWEEPS);

    fn value<S: Real>(x: &Points<S, 10>, params: [S; 14]) -> [S; 8] {
        let [n, way] = [0, 3].map(|k| Vec3::new(params[k], params[k + 1], params[k + 2]));
        let apart = [0, 1, 2, 3].map(|k| x.now[k] - x.now[MANIFOLD_POINTS + k]);
        let gaps = [0, 1, 2, 3].map(|k| n.dot(apart[k]) + params[6 + k]);
        rows(n, gaps, mean(apart) + way, x.now[8].axis(), x.now[9].axis())
    }

    fn admissible<S: Real>(lambda: [S; 8], params: [S; 14], _: S) -> [S; 8] {
        limits(lambda, [params[10], params[11], params[12]])
    }

    fn target_rates<S: Real>(rates: [S; 8], lambda: [S; 8], params: [S; 14]) -> Option<[S; 8]> {
        Some(rebound(rates, lambda, [params[11], params[12], params[13]]))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 10], [f32; 14])> {
        let mut points = [[0.0; 3]; 10];
        for (k, point) in points.iter_mut().enumerate() {
            let k = k as f32;
            *point = [0.1 * k - 0.3, 0.07 * k * k - 0.2, 0.3 - 0.05 * k + 0.1 * number as f32];
        }
        (points[8], points[9]) = ([0.8, 0.0, -0.6], [0.6, 0.64, -0.48]);
        Some((points, [0.6, 0.0, 0.8, 0.003, 0.004, -0.002, 0.01, 0.0, 0.2, 0.0, 0.5, 0.4, 0.1, 0.05 * number as f32]))
    }
}

/// A body against a surface that does not move. Points: four on the body, and an axis.
///
/// Parameters: normal (3), mean(b) − d from the anchor of the body (3) \[m\],
/// axis of the surface (3), g_k + s_k − n·(b_k − mean(b)) (4) \[m\], μ_s, μ_k, r \[m\], u \[m/s\].
pub struct GroundContact;

impl Constraint<5, 8> for GroundContact {
    type Parameters<S: Copy> = [S; 17];

    const NAME: &'static str = "ground-contact";
    const ROW_ORDER: RowOrder = RowOrder::Groups(SWEEPS);

    fn value<S: Real>(x: &Points<S, 5>, params: [S; 17]) -> [S; 8] {
        let [n, foot, axis] = [0, 3, 6].map(|k| Vec3::new(params[k], params[k + 1], params[k + 2]));
        let apart = [0, 1, 2, 3].map(|k| x.now[k].local() - foot);
        let gaps = [0, 1, 2, 3].map(|k| n.dot(apart[k]) + params[9 + k]);
        rows(n, gaps, mean(apart), x.now[4].axis(), axis)
    }

    fn admissible<S: Real>(lambda: [S; 8], params: [S; 17], _: S) -> [S; 8] {
        limits(lambda, [params[13], params[14], params[15]])
    }

    fn target_rates<S: Real>(rates: [S; 8], lambda: [S; 8], params: [S; 17]) -> Option<[S; 8]> {
        Some(rebound(rates, lambda, [params[14], params[15], params[16]]))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 5], [f32; 17])> {
        let (points, params) = BodyContact::sample(number)?;
        let mut own = [[0.0; 3]; 5];
        own[..4].copy_from_slice(&points[..4]);
        own[4] = points[8];
        let mut all = [0.0; 17];
        all[..3].copy_from_slice(&params[..3]);
        all[3..6].copy_from_slice(&points[4]);
        all[6..9].copy_from_slice(&points[9]);
        all[9..].copy_from_slice(&params[6..]);
        Some((own, all))
    }
}

/// A particle against a body.
///
/// Parameters: normal (3), distance when touching \[m\], μ_s, μ_k, s \[m\].
pub struct ParticleBodyContact;

impl Constraint<2, 2> for ParticleBodyContact {
    type Parameters<S: Copy> = [S; 7];

    const NAME: &'static str = "touch-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, [nx, ny, nz, distance, _, _, slack]: [S; 7]) -> [S; 2] {
        let (n, between) = (Vec3::new(nx, ny, nz), x.now[0] - x.now[1]);
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        [n.dot(between) - distance + slack, tangential(moved, n).length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], params: [S; 7], _: S) -> [S; 2] {
        coulomb(normal, slip, params[4], params[5])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 2], [f32; 7])> {
        let k = number as f32;
        Some(([[0.1 * k, -0.2, 0.3], [0.1, 0.05 * k, -0.4]], [0.6, 0.0, 0.8, 0.05 * k - 0.2, 0.5, 0.4, 0.001]))
    }
}

/// Returns the part of a vector along a surface.
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

/// Points push; friction holds back no more than all of them allow.
fn limits<S: Real>(lambda: [S; 8], [fixed, dynamic, arm]: [S; 3]) -> [S; 8] {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| lambda[k].max(S::zero()));
    let push = a + b + c + d;
    let [_, slip] = coulomb(push, lambda[4], fixed, dynamic);
    let (stuck, sliding) = (arm * fixed * push, arm * dynamic * push);
    let twisting = lambda[5].select_lt(S::zero(), -sliding, sliding);
    let twist = stuck.select_lt(lambda[5].abs(), twisting, lambda[5]);
    [a, b, c, d, slip, twist, S::zero(), S::zero()]
}

/// Returns the rates of points that pushed, and of what sticks.
fn rebound<S: Real>(mut rates: [S; 8], lambda: [S; 8], [dynamic, arm, speed]: [S; 3]) -> [S; 8] {
    for k in 0..MANIFOLD_POINTS {
        rates[k] = S::zero().select_lt(lambda[k], speed, rates[k]);
    }
    let sliding = dynamic * (lambda[0] + lambda[1] + lambda[2] + lambda[3]);
    let held = |row: usize, limit: S, rate: S| {
        (limit * SLIDING_TOLERANCE).select_lt((lambda[row].abs() - limit).abs(), S::zero(), rate)
    };
    rates[5] = held(5, arm * sliding, rates[5]);
    rates[6] = held(4, sliding, rates[6]);
    rates[7] = held(4, sliding, rates[7]);
    rates
}
