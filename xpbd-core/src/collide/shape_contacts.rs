//! Particles against colliders: one plane for each feature that a particle may touch in a frame.
#![expect(unsafe_code, reason = "threads fill disjoint chunks of the list of contacts")]

mod strayed;

use glam::{Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::collider::Collider;
use super::contact::{ShapeContact, ShapeContactParameters};
use super::contact_set::{ContactSet, ContactSubstep};
use super::detection::DetectionContext;
use super::events::{ContactImpulse, ImpulseSource};
use super::particle_body_contacts::ParticleBodyCandidate;
use super::particle_shape::{ContactPlane, ContactPlanes, contact_planes};
use super::rebound::Rebound;
use crate::bodies::{Bodies, from_rotation_vector};
use crate::connector::Connectors;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::friction::Friction;
use crate::layers::CollisionLayers;
use crate::medium::coverage;
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;
use crate::scalar;
use crate::scalar::rotation::normalized;
use crate::schedule::{ParameterAppender, PassSlot, TracedPass};
use strayed::{StrayTracker, StrayedContacts};

#[doc(hidden)]
pub use strayed::{SAME_DIRECTION, SAME_HEIGHT};

/// Largest rotation that is expected of a body in a frame \[rad\].
const MAX_FRAME_ROTATION: f32 = 3.0;

/// Number of particles in one task of the search.
const CHUNK: usize = 128;

/// The particle–collider contacts of a frame.
#[derive(Debug, Default)]
pub struct ShapeContacts {
    /// The contacts as constraints; the n-th contact of each particle has colour n.
    pub pass: Option<TracedPass>,
    candidates: Vec<ShapeCandidate>,
    /// Candidates on bodies that can be pushed, until they are taken.
    dynamic_candidates: Vec<ShapeCandidate>,
    chunks: Vec<Vec<ShapeCandidate>>,
    /// Normal impulse of each slot in this frame \[N s\].
    impulses: Vec<f32>,
    /// The paths by which particles that stray are told, and searched for again.
    strays: StrayTracker,
}

/// A contact of a particle with a collider that may come about in the frame.
#[derive(Debug, Clone, Copy)]
struct ShapeCandidate {
    particle: u32,
    /// Number of the contact among those of its particle.
    rank: u32,
    /// Index of the collider in the order of colliders.
    collider_index: u32,
    /// Contact plane at the start of the frame.
    plane: WorldPlane,
    /// Motion of the plane, if its collider moves.
    moving: Option<MovingPlane>,
    /// Velocity of the surface against the collider \[m/s\]: in the frame of a collider that moves, otherwise in the world.
    surface_velocity: Vec3,
    friction: Friction,
    /// Restitution of both surfaces together \[1\].
    restitution: f32,
    /// Part of what lies behind the plane that the shape [fills](coverage) for a medium \[1\].
    coverage: f32,
}

impl ShapeCandidate {
    /// Returns the parameters of the contact, without what changes in every substep.
    fn parameters(&self, max_depenetration_speed: f32) -> ShapeContactParameters<f32> {
        ShapeContactParameters {
            normal: scalar::Vec3::from(self.plane.normal),
            gap: 0.0,
            displacement: scalar::Vec3 { x: 0.0, y: 0.0, z: 0.0 },
            friction: self.friction.into(),
            max_depenetration_speed,
            rebound: 0.0,
        }
    }

    fn is_pushable(&self, bodies: &Bodies) -> bool {
        self.moving.is_some_and(|moving| bodies.anchor[moving.body as usize].w > 0.0)
    }
}

/// A contact plane in the world. Its point is held in two parts, exact far from the origin.
#[derive(Debug, Clone, Copy)]
struct WorldPlane {
    normal: Vec3,
    /// Position of the collider \[m\].
    center: Vec3,
    /// Vector from there to a point of the plane \[m\].
    arm: Vec3,
}

impl WorldPlane {
    fn new(pose: &Pose, touch: &ContactPlane) -> Self {
        let normal = pose.transform_vector(touch.normal);
        Self { normal, center: pose.translation, arm: pose.transform_vector(touch.point) }
    }

    /// Returns the height of a point above the plane \[m\].
    fn height(&self, x: Vec3) -> f32 {
        self.normal.dot((x - self.center) - self.arm)
    }
}

/// A plane that moves with a body in this frame.
#[derive(Debug, Clone, Copy)]
struct MovingPlane {
    body: u32,
    /// Pose of the collider in the central frame of the body.
    pose: Pose,
    /// Contact plane in the frame of the collider.
    plane: ContactPlane,
}

impl MovingPlane {
    /// Returns the plane at the end of the substep, and the displacement of its point in it \[m\].
    fn at(&self, bodies: &Bodies) -> (WorldPlane, Vec3) {
        let body = self.body as usize;
        let plane = WorldPlane::new(&self.collider_pose(bodies), &self.plane);
        let local = self.pose.transform_point(self.plane.point);
        let turned = bodies.rotation[body] * local - bodies.start_rotation[body] * local;
        let shift = (bodies.offset[body] - bodies.start[body]).xyz();
        (plane, shift + turned)
    }

    /// Returns the pose of the collider at the end of the substep.
    fn collider_pose(&self, bodies: &Bodies) -> Pose {
        bodies.central_pose(self.body as usize) * self.pose
    }
}

/// A collider with its poses in a frame, as the search reads it.
pub struct PlacedCollider<'a> {
    /// The collider.
    pub collider: &'a Collider,
    /// Index in the order of colliders.
    pub index: u32,
    /// Body that moves the collider in this frame, if one does.
    pub body: Option<u32>,
    /// Pose at the start of the frame.
    pub from: Pose,
    /// Pose at the end of the frame.
    pub to: Pose,
    /// Bounds of the motion between both poses.
    pub bounds: Aabb,
}

