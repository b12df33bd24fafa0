//! Particles that leave the path on which their contacts with shapes were looked for.
//!
//! Contact planes are found along the straight path that a particle is expected to take in a frame, and as far beside it as
//! the margin m of the search. A particle whose centre x is farther than m from every point of that path when the contacts
//! of a substep are about to be solved has strayed: what it may meet there is not known. Its contacts are then looked for
//! along the path from where it began the substep through where it is now, on to where it would be at the end of the frame
//! at that pace. Those it had stay if they have pushed in this frame, so that their impulses are reported; others make room.
//!
//! ```text
//! w = x − p          strayed if  min over 0 ≤ s ≤ 1 of |w − s L| > m
//! ```
//!
//! with p where the path begins and L its displacement from there to the end of the frame.
#![expect(unsafe_code, reason = "threads fill disjoint chunks of the list of contacts")]

use std::ops::Range;

use glam::{Vec3, Vec4Swizzles};
use hashbrown::HashMap;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::{CHUNK, FramePath, ParticleGroup, PlacedCollider, ShapeCandidate};
use crate::bodies::Bodies;
use crate::collide::DetectionContext;
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;

/// Cosine of the angle between the normals of planes that count as one \[1\].
pub const SAME_DIRECTION: f32 = 0.9999;
/// Distance between planes that count as one \[1\], in radii of a particle.
pub const SAME_HEIGHT: f32 = 0.01;

/// Number of chunks of particles in one task: most particles have not strayed, which is soon seen.
const CHUNKS: usize = 16;

/// The path of a particle on which its contacts with shapes are known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SearchedPath {
    /// Its start in the world \[m\], rounded.
    start: Vec3,
    /// Its displacement from there to the end of the frame \[m\].
    way: Vec3,
}

impl SearchedPath {
    fn new(path: &FramePath) -> Self {
        Self { start: path.from, way: path.to - path.from }
    }

    /// Returns whether a particle is farther from the path than `margin` \[m\].
    #[inline]
    fn is_left_by(&self, particles: &Particles, particle: usize, margin: f32) -> bool {
        let apart = (particles.anchor[particle].xyz() - self.start) + particles.offset[particle].xyz();
        let (squared, limit) = (apart.dot(apart), margin * margin);
        if squared <= limit {
            return false;
        }
        let (along, whole) = (apart.dot(self.way), self.way.dot(self.way));
        if along <= 0.0 {
            return true;
        }
        if along >= whole {
            let beyond = apart - self.way;
            return beyond.dot(beyond) > limit;
        }
        let beside = apart.cross(self.way);
        beside.dot(beside) > limit * whole
    }
}

/// A collider in the frame whose contacts are followed.
#[derive(Debug, Clone, Copy)]
struct FollowedCollider {
    /// Body that moves the collider in this frame, if one does.
    body: Option<u32>,
    /// Pose at the end of the frame.
    to: Pose,
    /// Bounds of its motion in the frame.
    bounds: Aabb,
}

/// The paths of particles in a frame along which their contacts with shapes are known.
#[derive(Debug, Default)]
pub(super) struct StrayTracker {
    /// The path of each particle; empty if there are no colliders.
    paths: Vec<SearchedPath>,
    /// All colliders in order, none for those on bodies that can be pushed.
    colliders: Vec<Option<FollowedCollider>>,
    /// The contacts that each task has found.
    chunks: Vec<Vec<ShapeCandidate>>,
}

impl StrayTracker {
    /// Forgets the frame.
    pub fn clear(&mut self) {
        self.paths.clear();
        self.colliders.clear();
    }

    /// Begins a frame with the paths along which contacts with these colliders are about to be searched for.
    pub fn begin(&mut self, context: &DetectionContext<'_>, placed: &[PlacedCollider<'_>]) {
        let followed = |placed: &PlacedCollider<'_>| {
            let PlacedCollider { body, to, bounds, .. } = *placed;
            (!placed.is_on_dynamic_body(context.bodies)).then_some(FollowedCollider { body, to, bounds })
        };
        self.colliders.clear();
        self.colliders.extend(placed.iter().map(followed));
        self.paths.clear();
        if self.colliders.iter().any(Option::is_some) {
            let path = |particle| SearchedPath::new(&FramePath::expected(context, particle));
            self.paths.extend((0..context.particles.len()).map(path));
        }
    }

    /// Finds the contacts of particles that have strayed, before contacts of this substep are solved.
    pub fn search(
        &mut self,
        context: &DetectionContext<'_>,
        index: u32,
        workers: &WorkerScope<'_>,
    ) -> impl Iterator<Item = &ShapeCandidate> {
        let Self { paths, colliders, chunks } = self;
        let tasks: Vec<_> = if paths.is_empty() { Vec::new() } else { tasks(context).collect() };
        chunks.resize_with(chunks.len().max(tasks.len()), Vec::new);
        let left = (context.settings.substeps - index) as f32;
        let (out, searched) = (DisjointSlice::new(chunks), DisjointSlice::new(paths));
        workers.run(tasks.len(), |_, numbers| {
            for number in numbers {
                let task = &tasks[number];
                // SAFETY: every task has its own chunk, and its own particles.
                let (chunk, paths) =
                    unsafe { (&mut out.slice(number..number + 1)[0], searched.slice(task.group.particles.clone())) };
                chunk.clear();
                task.search(context, colliders, left, paths, chunk);
            }
        });
        self.chunks[..tasks.len()].iter().flatten()
    }
}

/// Particles of one object that may have strayed.
struct StrayTask<'a> {
    group: ParticleGroup,
    object: &'a ObjectState,
}

