//! Damping of a particle relative to a moving frame: cloth on a character that runs.
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
use xpbd_core::scalar::Vec3;

xpbd_core::parameters! {
    /// Parameters of [`FrameDrag`].
    pub struct FrameDragParameters<S> {
        /// Velocity v of the frame \[m/s\].
        pub velocity: Vec3<S>,
        /// Angular velocity ω of the frame \[rad/s\].
        pub angular_velocity: Vec3<S>,
        /// Centre p of the frame \[m\].
        pub centre: Vec3<S>,
    }
}

/// A constraint that drags a particle along with a frame. Compliance \[s/kg\].
#[derive(Debug, Clone, Copy)]
pub struct FrameDrag;

impl Constraint<1, 3> for FrameDrag {
    type Parameters<S: Copy> = FrameDragParameters<S>;

    const NAME: &'static str = "frame-drag";
    const DISSIPATES: bool = true;

    fn value<S: Real>(x: &Points<S, 1>, frame: FrameDragParameters<S>) -> [S; 3] {
        let (now, before) = (x.now[0], x.before[0]);
        // The difference to the centre comes first: it is exact far from the origin.
        let arm = before.local() + (before.origin() - frame.centre);
        let velocity = frame.velocity + frame.angular_velocity.cross(arm);
        (((now - before) - velocity * x.dt) / x.dt.sqrt()).to_array()
    }
}
