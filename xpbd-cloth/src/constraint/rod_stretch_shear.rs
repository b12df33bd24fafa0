//! Stretch and shear of a rod's segment (\[Kugelstadt16\] Position and Orientation Based Cosserat Rods, eq. 3,
//! with the strain in the frame of the segment).
//!
//! A segment between two particles turns with a frame d₁, d₂, d₃ of its own, which at rest points along it:
//!
//! ```text
//!           d₁                 C = (Δ·d₁, Δ·d₂, Δ·d₃ − l),   Δ = x₁ − x₀
//!      x₀ ●─┴──▶ d₃ ──● x₁     two rows of shear and one of stretch [m]
//! ```
//!
//! The energy of a segment is ½ (k G A (Γ₁² + Γ₂²) + E A Γ₃²) l with the strain Γ = C/l, so that
//!
//! ```text
//! α = l/(E A),   α₁ = α₂ = l/(k G A) = s α,   s = E/(k G)
//! ```
//!
//! Every multiplier is admissible; λ/h² is the force that the segment transmits \[N\].
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | d₁, d₂, d₃ | frame of the segment, d₃ = d₁ × d₂ along it | 1 |
//! | l | rest length | m |
//! | A | cross-section | m² |
//! | E, G | Young's and shear modulus | Pa |
//! | k | part of the cross-section that takes shear, 6 (1 + ν)/(7 + 6 ν) for a round one (\[Cowper66\] The Shear Coefficient in Timoshenko's Beam Theory) | 1 |
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

use super::{sample_axes, sample_point};

xpbd_core::parameters! {
    /// Parameters of [`RodStretchShear`].
    pub struct RodStretchShearParameters<S> {
        /// Rest length l \[m\].
        pub rest_length: S,
        /// Compliance of shear as a multiple s of that of stretch \[1\].
        pub shear_ratio: S,
    }
}

/// A constraint that ties the direction and length between two particles to the frame of a body. Compliance \[m/N\].
///
/// Its points are the particles, then the axes d₁ and d₂.
#[derive(Debug, Clone, Copy)]
pub struct RodStretchShear;

impl Constraint<4, 3> for RodStretchShear {
    type Parameters<S: Copy> = RodStretchShearParameters<S>;

    const NAME: &'static str = "rod-stretch-shear";

    fn value<S: Real>(x: &Points<S, 4>, segment: RodStretchShearParameters<S>) -> [S; 3] {
        let along = x.now[1] - x.now[0];
        let [d1, d2] = [x.now[2].axis(), x.now[3].axis()];
        [along.dot(d1), along.dot(d2), along.dot(d1.cross(d2)) - segment.rest_length]
    }

    fn compliance<S: Real>(alpha: S, segment: RodStretchShearParameters<S>) -> [[S; 3]; 3] {
        let shear = alpha * segment.shear_ratio;
        super::diagonal([shear, shear, alpha])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], RodStretchShearParameters)> {
        let [d1, d2] = sample_axes(number);
        let segment = RodStretchShearParameters { rest_length: 0.8, shear_ratio: 3.0 };
        Some(([sample_point(number), sample_point(number + 7), d1, d2], segment))
    }
}
