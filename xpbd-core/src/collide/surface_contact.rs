//! Contact of surfaces as a traced constraint: a vertex, another particle or a corner of a shape with a triangle, or an edge
//! with an edge.
//!
//! All have four points and are one function. The nearest points of the two features are weighted means
//! of their vertices; with the weights w, which sum up to zero, their distance along the normal is
//!
//! ```text
//! C_n = n·Σ w_k x_k − d + s ≥ 0        Σ w_k x_k = Σ w_k (x_k − x_0)
//! ```
//!
//! | feature pair | x_0, x_1, x_2, x_3 | w_0, w_1, w_2, w_3 |
//! |---|---|---|
//! | vertex or particle, triangle | p, a, b, c | 1, −β_a, −β_b, −β_c |
//! | edge, edge | a, a', b, b' | 1 − σ, σ, −(1 − τ), −τ |
//! | corner of a body, triangle | a, b, c, p | −β_a, −β_b, −β_c, 1 |
//! | edge of a body, edge of a triangle | b, b', c, p | −(1 − τ), −τ, 0, 1 |
//!
//! (\[Bridson02\] §6.2). Normal and weights are those of the moment before contacts are solved: where
//! features have crossed each other since the substep began, the normal is of the side where they were, so that the same
//! function takes them back ([`side`](super::surface_contacts::side)). A point p of a shape that nothing can push is no point
//! of the constraint but a parameter ([`SurfaceShapeContact`]). The slack s relaxes an overlap as in
//! other contacts ([`contact`](super::contact)), whose slip and friction it has as well.
//!
//! Once the velocities are taken, sweeps over them stop features along n that have pushed each other in the substep, so that
//! what resolves an overlap leaves no speed, as of bodies ([`body_contact`](super::body_contact)). Layers that lie on each other
//! would tremble with about half of what gravity adds in a substep. What drags only (the pores of a permeable surface)
//! pushes nothing apart and keeps its velocity.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | β, σ, τ | barycentric coordinates of the nearest points | 1 |
//! | n | from the second feature to the first | 1 |
//! | d | thickness; half of it and the radius for a particle or a shape | m |
//! | s | overlap that need not be resolved in this substep | m |

use super::contact::{FrictionParameters, SAMPLE_FRICTION, coulomb};
use super::mobility::{PushedPoint, mobilities};
use crate::constraint::{Constraint, Point, Points, RowOrder};
use crate::scalar::{Real, Vec3};

crate::parameters! {
    /// Parameters of [`SurfaceContact`].
    pub struct SurfaceContactParameters<S> {
        /// Weights of the last three points \[1\].
        pub weights: [S; 3],
        /// Unit normal from the second feature to the first \[1\].
        pub normal: Vec3<S>,
        /// Distance at which the features touch \[m\].
        pub distance: S,
        /// Friction of both surfaces together.
        pub friction: FrictionParameters<S>,
        /// Greatest speed at which an overlap is resolved \[m/s\].
        pub max_depenetration_speed: S,
        /// Part of its push that each point is free to follow \[1\].
        pub free: [S; 4],
        /// Speed at which points that are held push out the others, besides what these have approached \[m/s\].
        pub push_out_speed: S,
    }
}

/// Two features of surfaces that may not come closer than a distance.
pub struct SurfaceContact;

impl Constraint<4, 2> for SurfaceContact {
    type Parameters<S: Copy> = SurfaceContactParameters<S>;

