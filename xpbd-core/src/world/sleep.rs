//! Sleep: islands of bodies and objects that have come to rest are left out until something disturbs them.
//!
//! An island is a set of dynamic bodies, and of objects whose particles may sleep, that touch each other or are tied by
//! constraints. It falls asleep when every one of its members has been slower than [`Settings::sleep_speed`] for
//! [`Settings::sleep_time`]. What is tied to an object that may not sleep, or what a medium pushes, stays awake, and so does
//! an object of a batch that does not [let it sleep](crate::batch::ConstraintBatch::lets_sleep). While it sleeps a body is as if it were fixed, and an object as if all
//! its particles were pinned. The island wakes when one of its members is edited, before a body that is awake or moved or a
//! fast particle touches it, and when anything is removed.
//!
//! [`Settings::sleep_speed`]: super::Settings::sleep_speed
//! [`Settings::sleep_time`]: super::Settings::sleep_time

mod islands;
mod touch;

use glam::{Vec3, Vec4, Vec4Swizzles};
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::state::{BatchState, State};
use crate::batch::numbers::ChangedNumbers;
use crate::bodies::{Bodies, BodyFrameStart, BodyKind};
use crate::collide::{ContactPartner, ContactPhase};
use crate::connector::NodeKind;
use crate::handle::{BatchHandle, ColliderHandle, ObjectHandle};
use crate::object::ObjectState;
use crate::particles::Particles;
use crate::sleep::SleepState;

/// The bodies at the start of a frame, and the particles if any may fall asleep at its end.
#[derive(Debug, Default)]
pub(crate) struct FrameStart {
    /// The bodies.
    pub bodies: BodyFrameStart,
    /// Positions of all particles \[m\]; none if no object [may fall asleep](ObjectState::is_sleeper).
    places: Vec<Vec3>,
    /// True for each object with a particle that is faster than a sleeper; what it hits may stop it within the frame.
    fast: Vec<bool>,
}

impl ObjectState {
    /// Returns whether it is awake and may fall asleep.
    pub fn is_sleeper(&self) -> bool {
        self.can_sleep && self.is_live()
    }
}

impl World {
    /// Sets whether an object may fall asleep when it has come to rest: when no particle of it has moved faster than
    /// [`Settings::sleep_speed`](super::Settings::sleep_speed) from frame to frame for
    /// [`Settings::sleep_time`](super::Settings::sleep_time), and neither has what it touches. It may not by default, because
    /// a world in which an object may fall asleep waits for its device in every frame. An object that may no longer wakes.
    ///
    /// # Errors
    /// A stale handle.
    pub fn set_can_sleep(&mut self, object: ObjectHandle, can_sleep: bool) -> Result<(), WorldError> {
        if !can_sleep {
            self.wake_object(object)?;
        }
        self.state.objects.get_mut(object).ok_or(WorldError::StaleHandle("object"))?.can_sleep = can_sleep;
        Ok(())
    }

    /// Returns whether an object sleeps: it came to rest, and nothing has touched it since.
    ///
    /// # Errors
    /// A stale handle.
    pub fn is_object_asleep(&self, object: ObjectHandle) -> Result<bool, WorldError> {
        Ok(self.state.object(object)?.sleep.asleep)
    }

    /// Wakes an object, and with it those with which it fell asleep.
    ///
    /// # Errors
    /// A stale handle.
    pub fn wake_object(&mut self, object: ObjectHandle) -> Result<(), WorldError> {
        self.state.object(object)?;
        self.state.wake_object(object);
        Ok(())
    }
}

impl Bodies {
    /// Returns the speed of a body, of points as far from its centre as its mass is \[m/s\].
    fn speed(&self, k: usize) -> f32 {
        let mass = &self.records[k].body.mass;
        let gyration = (mass.principal_inertia.max_element() / mass.mass).sqrt();
        self.velocity[k].xyz().length() + self.angular_velocity[k].xyz().length() * gyration
    }

    /// Puts a body to sleep.
    fn put_to_sleep(&mut self, k: usize, island: u32) {
        self.sleep[k] = SleepState { asleep: true, island, ..self.sleep[k] };
        self.velocity[k] = Vec4::ZERO;
        self.angular_velocity[k] = Vec4::ZERO;
        self.update_inverse_mass(k);
    }
}

impl State {
    /// Wakes the island of a body.
    pub(crate) fn wake_island(&mut self, k: usize) {
        self.bodies.sleep[k].still_time = 0.0;
        let SleepState { asleep, island, .. } = self.bodies.sleep[k];
        if asleep {
            self.wake_islands(|number| number == island);
        }
    }

