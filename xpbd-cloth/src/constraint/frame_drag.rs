//! Damping of a particle relative to a frame that moves: cloth on a character that runs.
//!
//! With the velocity of the frame at the particle, V = v + ω × (xⁿ − p), the rows are
//!
//! ```text
//! C = ((x − xⁿ) − h V)/√h,   α = 1/(k m)
//! ```
//!
//! so that the force −∇Cᵀ C/α is −k m (u − V), and however large k is the particle takes at most the
//! velocity of the frame. Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | v, ω | velocity and angular velocity of the frame, as far as the cloth is to follow them | m/s, rad/s |
//! | p | centre of the frame | m |
//! | k | rate of the damping | 1/s |
//! | m | mass of the particle | kg |
//! | α | compliance | s/kg |

use xpbd_core::prelude::*;
use xpbd_core::scalar;

/// Drags a particle along with a frame. Parameters: v \[m/s\], ω \[rad/s\], p \[m\]. Compliance \[s/kg\].
#[derive(Debug, Clone, Copy)]
pub struct FrameDrag;

impl Constraint<1, 3> for FrameDrag {
    type Parameters<S: Copy> = [S; 9];

    const NAME: &'static str = "frame-drag";
    const DISSIPATES: bool = true;

    fn value<S: Real>(x: &Points<S, 1>, [vx, vy, vz, wx, wy, wz, px, py, pz]: [S; 9]) -> [S; 3] {
        let (now, before) = (x.now[0], x.before[0]);
        // The centre first: far from the origin that difference is exact.
        let arm = before.local() + (before.origin() - scalar::Vec3::new(px, py, pz));
        let velocity = scalar::Vec3::new(vx, vy, vz) + scalar::Vec3::new(wx, wy, wz).cross(arm);
        (((now - before) - velocity * x.dt) / x.dt.sqrt()).to_array()
    }
}
