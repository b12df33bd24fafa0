//! Sleep: islands of bodies that have come to rest are left out until something disturbs them.
//!
//! An island is a set of dynamic bodies that touch each other or are tied by constraints. It falls
//! asleep when every one of its bodies has been slower than [`Settings::sleep_speed`] for
//! [`Settings::sleep_time`]. A body that is tied to particles, or that a
//! medium pushes, stays awake. While it sleeps a body is
//! as if it were fixed. The island wakes when one of its bodies is edited or pushed, when something
//! faster touches it, when a body under it moves, and when anything is removed.
//!
//! [`Settings::sleep_speed`]: super::Settings::sleep_speed
//! [`Settings::sleep_time`]: super::Settings::sleep_time

use glam::{Vec4, Vec4Swizzles};
use parry3d::bounding_volume::BoundingVolume;
use smallvec::SmallVec;

use super::state::{BatchState, State};
use crate::batch::numbers::ChangedNumbers;
use crate::bodies::{Bodies, BodyFrameStart, BodyKind, BodySleep};
use crate::connector::NodeKind;
use crate::disjoint_sets::DisjointSets;
use crate::handle::{BatchHandle, ColliderHandle, ObjectHandle};

impl Bodies {
    /// Returns the speed of a body, of points as far from its centre as its mass is \[m/s\].
    fn speed(&self, k: usize) -> f32 {
        let mass = &self.records[k].body.mass;
        let gyration = (mass.principal_inertia.max_element() / mass.mass).sqrt();
        self.velocity[k].xyz().length() + self.angular_velocity[k].xyz().length() * gyration
    }
}

impl State {
    /// Wakes the island of a body.
    pub(crate) fn wake_island(&mut self, k: usize) {
        self.bodies.sleep[k].still_time = 0.0;
        let BodySleep { asleep, island, .. } = self.bodies.sleep[k];
        if !asleep {
            return;
        }
        self.prepare_body_edit();
        for other in 0..self.bodies.len() {
            let sleep = &mut self.bodies.sleep[other];
            if sleep.asleep && sleep.island == island {
                (sleep.asleep, sleep.still_time) = (false, 0.0);
                self.bodies.update_inverse_mass(other);
            }
        }
        self.plan_is_stale = true;
    }

    /// Wakes every body. Edits one after another find them awake.
    pub(crate) fn wake_all(&mut self) {
        if !self.all_awake {
            (0..self.bodies.len()).for_each(|k| self.wake_island(k));
            self.all_awake = true;
        }
    }

    /// Wakes the bodies of a batch.
    pub(crate) fn wake_batch(&mut self, handle: BatchHandle) {
        let bodies = self.batches.get(handle).map(|batch| batch.bodies.clone()).unwrap_or_default();
        for body in bodies {
            if let Some(k) = self.body_handles.index_of(body) {
                self.wake_island(k);
            }
        }
    }

    /// Wakes the bodies of the constraints of a batch whose numbers have changed.
    pub(crate) fn wake_changed(&mut self, handle: BatchHandle, changes: &ChangedNumbers) {
        let Some(BatchState { bodies, batch, .. }) = self.batches.get(handle) else { return };
        let is_small = bodies.len() <= 2;
        let Some(batch) = batch.traced().filter(|_| !is_small && !changes.others) else {
            return self.wake_batch(handle);
        };
        let kinds = batch.connectors().nodes();
        let nodes = |k: usize| batch.node_indices(k).iter().zip(kinds);
        let tied = changes.ranges().flat_map(|(_, constraints, _)| constraints).flat_map(nodes);
        let tied = tied.filter(|&(_, &kind)| kind == NodeKind::Body).filter_map(|(&k, _)| bodies.get(k as usize));
        let tied: SmallVec<[usize; 8]> = tied.filter_map(|&body| self.body_handles.index_of(body)).collect();
        tied.into_iter().for_each(|k| self.wake_island(k));
    }

    /// Wakes what a body meets that is moved to a target in the frame that begins.
    pub(crate) fn wake_along_body_paths(&mut self) {
        let moved =
            |k: usize| self.bodies.records[k].body.kind == BodyKind::Kinematic && self.bodies.target[k].is_some();
        let asleep = |k: usize| self.bodies.sleep[k].asleep;
        if !(0..self.bodies.len()).any(moved) || !(0..self.bodies.len()).any(asleep) {
            return;
        }
        let places = &self.body_handles;
        let mut ways = Vec::new();
        let mut sleepers = Vec::new();
        for (_, collider) in self.colliders.iter() {
            let Some(k) = collider.body.and_then(|body| places.index_of(body)) else { continue };
            let bounds = collider.shape.compute_aabb(&(self.bodies.pose(k) * collider.pose));
            let bounds = bounds.loosened(self.settings.contact_margin);
            match self.bodies.target[k] {
                Some(target) if moved(k) => {
                    ways.push(bounds.merged(&collider.shape.compute_aabb(&(target * collider.pose))));
                }
                _ if asleep(k) => sleepers.push((k, bounds)),
                _ => {}
            }
        }
        let met = sleepers.into_iter().filter(|(_, bounds)| ways.iter().any(|way| way.intersects(bounds)));
        met.map(|(k, _)| k).collect::<Vec<_>>().into_iter().for_each(|k| self.wake_island(k));
    }

