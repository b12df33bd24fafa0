//! Coverage: the part of the space behind a contact plane that the shape of the plane fills, as a medium sees it.
//!
//! A wall counts in a medium as if everything behind its plane were filled, and that is too much beside an edge and behind a
//! thin wall. A kernel centred at x, in the frame of a box with half edges a, is filled by the box to
//!
//! ```text
//! maxᵢ P(xᵢ, aᵢ) ∏ⱼ≠ᵢ P(4/3 xⱼ, 4/3 aⱼ)        P(x, a) = 1 − F(a − x) − F(a + x),    F(−z) = 1 − F(z)
//! ```
//!
//! where F(z) is the part of Wendland's C² kernel beyond a plane at a distance of z reaches \[Koschier17\]. This is a product over
//! the axes, the project's own: the axis i points out of the box, and along the box the kernel is narrower, since what lies beyond
//! a plane is a cap of it. The factor 4/3 is from the cubic lattice, on which a box then leaves rest density within 0.1 % at its
//! faces, edges and corners; without it the error is 1.5 %, and with half-spaces 5 %. The coverage of a plane is this over F at the
//! height above the plane, so that it is 1 in front of a face of a thick box.
//!
//! A cylinder counts as a box in the plane through its axis and x. All other shapes cover what is behind their planes.

use glam::Vec3;
use parry3d::shape::{Shape, TypedShape};

use crate::program::wgsl::function;
use crate::program::{Graph, Sym};
use crate::scalar::{self, Real, Single};

/// By how much the kernel is narrower along a box than out of it \[1\].
const NARROWER: f32 = 4.0 / 3.0;

/// Greatest height for which coverage is computed, in reaches \[1\]: it is a quotient of numbers that vanish at the reach.
/// Members that are higher get the coverage at this height.
pub const HIGHEST: f32 = 0.5;

/// A half edge that reaches beyond everything, in reaches \[1\].
pub const ENDLESS: f32 = 4.0;

/// Returns the part of the kernel that lies beyond a plane \[1\] at a distance of z reaches, times a `scale`.
#[inline]
pub fn fill_behind<S: Real>(z: S, scale: f32) -> S {
    let u = S::one() - z.clamp(S::zero(), S::one());
    let square = u * u;
    (square * square * square) * scale * (S::literal(3.5) - u * 4.5 + square * 1.5)
}

/// Returns the part of the kernel \[1\] that lies between two planes at a distance of `half` reaches from the origin, if its
/// centre is at a distance of x.
fn fill_between<S: Real>(x: S, half: S) -> S {
    let inside = half - x.abs();
    let beyond = fill_behind(inside.abs(), 1.0);
    let near = inside.select_lt(S::zero(), beyond, S::one() - beyond);
    near - fill_behind(half + x.abs(), 1.0)
}

/// Returns the coverage \[1\] of a box with these half edges at `x` in its frame, at a height above the nearest plane of the
/// box; lengths in reaches.
fn of_box<S: Real>(x: scalar::Vec3<S>, half: scalar::Vec3<S>, height: S) -> S {
    let [a, b, c] = [(x.x, half.x), (x.y, half.y), (x.z, half.z)]
        .map(|(x, half)| [fill_between(x, half), fill_between(x * NARROWER, half * NARROWER)]);
    let filled = (a[0] * b[1] * c[1]).max(a[1] * b[0] * c[1]).max(a[1] * b[1] * c[0]);
    (filled / fill_behind(height, 1.0)).clamp(S::zero(), S::one())
}

/// Returns the coverage \[1\] of a shape behind the plane through `point` with a `normal`, for a member at `x` that sees as far
/// as `reach` \[m\]; all in the frame of the shape.
pub(crate) fn of_shape(shape: &dyn Shape, point: Vec3, normal: Vec3, x: Vec3, reach: f32) -> f32 {
    let height = normal.dot(x - point).max(0.0).min(HIGHEST * reach);
    let x = point + normal * height;
    let per_reach = 1.0 / reach;
    let (x, half) = match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => (x * per_reach, cuboid.half_extents * per_reach),
        TypedShape::Cylinder(cylinder) => {
            let away = (x.x * x.x + x.z * x.z).sqrt();
            let half = Vec3::new(cylinder.radius * per_reach, cylinder.half_height * per_reach, ENDLESS);
            (Vec3::new(away * per_reach, x.y * per_reach, 0.0), half)
        }
        _ => return 1.0,
    };
    of_box(x.into(), half.into(), Single(height * per_reach)).0
}

