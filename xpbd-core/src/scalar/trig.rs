//! The one place for trigonometry in single precision: arithmetic alone, so that every back end does
//! the same operations in the same order and a block of constraints is computed without calls.
//!
//! Each function is written once, over any [`Real`](super::real::Real). Run on symbols it records the instructions of a
//! program; run on [`Single`] it gives the same bits for plain numbers. There is no branch: what
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

use super::{Single, elementary};

/// Returns the sine of an angle \[rad\].
pub fn sin(x: f32) -> f32 {
    elementary::sine(Single(x)).0
}

/// Returns the cosine of an angle \[rad\].
pub fn cos(x: f32) -> f32 {
    elementary::cosine(Single(x)).0
}

/// Returns the angle \[rad\] whose cosine is x clamped to \[−1, 1\].
pub fn acos(x: f32) -> f32 {
    elementary::arccosine(Single(x)).0
}

/// Returns the angle \[rad\] of the point (x, y) from the x axis, in \[−π, π\].
pub fn atan2(y: f32, x: f32) -> f32 {
    elementary::arctangent(Single(y), Single(x)).0
}
