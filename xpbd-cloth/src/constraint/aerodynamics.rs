//! What the air does to a triangle that moves through it: pressure, lift and friction.
//!
//! Every corner carries a third of the triangle. With d = (xᵢ − xᵢⁿ) − h w, its displacement through
//! the air in a substep, ℓ = |d|, the unit normal n of the triangle at the start of the substep and
//! σ = d·n/ℓ, the sine of the angle of attack, the row of a corner is
//!
//! ```text
//! C = ℓ √(ℓ φ)/h,   φ = σ² (a + e |σ|) + ⅔ b,   e = ⅔ (c − b) − a,   α = 6/(ρ A)
//! ```
//!
//! so that the force −∇C C/α is that of a plate in a wind u = d/h, quadratic in speed, with
//!
//! ```text
//! F = ½ ρ (A/3) |u|² (C_D, C_L),   C_D = b + 3/2 a σ² + (c − b − 3/2 a) |σ|³   against the motion
//!                                  C_L = σ √(1 − σ²) (a − (3/2 a + b − c) |σ|)  across it
//! ```
//!
//! c face-on, b edge-on, and a lift of slope a at small angles. The drag 3/2 a σ² that comes with
//! the lift is a half more than that of the normal force of a thin plate, a σ²: a force that is the
//! gradient of a dissipation potential, here C²/(2α) of degree three in d, has none between.
//!
//! **Never faster than the wind.** C is of degree 3/2 in d, so ∇C·d = 3/2 C, and however light the
//! corner is the update moves it along ∇C by at most C/|∇C| = ⅔ d·g, g = ∇C/|∇C|. Then
//! |d|² loses at least 8/9 (d·g)²: a row takes speed relative to the air, never adds any, and the
//! force is limited by the momentum of the relative wind without a limit being written down.
//!
//! The gradient is written by hand, without the roots that vanish in still air:
//! ∇C = √ℓ/(h √φ) [n σ (a + 3/2 e |σ|) + (d/ℓ) (½ a σ² + b)]. Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | w | wind | m/s |
//! | ρ | density of the air | kg/m³ |
//! | A | rest area of the triangle | m² |
//! | a | slope of the lift coefficient | 1/rad |
//! | b, c | drag coefficients edge-on and face-on | 1 |
//! | α | compliance | m²/kg |

use xpbd_core::prelude::*;
use xpbd_core::scalar;
use xpbd_core::scalar::real::TINY;

/// Air on the three corners of a triangle. Parameters: the wind \[m/s\], a, e, b, and the part of the
/// pressure on the side against the normal that counts \[1\], 0 or 1. Compliance \[m²/kg\].
#[derive(Debug, Clone, Copy)]
pub struct Aerodynamics;

/// A corner in the air.
struct Corner<S> {
    /// Way through the air \[m\], its length, and its direction.
    length: S,
    along: scalar::Vec3<S>,
    /// Sine of the angle of attack, 0 on a side that does not count, and its derivative by d·n/ℓ.
    sine: S,
    slope: S,
}

impl<S: Real> Corner<S> {
    fn new(way: scalar::Vec3<S>, normal: scalar::Vec3<S>, back: S) -> Self {
        let length = way.length();
        let along = way / length.max(S::literal(TINY));
        let sine = along.dot(normal);
        let slope = sine.select_lt(S::zero(), back, S::one());
        Self { length, along, sine: sine * slope, slope }
    }

    /// φ, which rounding may take below zero where there is neither drag nor friction.
    fn coefficient(&self, [a, e, b]: [S; 3]) -> S {
        (self.sine * self.sine * (a + e * self.sine.abs()) + b * (2.0 / 3.0)).max(S::zero())
    }
}

impl Aerodynamics {
    fn corners<S: Real>(x: &Points<S, 3>, params: [S; 7]) -> ([Corner<S>; 3], scalar::Vec3<S>) {
        let [wind_x, wind_y, wind_z, _, _, _, back] = params;
        let drift = scalar::Vec3::new(wind_x, wind_y, wind_z) * x.dt;
        let [p, q, r] = x.before;
        let normal = (q - p).cross(r - p).normalize();
        (std::array::from_fn(|k| Corner::new((x.now[k] - x.before[k]) - drift, normal, back)), normal)
    }
}

impl Constraint<3, 3> for Aerodynamics {
    type Parameters<S: Copy> = [S; 7];

    const NAME: &'static str = "aerodynamics";
    const DISSIPATES: bool = true;

    fn value<S: Real>(x: &Points<S, 3>, params: [S; 7]) -> [S; 3] {
        let (corners, _) = Self::corners(x, params);
        let [_, _, _, a, e, b, _] = params;
        corners.map(|corner| corner.length * (corner.length * corner.coefficient([a, e, b])).sqrt() / x.dt)
    }

    fn gradient<S: Real>(x: &Points<S, 3>, params: [S; 7]) -> Option<[[scalar::Vec3<S>; 3]; 3]> {
        let (corners, normal) = Self::corners(x, params);
        let [_, _, _, a, e, b, _] = params;
        let mut slopes = [[scalar::Vec3::zero(); 3]; 3];
        for (k, corner) in corners.into_iter().enumerate() {
            let sine = corner.sine;
            let across = normal * (corner.slope * sine * (a + e * sine.abs() * 1.5));
            let along = corner.along * (a * sine * sine * 0.5 + b);
            let root = corner.coefficient([a, e, b]).sqrt().max(S::literal(TINY));
            slopes[k][k] = (across + along) * (corner.length.sqrt() / (x.dt * root));
        }
        Some(slopes)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 3], [f32; 7])> {
        let k = number as f32;
        let points = [[0.1, 0.0, 0.02 * k], [0.9, 0.1 * k, 0.0], [0.2, 0.8, 0.1 - 0.05 * k]];
        let coefficients = Self::coefficients(1.2, 0.4 * k, 0.05 * k);
        let back = if number.is_multiple_of(2) { 1.0 } else { 0.0 };
        Some((points, [1.0 - 0.3 * k, 0.5, 0.7 - 0.2 * k, coefficients[0], coefficients[1], coefficients[2], back]))
    }
}

impl Aerodynamics {
    /// a, e and b from the drag coefficient face-on \[1\], the slope of the lift coefficient \[1/rad\] and
    /// the drag coefficient edge-on \[1\], at most that face-on.
    pub fn coefficients(drag: f32, lift: f32, friction: f32) -> [f32; 3] {
        [lift, (drag - friction) * (2.0 / 3.0) - lift, friction]
    }

    /// Returns the compliance \[m²/kg\] of a triangle of this area \[m²\] in air of this density \[kg/m³\].
    pub fn compliance(area: f32, density: f32) -> f32 {
        6.0 / (density * area)
    }
}
