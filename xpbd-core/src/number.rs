//! Checks of the numbers that builders and settings are given.

use thiserror::Error;

/// A number that is not one that it may be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the {what} is {value}; it must be {must}")]
pub struct NumberError {
    /// Name of the number.
    pub what: &'static str,
    /// The value that was refused.
    pub value: f32,
    /// Requirement that the number violates.
    pub must: &'static str,
}

impl NumberError {
    /// Refuses a number unless `holds` is true.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check(what: &'static str, value: f32, must: &'static str, holds: bool) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self { what, value, must }) }
    }

    /// Refuses a number that is not finite and positive.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check_positive(what: &'static str, value: f32) -> Result<(), Self> {
        Self::check(what, value, "finite and positive", value.is_finite() && value > 0.0)
    }

    /// Refuses a number that is neither positive nor infinite: a stiffness.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check_positive_or_infinite(what: &'static str, value: f32) -> Result<(), Self> {
        Self::check(what, value, "positive, or infinite for a rigid one", value > 0.0)
    }

    /// Refuses a number that is not finite or is negative.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check_not_negative(what: &'static str, value: f32) -> Result<(), Self> {
        Self::check(what, value, "finite and not negative", value.is_finite() && value >= 0.0)
    }

    /// Refuses a coefficient of restitution that is not from 0 to 1.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check_restitution(value: f32) -> Result<(), Self> {
        Self::check("restitution", value, "in [0, 1]", (0.0..=1.0).contains(&value))
    }

    /// Refuses a number that is not finite.
    ///
    /// # Errors
    /// The number, with what it must be.
    pub fn check_finite(what: &'static str, value: f32) -> Result<(), Self> {
        Self::check(what, value, "finite", value.is_finite())
    }
}