/// Returns the functions that walls need on a GPU, as WGSL.
pub fn wgsl() -> String {
    let graph = &Graph::new();
    let behind = function(graph, "fill_behind", ["z"], |(z,): (Sym,)| fill_behind(z, 1.0));
    behind + &function(graph, "coverage_of_box", ["x", "half", "height"], |(x, half, height)| of_box(x, half, height))
}

#[cfg(test)]
mod tests {
    use parry3d::shape::SharedShape;

    use super::*;

    /// Returns the part of the weights of a cubic lattice, two spacings a reach, that those have which `lack` tells.
    fn lattice(lack: impl Fn([i32; 3]) -> bool) -> f32 {
        let mut sums = [0.0_f32; 2];
        for k in 0..125 {
            let x = [k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2];
            let q = 0.5 * (x.iter().map(|x| x * x).sum::<i32>() as f32).sqrt();
            let u = (1.0 - q).max(0.0);
            let weight = u * u * u * u * (4.0 * q + 1.0);
            sums[0] += weight;
            sums[1] += if lack(x) { weight } else { 0.0 };
        }
        sums[1] / sums[0]
    }

    /// Returns what a cube of three reaches fills at a place beside its corner, over what a half-space fills a quarter of a
    /// reach below.
    fn filled(place: Vec3) -> f32 {
        let half = Vec3::splat(1.5);
        let nearest = place.clamp(-half, half);
        let height = (place - nearest).length();
        let cube = SharedShape::cuboid(half.x, half.y, half.z);
        let coverage = of_shape(&*cube, nearest, (place - nearest) / height, place, 1.0);
        coverage * fill_behind(Single(height), 1.0).0 / fill_behind(Single(0.25_f32), 1.0).0
    }

    /// A particle in the first layer on a face, a quarter of a reach from it, lacks what a half lattice lacks, and at an edge
    /// and a corner a quarter and an eighth of the lattice.
    #[test]
    fn a_box_fills_what_the_lattice_lacks_beside_it() {
        let face = lattice(|[x, ..]| x < 0);
        let cases = [
            (Vec3::new(1.75, 0.0, 0.0), face),
            (Vec3::new(1.75, 1.25, 0.0), lattice(|[x, y, _]| x < 0 && y <= 0)),
            (Vec3::new(1.75, 1.75, 0.0), lattice(|[x, y, _]| x < 0 && y < 0)),
            (Vec3::new(1.75, 1.75, 1.25), lattice(|[x, y, z]| x < 0 && y < 0 && z <= 0)),
            (Vec3::splat(1.75), lattice(|x| x.iter().all(|&x| x < 0))),
        ];
        for (place, lacks) in cases {
            let error = (filled(place) - lacks / face) * face;
            assert!(error.abs() < 1e-3, "{place}: {} for {}", filled(place), lacks / face);
        }
    }

    #[test]
    fn a_thin_plate_fills_one_layer_of_the_lattice() {
        let plate = SharedShape::cuboid(4.0, 0.25, 4.0);
        let coverage = of_shape(&*plate, Vec3::Y * 0.25, Vec3::Y, Vec3::Y * 0.5, 1.0);
        let expected = lattice(|[_, y, _]| y == -1) / lattice(|[_, y, _]| y < 0);
        assert!((coverage - expected).abs() < 1e-2, "{coverage} for {expected}");
    }

    #[test]
    fn the_rim_of_a_wide_cylinder_is_an_edge_and_other_shapes_have_none() {
        let away = Vec3::new(0.6, 0.8, 0.0);
        let of = |shape: SharedShape, corner: Vec3| of_shape(&*shape, corner, away, corner + 0.3 * away, 1.0);
        let edge = of(SharedShape::cuboid(100.0, 2.0, 100.0), Vec3::new(100.0, 2.0, 0.0));
        let rim = of(SharedShape::cylinder(2.0, 100.0), Vec3::new(100.0, 2.0, 0.0));
        assert!((edge - rim).abs() < 1e-4 && (0.1..0.5).contains(&edge), "{edge} {rim}");
        assert_eq!(of(SharedShape::ball(1.0), away), 1.0);
    }
}
