//! Surfaces in the course of a frame: the host looks at them where the device has come to.

use xpbd_core::world::State;

use super::DeviceWorld;
use super::sync::read;
use crate::layout::motion;
use crate::pipelines::Pipelines;
use crate::readback::copy;
use crate::upload::Upload;

impl DeviceWorld {
    /// Finds the pairs of surfaces of a frame of `dt` \[s\], if there are any.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check, or there are surfaces where nothing may wait.
    pub fn find_surfaces(&mut self, state: &mut State, dt: f32) -> Result<(), String> {
        self.surfaces.clear();
        self.surfaces.are_there = state.has_surfaces();
        if self.surfaces.are_there && cfg!(target_arch = "wasm32") {
            return Err("surfaces that collide have to wait for the device, which a page may not".into());
        }
        if self.surfaces.are_there || !state.contacts.surfaces.is_empty() {
            state.detect_surface_pairs(dt).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Lets the host look which surfaces touch in a substep of `h` \[s\] whose constraints the device has solved, and
    /// uploads these contacts with what follows.
    ///
    /// # Errors
    /// The device is lost, or refuses a kernel or a buffer.
    pub fn touch_surfaces(
        &mut self,
        state: &mut State,
        substep: u32,
        h: f32,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.take_surfaces(state, h, true)?;
        state.update_surface_contacts(substep, h);
        let surfaces = &state.contacts.surfaces;
        match &surfaces.pass {
            Some(pass) => self.surfaces.make(pass, surfaces.sweeps(), &self.device, pipelines, upload),
            None => Ok(()),
        }
    }

    /// Takes what the contacts of the last substep have done, and where particles are if that is asked for.
    ///
    /// # Errors
    /// The device is lost.
    pub fn take_surfaces(&mut self, state: &mut State, h: f32, places: bool) -> Result<(), String> {
        let vectors = if places { 16 * self.particles as u64 } else { 0 };
        let (lambda, bytes) = self.surfaces.multipliers();
        let b = &self.buffers;
        let first = motion::VELOCITY * vectors;
        let places = [(&b.anchor, 0, vectors), (&b.offset, 0, vectors), (&b.start, 0, vectors)];
        let parts = [places[0], places[1], places[2], (&b.motion, first, vectors), (lambda, 0, bytes)];
        let found = read(&self.device, &parts)?;
        let (places, multipliers) = found.split_at(4 * vectors as usize);
        let particles = &mut state.particles;
        let lists = [&mut particles.anchor, &mut particles.offset, &mut particles.start, &mut particles.velocity];
        for (list, bytes) in lists.into_iter().zip(places.chunks_exact(vectors.max(1) as usize)) {
            copy(bytes, list);
        }
        if !multipliers.is_empty() {
            state.store_surface_multipliers(&bytemuck::pod_collect_to_vec::<u8, f32>(multipliers), h);
        }
        Ok(())
    }
}
