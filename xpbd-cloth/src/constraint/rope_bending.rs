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
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

use super::exact_weight;

/// Keeps three particles on a line. Parameter: s, where x₁ stands between x₀ and x₂ at rest \[1\].
/// Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct RopeBending;

impl Constraint<3, 3> for RopeBending {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "rope-bending";

    fn value<S: Real>(x: &Points<S, 3>, [s]: [S; 1]) -> [S; 3] {
        let along = x.now[2] - x.now[0];
        ((x.now[1] - x.now[0]) - along * s).to_array()
    }
}

impl RopeBending {
    /// Parameter for links of these rest lengths \[m\].
    pub fn params([before, after]: [f32; 2]) -> [f32; 1] {
        [exact_weight(before / (before + after))]
    }

    /// Returns the compliance \[m/N\] for links of these rest lengths \[m\] and bending stiffness EI \[N m²\].
    pub fn compliance([before, after]: [f32; 2], stiffness: f32) -> f32 {
        let product = before * after;
        product / (2.0 * (before + after)) * (product / stiffness)
    }
}
