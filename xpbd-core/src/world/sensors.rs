//! Sensors: adding, changing, removing, and what they overlap.

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::collide::{Collider, SensorContext, SensorOverlap};
use crate::handle::SensorHandle;

impl World {
    /// Adds a sensor: a collider that reports which others it overlaps, and pushes nothing. Its friction and restitution
    /// have no effect.
    ///
    /// A sensor reports colliders that its layers let it, on other bodies than its own, if one of the two is on a body that
    /// is not fixed. It reports neither particles nor other sensors, and half-spaces and height fields do not report each
    /// other.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use parry3d::math::Pose;
    /// # use parry3d::shape::SharedShape;
    /// # use xpbd_core::prelude::*;
    /// let mut world = World::default();
    /// let gate = world.add_sensor(Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0)).at(Vec3::NEG_Y))?;
    /// let ball = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.2)))?;
    /// world.add_collider(Collider::new(SharedShape::ball(0.2)).attached_to(ball))?;
    /// let mut cpu = CpuBackend::default();
    /// while world.sensor_overlaps().is_empty() {
    ///     world.step(&mut cpu, 1.0 / 60.0)?;
    /// }
    /// let overlap = world.sensor_overlaps()[0];
    /// assert_eq!((overlap.sensor, overlap.phase), (gate, ContactPhase::Begin));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The same as of [`World::add_collider`].
    pub fn add_sensor(&mut self, sensor: Collider) -> Result<SensorHandle, WorldError> {
        let sensor = self.state.check_collider(sensor)?;
        Ok(self.state.sensors.push(sensor))
    }

    /// Changes a sensor.
    ///
    /// # Errors
    /// A stale handle, or a sensor that is not valid; the sensor is then as it was.
    pub fn edit_sensor(&mut self, handle: SensorHandle, edit: impl FnOnce(&mut Collider)) -> Result<(), WorldError> {
        let mut changed = self.state.sensors.get(handle).ok_or(WorldError::StaleHandle("sensor"))?.clone();
        edit(&mut changed);
        let changed = self.state.check_collider(changed)?;
        if let Some(sensor) = self.state.sensors.get_mut(handle) {
            *sensor = changed;
        }
        Ok(())
    }

    /// Removes a sensor with its overlaps.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_sensor(&mut self, handle: SensorHandle) -> Result<(), WorldError> {
        self.state.sensors.remove(handle).map(drop).ok_or(WorldError::StaleHandle("sensor"))?;
        self.state.sensor_overlaps.retain(|overlap| overlap.sensor != handle);
        Ok(())
    }

    /// Returns which colliders the sensors overlapped at the end of the last step, and which they no longer do, sorted by
    /// sensor and collider. A collider that has been removed ends its overlaps in the next step.
    pub fn sensor_overlaps(&self) -> &[SensorOverlap] {
        &self.state.sensor_overlaps
    }
}

impl State {
    /// Replaces the overlaps of sensors by those of the frame that ends.
    pub(super) fn update_sensor_overlaps(&mut self) {
        let context = SensorContext { bodies: &self.bodies, body_handles: &self.body_handles };
        self.sensor_overlaps = context.overlaps(&self.sensors, &self.colliders, &self.sensor_overlaps);
    }
}