impl<'a> PlacedCollider<'a> {
    /// Returns all colliders in order.
    pub fn all(context: &DetectionContext<'a>) -> Vec<Self> {
        let body = |collider: &Collider| context.body_handles.index_of(collider.body?);
        let colliders = context.colliders.iter().enumerate();
        colliders.map(|(k, (_, collider))| Self::new(collider, k as u32, body(collider), context)).collect()
    }

    /// Returns whether the collider is on a body that can be pushed.
    pub fn is_on_dynamic_body(&self, bodies: &Bodies) -> bool {
        self.body.is_some_and(|k| bodies.anchor[k as usize].w > 0.0)
    }

    fn new(collider: &'a Collider, place: u32, body: Option<usize>, context: &DetectionContext<'a>) -> Self {
        let from = body.map_or(collider.pose, |k| context.bodies.pose(k) * collider.pose);
        let body = body.filter(|&k| context.bodies.is_movable(k) || context.bodies.motion[k].moves());
        let to = body.map_or(from, |k| predicted_pose(context.bodies, k, context.dt) * collider.pose);
        let mut bounds = collider.shape.compute_aabb(&from).merged(&collider.shape.compute_aabb(&to));
        if from.rotation != to.rotation {
            let sphere = collider.shape.compute_local_bounding_sphere();
            for pose in [from, to] {
                let reach = Vec3::splat(sphere.radius);
                let center = pose.transform_point(sphere.center);
                bounds.merge(&Aabb::new(center - reach, center + reach));
            }
        }
        Self { collider, index: place, body: body.map(|k| k as u32), from, to, bounds }
    }
}

/// Returns the pose of a body at the end of the frame if nothing stops it.
fn predicted_pose(bodies: &Bodies, body: usize, dt: f32) -> Pose {
    let pose = bodies.central_pose(body);
    let (shift, turn) = match bodies.is_movable(body) {
        true => {
            let velocity = bodies.velocity[body].xyz() + bodies.acceleration[body].xyz() * dt;
            (velocity * dt, (bodies.angular_velocity[body].xyz() * dt).clamp_length_max(MAX_FRAME_ROTATION))
        }
        false => (bodies.motion[body].translation, bodies.motion[body].rotation),
    };
    let turned = normalized(from_rotation_vector(turn) * pose.rotation);
    bodies.frame_from_central(body, Pose::from_parts(pose.translation + shift, turned))
}

