//! Settings of kinematic characters.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::number::NumberError;
use xpbd_core::scalar::trig;

use super::error::CharacterError;

/// A surface whose slope is the greatest one is walkable in spite of rounding \[1\].
const SLOPE_ROUNDING: f32 = 1e-4;

/// Settings of a kinematic character. See the [module](super).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct CharacterController {
    /// Direction up, of any length but 0.
    pub up: Vec3,
    /// The gap to surfaces \[m\], usually a twentieth of the radius of its capsule.
    pub offset: f32,
    /// The angle of the steepest slope on which it stands and walks \[rad\].
    pub max_slope_angle: f32,
    /// The height of the highest step that it climbs \[m\]; 0 for none. It climbs no dynamic bodies.
    pub step_height: f32,
    /// The distance \[m\] by which the ground may fall away without it losing touch: stairs and slopes on the way down.
    pub snap_to_ground: f32,
    /// Its mass \[kg\], which bodies bear on which it stands, and by which forces accelerate it.
    pub mass: f32,
    /// The greatest force with which it pushes a body \[N\].
    pub max_push_force: f32,
    /// The rate at which it takes on the velocity that is wished for on the ground \[1/s\].
    pub ground_response: f32,
    /// The same in the air and while it swims \[1/s\].
    pub air_response: f32,
}

impl Default for CharacterController {
    fn default() -> Self {
        Self {
            up: Vec3::Y,
            offset: 0.02,
            max_slope_angle: std::f32::consts::FRAC_PI_4,
            step_height: 0.3,
            snap_to_ground: 0.3,
            mass: 80.0,
            max_push_force: 400.0,
            ground_response: 15.0,
            air_response: 1.0,
        }
    }
}

impl CharacterController {
    /// Refuses settings with which no character could move.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), CharacterError> {
        check_up(self.up)?;
        let is_angle = (0.0..std::f32::consts::FRAC_PI_2).contains(&self.max_slope_angle);
        NumberError::check_positive("offset of a character", self.offset)?;
        NumberError::check("max_slope_angle of a character", self.max_slope_angle, "from 0 to below π/2", is_angle)?;
        NumberError::check_not_negative("step_height of a character", self.step_height)?;
        NumberError::check_not_negative("snap_to_ground of a character", self.snap_to_ground)?;
        NumberError::check_positive("mass of a character", self.mass)?;
        NumberError::check_not_negative("max_push_force of a character", self.max_push_force)?;
        NumberError::check_not_negative("ground_response of a character", self.ground_response)?;
        Ok(NumberError::check_not_negative("air_response of a character", self.air_response)?)
    }

    /// Returns the unit vector up.
    pub(super) fn up(&self) -> Vec3 {
        self.up.normalize_or(Vec3::Y)
    }

    /// Returns whether a surface with this normal can be stood on.
    pub(super) fn is_walkable(&self, normal: Vec3) -> bool {
        is_walkable(normal, self.up(), self.max_slope_angle)
    }

    /// Adds the normals along which a surface stops a character: its own, and of a steep slope the horizontal part as well.
    pub(super) fn add_planes(&self, normal: Vec3, planes: &mut Vec<Vec3>) {
        planes.push(normal);
        let up = self.up();
        if normal.dot(up) > 0.0 && !self.is_walkable(normal) {
            planes.extend(normal.reject_from_normalized(up).try_normalize());
        }
    }
}

/// Returns whether a surface with this normal is no steeper than an angle \[rad\].
pub(super) fn is_walkable(normal: Vec3, up: Vec3, max_slope_angle: f32) -> bool {
    normal.dot(up) >= trig::cos(max_slope_angle) - SLOPE_ROUNDING
}

/// Refuses a direction that is none.
pub(super) fn check_up(up: Vec3) -> Result<(), CharacterError> {
    match up.is_finite() && up.length() > 1e-6 {
        true => Ok(()),
        false => Err(CharacterError::Vector { what: "up", must: "finite and not zero" }),
    }
}

/// Refuses a vector that is not finite.
pub(super) fn check_vector(what: &'static str, vector: Vec3) -> Result<(), CharacterError> {
    if vector.is_finite() { Ok(()) } else { Err(CharacterError::Vector { what, must: "finite" }) }
}
