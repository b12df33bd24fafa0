//! Bodies on the device: those that move stay there as particles do, the others follow paths that the
//! host works out.

use bytemuck::cast_slice;
use glam::{Quat, Vec3, Vec4};
use xpbd_core::bodies::Bodies;
use xpbd_core::world::State;

use super::Home;
use crate::layout::body;
use crate::pipelines::Pipelines;
use crate::upload::Upload;

impl Home {
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
        self.bodies_move = bodies.about.iter().any(|about| about.moves());
        if !bodies.is_empty() {
            self.kernels.need_bodies(&self.device, pipelines)?;
        }
        if self.uploaded.body_edits != state.body_edits {
            self.upload_edited(bodies)?;
            self.uploaded.body_edits = state.body_edits;
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
        let Bodies { anchor, offset, velocity, spin, start, turn, inverse_inertia, .. } = bodies;
        let (rotation, before) = (rotations(&bodies.rotation), rotations(&bodies.start_rotation));
        let state = [anchor, offset, &rotation, velocity, spin, start, &before, turn, inverse_inertia];
        self.write(&self.buffers.bodies.buffer, 0, cast_slice(&state.map(Vec::as_slice).concat()));
        self.uploaded.resting = vec![None; bodies.len()];
        self.uploaded.pushes.clear();
        Ok(())
    }

    /// Moves the bodies that nothing pushes to the end of the frame and gives the paths of those that the
    /// device does not have there already; see `bodies.wgsl`.
    fn paths(&mut self, bodies: &mut Bodies) -> Vec<Vec4> {
        let is_still = |k: usize| bodies.motion[k].shift == Vec3::ZERO && bodies.motion[k].turn == Vec3::ZERO;
        let resting = &mut self.uploaded.resting;
        let leaves = |k: usize| !is_still(k) || resting[k].is_none_or(|known| bits(known) != bits(place(bodies, k)));
        let followers: Vec<usize> = (0..bodies.len()).filter(|&k| bodies.anchor[k].w == 0.0 && leaves(k)).collect();
        self.followers = followers.len();
        let mut paths = Vec::new();
        for &k in &followers {
            paths.push(Vec4::new(f32::from_bits(k as u32), 0.0, 0.0, 0.0));
            paths.extend(place(bodies, k));
        }
        let still: Vec<bool> = followers.iter().map(|&k| is_still(k)).collect();
        let substeps = self.substeps as f32;
        for substep in 0..self.substeps {
            bodies.follow(1.0 / substeps, (substep + 1) as f32 / substeps);
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

    /// Takes over the bodies that move as the device has them, section by section: anchor, offset,
    /// rotation, velocity and spin, and if it is there the rest of their state. One that the device has
    /// frozen is frozen here too.
    pub(super) fn take_bodies(&mut self, state: &mut State, vectors: &[Vec4]) {
        let bodies = &mut state.bodies;
        let count = bodies.len();
        let sections: Vec<&[Vec4]> = vectors.chunks_exact(count.max(1)).collect();
        if count != self.bodies || sections.len() < body::RETURNED as usize {
            return;
        }
        let moving: Vec<usize> = (0..count).filter(|&k| bodies.about[k].moves()).collect();
        for k in moving {
            if take(bodies, k, &sections) {
                self.uploaded.resting[k] = None;
                state.plan_is_stale = true;
                self.returned.frozen_bodies.extend(state.body_handles.keys().get(k));
            }
        }
    }

    /// Brings the bodies of the host up to date with the device, for what the host does before a frame.
    ///
    /// # Errors
    /// The device is lost.
    pub fn fetch_bodies(&mut self, state: &mut State) -> Result<(), String> {
        if !self.is_newer_than(state) {
            return Ok(());
        }
        self.collect(state, true)?;
        if self.unread {
            let bytes = 16 * body::STATE * self.bodies as u64;
            let bodies = super::read(&self.device, &[(&self.buffers.bodies, 0, bytes)])?;
            self.take_bodies(state, &bytemuck::pod_collect_to_vec::<u8, Vec4>(&bodies));
        }
        Ok(())
    }
}

/// Whether contacts of a frame depend on where bodies that move are.
pub fn need_poses(state: &State) -> bool {
    let moves = |body| state.body_handles.position(body).is_some_and(|k| state.bodies.about[k].moves());
    state.colliders.iter().any(|(_, collider)| collider.body.is_some_and(moves))
}

/// Takes over one body; says whether the device has frozen it.
fn take(bodies: &mut Bodies, k: usize, sections: &[&[Vec4]]) -> bool {
    bodies.anchor[k] = sections[0][k];
    bodies.offset[k] = sections[1][k];
    bodies.rotation[k] = Quat::from_vec4(sections[2][k]);
    bodies.velocity[k] = sections[3][k];
    bodies.spin[k] = sections[4][k];
    if let [start, start_rotation, turn] = sections[body::RETURNED as usize..] {
        bodies.start[k] = start[k];
        bodies.start_rotation[k] = Quat::from_vec4(start_rotation[k]);
        bodies.turn[k] = turn[k];
    }
    if bodies.anchor[k].w > 0.0 {
        return false;
    }
    bodies.about[k].frozen = true;
    bodies.place(k, bodies.pose(k));
    bodies.weigh(k);
    true
}

/// Anchor, offset and rotation of a body.
fn place(bodies: &Bodies, k: usize) -> [Vec4; 3] {
    [bodies.anchor[k], bodies.offset[k], Vec4::from(bodies.rotation[k])]
}

fn bits(place: [Vec4; 3]) -> [[u32; 4]; 3] {
    place.map(|vector| vector.to_array().map(f32::to_bits))
}
