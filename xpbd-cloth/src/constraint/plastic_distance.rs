//! The [distance between two particles](super::distance), of a thread that stays longer or shorter.
//!
//! At the end of a frame of length dt the rest length follows the part of the stretch that is not borne
//! elastically, as the rest angle of a [plastic fold](super::plastic_dihedral) does:
//!
//! ```text
//! C = |x₀ − x₁| − l,   p = C − clamp(C, −y l, y l)
//! l ← clamp(l + min(c dt, 1) p, l₋, l₊)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | l | rest length | m |
//! | y | strain that is borne elastically | 1 |
//! | c | creep: the part of p that becomes permanent in a second | 1/s |
//! | l₋, l₊ | the least and the largest rest length | m |
//! | α | compliance, 1/stiffness | m/N |

use xpbd_core::prelude::*;

use super::Distance;

/// Holds two particles at a distance until it yields. Parameters: rest length l \[m\], y \[1\], c \[1/s\],
/// l₋ and l₊ \[m\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticDistance;

impl Constraint<2, 1> for PlasticDistance {
    type Parameters<S: Copy> = [S; 5];

    const NAME: &'static str = "plastic-distance";

    fn value<S: Real>(x: &Points<S, 2>, [rest, ..]: [S; 5]) -> [S; 1] {
        Distance::value(x, [rest])
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 2>,
        [rest, strain, creep, least, most]: [S; 5],
        dt: S,
    ) -> Option<[S; 5]> {
        let [longer] = Distance::value(x, [rest]);
        let bears = strain * rest;
        let plastic = longer - longer.clamp(-bears, bears);
        let flowed = (rest + plastic * (creep * dt).min(S::one())).clamp(least, most);
        Some([flowed, strain, creep, least, most])
    }
}
