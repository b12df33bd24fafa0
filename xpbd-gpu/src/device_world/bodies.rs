//! Bodies on the device: those that move stay there as particles do, the others follow paths that the
//! host works out.

use bytemuck::cast_slice;
use glam::{Quat, Vec3, Vec4};
use xpbd_core::bodies::Bodies;
use xpbd_core::world::State;
use xpbd_core::world::state::DeviceState;

use super::DeviceWorld;
use crate::layout::body;
use crate::pipelines::Pipelines;
use crate::upload::Upload;

impl DeviceWorld {
    /// Finds the contacts of a frame of `dt` \[s\] in which both sides move, if bodies move that may have any or
    /// may fall asleep; the host then waits for the end of the frame.
    ///
    /// # Errors
    /// The device is lost, or, where nothing may wait, there are contacts.
    pub fn find_mutual(&mut self, state: &mut State, dt: f32) -> Result<(), String> {
        self.waits = must_wait_for_bodies(state) || state.has_surfaces();
        state.contacts.particle_bodies.clear();
        state.contacts.bodies.clear();
        if !self.waits {
            return Ok(());
        }
        if self.is_behind {
            self.sync_from_device(state).map_err(|error| error.to_string())?;
        }
        state.update_accelerations();
        state.detect_mutual(dt).map_err(|error| error.to_string())?;
        let found = !state.contacts.particle_bodies.is_empty() || !state.contacts.bodies.is_empty();
        if found && cfg!(target_arch = "wasm32") {
            return Err("bodies that collide have to wait for the device every frame, which a page may not".into());
        }
        Ok(())
    }