impl ShapeContacts {
    pub(super) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        self.clear();
        if self.pass.is_none() {
            self.pass = Some(TracedPass::empty(ConstraintType::of(ShapeContact)?, Connectors::particles(1)));
        }
        if context.colliders.is_empty() || context.particles.is_empty() {
            return Ok(());
        }
        let placed = PlacedCollider::all(context);
        self.strays.begin(context, &placed);
        let tasks = self.search(context, workers, &placed);
        let all = self.chunks[..tasks].iter().flatten();
        let (pushable, others): (Vec<ShapeCandidate>, Vec<ShapeCandidate>) =
            all.partition(|found| found.is_pushable(context.bodies));
        self.dynamic_candidates = pushable;
        self.append(others, context.settings.max_depenetration_speed);
        Ok(())
    }

    /// Looks again for the contacts of particles that are not where contacts were looked for, and returns whether any have
    /// changed. `index` is the number of the substep.
    pub(super) fn detect_strayed(
        &mut self,
        context: &DetectionContext<'_>,
        index: u32,
        workers: &WorkerScope<'_>,
    ) -> bool {
        let settings = context.settings;
        let found = self.strays.search(context, index, workers);
        let StrayedContacts { replaced, added } =
            StrayedContacts::new(found, &self.candidates, &self.impulses, settings.particle_radius);
        if replaced.is_empty() && added.is_empty() {
            return false;
        }
        if let Some(pass) = &mut self.pass {
            for (slot, candidate) in replaced {
                ParameterAppender::replace(pass, slot, candidate.parameters(settings.max_depenetration_speed));
                self.candidates[slot] = candidate;
            }
        }
        self.append(added, settings.max_depenetration_speed);
        true
    }

    /// Detects only the contacts with bodies that can be pushed.
    pub(super) fn detect_dynamic(&mut self, context: &DetectionContext<'_>, workers: &WorkerScope<'_>) {
        let mut placed = PlacedCollider::all(context);
        placed.retain(|placed| placed.is_on_dynamic_body(context.bodies));
        let tasks = self.search(context, workers, &placed);
        self.dynamic_candidates = self.chunks[..tasks].iter().flatten().copied().collect();
    }

    /// Searches for contacts with some colliders, one chunk for each task, and returns the number of tasks.
    fn search(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
        placed: &[PlacedCollider<'_>],
    ) -> usize {
        let tasks = tasks(context, placed);
        self.chunks.resize_with(self.chunks.len().max(tasks.len()), Vec::new);
        let chunks = DisjointSlice::new(&mut self.chunks);
        workers.run(tasks.len(), |_, range| {
            for task in range {
                // SAFETY: every task has its own chunk.
                let chunk = unsafe { &mut chunks.slice(task..task + 1)[0] };
                tasks[task].search(context, chunk);
            }
        });
        tasks.len()
    }

    /// Takes the candidates on bodies that can be pushed, which are not in the pass.
    pub(super) fn take_dynamic(&mut self) -> impl Iterator<Item = ParticleBodyCandidate> {
        std::mem::take(&mut self.dynamic_candidates).into_iter().filter_map(|found| {
            let MovingPlane { body, pose, plane: touch } = found.moving?;
            let touch =
                ContactPlane { point: pose.transform_point(touch.point), normal: pose.transform_vector(touch.normal) };
            let ShapeCandidate { particle, collider_index, friction, restitution, coverage, .. } = found;
            Some(ParticleBodyCandidate {
                particle,
                collider_index,
                body,
                plane: touch,
                friction,
                restitution,
                coverage,
            })
        })
    }

    /// Appends candidates to the pass, those of a rank as one colour after those of a lower one. Their planes are filled in
    /// by [`update_predicted`](ContactSet::update_predicted).
    fn append(&mut self, mut candidates: Vec<ShapeCandidate>, speed: f32) {
        let Some(pass) = &mut self.pass else { return };
        candidates.sort_by_key(|found| found.rank);
        let mut parameters = ParameterAppender::new(pass);
        let first = self.candidates.len();
        pass.remove_padding();
        for (k, candidate) in candidates.iter().enumerate() {
            pass.nodes[0].push(candidate.particle);
            parameters.append(pass, candidate.parameters(speed));
            pass.slots.push(PassSlot { batch: u32::MAX, constraint: (first + k) as u32 });
        }
        parameters.finish(pass);
        let mut start = first;
        for colour in candidates.chunk_by(|a, b| a.rank == b.rank) {
            pass.colours.push(start..start + colour.len());
            start += colour.len();
        }
        pass.remainder = start..start;
        pass.pad();
        self.candidates.append(&mut candidates);
        self.impulses.resize(start, 0.0);
    }

    /// Returns which part of what lies behind the plane of a contact, by its slot, the collider fills for a medium \[1\].
    pub(crate) fn coverage(&self, slot: usize) -> f32 {
        self.candidates.get(slot).map_or(1.0, |candidate| candidate.coverage)
    }

    /// Adds an impulse \[N s\] to one contact, by its slot.
    pub(crate) fn add_impulse(&mut self, slot: usize, impulse: f32) {
        self.impulses[slot] += impulse;
    }
}

