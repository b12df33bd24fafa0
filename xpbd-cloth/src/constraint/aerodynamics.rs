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
use xpbd_core::scalar::Vec3;
use xpbd_core::scalar::real::TINY;

xpbd_core::parameters! {
    /// Parameters of [`Aerodynamics`].
    pub struct AerodynamicsParameters<S> {
        /// Wind w \[m/s\].
        pub wind: Vec3<S>,
        /// Slope a of the lift coefficient \[1/rad\].
        pub lift_slope: S,
        /// Coefficient e of the cubic term \[1\].
        pub cubic: S,
        /// Drag coefficient b edge-on \[1\].
        pub edge_drag: S,
        /// Part of the pressure on the back that counts \[1\]: 1 on both sides, 0 on the front only.
        pub back: S,
    }
}

/// A constraint that acts as the air on the three corners of a triangle. Compliance \[m²/kg\].
#[derive(Debug, Clone, Copy)]
pub struct Aerodynamics;

/// A corner that moves through the air.
struct Corner<S> {
    /// Way through the air \[m\], its length, and its direction.
    length: S,
    along: Vec3<S>,
    /// Sine of the angle of attack, 0 on a side that does not count, and its derivative by d·n/ℓ.
    sine: S,
    slope: S,
}

impl<S: Real> Corner<S> {
    fn new(way: Vec3<S>, normal: Vec3<S>, back: S) -> Self {
        let length = way.length();
        let along = way / length.max(S::literal(TINY));
        let sine = along.dot(normal);
        let slope = sine.select_lt(S::zero(), back, S::one());
        Self { length, along, sine: sine * slope, slope }
    }

    /// Returns φ, which rounding may take below zero where there is neither drag nor friction.
    fn coefficient(&self, air: AerodynamicsParameters<S>) -> S {
        let pressure = self.sine * self.sine * (air.lift_slope + air.cubic * self.sine.abs());
        (pressure + air.edge_drag * (2.0 / 3.0)).max(S::zero())
    }
}

impl Aerodynamics {
    fn corners<S: Real>(x: &Points<S, 3>, air: AerodynamicsParameters<S>) -> ([Corner<S>; 3], Vec3<S>) {
        let drift = air.wind * x.dt;
        let [p, q, r] = x.before;
        let normal = (q - p).cross(r - p).normalize();
        (std::array::from_fn(|k| Corner::new((x.now[k] - x.before[k]) - drift, normal, air.back)), normal)
    }
}

impl Constraint<3, 3> for Aerodynamics {
    type Parameters<S: Copy> = AerodynamicsParameters<S>;

    const NAME: &'static str = "aerodynamics";
    const DISSIPATES: bool = true;

    fn value<S: Real>(x: &Points<S, 3>, air: AerodynamicsParameters<S>) -> [S; 3] {
        let (corners, _) = Self::corners(x, air);
        corners.map(|corner| corner.length * (corner.length * corner.coefficient(air)).sqrt() / x.dt)
    }

    fn gradient<S: Real>(x: &Points<S, 3>, air: AerodynamicsParameters<S>) -> Option<[[Vec3<S>; 3]; 3]> {
        let (corners, normal) = Self::corners(x, air);
        let AerodynamicsParameters { lift_slope: a, cubic: e, edge_drag: b, .. } = air;
        let mut slopes = [[Vec3::zero(); 3]; 3];
        for (k, corner) in corners.into_iter().enumerate() {
            let sine = corner.sine;
            let across = normal * (corner.slope * sine * (a + e * sine.abs() * 1.5));
            let along = corner.along * (a * sine * sine * 0.5 + b);
            let root = corner.coefficient(air).sqrt().max(S::literal(TINY));
            slopes[k][k] = (across + along) * (corner.length.sqrt() / (x.dt * root));
        }
        Some(slopes)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 3], AerodynamicsParameters)> {
        let k = number as f32;
        let points = [[0.1, 0.0, 0.02 * k], [0.9, 0.1 * k, 0.0], [0.2, 0.8, 0.1 - 0.05 * k]];
        let wind = glam::Vec3::new(1.0 - 0.3 * k, 0.5, 0.7 - 0.2 * k);
        Some((points, AerodynamicsParameters::new(wind, [1.2, 0.4 * k, 0.05 * k], number.is_multiple_of(2))))
    }
}

impl AerodynamicsParameters {
    /// Creates the parameters for a wind \[m/s\], the drag coefficient face-on \[1\], the slope of the lift coefficient
    /// \[1/rad\] and the drag coefficient edge-on \[1\], at most that face-on; the air pushes on both sides of the
    /// triangle or on its front only.
    pub fn new(wind: glam::Vec3, [drag, lift_slope, edge_drag]: [f32; 3], both_sides: bool) -> Self {
        let cubic = (drag - edge_drag) * (2.0 / 3.0) - lift_slope;
        Self { wind: wind.into(), lift_slope, cubic, edge_drag, back: if both_sides { 1.0 } else { 0.0 } }
    }
}

impl Aerodynamics {
    /// Returns the compliance \[m²/kg\] of a triangle of this area \[m²\] in air of this density \[kg/m³\].
    pub fn compliance(area: f32, density: f32) -> f32 {
        6.0 / (density * area)
    }
}
