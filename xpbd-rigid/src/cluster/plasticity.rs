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

use glam::Mat3;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::program::wgsl::{function, function_of_struct};
use xpbd_core::program::{Graph, Sym};
use xpbd_core::scalar::{Real, Single, Vec3};

use super::polar::{Columns, columns_of, combine, from_columns};

/// No plasticity, in the form that a kernel reads.
pub(super) const NONE: Plasticity = Plasticity { yield_strain: f32::MAX, creep: 0.0, limit: 0.0 };

/// Returns the plastic deformation after a substep of `h` \[s\], from the deformation A₀ = `a` of a cluster whose
/// second moments are M = `moment`, at the rotation `r`.
pub(super) fn updated(
    plasticity: Plasticity,
    plastic: Mat3,
    a: Columns<Single>,
    moment: Columns<Single>,
    r: Columns<Single>,
    h: f32,
) -> Mat3 {
    let p = columns_of(plastic);
    let (e, size) = strain(p, a, moment, r);
    if !(size.0 > plasticity.yield_strain && size.0 < f32::MAX) {
        return plastic;
    }
    from_columns(yielded(p, e, Single((plasticity.creep * h).min(1.0)), Single(plasticity.limit)))
}

/// A column of M shorter than this part of the longest is what rounding has left of a flat cluster \[1\].
const FLAT: f32 = 1e-6;
/// A determinant of P M below this part of the product of its columns is that of a flat cluster \[1\].
const MIN_VOLUME: f32 = 1e-5;

/// Returns the strain E by columns, and its norm \[1\]: 0 for a cluster that spans no volume.
fn strain<S: Real>(plastic: Columns<S>, a: Columns<S>, moment: Columns<S>, r: Columns<S>) -> (Columns<S>, S) {
    let x = moment.map(|m| combine(plastic, m));
    let rows = [x[1].cross(x[2]), x[2].cross(x[0]), x[0].cross(x[1])];
    let determinant = x[0].dot(rows[0]);
    let l = x.map(Vec3::length);
    let (shortest, longest) = (l[0].min(l[1]).min(l[2]), l[0].max(l[1]).max(l[2]));
    let k = rows.map(|row| Vec3::new(row.x / determinant, row.y / determinant, row.z / determinant));
    let f = [
        combine(a, Vec3::new(k[0].x, k[1].x, k[2].x)),
        combine(a, Vec3::new(k[0].y, k[1].y, k[2].y)),
        combine(a, Vec3::new(k[0].z, k[1].z, k[2].z)),
    ];
    let mixed = |i: usize, j: usize| (r[i].dot(f[j]) + r[j].dot(f[i])) * 0.5;
    let (xy, xz, yz) = (mixed(0, 1), mixed(0, 2), mixed(1, 2));
    let e = [
        Vec3::new(r[0].dot(f[0]) - 1.0, xy, xz),
        Vec3::new(xy, r[1].dot(f[1]) - 1.0, yz),
        Vec3::new(xz, yz, r[2].dot(f[2]) - 1.0),
    ];
    let size = (longest * FLAT).select_lt(shortest, norm(e), S::zero());
    (e, ((l[0] * l[1]) * l[2] * MIN_VOLUME).select_lt(determinant, size, S::zero()))
}

/// Returns the plastic deformation after a part \[1\] of the strain `e` has flowed over, within the limit \[1\] and
/// with the volume kept.
fn yielded<S: Real>(p: Columns<S>, e: Columns<S>, part: S, limit: S) -> Columns<S> {
    let flowed = p.map(|column| column + combine(e, column) * part);
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let identity = identity.map(|[x, y, z]| Vec3::new(S::literal(x), S::literal(y), S::literal(z)));
    let off: Columns<S> = std::array::from_fn(|k| flowed[k] - identity[k]);
    let kept = (limit / norm(off).max(limit)).min(S::one());
    let bounded: Columns<S> = std::array::from_fn(|k| identity[k] + off[k] * kept);
    let k = inverse_cube_root(bounded[0].cross(bounded[1]).dot(bounded[2]));
    bounded.map(|column| column * k)
}

fn norm<S: Real>(m: Columns<S>) -> S {
    ((m[0].dot(m[0]) + m[1].dot(m[1])) + m[2].dot(m[2])).sqrt()
}

/// Returns 1/∛d by Newton's method, for d above 0 and below 4; a strain below 1 keeps d there.
fn inverse_cube_root<S: Real>(d: S) -> S {
    let mut k = S::one();
    for _ in 0..12 {
        k = k * ((S::literal(4.0) - d * ((k * k) * k)) / 3.0);
    }
    k
}

/// Prints what `project.wgsl` calls.
pub(super) fn wgsl() -> String {
    type M<'g> = Columns<Sym<'g>>;
    let graph = &Graph::new();
    let strain = function_of_struct(
        graph,
        "strain_of",
        ["plastic", "a", "moment", "r"],
        ("Strain", ["e", "size"]),
        |(p, a, moment, r): (M, M, M, M)| strain(p, a, moment, r),
    );
    let yielded = function(graph, "yielded", ["p", "e", "part", "limit"], |(p, e, part, limit): (M, M, Sym, Sym)| {
        yielded(p, e, part, limit)
    });
    strain + &yielded
}