impl ContactSet for ShapeContacts {
    fn len(&self) -> usize {
        self.candidates.len()
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.candidates.clear();
        self.impulses.clear();
        self.strays.clear();
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    /// Measures the gaps from the anchors as they are now, and moves the planes of moving colliders
    /// to where they are at the end of the substep.
    fn update_predicted(&mut self, substep: &ContactSubstep<'_>) {
        let &ContactSubstep { particles, bodies, workers, h, .. } = substep;
        let radius = substep.settings.particle_radius;
        let Self { pass: Some(pass), candidates: found, .. } = self else { return };
        let at: ShapeContactParameters<usize> = pass.columns_of();
        let rebound = Rebound::new(substep.settings, h);
        let columns: SmallVec<[_; 16]> = pass.columns.iter_mut().map(|column| DisjointSlice::new(column)).collect();
        workers.run(found.len().div_ceil(CHUNK), |_, chunks| {
            let slots = chunks.start * CHUNK..found.len().min(chunks.end * CHUNK);
            for slot in slots {
                let found = &found[slot];
                let (plane, slide, belt) = match &found.moving {
                    None => (found.plane, Vec3::ZERO, found.surface_velocity),
                    Some(moving) => {
                        let (plane, slide) = moving.at(bodies);
                        (plane, slide, moving.collider_pose(bodies).rotation * found.surface_velocity)
                    }
                };
                let gap = plane.height(particles.anchor[found.particle as usize].xyz()) - radius;
                // SAFETY: every slot has its own numbers.
                let write = |column: usize, number: f32| unsafe { columns[column].set(slot, number) };
                let write_vector = |columns: scalar::Vec3<usize>, v: Vec3| {
                    write(columns.x, v.x);
                    write(columns.y, v.y);
                    write(columns.z, v.z);
                };
                write(at.gap, gap);
                if found.moving.is_some() {
                    write_vector(at.normal, plane.normal);
                }
                let displacement = slide + (belt - plane.normal * plane.normal.dot(belt)) * h;
                if found.moving.is_some() || found.surface_velocity != Vec3::ZERO {
                    write_vector(at.displacement, displacement);
                }
                if found.restitution > 0.0 {
                    let i = found.particle as usize;
                    let velocity = particles.velocity[i].xyz() - displacement * (1.0 / h);
                    let added = plane.normal.dot(particles.acceleration[i].xyz()) * h;
                    write(at.rebound, rebound.way(found.restitution, plane.normal.dot(velocity), added));
                }
            }
        });
    }

    fn accumulate(&mut self, per_multiplier: f32, _: &WorkerScope<'_>, touched: &mut dyn FnMut(u32)) {
        let Some(pass) = &self.pass else { return };
        for ((impulse, &lambda), &particle) in self.impulses.iter_mut().zip(&pass.lambda[0]).zip(&pass.nodes[0]) {
            if lambda > 0.0 {
                *impulse += lambda * per_multiplier;
                touched(particle);
            }
        }
    }

    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        let candidates = self.candidates.iter().zip(&self.impulses).enumerate();
        let mut pushed: Vec<_> = candidates.filter(|(_, (_, impulse))| **impulse > 0.0).collect();
        // Those of particles that have strayed come last.
        pushed.sort_by_key(|(_, (candidate, _))| (candidate.rank, candidate.particle));
        Box::new(pushed.into_iter().map(|(slot, (candidate, &impulse))| {
            let normal = self.pass.as_ref().map_or(Vec3::ZERO, |pass| normal_of(pass, slot));
            let source = ImpulseSource::Collider { collider_index: candidate.collider_index, normal };
            ContactImpulse { particle: candidate.particle, source, impulse }
        }))
    }
}

