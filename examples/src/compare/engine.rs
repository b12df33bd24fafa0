//! The engine on the chains of the references, in single precision.

use glam::Vec3;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::ScheduleOrder;
use xpbd_core::world::{BatchHandle, Object, ObjectHandle, Settings, World};

use crate::reference::State;
use crate::reference::scenes::Chain;
use crate::scene::{FRAME, SceneError};

/// A world with a chain in it, solved from its pinned end on.
pub struct Engine {
    world: World,
    cpu: CpuBackend,
    chain: ObjectHandle,
    links: BatchHandle,
    count: usize,
}

impl Engine {
    /// The chain as [`Chain::build`] makes it.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn new(chain: Chain, substeps: u32, iterations: u32) -> Result<Self, SceneError> {
        let gravity = Vec3::Y * chain.gravity as f32;
        let mut settings = Settings { gravity, substeps, iterations, ..Settings::default() };
        settings.schedule.order = ScheduleOrder::Sequential;
        let mut world = World::new(settings)?;
        let along = if chain.hangs { Vec3::NEG_Y } else { Vec3::X };
        let places = (0..=chain.links).map(|k| along * (chain.link * k as f64) as f32).collect();
        let pairs: Vec<[u32; 2]> = (1..=chain.links as u32).map(|k| [k - 1, k]).collect();
        let batch =
            Batch::new(Distance, &pairs, &vec![DistanceParameters { rest_length: chain.link as f32 }; pairs.len()])?;
        let batch = batch.compliance(chain.compliance as f32);
        let object = world.add(Object::new("chain", places, 1.0).pin([0]).with(batch))?;
        let links = world.batches_of(object)[0];
        Ok(Self { world, cpu: CpuBackend::new(Threads::Exactly(1)), chain: object, links, count: chain.links })
    }

    /// Advances by one frame.
    ///
    /// # Errors
    /// The world cannot be stepped.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.world.step(&mut self.cpu, FRAME)?;
        Ok(())
    }

    /// Returns where the particles are \[m\], and how fast \[m/s\].
    ///
    /// # Errors
    /// The handle is stale.
    pub fn state(&self) -> Result<State, SceneError> {
        let mut state = State { x: Vec::new(), v: Vec::new() };
        for particle in 0..=self.count {
            state.x.extend(self.world.position(self.chain, particle)?.as_dvec3().to_array());
            state.v.extend(self.world.velocity(self.chain, particle)?.as_dvec3().to_array());
        }
        Ok(state)
    }

    /// Returns the force of each link along its gradient \[N\], negative where it pulls.
    ///
    /// # Errors
    /// The handle is stale.
    pub fn forces(&self) -> Result<Vec<f64>, SceneError> {
        (0..self.count).map(|link| Ok(f64::from(self.world.row_forces(self.links, link)?[0]))).collect()
    }
}