/// Divides the particles into tasks, whatever the number of threads.
fn tasks<'a>(context: &DetectionContext<'a>) -> impl Iterator<Item = StrayTask<'a>> {
    let objects = context.objects.iter().enumerate().filter(|(_, (_, object))| !object.frozen);
    objects.flat_map(move |(place, (_, object))| {
        let starts = object.range.clone().step_by(CHUNKS * CHUNK);
        starts.map(move |start| {
            let particles = start..object.range.end.min(start + CHUNKS * CHUNK);
            StrayTask { group: ParticleGroup::new(context, (place, object), particles), object }
        })
    })
}

impl StrayTask<'_> {
    /// Finds the contacts of those of the task's particles that have strayed from their `paths`, which are then others.
    fn search(
        &self,
        context: &DetectionContext<'_>,
        colliders: &[Option<FollowedCollider>],
        substeps_left: f32,
        paths: &mut [SearchedPath],
        out: &mut Vec<ShapeCandidate>,
    ) {
        let Range { start, end } = self.group.particles;
        let mut placed: Option<Vec<PlacedCollider<'_>>> = None;
        for particle in start..end {
            let searched = &mut paths[particle - start];
            let movable = context.particles.anchor[particle].w > 0.0;
            if !movable || !searched.is_left_by(context.particles, particle, self.group.margin) {
                continue;
            }
            let path = FramePath::continued(context, particle, substeps_left);
            *searched = SearchedPath::new(&path);
            let placed = placed.get_or_insert_with(|| placed_now(context, colliders, self.object));
            self.group.search_along(context, path, placed.iter(), out);
        }
    }
}

/// Returns the colliders that an object may touch, from where they began the substep to where they end the frame.
fn placed_now<'a>(
    context: &DetectionContext<'a>,
    colliders: &[Option<FollowedCollider>],
    object: &ObjectState,
) -> Vec<PlacedCollider<'a>> {
    let all = context.colliders.iter().zip(colliders).enumerate();
    let followed = all.filter_map(|(index, ((_, collider), followed))| Some((index, collider, (*followed)?)));
    let touching =
        followed.filter(|(_, collider, _)| object.collision_layers.interacts_with(collider.collision_layers));
    let placed = touching.map(|(index, collider, FollowedCollider { body, to, bounds })| {
        let from = match body {
            Some(body) => {
                let local = context.bodies.to_central_frame(body as usize, collider.pose);
                start_pose(context.bodies, body as usize) * local
            }
            None => to,
        };
        PlacedCollider { collider, index: index as u32, body, from, to, bounds }
    });
    placed.collect()
}

/// Returns the pose of the centre of mass of a body at the start of the substep.
fn start_pose(bodies: &Bodies, body: usize) -> Pose {
    Pose::from_parts((bodies.anchor[body] + bodies.start[body]).xyz(), bodies.start_rotation[body])
}

/// The contacts found for particles that have strayed, by what becomes of them.
#[derive(Debug, Default)]
pub(super) struct StrayedContacts {
    /// Contacts that take the place of others, with their slots.
    pub replaced: Vec<(usize, ShapeCandidate)>,
    /// Contacts that are new, each with its rank among all of its particle.
    pub added: Vec<ShapeCandidate>,
}

/// A contact of a particle that has strayed.
struct ContactPlace {
    candidate: ShapeCandidate,
    /// Slot in the pass, if the contact is not new.
    slot: Option<usize>,
    /// True if it may not be replaced: it has pushed in this frame, or it has been found by the search.
    stays: bool,
}

impl StrayedContacts {
    /// Gives each contact found a place among the `known` ones of its particle, of which those stay that have an impulse: one
    /// with nearly the same plane, or the first that has not pushed, or a new one.
    pub fn new<'a>(
        found: impl Iterator<Item = &'a ShapeCandidate>,
        known: &[ShapeCandidate],
        impulses: &[f32],
        radius: f32,
    ) -> Self {
        let mut out = Self::default();
        let found: Vec<&ShapeCandidate> = found.collect();
        if found.is_empty() {
            return out;
        }
        let mut places: HashMap<u32, SmallVec<[ContactPlace; 4]>> = HashMap::new();
        for candidate in &found {
            places.entry(candidate.particle).or_default();
        }
        for (slot, (&candidate, &impulse)) in known.iter().zip(impulses).enumerate() {
            if let Some(places) = places.get_mut(&candidate.particle) {
                places.push(ContactPlace { candidate, slot: Some(slot), stays: impulse > 0.0 });
            }
        }
        for candidate in found {
            let places = places.entry(candidate.particle).or_default();
            if let Some(same) = places.iter_mut().find(|place| place.candidate.is_same_plane(candidate, radius)) {
                same.stays = true;
                continue;
            }
            let rank = places.iter().position(|place| !place.stays).unwrap_or(places.len());
            let candidate = ShapeCandidate { rank: rank as u32, ..*candidate };
            let slot = places.get(rank).and_then(|place| place.slot);
            let place = ContactPlace { candidate, slot, stays: true };
            match places.get_mut(rank) {
                Some(replaced) => *replaced = place,
                None => places.push(place),
            }
            match slot {
                Some(slot) => out.replaced.push((slot, candidate)),
                None => out.added.push(candidate),
            }
        }
        out
    }
}

impl ShapeCandidate {
    /// Returns whether two contacts of a particle are of the same collider and of nearly the same plane.
    fn is_same_plane(&self, other: &Self, radius: f32) -> bool {
        let plane = |candidate: &Self| match &candidate.moving {
            Some(moving) => (moving.plane.normal, moving.plane.point),
            None => (candidate.plane.normal, candidate.plane.arm),
        };
        let ((n, point), (other_normal, other_point)) = (plane(self), plane(other));
        self.collider_index == other.collider_index
            && n.dot(other_normal) > SAME_DIRECTION
            && n.dot(other_point - point).abs() < SAME_HEIGHT * radius
    }
}
