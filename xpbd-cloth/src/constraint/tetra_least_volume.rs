//! Least volume of a tetrahedron: what is pressed together farther than its material bears does not turn inside out.
//!
//! ```text
//! C = V/V₀ − r ≥ 0
//! ```
//!
//! with the volume and the gradient of [`TetraVolume`]. The admissible multipliers are λ ≥ 0: it pushes
//! faces apart, and never pulls. A sweep of a material that is pressed against a floor overshoots where a substep moves it by
//! more than a tetrahedron is high, and every material whose energy is finite there is turned inside out by a
//! load that is large enough. This one is solved after contacts, and has the last word.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V, V₀ | volume, at rest | m³ |
//! | r | least volume, as a part of that at rest | 1 |
//! | α | compliance, as a rule 0 | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::tetra;
use super::tetra_volume::{TetraVolume, TetraVolumeParameters};

xpbd_core::parameters! {
    /// Parameters of [`TetraLeastVolume`].
    pub struct TetraLeastVolumeParameters<S> {
        /// The volume that it is compared with.
        pub volume: TetraVolumeParameters<S>,
        /// Least volume, as a part of that \[1\].
        pub least: S,
    }
}

/// A lower limit of the relative volume of a tetrahedron. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct TetraLeastVolume;

impl Constraint<4, 1> for TetraLeastVolume {
    type Parameters<S: Copy> = TetraLeastVolumeParameters<S>;

    const NAME: &'static str = "tetra-least-volume";
    const AFTER_CONTACTS: bool = true;

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: TetraLeastVolumeParameters<S>) -> [S; 1] {
        TetraVolume::value(x, tetrahedron.volume).map(|growth| growth + 1.0 - tetrahedron.least)
    }

    fn gradient<S: Real>(
        x: &Points<S, 4>,
        tetrahedron: TetraLeastVolumeParameters<S>,
    ) -> Option<[[scalar::Vec3<S>; 4]; 1]> {
        TetraVolume::gradient(x, tetrahedron.volume)
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: TetraLeastVolumeParameters<S>, _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], TetraLeastVolumeParameters)> {
        let (rest, points) = tetra::sample(number);
        Some((points, TetraLeastVolumeParameters::new(rest, 0.3)))
    }
}

impl TetraLeastVolumeParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] whose volume is to be at least this part of that \[1\].
    pub fn new(rest: [Vec3; 4], least: f32) -> Self {
        Self { volume: TetraVolumeParameters::new(rest), least }
    }
}
