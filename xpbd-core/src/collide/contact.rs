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
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n | contact normal | 1 |
//! | v_max | fastest depenetration | m/s |
//! | μ_s, μ_k | friction sticking and sliding | 1 |

use crate::constraint::{Constraint, Points, RowOrder};
use crate::scalar::{Real, Vec3};

/// A particle against the plane of a collider, which moves by a given displacement.
///
/// Parameters: normal (3), gap at the particle's anchor \[m\], displacement of the surface in the
/// substep (3) \[m\], μ_s, μ_k, v_max \[m/s\].
pub struct ShapeContact;

impl Constraint<1, 2> for ShapeContact {
    type Parameters<S: Copy> = [S; 10];

    const NAME: &'static str = "shape-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 1>, params: [S; 10]) -> [S; 2] {
        let [nx, ny, nz, gap, sx, sy, sz, _, _, speed] = params;
        let (n, surface) = (Vec3::new(nx, ny, nz), Vec3::new(sx, sy, sz));
        let overlap = -(n.dot(x.before[0].local() + surface) + gap);
        let slack = (overlap - speed * x.dt).max(S::zero());
        let moved = (x.now[0] - x.before[0]) - surface;
        let slip = moved - n * n.dot(moved);
        [n.dot(x.now[0].local()) + gap + slack, slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], params: [S; 10], _: S) -> [S; 2] {
        coulomb(normal, slip, params[7], params[8])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 1], [f32; 10])> {
        let k = number as f32;
        Some(([[0.1 * k, -0.2, 0.3]], [0.6, 0.0, 0.8, 0.05 * k - 0.2, 0.01, 0.02 * k, -0.01, 0.5, 0.4, 0.001]))
    }
}

/// Two particles that may not come closer than a distance, the first of them moved by a vector.
///
/// Parameters: distance \[m\], μ_s, μ_k, v_max \[m/s\], the vector (3) \[m\].
pub struct ParticleContact;

impl Constraint<2, 2> for ParticleContact {
    type Parameters<S: Copy> = [S; 7];

    const NAME: &'static str = "particle-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, [distance, _, _, speed, ax, ay, az]: [S; 7]) -> [S; 2] {
        let apart = Vec3::new(ax, ay, az);
        let before = (x.before[0] - x.before[1]) + apart;
        let slack = (distance - before.length() - speed * x.dt).max(S::zero());
        let normal = before.normalize();
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        let slip = moved - normal * normal.dot(moved);
        [((x.now[0] - x.now[1]) + apart).length() - distance + slack, slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], [_, fixed, dynamic, ..]: [S; 7], _: S) -> [S; 2] {
        coulomb(normal, slip, fixed, dynamic)
    }
}

/// Returns the nearest multipliers of a contact that pushes, and of friction that holds back no more than
/// it may.
pub(super) fn coulomb<S: Real>(normal: S, slip: S, fixed: S, dynamic: S) -> [S; 2] {
    let normal = normal.max(S::zero());
    let limit = -(fixed * normal);
    let sliding = -(dynamic * normal);
    [normal, slip.select_lt(limit, sliding, slip.min(S::zero()))]
}
