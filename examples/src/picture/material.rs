//! Materials of surfaces.

use glam::Vec3;

/// The look of a surface. Colours are sRGB, each channel in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Colour of the front.
    pub color: Vec3,
    /// Colour of the back, the front's if `None`; it shows only where `two_sided` is set.
    pub back: Option<Vec3>,
    /// True if the back is drawn, lit as a front of its own.
    pub two_sided: bool,
    /// Strength of the highlight `[1]`, from 0 (chalk) to 1 (glazed).
    pub gloss: f32,
    /// Strength of the soft glow at grazing angles `[1]`, as of fabric; 0 to 1.
    pub sheen: f32,
}

impl Material {
    /// Creates a dull closed surface of the given sRGB `color`.
    pub fn matte(color: Vec3) -> Self {
        Self { color, back: None, two_sided: false, gloss: 0.06, sheen: 0.05 }
    }

    /// Creates a fabric of the given sRGB `color`, drawn from both sides.
    pub fn cloth(color: Vec3) -> Self {
        Self { two_sided: true, gloss: 0.08, sheen: 0.35, ..Self::matte(color) }
    }

    /// Creates a smooth closed surface of the given sRGB `color` with a clear highlight.
    pub fn polished(color: Vec3) -> Self {
        Self { gloss: 0.6, ..Self::matte(color) }
    }

    /// The same material with the sRGB `color` on its back, and that back drawn.
    pub fn with_back(self, color: Vec3) -> Self {
        Self { back: Some(color), two_sided: true, ..self }
    }
}
