//! The media that objects are made of.

use crate::settings::Settings;

/// The media of the objects of a world, by the index of the object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ObjectMedia {
    /// The medium of each object as its index among the media, or [`ObjectMedia::NONE`].
    pub medium: Vec<u32>,
    /// Distance up to which contact planes of each object's particles are searched for \[m\], if it is larger than
    /// usual.
    pub reach: Vec<f32>,
}

impl ObjectMedia {
    /// No medium.
    pub const NONE: u32 = u32::MAX;

    /// Returns the medium of an object, as its index among the media.
    pub fn of(&self, object: usize) -> Option<u32> {
        self.medium.get(object).copied().filter(|&medium| medium != Self::NONE)
    }

    /// Returns whether two objects, by their indices, are of one medium, which then keeps them apart.
    pub fn share_medium(&self, a: usize, b: usize) -> bool {
        self.of(a).is_some() && self.of(a) == self.of(b)
    }

    /// Returns the distance up to which the particles of an object and others of its medium interact \[m\], 0 if it is of none.
    pub fn reach(&self, object: usize) -> f32 {
        self.reach.get(object).copied().unwrap_or(0.0)
    }

    /// Returns the distance beyond its radius up to which contact planes of an object's particles are searched for
    /// \[m\].
    pub fn margin(&self, object: usize, settings: &Settings) -> f32 {
        self.reach
            .get(object)
            .map_or(settings.contact_margin, |reach| settings.contact_margin.max(reach - settings.particle_radius))
    }
}
