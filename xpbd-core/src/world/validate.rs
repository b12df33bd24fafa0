//! Checks of objects before they enter a world.

use super::error::WorldError;
use crate::number::NumberError;
use crate::object::support::MAX_SUPPORTS;
use crate::object::{Object, ParticleStiffness, Support, Surface};

impl Object {
    /// Refuses an object that no step could honour.
    pub(super) fn validate(&self) -> Result<(), WorldError> {
        let count = self.positions.len();
        let refuse = |what, index, value: String, must| {
            Err(WorldError::InvalidNumber { object: self.name.clone(), what, index, value, must })
        };
        for (what, found, may_be_empty) in [
            ("masses", self.masses.len(), false),
            ("velocities", self.velocities.len(), true),
            ("rest positions", self.rest_positions.len(), true),
        ] {
            if found != count && !(may_be_empty && found == 0) {
                return Err(WorldError::LengthMismatch { object: self.name.clone(), what, found, count });
            }
        }
        for (index, &mass) in self.masses.iter().chain(&self.inactive_masses).enumerate() {
            if !(mass.is_normal() && mass > 0.0 && (1.0 / mass).is_finite()) {
                return refuse("the mass", index, mass.to_string(), "finite and positive");
            }
        }
        for (what, list) in [
            ("the position", &self.positions),
            ("the velocity", &self.velocities),
            ("the rest position", &self.rest_positions),
        ] {
            if let Some(index) = list.iter().position(|value| !value.is_finite()) {
                return refuse(what, index, list[index].to_string(), "finite");
            }
        }
        if let Some(&pin) = self.pins.iter().find(|&&pin| pin as usize >= count) {
            return Err(WorldError::NoParticle { object: self.name.clone(), index: pin as usize, count });
        }
        NumberError::check_restitution(self.restitution)?;
        NumberError::check_finite("gravity scale", self.gravity_scale)?;
        NumberError::check_not_negative("linear damping", self.linear_damping)?;
        if let Some(surface) = &self.surface {
            surface.validate(&self.name, count + self.inactive_masses.len())?;
        }
        check_triangles(&self.triangles, &self.name, count + self.inactive_masses.len())?;
        check_supports(&self.supports, &self.name, count)?;
        self.stiffness.validate(&self.name, count + self.inactive_masses.len())?;
        Ok(self.friction.check()?)
    }
}

impl Surface {
    /// Refuses a surface of an object of `count` particles that no step could honour.
    pub(super) fn validate(&self, object: &str, count: usize) -> Result<(), WorldError> {
        NumberError::check_positive("thickness of a surface", self.thickness)?;
        NumberError::check_not_negative("permeability of a surface", self.permeability)?;
        check_triangles(&self.triangles, object, count)
    }
}

impl ParticleStiffness {
    /// Refuses a stiffness of an object of `count` particles that no contact could honour.
    pub(super) fn validate(&self, object: &str, count: usize) -> Result<(), WorldError> {
        NumberError::check_not_negative("damping time of the stiffness of particles", self.damping_time)?;
        if self.stiffness.len() > count {
            return Err(WorldError::NoParticle { object: object.into(), index: count, count });
        }
        if let Some(index) = self.stiffness.iter().position(|stiffness| stiffness.is_nan() || *stiffness < 0.0) {
            let (what, value) = ("the stiffness", self.stiffness[index].to_string());
            return Err(WorldError::InvalidNumber { object: object.into(), what, index, value, must: "not negative" });
        }
        Ok(())
    }
}

/// Refuses supports that are not between two of the `count` particles of an object, and too many of them.
pub(super) fn check_supports(supports: &[Support], object: &str, count: usize) -> Result<(), WorldError> {
    for (index, support) in supports.iter().enumerate() {
        if let Some(index) = [support.particle, support.pin].into_iter().map(|k| k as usize).find(|&k| k >= count) {
            return Err(WorldError::NoParticle { object: object.into(), index, count });
        }
        if !(support.length.is_finite() && support.length >= 0.0) {
            let (what, value) = ("the length of the support", support.length.to_string());
            let must = "finite and not negative";
            return Err(WorldError::InvalidNumber { object: object.into(), what, index, value, must });
        }
    }
    let mut held: Vec<u32> = supports.iter().map(|support| support.particle).collect();
    held.sort_unstable();
    if let Some(of_one) = held.chunk_by(|a, b| a == b).find(|of_one| of_one.len() > MAX_SUPPORTS) {
        let (what, index, value) =
            ("the number of supports of the particle", of_one[0] as usize, of_one.len().to_string());
        return Err(WorldError::InvalidNumber { object: object.into(), what, index, value, must: "at most 20" });
    }
    Ok(())
}

/// Refuses triangles that are not between three of the `count` particles of an object.
pub(super) fn check_triangles(triangles: &[[u32; 3]], object: &str, count: usize) -> Result<(), WorldError> {
    for (number, &triangle) in triangles.iter().enumerate() {
        let refuse = |must| Err(WorldError::InvalidTriangle { object: object.into(), number, triangle, must });
        if triangle.iter().any(|&vertex| vertex as usize >= count) {
            return refuse("of particles that the object has");
        }
        let [a, b, c] = triangle;
        if a == b || b == c || c == a {
            return refuse("of three particles");
        }
    }
    Ok(())
}