    const NAME: &'static str = "surface-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 4>, contact: SurfaceContactParameters<S>) -> [S; 2] {
        let SurfaceContactParameters { weights, normal: n, distance, max_depenetration_speed, .. } = contact;
        let (now, before) = (apart(&x.now, weights), apart(&x.before, weights));
        let slack = (distance - n.dot(before) - max_depenetration_speed * x.dt).max(S::zero());
        let moved = now - before;
        let slip = moved - n * n.dot(moved);
        [n.dot(now) - distance + slack, slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: SurfaceContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn target_rates<S: Real>(
        _: &Points<S, 4>,
        [normal, slip]: [S; 2],
        [push, _]: [S; 2],
        contact: SurfaceContactParameters<S>,
    ) -> Option<[S; 2]> {
        let push = S::zero().select_lt(contact.max_depenetration_speed, push, S::zero());
        Some([S::zero().select_lt(push, S::zero(), normal), slip])
    }

    fn mobilities<S: Real>(
        x: &Points<S, 4>,
        inverse_masses: [S; 4],
        contact: SurfaceContactParameters<S>,
    ) -> Option<[S; 4]> {
        let SurfaceContactParameters { weights: [u, v, w], normal: n, distance, max_depenetration_speed, .. } = contact;
        let (now, before) = (apart(&x.now, contact.weights), apart(&x.before, contact.weights));
        let slack = (distance - n.dot(before) - max_depenetration_speed * x.dt).max(S::zero());
        let weights = [-(u + v + w), u, v, w];
        let points = std::array::from_fn(|k| PushedPoint {
            free: contact.free[k],
            inverse_mass: inverse_masses[k] * (weights[k] * weights[k]),
            approach: -(weights[k] * n.dot(x.now[k] - x.before[k])),
        });
        Some(mobilities(points, distance - slack - n.dot(now), contact.push_out_speed * x.dt))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], SurfaceContactParameters)> {
        let k = 0.1 * number as f32;
        let points = [[0.2, 0.3 - k, 0.1], [-1.0, 0.1, k], [1.0, -0.2, 0.5], [0.0, k, -1.0]];
        let contact = SurfaceContactParameters {
            weights: [-0.5, -0.3, -0.2],
            normal: Vec3 { x: 0.6, y: 0.0, z: 0.8 },
            distance: 0.25,
            friction: SAMPLE_FRICTION,
            max_depenetration_speed: 0.001,
            free: [1.0, 0.2, 0.9, 0.0],
            push_out_speed: 0.1,
        };
        Some((points, contact))
    }
}

crate::parameters! {
    /// Parameters of [`SurfaceShapeContact`].
    pub struct SurfaceShapeContactParameters<S> {
        /// Weights of the last two points \[1\].
        pub weights: [S; 2],
        /// Unit normal from the surface to the shape \[1\].
        pub normal: Vec3<S>,
        /// Point of the shape at the end of the substep, from the anchor of the first particle \[m\].
        pub point: Vec3<S>,
        /// Displacement of the surface of the shape there in the substep \[m\].
        pub displacement: Vec3<S>,
        /// Distance at which surface and point touch \[m\].
        pub distance: S,
        /// Friction of both together.
        pub friction: FrictionParameters<S>,
        /// Greatest speed at which an overlap is resolved \[m/s\].
        pub max_depenetration_speed: S,
    }
}

/// A triangle that may not come closer than a distance to a point that moves by a given displacement.
pub struct SurfaceShapeContact;

impl Constraint<3, 2> for SurfaceShapeContact {
    type Parameters<S: Copy> = SurfaceShapeContactParameters<S>;

    const NAME: &'static str = "surface-shape-contact";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 3>, contact: SurfaceShapeContactParameters<S>) -> [S; 2] {
        let SurfaceShapeContactParameters { weights: [v, w], normal: n, point, displacement, distance, .. } = contact;
        let to_point = |x: &[Point<S>; 3]| (x[1] - x[0]) * v + (x[2] - x[0]) * w + (point - x[0].local());
        let (now, before) = (to_point(&x.now), to_point(&x.before) - displacement);
        let slack = (distance - n.dot(before) - contact.max_depenetration_speed * x.dt).max(S::zero());
        let moved = now - before;
        let slip = moved - n * n.dot(moved);
        [n.dot(now) - distance + slack, slip.length()]
    }

    fn admissible<S: Real>([normal, slip]: [S; 2], contact: SurfaceShapeContactParameters<S>, _: S) -> [S; 2] {
        coulomb(normal, slip, contact.friction)
    }

    fn target_rates<S: Real>(
        x: &Points<S, 3>,
        [normal, slip]: [S; 2],
        [push, _]: [S; 2],
        contact: SurfaceShapeContactParameters<S>,
    ) -> Option<[S; 2]> {
        let with_shape = -(contact.normal.dot(contact.displacement) / x.dt);
        Some([S::zero().select_lt(push, with_shape, normal), slip])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 3], SurfaceShapeContactParameters)> {
        let k = 0.1 * number as f32;
        let contact = SurfaceShapeContactParameters {
            weights: [-0.3, -0.2],
            normal: Vec3 { x: 0.6, y: 0.0, z: 0.8 },
            point: Vec3 { x: 0.2, y: 0.3 - k, z: 0.1 },
            displacement: Vec3 { x: 0.01, y: -0.02, z: 0.01 * k },
            distance: 0.25,
            friction: SAMPLE_FRICTION,
            max_depenetration_speed: 0.001,
        };
        Some(([[-1.0, 0.1, k], [1.0, -0.2, 0.5], [0.0, k, -1.0]], contact))
    }
}

/// Returns the vector from the nearest point of the second feature to that of the first.
fn apart<S: Real>(x: &[Point<S>; 4], [u, v, w]: [S; 3]) -> Vec3<S> {
    (x[1] - x[0]) * u + (x[2] - x[0]) * v + (x[3] - x[0]) * w
}
