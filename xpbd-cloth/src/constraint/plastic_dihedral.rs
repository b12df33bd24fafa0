//! The [angle between two triangles](super::dihedral), of a sheet that keeps folds: metal, paper, foil.
//!
//! C and its gradient are those of [`Dihedral`]. At the end of a frame of length dt the rest angle follows
//! the part of the angle that the fold does not bear elastically (perfect plasticity that creeps, as
//! \[Mueller04\] has it for solids: Müller and Gross, Interactive Virtual Materials):
//!
//! ```text
//! p = C − clamp(C, −y, y)
//! θ₀ ← clamp(θ₀ + min(c dt, 1) p, θ₋, θ₊)
//! ```
//!
//! Bent to θ for long, it has θ₀ = θ − y; let go, it goes back by y.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | θ₀ | rest angle | rad |
//! | y | angle that is borne elastically, on either side of θ₀ | rad |
//! | c | creep: the part of p that becomes permanent in a second | 1/s |
//! | θ₋, θ₊ | the least and the largest rest angle | rad |
//! | α | compliance | rad²/J |

use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::Dihedral;

/// Holds the angle between two triangles until it yields. Parameters: rest angle θ₀ \[rad\], y \[rad\],
/// c \[1/s\], θ₋ and θ₊ \[rad\]. Compliance \[rad²/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticDihedral;

impl Constraint<4, 1> for PlasticDihedral {
    type Parameters<S: Copy> = [S; 5];

    const NAME: &'static str = "plastic-dihedral";

    fn value<S: Real>(x: &Points<S, 4>, [rest, ..]: [S; 5]) -> [S; 1] {
        Dihedral::value(x, [rest])
    }

    fn gradient<S: Real>(x: &Points<S, 4>, [rest, ..]: [S; 5]) -> Option<[[scalar::Vec3<S>; 4]; 1]> {
        Dihedral::gradient(x, [rest])
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 4>,
        [rest, bears, creep, least, most]: [S; 5],
        dt: S,
    ) -> Option<[S; 5]> {
        let [angle] = Dihedral::value(x, [rest]);
        let plastic = angle - angle.clamp(-bears, bears);
        let flowed = (rest + plastic * (creep * dt).min(S::one())).clamp(least, most);
        Some([flowed, bears, creep, least, most])
    }
}