/// Particles of one object, and the properties that their contacts depend on.
struct ParticleGroup {
    particles: std::ops::Range<usize>,
    /// The distance beyond touching up to which planes are looked for \[m\].
    margin: f32,
    /// The distance up to which the particles of its medium interact \[m\], 0 if it is of none.
    reach: f32,
    friction: Friction,
    restitution: f32,
}

/// Particles of one object against the colliders that it may meet.
struct SearchTask<'a> {
    group: ParticleGroup,
    /// True if the object sleeps: its particles do not move, but are not pinned.
    asleep: bool,
    colliders: std::sync::Arc<[&'a PlacedCollider<'a>]>,
}

/// Divides the search into tasks of at most [`CHUNK`] particles, whatever the number of threads.
fn tasks<'a>(context: &DetectionContext<'_>, placed: &'a [PlacedCollider<'a>]) -> Vec<SearchTask<'a>> {
    let mut tasks = Vec::new();
    for (place, (_, object)) in context.objects.iter().enumerate().filter(|(_, (_, object))| !object.frozen) {
        let margin = context.object_media.margin(place, context.settings);
        let around = Vec3::splat(context.settings.particle_radius + margin);
        let mut bounds = Aabb::new_invalid();
        for i in object.range.clone().filter(|&i| !context.particles.inactive[i]) {
            let FramePath { from, to, .. } = FramePath::expected(context, i);
            bounds.take_point(from);
            bounds.take_point(to);
        }
        let bounds = Aabb::new(bounds.mins - around, bounds.maxs + around);
        let may_meet = |placed: &&PlacedCollider<'_>| {
            may_collide(object.collision_layers, placed.collider.collision_layers, &bounds, &placed.bounds)
        };
        // What sleeps is pushed by nothing, but pushes what comes to it.
        let asleep = object.sleep.asleep;
        let pushes = |placed: &&PlacedCollider<'_>| !asleep || placed.is_on_dynamic_body(context.bodies);
        let near: std::sync::Arc<[_]> = placed.iter().filter(may_meet).filter(pushes).collect();
        if near.is_empty() {
            continue;
        }
        for start in object.range.clone().step_by(CHUNK) {
            let particles = start..object.range.end.min(start + CHUNK);
            let group = ParticleGroup::new(context, (place, object), particles);
            tasks.push(SearchTask { group, asleep, colliders: near.clone() });
        }
    }
    tasks
}

fn may_collide(a: CollisionLayers, b: CollisionLayers, a_bounds: &Aabb, b_bounds: &Aabb) -> bool {
    a.interacts_with(b) && a_bounds.intersects(b_bounds)
}

/// The straight path of a particle from now, or from where it began a substep, to the end of a frame.
#[derive(Debug, Clone, Copy)]
struct FramePath {
    particle: usize,
    /// Its start, relative to the anchor of the particle \[m\].
    offset: Vec3,
    /// Its start in the world \[m\].
    from: Vec3,
    /// Its end in the world \[m\].
    to: Vec3,
}