    /// Lets islands fall asleep, and wakes those that something has hit, at the end of a frame of
    /// `dt` \[s\]. Bodies that are moved out of an overlap have no velocity, but are not where they were `before`.
    pub(crate) fn update_sleep(&mut self, before: &BodyFrameStart, dt: f32) {
        self.all_awake = false;
        let count = self.bodies.len();
        let awake: Vec<usize> = (0..count).filter(|&k| self.bodies.is_movable(k)).collect();
        for &k in &awake {
            let speed = self.bodies.speed(k).max(self.bodies.displacement_since(before, k) / dt);
            let slow = speed < self.settings.sleep_speed && self.bodies.records[k].body.can_sleep;
            let still_time = &mut self.bodies.sleep[k].still_time;
            *still_time = if slow { *still_time + dt } else { 0.0 };
        }
        self.wake_hit_bodies();
        let ready = |k: usize| self.bodies.sleep[k].still_time >= self.settings.sleep_time;
        if !awake.iter().any(|&k| ready(k)) {
            return;
        }
        let mut islands = DisjointSets::new(count);
        let mut restless: Vec<bool> = (0..count).map(|k| !ready(k)).collect();
        for [a, b] in self.contacts.bodies.touching_bodies() {
            self.join_islands(&mut islands, a, b);
        }
        self.join_by_constraints(&mut islands, &mut restless);
        for (particle, body) in self.contacts.particle_bodies.pushed_bodies() {
            restless[body as usize] |= self.is_medium_particle(particle);
        }
        for &k in &awake {
            let root = islands.root(k as u32) as usize;
            restless[root] |= restless[k];
        }
        if awake.iter().all(|&k| restless[islands.root(k as u32) as usize]) {
            return;
        }
        self.prepare_body_edit();
        let first = self.bodies.next_island();
        for &k in &awake {
            let root = islands.root(k as u32) as usize;
            if !restless[root] {
                self.bodies.put_to_sleep(k, first + root as u32);
                self.plan_is_stale = true;
            }
        }
    }

    /// Puts a body that can move to sleep, as an island of its own.
    pub(super) fn fall_asleep(&mut self, k: usize) {
        if self.bodies.is_movable(k) {
            self.prepare_body_edit();
            self.all_awake = false;
            self.bodies.put_to_sleep(k, self.bodies.next_island());
            self.plan_is_stale = true;
        }
    }

    /// Returns whether a particle is of a medium.
    fn is_medium_particle(&self, particle: u32) -> bool {
        let past = |key: &ObjectHandle| self.objects.get(*key).is_some_and(|o| o.range.end <= particle as usize);
        self.object_media.of(self.objects.keys().partition_point(past)).is_some()
    }

    fn join_islands(&self, islands: &mut DisjointSets, a: u32, b: u32) {
        if [a, b].into_iter().all(|k| self.bodies.is_movable(k as usize)) {
            islands.join(a, b);
        }
    }

    /// Joins bodies of one constraint; those that share one with a particle do not rest.
    fn join_by_constraints(&self, islands: &mut DisjointSets, restless: &mut [bool]) {
        for pass in self.plan.traced().filter(|pass| !pass.connectors.only_particles()) {
            let kinds = pass.connectors.nodes();
            for slot in 0..pass.len() {
                let nodes = || kinds.iter().zip(&pass.nodes).map(|(&kind, column)| (kind, column[slot]));
                let tied =
                    nodes().any(|(kind, k)| kind == NodeKind::Particle && self.particles.anchor[k as usize].w > 0.0);
                let mut bodies = nodes().filter(|&(kind, _)| kind == NodeKind::Body).map(|(_, k)| k);
                let Some(first) = bodies.next() else { continue };
                restless[first as usize] |= tied;
                for other in bodies {
                    restless[other as usize] |= tied;
                    self.join_islands(islands, first, other);
                }
            }
        }
    }

    /// Wakes sleeping bodies that something faster than a sleeper has pushed.
    fn wake_hit_bodies(&mut self) {
        let (bodies, settings) = (&self.bodies, &self.settings);
        let hit = |[a, b]: [u32; 2]| {
            let fast = bodies.speed(a as usize) > settings.sleep_speed;
            (fast && bodies.sleep[b as usize].asleep).then_some(b as usize)
        };
        let hit: Vec<usize> = self.contacts.bodies.touching_bodies().filter_map(hit).collect();
        hit.into_iter().for_each(|k| self.wake_island(k));
    }

    /// Returns whether a collider lies still: on nothing, or on a body that is fixed or asleep.
    pub(crate) fn is_at_rest(&self, handle: ColliderHandle) -> bool {
        let Some(collider) = self.colliders.get(handle) else { return false };
        let Some(body) = collider.body else { return true };
        self.body_handles
            .index_of(body)
            .is_some_and(|k| self.bodies.sleep[k].asleep || self.bodies.records[k].body.kind != BodyKind::Dynamic)
    }
}

impl Bodies {
    /// Returns the lowest number above those of all islands.
    fn next_island(&self) -> u32 {
        self.sleep.iter().map(|sleep| sleep.island + 1).max().unwrap_or(0)
    }

    /// Puts a body to sleep.
    fn put_to_sleep(&mut self, k: usize, island: u32) {
        self.sleep[k] = BodySleep { asleep: true, island, ..self.sleep[k] };
        self.velocity[k] = Vec4::ZERO;
        self.angular_velocity[k] = Vec4::ZERO;
        self.update_inverse_mass(k);
    }
}
