//! Bodies on the device. The state of dynamic bodies stays there as that of particles does; the other bodies follow paths
//! that the host computes.

use bytemuck::cast_slice;
use glam::{Quat, Vec4};
use xpbd_core::bodies::Bodies;
use xpbd_core::collide::ContactSet;
use xpbd_core::world::State;

use super::DeviceWorld;
use crate::layout::{BODY_RETURNED, body};
use crate::pipelines::Pipelines;
use crate::upload::Upload;

impl DeviceWorld {
    /// Finds the contacts of a frame of `dt` \[s\] in which bodies move, if there are bodies that may have contacts or fall
    /// asleep. The host then waits for the end of the frame, and so it does where constraints can break.
    ///
    /// # Errors
    /// The device is lost, or there are contacts in a frame that may not wait.
    pub async fn find_mutual_contacts(&mut self, state: &mut State, dt: f32) -> Result<(), String> {
        self.host.reads_multipliers = state.has_breakable_constraints();
        self.host.waits_for_frame = must_wait_for_bodies(state) || state.has_surfaces() || self.host.reads_multipliers;
        state.contacts.particle_bodies.clear();
        if !self.host.waits_for_frame {
            state.contacts.bodies.clear();
            return Ok(());
        }
        if self.host.is_behind {
            self.synchronize(state).await?;
        }
        state.update_accelerations();
        state.detect_mutual(dt).map_err(|error| error.to_string())?;
        let found = !state.contacts.particle_bodies.is_empty() || !state.contacts.bodies.is_empty();
        if found && !self.host.may_wait {
            return Err(
                "bodies that collide wait for the device every frame: a page has to await `World::step_async`".into()
            );
        }
        Ok(())
    }

    /// Uploads all bodies after an edit of any, and accelerations and torques if they have changed. Moves the other bodies
    /// on the host along their paths, and returns these.
    pub(super) fn upload_bodies(
        &mut self,
        state: &mut State,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<Vec<Vec4>, String> {
        let bodies = &mut state.bodies;
        self.counts.bodies = bodies.len();
        self.counts.has_dynamic_bodies = (0..bodies.len()).any(|k| bodies.is_movable(k));
        if !bodies.is_empty() {
            self.kernels.ensure_bodies(&self.device, pipelines)?;
        }
        if self.uploaded.body_revision != state.body_revision {
            self.upload_edited(bodies)?;
            self.uploaded.body_revision = state.body_revision;
        }
        let forces = [&bodies.acceleration[..], &bodies.torque].concat();
        if forces != self.uploaded.body_forces {
            let place = 16 * body::ACCELERATION * bodies.len() as u64;
            upload.write(&self.buffers.bodies.buffer, place, cast_slice(&forces));
            self.uploaded.body_forces = forces;
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
        self.uploaded.resting_poses = vec![None; bodies.len()];
        self.uploaded.body_forces.clear();
        Ok(())
    }

    /// Moves the bodies that no force moves to the end of the frame, and returns the paths of those that the device does not
    /// have there already; see `bodies.wgsl`.
    fn paths(&mut self, bodies: &mut Bodies) -> Vec<Vec4> {
        let is_still = |k: usize| !bodies.motion[k].moves();
        let resting = &mut self.uploaded.resting_poses;
        let leaves = |k: usize| !is_still(k) || resting[k].is_none_or(|known| bits(known) != bits(place(bodies, k)));
        let followers: Vec<usize> = (0..bodies.len()).filter(|&k| bodies.anchor[k].w == 0.0 && leaves(k)).collect();
        self.counts.kinematic_bodies = followers.len();
        let mut paths = Vec::new();
        for &k in &followers {
            paths.push(Vec4::new(f32::from_bits(k as u32), 0.0, 0.0, 0.0));
            paths.extend(place(bodies, k));
            paths.extend([bodies.velocity[k], bodies.angular_velocity[k]]);
        }
        let still: Vec<bool> = followers.iter().map(|&k| is_still(k)).collect();
        let substeps = self.counts.substeps as f32;
        for substep in 0..self.counts.substeps {
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

    /// Copies the state of dynamic bodies from the device, section by section. A body that the device has frozen is frozen
    /// here too. With `unfolded` the others are as they were before offsets were folded: the host ends the frame itself.
    pub(super) fn sync_bodies(&mut self, state: &mut State, vectors: &[Vec4], unfolded: bool) {
        let bodies = &mut state.bodies;
        let count = bodies.len();
        let sections: Vec<&[Vec4]> = vectors.chunks_exact(count.max(1)).collect();
        if count != self.counts.bodies || sections.len() < BODY_RETURNED as usize {
            return;
        }
        let moving: Vec<usize> = (0..count).filter(|&k| bodies.is_movable(k)).collect();
        for k in moving {
            if take(bodies, k, &sections, unfolded) {
                self.uploaded.resting_poses[k] = None;
                state.plan_is_stale = true;
                self.readbacks.report.frozen_bodies.extend(state.body_handles.keys().get(k));
            }
        }
    }
}

/// Returns whether the host has to know the bodies before the next frame: it looks for contacts where colliders are on bodies
/// that move, and for what sensors overlap, and what can fall asleep or wakes does so in the frame in which it comes to rest or
/// is hit.
fn must_wait_for_bodies(state: &State) -> bool {
    let bodies = &state.bodies;
    let moves = |body| state.body_handles.index_of(body).is_some_and(|k| bodies.is_movable(k));
    let mut objects = state.objects.iter().map(|(_, object)| object);
    let may_be_hit = |k: usize| bodies.sleep[k].asleep && !state.objects.is_empty();
    (0..bodies.len()).any(|k| may_be_hit(k) || bodies.is_movable(k) && bodies.records[k].body.can_sleep)
        || objects.any(|object| object.sleep.asleep || object.is_sleeper())
        || state.colliders.iter().any(|(_, collider)| collider.body.is_some_and(moves))
        || state.sensors.iter().any(|(_, sensor)| sensor.body.is_some_and(moves))
}

/// Copies one body, and returns whether the device has frozen it.
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
        // The start of the substep is told from where the anchor was.
        let [before, offset] = [body::FRAME_POSITION, body::FRAME_ROTATION].map(|place| sections[place as usize][k]);
        if unfolded {
            (bodies.anchor[k], bodies.offset[k]) = (before, offset);
        } else {
            bodies.start[k] = (before - bodies.anchor[k]) + bodies.start[k];
        }
        return false;
    }
    bodies.records[k].frozen = true;
    bodies.set_pose(k, bodies.pose(k));
    bodies.update_inverse_mass(k);
    true
}

/// Returns anchor, offset and rotation of a body.
fn place(bodies: &Bodies, k: usize) -> [Vec4; 3] {
    [bodies.anchor[k], bodies.offset[k], Vec4::from(bodies.rotation[k])]
}

fn bits(place: [Vec4; 3]) -> [[u32; 4]; 3] {
    place.map(|vector| vector.to_array().map(f32::to_bits))
}
