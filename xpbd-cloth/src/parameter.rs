//! Numbers that a builder is given.

use thiserror::Error;

/// The gravity \[m/s²\] that the slack of tethers is reckoned with.
pub(crate) const GRAVITY: f32 = 9.81;

/// A number that a builder cannot use.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the {what} is {value}; it must be {must}")]
pub struct NumberError {
    /// Which number.
    pub what: &'static str,
    /// The number.
    pub value: f32,
    /// What it must be.
    pub must: &'static str,
}

fn check(what: &'static str, value: f32, must: &'static str, holds: bool) -> Result<(), NumberError> {
    if holds { Ok(()) } else { Err(NumberError { what, value, must }) }
}

/// Refuses what is not a positive finite number.
pub(crate) fn positive(what: &'static str, value: f32) -> Result<(), NumberError> {
    check(what, value, "positive and finite", value > 0.0 && value.is_finite())
}

/// Refuses what is neither a positive number nor infinite.
pub(crate) fn stiffness(what: &'static str, value: f32) -> Result<(), NumberError> {
    check(what, value, "positive, or infinite for a rigid one", value > 0.0)
}

/// Refuses what is not a finite number of at least 0.
pub(crate) fn not_negative(what: &'static str, value: f32) -> Result<(), NumberError> {
    check(what, value, "finite and not negative", value >= 0.0 && value.is_finite())
}

/// Refuses what is not finite.
pub(crate) fn finite(what: &'static str, value: f32) -> Result<(), NumberError> {
    check(what, value, "finite", value.is_finite())
}

/// Refuses what is less than `least`.
pub(crate) fn at_least(what: &'static str, value: f32, least: f32, must: &'static str) -> Result<(), NumberError> {
    check(what, value, must, value >= least)
}

/// Refuses what is more than `most`.
pub(crate) fn at_most(what: &'static str, value: f32, most: f32, must: &'static str) -> Result<(), NumberError> {
    check(what, value, must, value <= most)
}

/// Refuses what is not less than `bound`.
pub(crate) fn below(what: &'static str, value: f32, bound: f32, must: &'static str) -> Result<(), NumberError> {
    check(what, value, must, value < bound)
}

/// Refuses what is not the Poisson ratio of any isotropic material.
pub(crate) fn poisson_ratio(value: f32) -> Result<(), NumberError> {
    check("Poisson ratio", value, "above -1 and at most 0.5", value > -1.0 && value <= 0.5)
}

/// Refuses what is not the Poisson ratio of a material whose first Lamé parameter is not negative.
pub(crate) fn stable_poisson_ratio(value: f32) -> Result<(), NumberError> {
    check("Poisson ratio", value, "at least 0 and at most 0.5", (0.0..=0.5).contains(&value))
}

/// β for a damping time τ \[s\]: with the mean stiffness of these compliances, β = τ k.
pub(crate) fn damping(time: f32, compliances: &[f32]) -> f32 {
    let mean = compliances.iter().map(|&alpha| f64::from(alpha)).sum::<f64>() / compliances.len() as f64;
    if mean > 0.0 { (f64::from(time) / mean) as f32 } else { 0.0 }
}

/// Pins in ascending order, each once.
///
/// # Errors
/// The first one that is not below `count`.
pub(crate) fn pins(pins: &[u32], count: usize) -> Result<Vec<u32>, u32> {
    if let Some(&pin) = pins.iter().find(|&&pin| pin as usize >= count) {
        return Err(pin);
    }
    let mut sorted = pins.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    Ok(sorted)
}
