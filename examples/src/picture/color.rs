//! Colours: sRGB outside of the renderer, linear light inside.

use glam::Vec3;

/// Returns the sRGB colour written as `0xRRGGBB`.
pub fn hex(rgb: u32) -> Vec3 {
    let channel = |shift: u32| (rgb >> shift & 0xff) as f32 / 255.0;
    Vec3::new(channel(16), channel(8), channel(0))
}

/// Returns an sRGB colour for a quantity: blue at 0, pale at ½, red at 1; clamped outside.
pub fn ramp(value: f32) -> Vec3 {
    const LOW: Vec3 = Vec3::new(0.17, 0.36, 0.72);
    const MIDDLE: Vec3 = Vec3::new(0.93, 0.91, 0.87);
    const HIGH: Vec3 = Vec3::new(0.78, 0.16, 0.14);
    let value = value.clamp(0.0, 1.0);
    if value < 0.5 { LOW.lerp(MIDDLE, 2.0 * value) } else { MIDDLE.lerp(HIGH, 2.0 * value - 1.0) }
}

/// sRGB colours for a grid of `columns` × `rows` vertices, row after row: squares of `square`
/// vertices in the colours `even` and `odd` by turns.
pub fn checker(columns: usize, rows: usize, square: usize, even: Vec3, odd: Vec3) -> Vec<Vec3> {
    let square = square.max(1);
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column / square + row / square) % 2))
        .map(|parity| if parity == 0 { even } else { odd })
        .collect()
}

/// Returns the linear light from an sRGB `color`, by the power law of exponent 2.2.
pub(super) fn to_linear(color: Vec3) -> Vec3 {
    color.max(Vec3::ZERO).map(|channel| libm::powf(channel, 2.2))
}

/// Turns sRGB colours into linear light, those that follow on the same one without computing it again.
#[derive(Default)]
pub(super) struct Linear {
    /// The last colour and its light.
    last: (Vec3, Vec3),
}

impl Linear {
    /// Returns the linear light from an sRGB `color`; see [`to_linear`].
    pub(super) fn of(&mut self, color: Vec3) -> Vec3 {
        if self.last.0 != color {
            self.last = (color, to_linear(color));
        }
        self.last.1
    }
}

/// Displayed sRGB from linear `light`.
///
/// The filmic curve x (2.51 x + 0.03) / (x (2.43 x + 0.59) + 0.14) of K. Narkowicz, *ACES Filmic
/// Tone Mapping Curve*, 2015, on light scaled by `EXPOSURE`: dark tones keep their depth, bright
/// ones run softly into white.
pub(super) fn to_display(light: Vec3) -> Vec3 {
    const EXPOSURE: f32 = 0.42;
    let x = (EXPOSURE * light).clamp(Vec3::ZERO, Vec3::splat(50.0));
    let toned = x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14);
    toned.min(Vec3::ONE).map(|channel| libm::powf(channel, 1.0 / 2.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_reads_its_channels() {
        assert_eq!(hex(0xff0033), Vec3::new(1.0, 0.0, 0.2));
    }

    #[test]
    fn display_keeps_black_and_order() {
        assert_eq!(to_display(Vec3::ZERO), Vec3::ZERO);
        let [dim, bright] = [0.2, 0.8].map(|x| to_display(Vec3::splat(x)).x);
        assert!(0.0 < dim && dim < bright && bright < 1.0);
        assert_eq!(to_display(Vec3::splat(100.0)), Vec3::ONE);
    }

    #[test]
    fn checker_alternates_both_ways() {
        let colors = checker(4, 4, 2, Vec3::ONE, Vec3::ZERO);
        assert_eq!(colors.len(), 16);
        assert_eq!((colors[0], colors[2], colors[8], colors[10]), (Vec3::ONE, Vec3::ZERO, Vec3::ZERO, Vec3::ONE));
    }

    #[test]
    fn ramp_is_continuous_and_clamped() {
        assert_eq!(ramp(-1.0), ramp(0.0));
        assert_eq!(ramp(2.0), ramp(1.0));
        assert!(ramp(0.4999).distance(ramp(0.5001)) < 1e-2);
    }
}
