//! The particles that left an opening since the last frame, and their present positions.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{ParticleSpawn, World};

use super::{EmissionReport, Emitter, WhenFull, scatter};
use crate::error::SpawnError;

impl Emitter {
    /// Returns the particles that are due, in the order in which they left, and the times at which they left \[s\].
    pub(super) fn due_spawns(
        &mut self,
        world: &World,
        free_capacity: usize,
        report: &mut EmissionReport,
    ) -> Result<(Vec<ParticleSpawn>, Vec<f64>), SpawnError> {
        let (mut spawns, mut birth_times) = (Vec::new(), Vec::new());
        let scale = world.state().objects.get(self.object).map_or(0.0, |object| object.gravity_scale);
        let gravity = world.settings().gravity * scale;
        let capacity = world.positions(self.object)?.len();
        let left = self.max_particles.map_or(u64::MAX, |most| most.saturating_sub(self.emitted));
        let room = if self.when_full == WhenFull::Wait { free_capacity } else { capacity };
        let room = (room as u64).min(left) as usize;
        let interval = self.interval();
        if self.lattice.layers.iter().any(Vec::is_empty) {
            return Ok((spawns, birth_times));
        }
        self.skip_expired(interval);
        let mut tried = 0;
        while self.due_layers >= 1.0 {
            let late = self.due_layers - 1.0;
            let sites = self.next_sites();
            self.due_layers = late;
            if tried >= room {
                // A long frame may have more due than can be counted one by one.
                let rest = self.due_layers.floor();
                let each = if self.rate.is_some() { 1.0 } else { self.lattice.mean_layer_size() };
                let lost = (sites.len() as u64).saturating_add((rest * each) as u64);
                let lost = lost.min(left.saturating_sub(tried as u64));
                report.rejected = report.rejected.saturating_add(lost);
                self.emitted_layers = self.emitted_layers.wrapping_add(rest as u64);
                self.due_layers -= rest;
                break;
            }
            let lag = if late > 0.0 { late * interval } else { 0.0 };
            for site in sites.into_iter().take(left.saturating_sub(tried as u64).try_into().unwrap_or(usize::MAX)) {
                tried += 1;
                let spawn = self.spawn(site, lag as f32, gravity);
                if spawn.position.is_finite() && spawn.velocity.is_finite() {
                    spawns.push(spawn);
                    birth_times.push(self.time - lag);
                } else {
                    report.rejected += 1;
                }
            }
        }
        Ok((spawns, birth_times))
    }

    /// Skips the particles whose lifetime has ended by now.
    fn skip_expired(&mut self, interval: f64) {
        let Some(lifetime) = self.lifetime else { return };
        let late = self.due_layers - 1.0;
        if late * interval >= f64::from(lifetime) {
            let gone = (late - f64::from(lifetime) / interval).floor() + 1.0;
            self.due_layers -= gone;
            self.emitted_layers = self.emitted_layers.wrapping_add(gone as u64);
        }
    }

    /// Returns the sites \[m\] of the layer or the particle that leaves next.
    fn next_sites(&mut self) -> Vec<Vec3> {
        let (number, layers) = (self.emitted_layers, &self.lattice.layers);
        self.emitted_layers = number.wrapping_add(1);
        let count = layers.len().max(1) as u64;
        let layer = |number: u64| layers.get((number % count) as usize).map_or(&[] as &[Vec3], Vec::as_slice);
        let sites = match self.rate {
            None => layer(number).to_vec(),
            Some(_) => scatter::pick(layer(number), number / count).into_iter().collect(),
        };
        let off = |(site, k): (Vec3, u64)| site + scatter::offset(number, k) * (self.jitter * self.spacing);
        sites.into_iter().zip(0..).map(off).collect()
    }

    /// Returns a particle that left a time `lag` \[s\] ago.
    fn spawn(&self, site: Vec3, lag: f32, gravity: Vec3) -> ParticleSpawn {
        let part = if self.last_frame > 0.0 { (lag / self.last_frame).clamp(0.0, 1.0) } else { 0.0 };
        let pose = self.previous_pose.map_or(self.pose, |previous| interpolated(self.pose, previous, part));
        let along = pose.rotation * Vec3::Z * self.speed;
        let position = pose.translation + pose.rotation * site + (along + gravity * (0.5 * lag)) * lag;
        ParticleSpawn { position, velocity: along + gravity * lag }
    }
}

/// Returns a pose between two; `part` is 0 at the first and 1 at the second.
fn interpolated(a: Pose, b: Pose, part: f32) -> Pose {
    let (from, to) = (a.rotation, b.rotation);
    let cosine = (from.x * to.x + from.y * to.y) + (from.z * to.z + from.w * to.w);
    let to = if cosine < 0.0 { -to } else { to };
    Pose::from_parts(a.translation.lerp(b.translation, part), normalized(from * (1.0 - part) + to * part))
}
