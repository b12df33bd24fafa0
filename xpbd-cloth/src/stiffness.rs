//! Checks of elastic constants, and the damping and the weight that go with a stiffness.

use xpbd_core::number::NumberError;

/// The gravity \[m/s²\] under which the lengths of tethers are computed.
pub(crate) const GRAVITY: f32 = 9.81;

/// Accepts the Poisson ratio \[1\] of any isotropic material.
pub(crate) fn check_poisson_ratio(value: f32) -> Result<(), NumberError> {
    NumberError::check("Poisson ratio", value, "above -1 and at most 0.5", value > -1.0 && value <= 0.5)
}

/// Accepts the Poisson ratio \[1\] of a material whose first Lamé parameter is not negative.
pub(crate) fn check_stable_poisson_ratio(value: f32) -> Result<(), NumberError> {
    NumberError::check("Poisson ratio", value, "at least 0 and at most 0.5", (0.0..=0.5).contains(&value))
}

/// Returns the damping coefficient β = τ k for a damping time τ \[s\], with k the mean stiffness of these compliances.
pub(crate) fn damping_coefficient(time: f32, compliances: &[f32]) -> f32 {
    let mean = compliances.iter().map(|&alpha| f64::from(alpha)).sum::<f64>() / compliances.len() as f64;
    if mean > 0.0 { (f64::from(time) / mean) as f32 } else { 0.0 }
}
