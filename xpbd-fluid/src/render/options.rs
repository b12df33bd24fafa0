//! Options that are not valid.

/// An option that is out of its range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("`{name}` is {value}; it must be {must}")]
pub struct OptionError {
    /// Name of the option.
    pub name: &'static str,
    /// The value that was refused.
    pub value: f32,
    /// The range that is allowed.
    pub must: &'static str,
}

/// Refuses an option unless it `holds`; a NaN never should.
pub(super) fn demand(name: &'static str, value: f32, holds: bool, must: &'static str) -> Result<(), OptionError> {
    if holds { Ok(()) } else { Err(OptionError { name, value, must }) }
}

/// Refuses what is not finite and positive.
pub(super) fn positive(name: &'static str, value: f32) -> Result<(), OptionError> {
    demand(name, value, value > 0.0 && value.is_finite(), "positive and finite")
}

/// Refuses what is not finite or is negative.
pub(super) fn not_negative(name: &'static str, value: f32) -> Result<(), OptionError> {
    demand(name, value, value >= 0.0 && value.is_finite(), "finite and not negative")
}