    /// Wakes the island of an object, if the handle is not stale.
    pub(crate) fn wake_object(&mut self, object: ObjectHandle) {
        let Some(object) = self.objects.get_mut(object) else { return };
        object.sleep.still_time = 0.0;
        let SleepState { asleep, island, .. } = object.sleep;
        if asleep {
            self.wake_islands(|number| number == island);
        }
    }

    /// Wakes the islands of these numbers.
    fn wake_islands(&mut self, wakes: impl Fn(u32) -> bool) {
        self.prepare_body_edit();
        for k in 0..self.bodies.len() {
            let sleep = &mut self.bodies.sleep[k];
            if sleep.asleep && wakes(sleep.island) {
                (sleep.asleep, sleep.still_time) = (false, 0.0);
                self.bodies.update_inverse_mass(k);
                self.plan_is_stale = true;
            }
        }
        let Self { objects, particles, plan_is_stale, particle_revision, .. } = self;
        objects.for_each_mut(|_, object| {
            if object.sleep.asleep && wakes(object.sleep.island) {
                (object.sleep.asleep, object.sleep.still_time) = (false, 0.0);
                object.range.clone().for_each(|i| particles.set_pinned(i, particles.pinned[i]));
                (*plan_is_stale, *particle_revision) = (true, *particle_revision + 1);
            }
        });
    }

    /// Wakes every body and every object. Edits one after another find them awake.
    pub(crate) fn wake_all(&mut self) {
        if !self.all_awake {
            self.bodies.sleep.iter_mut().for_each(|sleep| sleep.still_time = 0.0);
            self.objects.for_each_mut(|_, object| object.sleep.still_time = 0.0);
            if self.has_sleepers() {
                self.wake_islands(|_| true);
            }
            self.all_awake = true;
        }
    }

    /// Returns whether any body or object sleeps.
    pub(super) fn has_sleepers(&self) -> bool {
        let bodies = self.bodies.sleep.iter().any(|sleep| sleep.asleep);
        bodies || self.objects.iter().any(|(_, object)| object.sleep.asleep)
    }

    /// Wakes the bodies and objects of a batch.
    pub(crate) fn wake_batch(&mut self, handle: BatchHandle) {
        let Some(batch) = self.batches.get(handle) else { return };
        let (bodies, objects) = (batch.bodies.clone(), batch.objects.clone());
        for body in bodies {
            if let Some(k) = self.body_handles.index_of(body) {
                self.wake_island(k);
            }
        }
        objects.into_iter().for_each(|object| self.wake_object(object));
    }

    /// Wakes the bodies and objects of the constraints of a batch whose numbers have changed.
    pub(crate) fn wake_changed(&mut self, handle: BatchHandle, changes: &ChangedNumbers) {
        let Some(BatchState { bodies, batch, objects, .. }) = self.batches.get(handle) else { return };
        let is_small = bodies.len() <= 2;
        let Some(batch) = batch.traced().filter(|_| !is_small && !changes.others) else {
            return self.wake_batch(handle);
        };
        let kinds = batch.connectors().nodes();
        let nodes = |k: usize| batch.node_indices(k).iter().zip(kinds);
        let tied = changes.ranges().flat_map(|(_, constraints, _)| constraints).flat_map(nodes);
        let tied = tied.filter(|&(_, &kind)| kind == NodeKind::Body).filter_map(|(&k, _)| bodies.get(k as usize));
        let tied: SmallVec<[usize; 8]> = tied.filter_map(|&body| self.body_handles.index_of(body)).collect();
        let objects = objects.clone();
        tied.into_iter().for_each(|k| self.wake_island(k));
        objects.into_iter().for_each(|object| self.wake_object(object));
    }

    /// Records the bodies and the particles that may fall asleep at the start of a frame.
    pub(super) fn record_frame_start(&self, start: &mut FrameStart) {
        self.bodies.record_frame_start(&mut start.bodies);
        start.places.clear();
        if self.objects.iter().any(|(_, object)| object.is_sleeper()) {
            start.places.extend((0..self.particles.len()).map(|i| self.particles.position(i)));
        }
        start.fast.clear();
        if self.has_sleepers() {
            start.fast.extend(self.objects.iter().map(|(_, object)| self.is_fast(object)));
        }
    }

    /// Returns whether any particle of an object is faster than a sleeper.
    fn is_fast(&self, object: &ObjectState) -> bool {
        let limit = self.settings.sleep_speed;
        object.range.clone().any(|i| self.particles.velocity[i].xyz().length_squared() > limit * limit)
    }

