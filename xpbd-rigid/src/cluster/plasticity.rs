//! Plastic flow of a cluster: its rest shape follows what deforms it too much.
//!
//! The rest position of a member is P p, with p as it was built and P the plastic deformation. With
//! A₀ = Σ m d pᵀ and M = Σ m p pᵀ the best linear fit is F = A₀ (P M)⁻¹, and its stretch beyond the
//! rotation R is the strain E = sym(Rᵀ F) − I. Where it exceeds the yield strain it flows over
//! (\[Mueller05\]):
//!
//! ```text
//! P ← P + min(c h, 1) E P        where ‖E‖ > yield
//! P ← I + min(1, limit / ‖P − I‖) (P − I)
//! P ← P / ∛det P
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | d, p | member from the centre, now and as built | m |
//! | c | creep | 1/s |
//! | ‖·‖ | Frobenius norm | 1 |

use glam::{Mat3, Vec3};
use xpbd_core::plasticity::Plasticity;

use super::polar::{cross, dot};

/// No plasticity, in the form that a kernel reads.
pub(super) const NONE: Plasticity = Plasticity { yield_strain: f32::MAX, creep: 0.0, limit: 0.0 };

/// Returns the plastic deformation after a substep of `h` \[s\] for a cluster whose deformation is given by `a`
/// and `moment`, at the rotation `r`.
pub(super) fn flow(law: Plasticity, plastic: Mat3, a: [Vec3; 3], moment: Mat3, r: [Vec3; 3], h: f32) -> Mat3 {
    let Some(e) = strain(plastic, a, moment, r) else { return plastic };
    let norm = norm(e);
    if !(norm > law.yield_strain && norm < f32::MAX) {
        return plastic;
    }
    let part = (law.creep * h).min(1.0);
    let p = [plastic.x_axis, plastic.y_axis, plastic.z_axis];
    bounded(law, p.map(|column| column + (((e[0] * column.x + e[1] * column.y) + e[2] * column.z) * part)))
}

/// Returns a deformation within the limit that keeps the volume.
fn bounded(law: Plasticity, p: [Vec3; 3]) -> Mat3 {
    let off = [p[0] - Vec3::X, p[1] - Vec3::Y, p[2] - Vec3::Z];
    let part = (law.limit / norm(off).max(law.limit)).min(1.0);
    let p = [Vec3::X + off[0] * part, Vec3::Y + off[1] * part, Vec3::Z + off[2] * part];
    let k = inverse_cube_root(dot(cross(p[0], p[1]), p[2]));
    Mat3::from_cols(p[0] * k, p[1] * k, p[2] * k)
}

/// A column of M shorter than this part of the longest is what rounding has left of a flat cluster.
const FLAT: f32 = 1e-6;

/// E, by columns; none for a cluster that spans no volume.
fn strain(plastic: Mat3, a: [Vec3; 3], moment: Mat3, r: [Vec3; 3]) -> Option<[Vec3; 3]> {
    let column = |m: Vec3| (plastic.x_axis * m.x + plastic.y_axis * m.y) + plastic.z_axis * m.z;
    let x = [column(moment.x_axis), column(moment.y_axis), column(moment.z_axis)];
    let (row0, row1, row2) = (cross(x[1], x[2]), cross(x[2], x[0]), cross(x[0], x[1]));
    let determinant = dot(x[0], row0);
    let l = [dot(x[0], x[0]).sqrt(), dot(x[1], x[1]).sqrt(), dot(x[2], x[2]).sqrt()];
    let (shortest, longest) = (l[0].min(l[1]).min(l[2]), l[0].max(l[1]).max(l[2]));
    let spans_volume = determinant > 1e-5 * ((l[0] * l[1]) * l[2]) && shortest > FLAT * longest;
    if !spans_volume {
        return None;
    }
    let (k0, k1, k2) = (row0 / determinant, row1 / determinant, row2 / determinant);
    let f = [
        (a[0] * k0.x + a[1] * k1.x) + a[2] * k2.x,
        (a[0] * k0.y + a[1] * k1.y) + a[2] * k2.y,
        (a[0] * k0.z + a[1] * k1.z) + a[2] * k2.z,
    ];
    let xy = 0.5 * (dot(r[0], f[1]) + dot(r[1], f[0]));
    let xz = 0.5 * (dot(r[0], f[2]) + dot(r[2], f[0]));
    let yz = 0.5 * (dot(r[1], f[2]) + dot(r[2], f[1]));
    Some([
        Vec3::new(dot(r[0], f[0]) - 1.0, xy, xz),
        Vec3::new(xy, dot(r[1], f[1]) - 1.0, yz),
        Vec3::new(xz, yz, dot(r[2], f[2]) - 1.0),
    ])
}

fn norm(m: [Vec3; 3]) -> f32 {
    ((dot(m[0], m[0]) + dot(m[1], m[1])) + dot(m[2], m[2])).sqrt()
}

/// 1/∛d by Newton's method, for d above 0 and below 4; a strain below 1 keeps d there.
fn inverse_cube_root(d: f32) -> f32 {
    let mut k = 1.0;
    for _ in 0..12 {
        k *= (4.0 - d * ((k * k) * k)) / 3.0;
    }
    k
}
