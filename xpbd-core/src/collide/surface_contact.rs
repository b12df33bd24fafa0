//! Contact of surfaces as a traced constraint: a vertex with a triangle, or an edge with an edge.
//!
//! Both have four points and are one function. The nearest points of the two features are weighted means
//! of their vertices; with the weights w, which sum up to zero, their distance along the normal is
//!
//! ```text
//! C_n = n·Σ w_k x_k − d + s ≥ 0        Σ w_k x_k = Σ w_k (x_k − x_0)
//! ```
//!
//! | feature pair | x_0, x_1, x_2, x_3 | w_0, w_1, w_2, w_3 |
//! |---|---|---|
//! | vertex, triangle | p, a, b, c | 1, −β_a, −β_b, −β_c |
//! | edge, edge | a, a', b, b' | 1 − σ, σ, −(1 − τ), −τ |
//!
//! (\[Bridson02\] §6.2). Normal and weights are those of the moment before contacts are solved: where
//! features have crossed each other since the substep began, the normal is of the side where they were, so that the same
//! function takes them back ([`side`](super::surface_contacts::side)). The slack s relaxes an overlap as in
//! other contacts ([`contact`](super::contact)), whose slip and friction it has as well.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | β, σ, τ | barycentric coordinates of the nearest points | 1 |
//! | n | from the second feature to the first | 1 |
//! | d | thickness | m |
//! | s | overlap that need not be resolved in this substep | m |

use super::contact::coulomb;
use crate::constraint::{Constraint, Point, Points, RowOrder};
use crate::scalar::{Real, Vec3};

/// Two features of surfaces that may not come closer than a distance.
///
/// Parameters: w_1, w_2, w_3, normal (3), d \[m\], μ_s, μ_k, v_max \[m/s\].
pub struct SurfaceContact;

impl Constraint<4, 2> for SurfaceContact {
    type Parameters<S: Copy> = [S; 10];

    const NAME: &'static str = "surface-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 4>, params: [S; 10]) -> [S; 2] {
        let [u, v, w, nx, ny, nz, distance, _, _, speed] = params;
        let (n, weights) = (Vec3::new(nx, ny, nz), [u, v, w]);
        let (now, before) = (apart(&x.now, weights), apart(&x.before, weights));
        let slack = (distance - n.dot(before) - speed * x.dt).max(S::zero());
        let moved = now - before;
        let slip = moved - n * n.dot(moved);
        [n.dot(now) - distance + slack, slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], params: [S; 10], _: S) -> [S; 2] {
        coulomb(normal, slip, params[7], params[8])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], [f32; 10])> {
        let k = 0.1 * number as f32;
        let points = [[0.2, 0.3 - k, 0.1], [-1.0, 0.1, k], [1.0, -0.2, 0.5], [0.0, k, -1.0]];
        Some((points, [-0.5, -0.3, -0.2, 0.6, 0.0, 0.8, 0.25, 0.5, 0.4, 0.001]))
    }
}

/// From the nearest point of the second feature to that of the first.
fn apart<S: Real>(x: &[Point<S>; 4], [u, v, w]: [S; 3]) -> Vec3<S> {
    (x[1] - x[0]) * u + (x[2] - x[0]) * v + (x[3] - x[0]) * w
}