    /// Puts a body that can move to sleep, as an island of its own.
    pub(super) fn fall_asleep(&mut self, k: usize) {
        if self.bodies.is_movable(k) {
            self.prepare_body_edit();
            self.all_awake = false;
            self.bodies.put_to_sleep(k, self.next_island());
            self.plan_is_stale = true;
        }
    }

    /// Returns the lowest number above those of all islands.
    fn next_island(&self) -> u32 {
        let objects = self.objects.iter().map(|(_, object)| &object.sleep);
        self.bodies.sleep.iter().chain(objects).map(|sleep| sleep.island + 1).max().unwrap_or(0)
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

impl State {
    /// Lets islands fall asleep, and wakes those that something has hit, at the end of a frame of
    /// `dt` \[s\]. Bodies that are moved out of an overlap have no velocity, but are not where they were `before`.
    pub(super) fn update_sleep(&mut self, before: &FrameStart, dt: f32) {
        self.all_awake = false;
        for k in 0..self.bodies.len() {
            if !self.bodies.is_movable(k) {
                continue;
            }
            let speed = self.bodies.speed(k).max(self.bodies.displacement_since(&before.bodies, k) / dt);
            let slow = speed < self.settings.sleep_speed && self.bodies.records[k].body.can_sleep;
            self.bodies.sleep[k].rest(slow, dt);
        }
        let Self { objects, particles, settings, .. } = self;
        objects.for_each_mut(|_, object| {
            if let Some(places) = before.places.get(object.range.clone()).filter(|_| object.is_sleeper()) {
                object.sleep.rest(displacement(particles, object, places) < settings.sleep_speed * dt, dt);
            }
        });
        self.wake_hit(before);
        let members = self.members_at_rest();
        if members.is_empty() {
            return;
        }
        let first = self.next_island();
        self.prepare_body_edit();
        self.plan_is_stale = true;
        for (member, root) in members {
            let Some(place) = member.checked_sub(self.bodies.len()) else {
                self.bodies.put_to_sleep(member, first + root);
                continue;
            };
            let key = self.objects.keys()[place];
            let Some(object) = self.objects.get_mut(key) else { continue };
            object.sleep = SleepState { asleep: true, island: first + root, ..object.sleep };
            for i in object.range.clone() {
                self.particles.anchor[i].w = 0.0;
                self.particles.velocity[i] = Vec4::ZERO;
            }
            self.particle_revision += 1;
        }
    }

    /// Wakes sleepers that something faster than they are has pushed.
    fn wake_hit(&mut self, before: &FrameStart) {
        let (bodies, limit) = (&self.bodies, self.settings.sleep_speed);
        let was_fast = |key| self.objects.index_of(key).is_some_and(|place| before.fast.get(place) == Some(&true));
        let comes_fast = |key, object: &ObjectState| object.is_live() && (was_fast(key) || self.is_fast(object));
        let fast = |k: u32| bodies.speed(k as usize) > limit;
        let asleep = |k: u32| bodies.sleep[k as usize].asleep;
        let touching = self.contacts.bodies.touching_bodies();
        let mut hit: Vec<usize> = touching.filter(|&[_, b]| asleep(b)).map(|[_, b]| b as usize).collect();
        let mut hit_objects = Vec::new();
        for contact in self.contacts.events.iter().filter(|contact| contact.phase != ContactPhase::End) {
            let Some(object) = self.objects.get(contact.object) else { continue };
            match contact.other {
                ContactPartner::Collider(collider) => {
                    let body = self.colliders.get(collider).and_then(|collider| collider.body);
                    let Some(k) = body.and_then(|body| self.body_handles.index_of(body)) else { continue };
                    if object.sleep.asleep && fast(k as u32) {
                        hit_objects.push(contact.object);
                    } else if asleep(k as u32) && comes_fast(contact.object, object) {
                        hit.push(k);
                    }
                }
                ContactPartner::Object(other) => {
                    let Some(partner) = self.objects.get(other) else { continue };
                    let sides = [(contact.object, object), (other, partner)];
                    for [(key, sleeper), (mover_key, mover)] in [sides, [sides[1], sides[0]]] {
                        if sleeper.sleep.asleep && comes_fast(mover_key, mover) {
                            hit_objects.push(key);
                        }
                    }
                }
            }
        }
        hit.into_iter().for_each(|k| self.wake_island(k));
        hit_objects.into_iter().for_each(|object| self.wake_object(object));
    }
}

/// Returns the longest way that a particle of an object has come from its place \[m\].
fn displacement(particles: &Particles, object: &ObjectState, places: &[Vec3]) -> f32 {
    let ways = object.range.clone().zip(places).map(|(i, &place)| particles.position(i).distance_squared(place));
    ways.fold(0.0, f32::max).sqrt()
}
