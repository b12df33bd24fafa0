//! The engines behind one interface.

mod rapier;
mod xpbd;

use std::error::Error;

use glam::Vec3;
use parry3d::math::Pose;

pub use rapier::RapierEngine;
pub use xpbd::{XpbdEngine, XpbdSettings};

/// The length of a frame \[s\].
pub const FRAME: f32 = 1.0 / 60.0;

/// The state of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodyState {
    /// Its pose in the world.
    pub pose: Pose,
    /// Velocity of its centre of mass \[m/s\].
    pub velocity: Vec3,
    /// True if it sleeps.
    pub asleep: bool,
}

/// A physics engine that has built a scene.
pub trait Engine {
    /// Returns the name of the engine with its settings.
    fn name(&self) -> String;

    /// Advances the scene by a frame.
    ///
    /// # Errors
    /// The error of the engine.
    fn step(&mut self) -> Result<(), Box<dyn Error>>;

    /// Returns the bodies in the order of the scene.
    fn bodies(&self) -> Vec<BodyState>;
}
