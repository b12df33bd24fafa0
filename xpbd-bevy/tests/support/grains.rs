//! Loose particles, the simplest body of particles.

use bevy::prelude::*;
use xpbd_bevy::object::{Made, ParticleBody, Site};
use xpbd_core::world::Object;

/// Particles at places in the frame of the entity, with spare ones that may come later.
#[derive(Component, Default)]
#[require(Transform)]
pub struct Grains {
    /// Where they are \[m\].
    pub places: Vec<Vec3>,
    /// How many more may come.
    pub spare: usize,
    /// The mass of each \[kg\].
    pub mass: f32,
}

impl ParticleBody for Grains {
    const NAME: &'static str = "grains";

    fn make(&self, site: &Site<'_>) -> Result<Option<Made>, BevyError> {
        let places = self.places.iter().map(|&x| site.transform.transform_point(x)).collect();
        let object = Object::new(site.name.clone(), places, self.mass).spare(self.spare, self.mass);
        Ok(Some(Made::new(object, self.places.clone())))
    }
}
