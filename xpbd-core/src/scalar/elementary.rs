//! The one place for trigonometry in single precision: arithmetic alone, so that every back end does
//! the same operations in the same order and a block of constraints is computed without calls.
//!
//! Each function is written once, over any [`Real`]. Run on symbols it records the instructions of a
//! program; run on [`Single`](super::Single) it gives the same bits for plain numbers. There is no branch: what
//! depends on the argument is selected. NaN gives NaN, which decides on which side of a `min` or
//! `max` the argument stands.
//!
//! The polynomials are minimax fits of our own, by the exchange algorithm of Remez in 40 digits;
//! coefficients are rounded to single precision from the lowest power up, and those that follow are
//! fitted again. What is said of their error is the polynomial's alone; the errors of the functions,
//! measured over all arguments or a dense sweep, are
//!
//! | function | instructions | largest error |
//! |---|---|---|
//! | sine, cosine | 25 each, 27 for both | 8.6e-8 up to 10 000 rad; 1.6 units in the last place |
//! | arccosine | 19 | 2.5e-7; 1.4e-7 where the result is below π/2 |
//! | arctangent | 22 | 2.9e-7; 1.6e-7 of the result below π/4 |

use std::f32::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use super::Real;

/// Angles beyond this \[rad\] count as this: single precision knows them to 0.06 rad at best.
const LARGEST_ANGLE: f32 = 1_048_576.0;

/// π/2 as a sum of 8, 10 and 24 bits, to 5e-15: its first two products with an integer below 16384
/// are exact, and so are their differences from the angle (\[CodyWaite80\]).
const HALF_PI_PARTS: [f32; 3] = [201.0 / 128.0, 1015.0 / 2_097_152.0, -1.629_206_8e-7];
/// π rounded to single precision, less π.
const PI_EXCESS: f32 = 8.742_278e-8;

/// (sin r/r − 1)/r² for |r| ≤ π/4; sin r to 4.0e-9 of itself.
const SINE: [f32; 3] = [-0.166_666_55, 0.008_332_189, -0.000_195_182_76];
/// (cos r − 1 + r²/2)/r⁴ for |r| ≤ π/4; cos r to 1.1e-10.
const COSINE: [f32; 3] = [0.041_666_646, -0.001_388_730_1, 2.443_067e-5];
/// (asin t/t − 1)/t² for t ≤ ½; asin t to 4.9e-9 of itself.
const ARCSINE: [f32; 5] = [0.166_667_52, 0.074_953_094, 0.045_469_154, 0.024_184_743, 0.042_158_388];
/// (atan t/t − 1)/t² for t ≤ 1; atan t to 7.4e-9.
const ARCTANGENT: [f32; 8] = [
    -0.333_329_86,
    0.199_903_64,
    -0.141_857_01,
    0.105_728_19,
    -0.073_642_48,
    0.041_091_755,
    -0.015_113_324,
    0.002_617_261_8,
];

/// c₀ + c₁ z + c₂ z² + …, by Horner's rule.
fn polynomial<S: Real, const N: usize>(c: [f32; N], z: S) -> S {
    c[..N - 1].iter().rev().fold(S::literal(c[N - 1]), |sum, &c| sum * z + c)
}

/// t + t³ p(t²), which is t to the last bit where t is small.
fn odd<S: Real, const N: usize>(c: [f32; N], t: S, square: S) -> S {
    t + square * t * polynomial(c, square)
}

/// An angle x = k π/2 + r with |r| ≤ π/4 by the sines and cosines of its two parts.
struct Reduced<S> {
    quarters: S,
    sine: S,
    cosine: S,
}

impl<S: Real> Reduced<S> {
    fn new(x: S) -> Self {
        let largest = S::literal(LARGEST_ANGLE);
        let x = largest.min((-largest).max(x));
        let quarters = (x * FRAC_2_PI).round();
        let r = HALF_PI_PARTS.into_iter().fold(x, |r, part| r - quarters * part);
        let square = r * r;
        let cosine = (polynomial(COSINE, square) * square - 0.5) * square + 1.0;
        Self { quarters, sine: odd(SINE, r, square), cosine }
    }

    /// sin k π/2: an even k is twice its half, an odd one misses that by 1 towards the even half.
    fn quarter_sine(k: S) -> S {
        k - (k * 0.5).round() * 2.0
    }

    /// sin and cos of k π/2: −1, 0 or 1, so that a product with them is exact.
    fn quarter(&self) -> (S, S) {
        (Self::quarter_sine(self.quarters), Self::quarter_sine(self.quarters + 1.0))
    }
}

/// Sine of an angle \[rad\], by the addition theorem.
pub(crate) fn sine<S: Real>(x: S) -> S {
    let r = Reduced::new(x);
    let (sine, cosine) = r.quarter();
    sine * r.cosine + cosine * r.sine
}

/// Cosine of an angle \[rad\], by the addition theorem.
pub(crate) fn cosine<S: Real>(x: S) -> S {
    let r = Reduced::new(x);
    let (sine, cosine) = r.quarter();
    cosine * r.cosine - sine * r.sine
}

/// Returns the angle \[rad\] whose cosine is x clamped to \[−1, 1\]: π/2 − asin x below ½, and from there
/// 2 asin √((1 − |x|)/2), where 1 − |x| is exact.
pub(crate) fn arccosine<S: Real>(x: S) -> S {
    let half = S::literal(0.5);
    let size = S::one().min(x.abs());
    let square = size.select_lt(half, x * x, half - size * 0.5);
    let t = size.select_lt(half, x, square.sqrt());
    let arcsine = odd(ARCSINE, t, square);
    let double = arcsine + arcsine;
    let far = x.select_lt(S::zero(), S::literal(PI) - (double + PI_EXCESS), double);
    size.select_lt(half, S::literal(FRAC_PI_2) - arcsine, far)
}

/// Returns the angle \[rad\] of the point (x, y) from the x axis, in \[−π, π\]; 0 for (0, 0). The ratio of the
/// smaller to the larger coordinate gives the angle from the nearer axis, and the signs its octant.
/// Where both are below the normal range that ratio is too small, but never 0/0.
pub(crate) fn arctangent<S: Real>(y: S, x: S) -> S {
    let (width, height) = (x.abs(), y.abs());
    let larger = S::literal(f32::MIN_POSITIVE).max(height.max(width));
    let t = width.min(height) / larger;
    let octant = odd(ARCTANGENT, t, t * t);
    let quadrant = width.select_lt(height, S::literal(FRAC_PI_2) - octant, octant);
    let half = x.select_lt(S::zero(), S::literal(PI) - quadrant, quadrant);
    y.select_lt(S::zero(), -half, half)
}