    /// Uploads all bodies after an edit of any, and what pushes them if it has changed. Gives the paths
    /// of the others, along which it moves them on the host.
    pub(super) fn upload_bodies(
        &mut self,
        state: &mut State,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<Vec<Vec4>, String> {
        let bodies = &mut state.bodies;
        self.bodies = bodies.len();
        self.bodies_move = bodies.records.iter().any(|about| about.is_movable());
        if !bodies.is_empty() {
            self.kernels.need_bodies(&self.device, pipelines)?;
        }
        if self.uploaded.body_edits != state.body_revision {
            self.upload_edited(bodies)?;
            self.uploaded.body_edits = state.body_revision;
        }
        let pushes = [&bodies.acceleration[..], &bodies.torque].concat();
        if pushes != self.uploaded.pushes {
            let place = 16 * body::PUSHES * bodies.len() as u64;
            upload.write(&self.buffers.bodies.buffer, place, cast_slice(&pushes));
            self.uploaded.pushes = pushes;
        }
        Ok(self.paths(bodies))
    }

    fn upload_edited(&mut self, bodies: &Bodies) -> Result<(), String> {
        let section = 16 * bodies.len() as u64;
        if self.buffers.bodies.reserve(&self.device, body::SECTIONS * section)? {
            self.groups = None;
        }
        let rotations = |list: &[Quat]| list.iter().map(|&rotation| Vec4::from(rotation)).collect::<Vec<_>>();
        let Bodies {
            anchor,
            offset,
            velocity,
            angular_velocity: spin,
            start,
            rotation_correction: turn,
            inverse_inertia,
            ..
        } = bodies;
        let (rotation, before) = (rotations(&bodies.rotation), rotations(&bodies.start_rotation));
        let state = [anchor, offset, &rotation, velocity, spin, start, &before, turn];
        self.write(&self.buffers.bodies.buffer, 0, cast_slice(&state.map(Vec::as_slice).concat()));
        self.write(&self.buffers.bodies.buffer, body::INERTIA * section, cast_slice(inverse_inertia));
        self.uploaded.resting = vec![None; bodies.len()];
        self.uploaded.pushes.clear();
        Ok(())
    }

    /// Moves the bodies that nothing pushes to the end of the frame and gives the paths of those that the
    /// device does not have there already; see `bodies.wgsl`.
    fn paths(&mut self, bodies: &mut Bodies) -> Vec<Vec4> {
        let is_still = |k: usize| bodies.motion[k].translation == Vec3::ZERO && bodies.motion[k].rotation == Vec3::ZERO;
        let resting = &mut self.uploaded.resting;
        let leaves = |k: usize| !is_still(k) || resting[k].is_none_or(|known| bits(known) != bits(place(bodies, k)));
        let followers: Vec<usize> = (0..bodies.len()).filter(|&k| bodies.anchor[k].w == 0.0 && leaves(k)).collect();
        self.followers = followers.len();
        let mut paths = Vec::new();
        for &k in &followers {
            paths.push(Vec4::new(f32::from_bits(k as u32), 0.0, 0.0, 0.0));
            paths.extend(place(bodies, k));
            paths.extend([bodies.velocity[k], bodies.angular_velocity[k]]);
        }
        let still: Vec<bool> = followers.iter().map(|&k| is_still(k)).collect();
        let substeps = self.substeps as f32;
        for substep in 0..self.substeps {
            bodies.advance_kinematic(1.0 / substeps, (substep + 1) as f32 / substeps);
            for &k in &followers {
                let [_, offset, rotation] = place(bodies, k);
                paths.extend([offset, rotation]);
            }
        }
        for (&k, still) in followers.iter().zip(still) {
            resting[k] = still.then(|| place(bodies, k));
        }
        paths
    }

    /// Takes over the state of the bodies that move as the device has them, section by section. One that the
    /// device has frozen is frozen here too. With `unfolded` the others are as they were before offsets were
    /// folded: the host ends the frame itself.
    pub(super) fn take_bodies(&mut self, state: &mut State, vectors: &[Vec4], unfolded: bool) {
        let bodies = &mut state.bodies;
        let count = bodies.len();
        let sections: Vec<&[Vec4]> = vectors.chunks_exact(count.max(1)).collect();
        if count != self.bodies || sections.len() < body::STATE as usize {
            return;
        }
        let moving: Vec<usize> = (0..count).filter(|&k| bodies.records[k].is_movable()).collect();
        for k in moving {
            if take(bodies, k, &sections, unfolded) {
                self.uploaded.resting[k] = None;
                state.plan_is_stale = true;
                self.returned.frozen_bodies.extend(state.body_handles.keys().get(k));
            }
        }
    }
}

/// Returns whether the host has to know how bodies are before the next frame: where colliders are on them it looks for
/// contacts, and those that can fall asleep do so in the frame in which they come to rest.
fn must_wait_for_bodies(state: &State) -> bool {
    let about = &state.bodies.records;
    let moves = |body| state.body_handles.index_of(body).is_some_and(|k| about[k].is_movable());
    about.iter().any(|about| about.is_movable() && about.body.can_sleep)
        || state.colliders.iter().any(|(_, collider)| collider.body.is_some_and(moves))
}

/// Takes over one body; says whether the device has frozen it.
fn take(bodies: &mut Bodies, k: usize, sections: &[&[Vec4]], unfolded: bool) -> bool {
    bodies.anchor[k] = sections[0][k];
    bodies.offset[k] = sections[1][k];
    bodies.rotation[k] = Quat::from_vec4(sections[2][k]);
    bodies.velocity[k] = sections[3][k];
    bodies.angular_velocity[k] = sections[4][k];
    bodies.start[k] = sections[5][k];
    bodies.start_rotation[k] = Quat::from_vec4(sections[6][k]);
    bodies.rotation_correction[k] = sections[7][k];
    if bodies.anchor[k].w > 0.0 {
        if let ([.., anchor, offset], true) = (sections, unfolded) {
            (bodies.anchor[k], bodies.offset[k]) = (anchor[k], offset[k]);
        }
        return false;
    }
    bodies.records[k].frozen = true;
    bodies.set_pose(k, bodies.pose(k));
    bodies.update_inverse_mass(k);
    true
}

/// Anchor, offset and rotation of a body.
fn place(bodies: &Bodies, k: usize) -> [Vec4; 3] {
    [bodies.anchor[k], bodies.offset[k], Vec4::from(bodies.rotation[k])]
}

fn bits(place: [Vec4; 3]) -> [[u32; 4]; 3] {
    place.map(|vector| vector.to_array().map(f32::to_bits))
}
