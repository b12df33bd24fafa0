//! What a body weighs, and how it resists turning.

use glam::{Quat, Vec3};
use parry3d::mass_properties::MassProperties;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::scalar::rotation::normalized;

/// Mass, centre of mass and inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mass {
    /// Mass \[kg\], positive.
    pub mass: f32,
    /// Centre of mass \[m\] in the frame of the body.
    pub center_of_mass: Vec3,
    /// Principal moments of inertia \[kg m²\] about the centre of mass, positive.
    pub principal_inertia: Vec3,
    /// The frame of the principal axes in the frame of the body.
    pub principal_axes: Quat,
}

/// A mass that no body can have.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum MassError {
    /// The mass is not one that can be divided by.
    #[error("the mass is {0} kg; it must be finite and positive")]
    Mass(f32),
    /// The density of a shape.
    #[error("the density is {0} kg/m³; it must be finite and positive")]
    Density(f32),
    /// The centre of mass or the axes are not finite.
    #[error("the centre of mass and the principal axes must be finite")]
    Frame,
    /// A moment of inertia is not one that can be divided by.
    #[error("the principal moments of inertia are {0} kg m²; they must be finite and positive")]
    Inertia(Vec3),
    /// One moment is larger than the sum of the other two, which no distribution of mass can give.
    #[error("the principal moments of inertia {0} kg m² break the triangle inequality")]
    Triangle(Vec3),
    /// The shape encloses nothing that could weigh anything.
    #[error("the shape encloses no volume; give the mass and the inertia instead")]
    NoVolume,
}

/// How far a principal moment may exceed the sum of the others, as a part of itself: rounding, and
/// bodies that are thin like a sheet.
const TRIANGLE: f32 = 1e-3;

impl Mass {
    /// Creates a mass \[kg\] with principal moments \[kg m²\] along the axes of the body.
    pub fn new(mass: f32, inertia: Vec3) -> Self {
        Self { mass, center_of_mass: Vec3::ZERO, principal_inertia: inertia, principal_axes: Quat::IDENTITY }
    }

    /// Creates a solid ball of this mass \[kg\] and radius \[m\].
    pub fn ball(mass: f32, radius: f32) -> Self {
        Self::new(mass, Vec3::splat(0.4 * mass * radius * radius))
    }

    /// Creates a solid box of this mass \[kg\] and these half extents \[m\].
    pub fn cuboid(mass: f32, half: Vec3) -> Self {
        let s = half * half;
        Self::new(mass, Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0))
    }

    /// Returns the mass of a shape of this density \[kg/m³\] in the frame of the shape.
    ///
    /// # Errors
    /// A density that is not positive, or a shape without volume (a plane, a triangle, an open mesh).
    pub fn from_shape(shape: &dyn Shape, density: f32) -> Result<Self, MassError> {
        Self::from_shapes([(Pose::IDENTITY, shape)], density)
    }

    /// Returns the mass of several shapes of one density \[kg/m³\], each at its pose on the body.
    ///
    /// # Errors
    /// As of [`Mass::from_shape`].
    pub fn from_shapes<'a>(
        parts: impl IntoIterator<Item = (Pose, &'a dyn Shape)>,
        density: f32,
    ) -> Result<Self, MassError> {
        if !(density.is_finite() && density > 0.0) {
            return Err(MassError::Density(density));
        }
        let properties = parts.into_iter().map(|(pose, shape)| shape.mass_properties(density).transform_by(&pose));
        Self::try_from(properties.sum::<MassProperties>())
    }

    /// Returns the same distribution with another mass \[kg\].
    #[must_use]
    pub fn with_mass(self, mass: f32) -> Self {
        Self { mass, principal_inertia: self.principal_inertia * (mass / self.mass), ..self }
    }

    /// Returns the frame of centre and principal axes in the frame of the body.
    pub fn principal_frame(&self) -> Pose {
        Pose::from_parts(self.center_of_mass, self.principal_axes)
    }

    /// Refuses what no body can have.
    ///
    /// # Errors
    /// The number at fault.
    pub fn validate(&self) -> Result<(), MassError> {
        let usable = |x: f32| x.is_normal() && x > 0.0 && (1.0 / x).is_finite();
        let i = self.principal_inertia;
        if !usable(self.mass) {
            return Err(MassError::Mass(self.mass));
        }
        if !(self.center_of_mass.is_finite() && self.principal_axes.is_finite() && self.principal_axes.length() > 1e-6)
        {
            return Err(MassError::Frame);
        }
        if !i.to_array().into_iter().all(usable) {
            return Err(MassError::Inertia(i));
        }
        if i.max_element() * (2.0 - TRIANGLE) > i.element_sum() {
            return Err(MassError::Triangle(i));
        }
        Ok(())
    }
}

impl TryFrom<MassProperties> for Mass {
    type Error = MassError;

    fn try_from(properties: MassProperties) -> Result<Self, MassError> {
        let mass = properties.mass();
        let mass = Self {
            mass,
            center_of_mass: properties.local_com,
            principal_inertia: properties.principal_inertia(),
            principal_axes: normalized(properties.principal_inertia_local_frame),
        };
        if mass.mass <= 0.0 || mass.principal_inertia.min_element() <= 0.0 {
            return Err(MassError::NoVolume);
        }
        mass.validate()?;
        Ok(mass)
    }
}

#[cfg(test)]
mod tests {
    use parry3d::shape::{Ball, Cuboid, HalfSpace};

    use super::*;

    #[test]
    fn shapes_weigh_what_their_formulas_say() {
        let ball = Mass::from_shape(&Ball::new(0.5), 1000.0).unwrap();
        let expected = Mass::ball(1000.0 * 4.0 / 3.0 * std::f32::consts::PI * 0.125, 0.5);
        assert!((ball.mass / expected.mass - 1.0).abs() < 1e-5);
        assert!((ball.principal_inertia / expected.principal_inertia - 1.0).abs().max_element() < 1e-5);
        let half = Vec3::new(0.1, 0.2, 0.3);
        let part = (Pose::translation(1.0, 2.0, 3.0), &Cuboid::new(half) as &dyn Shape);
        let cuboid = Mass::from_shapes([part], 10.0).unwrap();
        let expected = Mass::cuboid(10.0 * 8.0 * 0.006, half);
        assert!((cuboid.mass / expected.mass - 1.0).abs() < 1e-5);
        assert!((cuboid.center_of_mass - Vec3::new(1.0, 2.0, 3.0)).length() < 1e-5);
        let sorted = |v: Vec3| {
            let mut list = v.to_array();
            list.sort_by(f32::total_cmp);
            Vec3::from(list)
        };
        assert!(
            (sorted(cuboid.principal_inertia) / sorted(expected.principal_inertia) - 1.0).abs().max_element() < 1e-3
        );
    }

    #[test]
    fn what_weighs_nothing_is_refused() {
        assert_eq!(Mass::from_shape(&HalfSpace::new(Vec3::Y), 1.0), Err(MassError::NoVolume));
        assert_eq!(Mass::from_shape(&Ball::new(1.0), -1.0), Err(MassError::Density(-1.0)));
        let wrong = Vec3::new(1.0, 1.0, 3.0);
        assert_eq!(Mass::new(1.0, wrong).validate(), Err(MassError::Triangle(wrong)));
    }
}
