//! The nodes of a constraint while its update is recorded.

use crate::program::Sym;
use crate::scalar::{Real, Vec3};

/// A node of the constraint while its update is recorded.
pub(super) struct RecordedNode<'g> {
    pub inverse_mass: Sym<'g>,
    pub share: Sym<'g>,
    /// Current position relative to the origin of the constraint.
    pub position: Vec3<Sym<'g>>,
    /// Position at the start of the substep relative to the origin of the constraint.
    pub start: Vec3<Sym<'g>>,
    pub velocity: Vec3<Sym<'g>>,
    pub body: Option<RecordedBody<'g>>,
    /// Δx so far, or Δv.
    pub displacement: Vec3<Sym<'g>>,
}

pub(super) struct RecordedBody<'g> {
    pub rotation: [Sym<'g>; 4],
    pub inverse_inertia: Vec3<Sym<'g>>,
    pub angular_velocity: Vec3<Sym<'g>>,
    /// Rotation vector so far, or change of angular velocity.
    pub rotation_correction: Vec3<Sym<'g>>,
}

/// A row's gradient with respect to one node's generalized position.
#[derive(Clone, Copy)]
pub(super) struct NodeGradient<'g> {
    pub linear: Vec3<Sym<'g>>,
    pub angular: Vec3<Sym<'g>>,
}

impl NodeGradient<'_> {
    /// Returns the gradient of what does not depend on the node.
    pub fn zero() -> Self {
        Self { linear: Vec3::zero(), angular: Vec3::zero() }
    }
}

/// Returns the axes of a body of this orientation in the world.
pub(super) fn body_axes<'g>([x, y, z, w]: [Sym<'g>; 4]) -> [Vec3<Sym<'g>>; 3] {
    let [x2, y2, z2] = [x, y, z].map(|part| part + part);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        Vec3::new(Sym::one() - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, Sym::one() - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, Sym::one() - (xx + yy)),
    ]
}

impl<'g> RecordedBody<'g> {
    /// Returns R I⁻¹ Rᵀ applied to a vector in the world. The matrix is the same for all rows.
    pub fn angular_acceleration(&self, torque: Vec3<Sym<'g>>) -> Vec3<Sym<'g>> {
        let columns = body_axes(self.rotation).map(Vec3::to_array);
        let i = self.inverse_inertia.to_array();
        let entry = |a: usize, b: usize| {
            let term = |k: usize| columns[k][a] * i[k] * columns[k][b];
            term(0) + term(1) + term(2)
        };
        let row = |a: usize| [0, 1, 2].map(|b| entry(a.max(b), a.min(b)));
        let t = torque.to_array();
        let [x, y, z] = [0, 1, 2].map(|a| {
            let [r0, r1, r2] = row(a);
            r0 * t[0] + r1 * t[1] + r2 * t[2]
        });
        Vec3::new(x, y, z)
    }
}

/// Returns whether a vector has one component that is not zero. Its product with the mass then serves all
/// rows that differ in the direction alone, as those of a linear constraint do.
pub(super) fn is_axis_aligned(vector: Vec3<Sym<'_>>) -> bool {
    vector.to_array().into_iter().filter(|component| component.same(Sym::zero())).count() == 2
}

/// w a·b.
pub(super) fn weighted_dot<'g>(w: Sym<'g>, a: Vec3<Sym<'g>>, b: Vec3<Sym<'g>>) -> Sym<'g> {
    if is_axis_aligned(a) { (a * w).dot(b) } else { w * a.dot(b) }
}

/// w g Δλ.
pub(super) fn weighted<'g>(w: Sym<'g>, g: Vec3<Sym<'g>>, change: Sym<'g>) -> Vec3<Sym<'g>> {
    if is_axis_aligned(g) { g * w * change } else { g * (w * change) }
}
