//! Volume of a tetrahedron, with its sign: inverted ones are turned back.
//!
//! ```text
//! C = V/V₀ − 1,   V = (x₁ − x₀) × (x₂ − x₀) · (x₃ − x₀)/6
//! ```
//!
//! The gradient of 6 V is, for each point, the area vector of the opposite face: it is there in a flat
//! tetrahedron too, and points out of it on the side where the point was at rest. The stored energy
//! ½ K V₀ C² of a bulk modulus K makes the compliance α = 1/(K V₀). Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V, V₀ | volume, at rest | m³ |
//! | K | bulk modulus | Pa |
//! | α | compliance | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::tetra;

xpbd_core::parameters! {
    /// Parameters of [`TetraVolume`].
    pub struct TetraVolumeParameters<S> {
        /// Inverse of six times the rest volume, 1/(6 V₀) \[1/m³\].
        pub inverse_six_volumes: S,
    }
}

/// A constraint on the relative change of volume of a tetrahedron. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct TetraVolume;

impl Constraint<4, 1> for TetraVolume {
    type Parameters<S: Copy> = TetraVolumeParameters<S>;

    const NAME: &'static str = "tetra-volume";

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: TetraVolumeParameters<S>) -> [S; 1] {
        let [d1, d2, d3] = tetra::edges(x);
        [d1.dot(d2.cross(d3)) * tetrahedron.inverse_six_volumes - 1.0]
    }

    fn gradient<S: Real>(x: &Points<S, 4>, tetrahedron: TetraVolumeParameters<S>) -> Option<[[scalar::Vec3<S>; 4]; 1]> {
        let faces = tetra::faces(tetra::edges(x));
        Some([tetra::balanced(faces.map(|face| face * tetrahedron.inverse_six_volumes))])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], TetraVolumeParameters)> {
        let (rest, points) = tetra::sample(number);
        Some((points, TetraVolumeParameters::new(rest)))
    }
}

impl TetraVolumeParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\].
    pub fn new(rest: [Vec3; 4]) -> Self {
        Self { inverse_six_volumes: (1.0 / (6.0 * tetra::volume(rest))) as f32 }
    }
}

impl TetraVolume {
    /// Returns the compliance α \[1/J\] of a tetrahedron at rest \[m\] with the bulk modulus K \[Pa\].
    pub fn compliance(rest: [Vec3; 4], bulk_modulus: f32) -> f32 {
        (1.0 / (f64::from(bulk_modulus) * tetra::volume(rest))) as f32
    }
}
