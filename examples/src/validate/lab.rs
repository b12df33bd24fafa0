//! Worlds from which the checks are built.

use glam::Vec3;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::world::{BatchHandle, BodyHandle, Object, ObjectHandle, Settings, World};

use crate::device::{Device, Stepper};
use crate::scene::{FRAME, SceneError};

/// Standard gravity \[m/s²\].
pub(super) const G: f64 = 9.81;

/// A world with a back end that steps it.
pub(super) struct Lab {
    pub world: World,
    backend: Stepper,
}

/// A pinned particle at the origin and a particle of 1 kg tied to it.
pub(super) struct Pair {
    pub lab: Lab,
    pub object: ObjectHandle,
    pub batch: BatchHandle,
}

impl Lab {
    pub fn new(device: &Device, settings: Settings) -> Result<Self, SceneError> {
        Ok(Self { world: World::new(settings)?, backend: device.stepper() })
    }

    /// Advances by one frame and reads the state back.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.world.step(&mut self.backend, FRAME)?;
        Ok(self.world.synchronize()?)
    }

    /// Advances by many frames and reads the state back after the last one.
    pub fn steps(&mut self, frames: u32) -> Result<(), SceneError> {
        for _ in 0..frames {
            self.world.step(&mut self.backend, FRAME)?;
        }
        Ok(self.world.synchronize()?)
    }

    /// Returns the position in double precision \[m\].
    pub fn at(&self, object: ObjectHandle, particle: usize) -> Result<glam::DVec3, SceneError> {
        Ok(self.world.position(object, particle)?.as_dvec3())
    }

    /// Returns the position of a body in double precision \[m\].
    pub fn place(&self, body: BodyHandle) -> Result<glam::DVec3, SceneError> {
        Ok(self.world.body_pose(body)?.translation.as_dvec3())
    }
}

/// Returns what a builder has made, or why it has not.
pub(super) fn built<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, SceneError> {
    result.map_err(|error| SceneError::Object(error.to_string()))
}

impl Pair {
    /// Creates a pair with rest length 1 m that starts from `place`, with this compliance \[m/N\] and damping \[N
    /// s/m\].
    pub fn new(
        device: &Device,
        settings: Settings,
        place: Vec3,
        compliance: f32,
        damping: f32,
    ) -> Result<Self, SceneError> {
        let mut lab = Lab::new(device, settings)?;
        let link = Batch::new(Distance, &[[0, 1]], &[DistanceParameters { rest_length: 1.0 }])?
            .compliance(compliance)
            .damping(damping);
        let object = lab.world.add(Object::new("pair", vec![Vec3::ZERO, place], 1.0).pin([0]).with(link))?;
        let batch = lab.world.batches_of(object)[0];
        Ok(Self { lab, object, batch })
    }

    /// Returns the position of the free particle \[m\].
    pub fn place(&self) -> Result<glam::DVec3, SceneError> {
        self.lab.at(self.object, 1)
    }

    /// Returns the velocity of the free particle \[m/s\].
    pub fn velocity(&self) -> Result<glam::DVec3, SceneError> {
        Ok(self.lab.world.velocity(self.object, 1)?.as_dvec3())
    }
}

/// Returns the default settings with these substeps and iterations.
pub(super) fn passes(substeps: u32, iterations: u32) -> Settings {
    Settings { substeps, iterations, ..Settings::default() }
}

/// Returns the same without gravity.
pub(super) fn weightless(substeps: u32, iterations: u32) -> Settings {
    Settings { gravity: Vec3::ZERO, ..passes(substeps, iterations) }
}