impl FramePath {
    /// Returns the path from where a particle is to where it will be at the end of the frame if nothing stops it.
    fn expected(context: &DetectionContext<'_>, particle: usize) -> Self {
        let from = context.particles.position(particle);
        let offset = context.particles.offset[particle].xyz();
        Self { particle, offset, from, to: from + context.free_displacement(particle) }
    }

    /// Returns the path from where a particle began this substep through where it is now, on to where it will be after so
    /// many substeps like this one.
    fn continued(context: &DetectionContext<'_>, particle: usize, substeps: f32) -> Self {
        let Particles { anchor, offset, start, .. } = context.particles;
        let from = anchor[particle].xyz() + start[particle].xyz();
        let step = offset[particle].xyz() - start[particle].xyz();
        Self { particle, offset: start[particle].xyz(), from, to: from + step * substeps }
    }
}

impl SearchTask<'_> {
    /// Finds the contacts of the task's particles.
    fn search(&self, context: &DetectionContext<'_>, out: &mut Vec<ShapeCandidate>) {
        out.clear();
        let Particles { anchor, pinned, inactive, .. } = context.particles;
        let meets = |&i: &usize| anchor[i].w > 0.0 || self.asleep && !pinned[i] && !inactive[i];
        for particle in self.group.particles.clone().filter(meets) {
            let path = FramePath::expected(context, particle);
            self.group.search_along(context, path, self.colliders.iter().copied(), out);
        }
    }
}

impl ParticleGroup {
    /// Creates a group of some particles of an object, which is given with its index.
    fn new(
        context: &DetectionContext<'_>,
        (place, object): (usize, &ObjectState),
        particles: std::ops::Range<usize>,
    ) -> Self {
        let margin = context.object_media.margin(place, context.settings);
        let reach = context.object_media.reach(place);
        Self { particles, margin, reach, friction: object.friction, restitution: object.restitution }
    }

    /// Finds the contacts of one particle on a path.
    fn search_along<'a>(
        &self,
        context: &DetectionContext<'_>,
        path: FramePath,
        colliders: impl Iterator<Item = &'a PlacedCollider<'a>>,
        out: &mut Vec<ShapeCandidate>,
    ) {
        let (radius, margin) = (context.settings.particle_radius, self.margin);
        let reach = Vec3::splat(radius + margin);
        let mut planes = ContactPlanes::new();
        let FramePath { particle, offset, from, to } = path;
        let bounds = Aabb::new(from.min(to) - reach, from.max(to) + reach);
        let mut rank = 0;
        for placed in colliders.filter(|placed| placed.bounds.intersects(&bounds)) {
            let local = |pose: &Pose, way: Vec3| {
                let apart = (context.particles.anchor[particle].xyz() - pose.translation) + offset + way;
                pose.rotation.inverse() * apart
            };
            let (start, end) = (local(&placed.from, Vec3::ZERO), local(&placed.to, to - from));
            contact_planes(placed.collider.shape.as_ref(), start, end, radius, margin, &mut planes);
            for &touch in &planes {
                let moving = placed.body.map(|body| {
                    let pose = context.bodies.to_central_frame(body as usize, placed.collider.pose);
                    MovingPlane { body, pose, plane: touch }
                });
                out.push(ShapeCandidate {
                    particle: particle as u32,
                    rank,
                    collider_index: placed.index,
                    plane: WorldPlane::new(&placed.from, &touch),
                    moving,
                    surface_velocity: match moving {
                        Some(_) => placed.collider.surface_velocity,
                        None => placed.from.rotation * placed.collider.surface_velocity,
                    },
                    friction: self.friction.combine(placed.collider.friction),
                    restitution: self.restitution.max(placed.collider.restitution),
                    coverage: match self.reach {
                        0.0 => 1.0,
                        reach => {
                            coverage::of_shape(placed.collider.shape.as_ref(), touch.point, touch.normal, start, reach)
                        }
                    },
                });
                rank += 1;
            }
        }
    }
}

fn normal_of(pass: &TracedPass, slot: usize) -> Vec3 {
    pass.vector_at(pass.columns_of::<ShapeContactParameters<usize>>().normal, slot)
}
