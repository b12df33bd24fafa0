//! Loose particles, the simplest body of particles.

use bevy::prelude::*;
use xpbd_bevy::object::{BuiltObject, ObjectSource, SpawnContext};
use xpbd_core::world::Object;

/// Particles at places in the frame of the entity, with spare ones that may come later.
#[derive(Component, Clone, Default)]
#[require(Transform)]
pub struct Grains {
    /// Where they are \[m\].
    pub places: Vec<Vec3>,
    /// How many more may come.
    pub spare: usize,
    /// The mass of each \[kg\].
    pub mass: f32,
}

impl ObjectSource for Grains {
    const NAME: &'static str = "grains";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let places = self.places.iter().map(|&x| site.transform.transform_point(x)).collect();
        let object = Object::new(site.name.clone(), places, self.mass).capacity(self.spare, self.mass);
        Ok(Some(BuiltObject::new(object, self.places.clone())))
    }
}
