//! Bending of a rope at the particle between two links.
//!
//! A rod that is straight at rest stores ½ EI κ² for each metre of its length. At the particle
//! between links of lengths l₀ and l₁ the curvature is the change of direction over the length
//! that belongs to it,
//!
//! ```text
//! κ = |(x₂ − x₁)/l₁ − (x₁ − x₀)/l₀| / l̄,      l̄ = (l₀ + l₁)/2
//!   = (1/l₀ + 1/l₁) |C| / l̄,                  C = x₁ − (1 − s) x₀ − s x₂,   s = l₀/(l₀ + l₁)
//! ```
//!
//! so C is the vector from the chord to the particle, and ½ EI κ² l̄ = ½ |C|²/α with
//!
//! ```text
//! α = l₀² l₁² / (2 EI (l₀ + l₁)),             for equal links α = l³/(4 EI)
//! ```
//!
//! The rows are linear: the energy is exact for small angles and, while the links keep their
//! length, 4 sin²(θ/2) in place of θ² for large ones. Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | EI | bending stiffness: Young's modulus times second moment of area | N m² |
//! | κ | curvature | 1/m |
//! | l₀, l₁ | rest lengths of the links before and after x₁ | m |
//! | s | position of x₁ along the chord at rest | 1 |
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

use super::exact_weight;

xpbd_core::parameters! {
    /// Parameters of [`RopeBending`].
    pub struct RopeBendingParameters<S> {
        /// Position s of x₁ along the chord at rest \[1\].
        pub position: S,
    }
}

/// A constraint that keeps three particles on a line. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct RopeBending;

impl Constraint<3, 3> for RopeBending {
    type Parameters<S: Copy> = RopeBendingParameters<S>;

    const NAME: &'static str = "rope-bending";

    fn value<S: Real>(x: &Points<S, 3>, bend: RopeBendingParameters<S>) -> [S; 3] {
        let chord = x.now[2] - x.now[0];
        ((x.now[1] - x.now[0]) - chord * bend.position).to_array()
    }
}

impl RopeBendingParameters {
    /// Creates the parameters for links of these rest lengths \[m\].
    pub fn new([before, after]: [f32; 2]) -> Self {
        Self { position: exact_weight(before / (before + after)) }
    }
}

impl RopeBending {
    /// Returns the compliance \[m/N\] for links of these rest lengths \[m\] and the bending stiffness EI \[N m²\].
    pub fn compliance([before, after]: [f32; 2], stiffness: f32) -> f32 {
        let product = before * after;
        product / (2.0 * (before + after)) * (product / stiffness)
    }
}
