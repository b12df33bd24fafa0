//! The one place for trigonometry: `libm`'s software functions, the same bits on every platform.

/// Sine of an angle \[rad\].
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine of an angle \[rad\].
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Angle \[rad\] whose cosine is x clamped to \[−1, 1\].
pub fn acos(x: f32) -> f32 {
    libm::acosf(x.clamp(-1.0, 1.0))
}

/// Angle \[rad\] of the point (x, y) from the x axis, in (−π, π].
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}
