//! Functions that the constraints of tetrahedra share: the deformation gradient in a frame of the rest shape
//! ([its theory](super::tetra_strain)).

use glam::{DVec3, Vec3};
use xpbd_core::prelude::*;
use xpbd_core::scalar;

/// Returns the edges d₁, d₂, d₃ of a tetrahedron from its first point.
pub(super) fn edges<S: Real>(x: &Points<S, 4>) -> [scalar::Vec3<S>; 3] {
    [1, 2, 3].map(|k| x.now[k] - x.now[0])
}

/// Returns the columns of F from the edges and r₁₁, r₁₂, r₂₂, r₁₃, r₂₃, r₃₃.
pub(super) fn columns<S: Real>(
    [d1, d2, d3]: [scalar::Vec3<S>; 3],
    [r11, r12, r22, r13, r23, r33]: [S; 6],
) -> [scalar::Vec3<S>; 3] {
    [d1 * r11, d1 * r12 + d2 * r22, d1 * r13 + d2 * r23 + d3 * r33]
}

/// Returns the gradients of six times the volume with respect to x₁, x₂, x₃: the faces around x₀.
pub(super) fn faces<S: Real>([d1, d2, d3]: [scalar::Vec3<S>; 3]) -> [scalar::Vec3<S>; 3] {
    [d2.cross(d3), d3.cross(d1), d1.cross(d2)]
}

/// Returns the gradients of all four points, which sum to zero, from those of x₁, x₂, x₃.
pub(super) fn balanced<S: Real>([g1, g2, g3]: [scalar::Vec3<S>; 3]) -> [scalar::Vec3<S>; 4] {
    [-(g1 + g2 + g3), g1, g2, g3]
}

/// Returns the numbers r₁₁, r₁₂, r₂₂, r₁₃, r₂₃, r₃₃ \[1/m\] of a tetrahedron at rest.
pub(super) fn inverse_rest(rest: [Vec3; 4]) -> [f32; 6] {
    let [d1, d2, d3] = [1, 2, 3].map(|k| rest[k].as_dvec3() - rest[0].as_dvec3());
    let a = d1.length();
    let e1 = d1 / a;
    let b = d2.dot(e1);
    let c = (d2 - e1 * b).length();
    let e2 = (d2 - e1 * b) / c;
    let (p, q, r) = (d3.dot(e1), d3.dot(e2), d3.dot(e1.cross(e2)));
    [1.0 / a, -b / (a * c), 1.0 / c, (b * q - p * c) / (a * c * r), -q / (c * r), 1.0 / r].map(|r| r as f32)
}

/// Returns the volume \[m³\] of a tetrahedron, positive if x₁, x₂, x₃ run counter-clockwise seen from outside the face
/// that lies opposite to x₀, that is if (x₁ − x₀) × (x₂ − x₀) points to the side of x₃.
pub(crate) fn volume(rest: [Vec3; 4]) -> f64 {
    let [x0, x1, x2, x3] = rest.map(Vec3::as_dvec3);
    let edges: [DVec3; 3] = [x1 - x0, x2 - x0, x3 - x0];
    edges[0].cross(edges[1]).dot(edges[2]) / 6.0
}

/// Returns a tetrahedron at rest and deformed, for self-checks.
pub(super) fn sample(number: u32) -> ([Vec3; 4], [[f32; 3]; 4]) {
    let k = number as f32;
    let rest = [
        Vec3::ZERO,
        Vec3::new(0.8 + 0.1 * k, 0.3, 0.1 * k),
        Vec3::new(-0.2, 0.9 - 0.05 * k, 0.4),
        Vec3::new(0.1 * k, -0.2, 1.1 + 0.05 * k),
    ];
    let bent = [
        Vec3::new(0.1, 0.0, -0.05 * k),
        Vec3::new(-0.1, 0.2, 0.1),
        Vec3::new(0.0, 0.02 * k, 0.15),
        Vec3::new(0.1, -0.1, 0.05 * k),
    ];
    (rest, std::array::from_fn(|i| (rest[i] + bent[i]).to_array()))
}
