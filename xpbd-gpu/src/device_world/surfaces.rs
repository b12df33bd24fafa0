//! Contacts of surfaces in the course of a frame: the host finds them from the present state of the device.

use glam::{Quat, Vec4};
use xpbd_core::bodies::Bodies;
use xpbd_core::world::State;

use super::DeviceWorld;
use crate::host_copy::read;
use crate::layout::{BODY_STATE, motion};
use crate::pipelines::Pipelines;
use crate::readback::copy;
use crate::upload::Upload;

impl DeviceWorld {
    /// Finds the pairs of surfaces of a frame of `dt` \[s\], if there are any.
    ///
    /// # Errors
    /// A contact constraint fails its self-check, or there are surfaces in a frame that may not wait.
    pub fn find_surface_pairs(&mut self, state: &mut State, dt: f32) -> Result<(), String> {
        self.contacts.surfaces.clear();
        self.contacts.surfaces.is_active = state.has_surfaces();
        if self.contacts.surfaces.is_active && !self.host.may_wait {
            return Err(
                "surfaces that collide wait for the device every substep: a page has to await `World::step_async`"
                    .into(),
            );
        }
        if self.contacts.surfaces.is_active || !state.contacts.surfaces.is_empty() {
            state.detect_surface_pairs(dt).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Finds which surfaces touch in a substep of `h` \[s\] whose constraints the device has solved, and uploads these
    /// contacts with the next submission.
    ///
    /// # Errors
    /// The device is lost, or refuses a kernel or a buffer.
    pub async fn update_surface_contacts(
        &mut self,
        state: &mut State,
        substep: u32,
        h: f32,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.sync_surfaces(state, h, true).await?;
        let device_bodies = self.read_bodies(state).await?;
        // The bodies of the host are at the end of the frame.
        let host_bodies = device_bodies.map(|bodies| std::mem::replace(&mut state.bodies, bodies));
        state.update_surface_contacts(substep, h);
        if let Some(bodies) = host_bodies {
            state.bodies = bodies;
        }
        self.contacts.surfaces.update(&state.contacts.surfaces, &self.device, pipelines, upload)
    }

    /// Returns the bodies as they are on the device, if their shapes may touch surfaces in this frame.
    async fn read_bodies(&self, state: &State) -> Result<Option<Bodies>, String> {
        if !state.contacts.surfaces.meets_bodies() {
            return Ok(None);
        }
        let mut bodies = state.bodies.clone();
        let size = 16 * BODY_STATE * bodies.len() as u64;
        let bytes = read(&self.device, &[(&self.buffers.bodies.buffer, 0, size)]).await?;
        let vectors = bytemuck::pod_collect_to_vec::<u8, Vec4>(&bytes);
        let sections: Vec<&[Vec4]> = vectors.chunks_exact(bodies.len().max(1)).collect();
        if let [anchor, offset, rotation, velocity, spin, start, start_rotation, ..] = sections[..] {
            let rotations =
                |section: &[Vec4]| section.iter().map(|&vector| Quat::from_vec4(vector)).collect::<Vec<_>>();
            (bodies.anchor, bodies.offset, bodies.start) = (anchor.to_vec(), offset.to_vec(), start.to_vec());
            (bodies.velocity, bodies.angular_velocity) = (velocity.to_vec(), spin.to_vec());
            (bodies.rotation, bodies.start_rotation) = (rotations(rotation), rotations(start_rotation));
        }
        Ok(Some(bodies))
    }

    /// Copies the multipliers of the contacts of the last substep to the host, and the positions of particles with `places`.
    ///
    /// # Errors
    /// The device is lost.
    pub async fn sync_surfaces(&mut self, state: &mut State, h: f32, places: bool) -> Result<(), String> {
        let vectors = if places { 16 * self.counts.particles as u64 } else { 0 };
        let (lambda, ranges) = self.contacts.surfaces.multipliers();
        let bytes = 4 * ranges.iter().map(|range| range.end).max().unwrap_or(0) as u64;
        let b = &self.buffers;
        let first = motion::VELOCITY * vectors;
        let parts = [
            (&b.anchor.buffer, 0, vectors),
            (&b.offset.buffer, 0, vectors),
            (&b.start.buffer, 0, vectors),
            (&b.motion.buffer, first, vectors),
            (&lambda.buffer, 0, bytes),
        ];
        let found = read(&self.device, &parts).await?;
        let (places, multipliers) = found.split_at(4 * vectors as usize);
        let particles = &mut state.particles;
        let lists = [&mut particles.anchor, &mut particles.offset, &mut particles.start, &mut particles.velocity];
        for (list, bytes) in lists.into_iter().zip(places.chunks_exact(vectors.max(1) as usize)) {
            copy(bytes, list);
        }
        if !multipliers.is_empty() {
            let multipliers = bytemuck::pod_collect_to_vec::<u8, f32>(multipliers);
            state.store_surface_multipliers(ranges.map(|range| &multipliers[range]), h);
        }
        Ok(())
    }
}
