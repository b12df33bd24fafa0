//! Particles against particles: pairs that may touch in a frame, and those that do in a substep.
//!
//! The pairs that touch are solved as one Jacobi pass with shares, so grains may have any number
//! of neighbours without a colouring of the contact graph every substep.

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::contact::{ParticleContact, ParticleContactParameters};
use super::contact_set::{ContactSet, ContactSubstep};
use super::detection::DetectionContext;
use super::events::{ContactImpulse, ImpulseSource};
use super::grid::{PairQuery, ParticleGrid};
use super::mobility::HELD_AGAINST_PARTICLE;
use super::rebound::Rebound;
use super::separation::Separation;
use crate::connector::Connectors;
use crate::constraint::{ConstraintError, ConstraintType};
use crate::friction::Friction;
use crate::object::ObjectState;
use crate::object::support::Places;
use crate::parallel::WorkerScope;
use crate::particles::Particles;
use crate::schedule::{ParameterAppender, PassSlot, TracedPass};

/// Largest number of partners of higher index that one particle may have; in a dense heap it has about 6.
pub const MAX_PARTNERS: usize = 48;

/// The particle–particle contacts of a frame.
#[derive(Debug, Default)]
pub struct ParticleContacts {
    /// The pairs that touch in the current substep, as constraints.
    pub pass: Option<TracedPass>,
    grid: ParticleGrid,
    members: Vec<Member>,
    /// Position of each member \[m\].
    positions: Vec<Vec3>,
    /// Displacement of each member in the frame if nothing stops it \[m\].
    displacements: Vec<Vec3>,
    /// Pairs that may touch in this frame, as world indices.
    pairs: Vec<[u32; 2]>,
    friction: Vec<Friction>,
    /// Restitution of both particles of each pair together \[1\].
    restitution: Vec<f32>,
    /// True for each pair of particles of one object.
    one_object: Vec<bool>,
    /// Normal impulse of each pair in this frame \[N s\].
    impulses: Vec<f32>,
    /// Indices of the pairs that touch in this substep.
    active: Vec<u32>,
    /// Number of pairs of each particle that touch in this substep.
    shares: Vec<f32>,
    dropped: usize,
}

/// A particle that takes part in the search.
#[derive(Debug, Clone, Copy)]
struct Member {
    particle: u32,
    /// Index of its object in the order of objects.
    object_index: u32,
}

impl ParticleContacts {
    /// Returns the pairs `[i, j]`, `i < j`, that may touch in this frame, as sorted world indices.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Returns how many pairs touched in the last substep.
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// Detects the pairs of the frame that begins.
    pub(super) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        self.clear();
        if self.pass.is_none() {
            self.pass = Some(TracedPass::empty(ConstraintType::of(ParticleContact)?, Connectors::particles(2)));
        }
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        self.collect_members(context, &objects);
        if self.members.is_empty() {
            return Ok(());
        }
        let diameter = 2.0 * context.settings.particle_radius;
        let touching = diameter + context.settings.contact_margin;
        let max_approach = 2.0 * diameter;
        let reach = self.reach(context.particles, touching, max_approach);
        let Self { grid, members, positions, displacements, pairs, .. } = self;
        let keep = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            let way = (displacements[b] - displacements[a]).clamp_length_max(max_approach);
            let [a, b] = [&members[a], &members[b]];
            may_touch(&objects, context, a, b, diameter) && approach_within(context.particles, [a, b], way, touching)
        };
        let query = PairQuery { positions, displacements, reach, max_approach };
        self.dropped = grid.pairs(query, MAX_PARTNERS, keep, workers, pairs);
        for pair in pairs.iter_mut() {
            let [a, b] = pair.map(|k| &members[k as usize]);
            self.friction
                .push(objects[a.object_index as usize].friction.combine(objects[b.object_index as usize].friction));
            let restitution = [a, b].map(|member| objects[member.object_index as usize].restitution);
            self.restitution.push(restitution[0].max(restitution[1]));
            self.one_object.push(a.object_index == b.object_index);
            *pair = [a.particle, b.particle];
        }
        self.impulses.resize(pairs.len(), 0.0);
        self.shares.resize(context.particles.len(), 0.0);
        Ok(())
    }

    /// Lists the particles of all objects that may touch their own or another's.
    fn collect_members(&mut self, context: &DetectionContext<'_>, objects: &[&ObjectState]) {
        let as_balls = |object: &ObjectState| !object.frozen && object.surface.is_none();
        for (owner, object) in objects.iter().enumerate().filter(|(_, object)| as_balls(object)) {
            let meets = |(other_owner, other): (usize, &&ObjectState)| {
                other_owner != owner
                    && as_balls(other)
                    && object.collision_layers.interacts_with(other.collision_layers)
                    && !context.object_media.share_medium(owner, other_owner)
            };
            let among_itself = object.collision_layers.self_collision;
            if !among_itself && !objects.iter().enumerate().any(meets) {
                continue;
            }
            for i in object.range.clone().filter(|&i| !context.particles.inactive[i]) {
                self.members.push(Member { particle: i as u32, object_index: owner as u32 });
                self.positions.push(context.particles.position(i));
                self.displacements.push(context.free_displacement(i));
            }
        }
    }

    /// Returns `touching` with what rounding may add to it, of positions far from the origin above all, but no more than
    /// `max_added`, or one particle endlessly far away would take all others their contacts. The reach is only a bound: the
    /// pairs that are kept do not depend on it.
    fn reach(&self, particles: &Particles, touching: f32, max_added: f32) -> f32 {
        let largest = |v: Vec4| v.xyz().abs().max_element();
        let places = self.members.iter().map(|member| member.particle as usize);
        let farthest =
            places.map(|i| largest(particles.anchor[i]).max(largest(particles.offset[i]))).fold(0.0, f32::max);
        (touching * (1.0 + 1e-5) + 16.0 * f32::EPSILON * farthest).min(touching + max_added)
    }
}

impl ContactSet for ParticleContacts {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn dropped(&self) -> usize {
        self.dropped
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.members.clear();
        self.positions.clear();
        self.displacements.clear();
        self.pairs.clear();
        self.friction.clear();
        self.restitution.clear();
        self.one_object.clear();
        self.impulses.clear();
        self.active.clear();
        self.dropped = 0;
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    /// Lists the pairs that touch at the predicted positions and lays them out.
    fn update(&mut self, substep: &ContactSubstep<'_>) {
        let &ContactSubstep { settings, particles, supports, h, .. } = substep;
        let radius = settings.particle_radius;
        let Self { pass: Some(pass), pairs, friction, restitution, one_object, active, shares, .. } = self else {
            return;
        };
        let rebound = Rebound::new(settings, h);
        let square = 4.0 * radius * radius;
        active.clear();
        pass.clear();
        for (number, &[a, b]) in pairs.iter().enumerate() {
            if particles.between(a as usize, b as usize).length_squared() < square {
                active.push(number as u32);
                shares[a as usize] += 1.0;
                shares[b as usize] += 1.0;
            }
        }
        let shares_column = pass.layout.mass_shares as usize;
        let mut parameters = ParameterAppender::new(pass);
        for (slot, &number) in active.iter().enumerate() {
            let [a, b] = pairs[number as usize];
            let Separation { distance, apart } = if particles.signed_distance.is_empty() || one_object[number as usize]
            {
                Separation::of_balls(radius)
            } else {
                Separation::of_bodies(particles, a as usize, b as usize, radius)
            };
            let restitution = restitution[number as usize];
            let hold = |particle: u32, part: usize| supports.stiffness(particle)[part] / shares[particle as usize];
            pass.nodes[0].push(a);
            pass.nodes[1].push(b);
            let contact = ParticleContactParameters {
                distance,
                friction: friction[number as usize].into(),
                max_depenetration_speed: settings.max_depenetration_speed,
                shift: apart.into(),
                rebound: if restitution > 0.0 {
                    let (parting, added) = parting(particles, [a as usize, b as usize], apart);
                    rebound.way(restitution, parting, added * h)
                } else {
                    0.0
                },
                stiffness: [a, b].map(|particle| hold(particle, 0)),
                damping: [a, b].map(|particle| hold(particle, 1)),
                free: if supports.are_none() || one_object[number as usize] {
                    [1.0; 2]
                } else {
                    free_parts(substep, [a, b], apart)
                },
            };
            parameters.append(pass, contact);
            pass.columns[shares_column].push(shares[a as usize]);
            pass.columns[shares_column + 1].push(shares[b as usize]);
            pass.slots.push(PassSlot { batch: u32::MAX, constraint: slot as u32 });
        }
        parameters.finish(pass);
        for &number in active.iter() {
            pairs[number as usize].iter().for_each(|&particle| shares[particle as usize] = 0.0);
        }
        pass.remainder = 0..active.len();
        pass.pad();
    }

    fn accumulate(&mut self, per_multiplier: f32, _: &WorkerScope<'_>, touched: &mut dyn FnMut(u32)) {
        let Some(pass) = &self.pass else { return };
        for (&number, &lambda) in self.active.iter().zip(&pass.lambda[0]) {
            if lambda > 0.0 {
                self.impulses[number as usize] += lambda * per_multiplier;
                self.pairs[number as usize].iter().for_each(|&particle| touched(particle));
            }
        }
    }

    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        let pushed = self.pairs.iter().zip(&self.impulses).filter(|(_, impulse)| **impulse > 0.0);
        Box::new(pushed.map(|(&[particle, other], &impulse)| ContactImpulse {
            particle,
            source: ImpulseSource::Particle(other),
            impulse,
        }))
    }
}

/// Returns how fast two particles part if nothing pushes them \[m/s\], and how fast that grows \[m/s²\]; the first is
/// shifted by `shift` \[m\].
fn parting(particles: &Particles, [a, b]: [usize; 2], shift: Vec3) -> (f32, f32) {
    let Particles { anchor, start, velocity, acceleration, .. } = particles;
    let apart = (anchor[a] - anchor[b]).xyz() + (start[a] - start[b]).xyz() + shift;
    let normal = apart / apart.length();
    (normal.dot((velocity[a] - velocity[b]).xyz()), normal.dot((acceleration[a] - acceleration[b]).xyz()))
}

/// Returns the parts of a push apart that two particles are free to follow \[1\], the first shifted by `shift` \[m\].
fn free_parts(substep: &ContactSubstep<'_>, [a, b]: [u32; 2], shift: Vec3) -> [f32; 2] {
    let &ContactSubstep { supports, particles: Particles { anchor, start, .. }, .. } = substep;
    let (i, j) = (a as usize, b as usize);
    let apart = (anchor[i] - anchor[j]).xyz() + (start[i] - start[j]).xyz() + shift;
    let normal = apart / apart.length();
    let places = Places::at_start(substep.particles);
    let free = |particle: u32, other: usize, direction: Vec3| match supports.is_taut(particle, places) {
        true => supports.limited_part(particle, direction, anchor[other].w / HELD_AGAINST_PARTICLE, places),
        false => 1.0,
    };
    [free(a, j, normal), free(b, i, -normal)]
}

/// Returns whether layers, pins and the rest shape let two particles touch.
fn may_touch(objects: &[&ObjectState], context: &DetectionContext<'_>, a: &Member, b: &Member, diameter: f32) -> bool {
    let particles = context.particles;
    let (i, j) = (a.particle as usize, b.particle as usize);
    if particles.anchor[i].w + particles.anchor[j].w == 0.0 {
        return false;
    }
    let [one, other] = [a, b].map(|member| objects[member.object_index as usize]);
    let (x, y) = (one.collision_layers, other.collision_layers);
    if a.object_index != b.object_index {
        return x.interacts_with(y)
            && !context.object_media.share_medium(a.object_index as usize, b.object_index as usize);
    }
    x.self_collision && particles.rest_positions[i].distance_squared(particles.rest_positions[j]) >= diameter * diameter
}

/// Returns whether two particles come nearer than `touching` \[m\] where one goes this way \[m\] relative to the other.
fn approach_within(particles: &Particles, [a, b]: [&Member; 2], way: Vec3, touching: f32) -> bool {
    let apart = particles.between(a.particle as usize, b.particle as usize);
    let square = way.length_squared();
    let when = if square > 0.0 { (-apart.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    (apart + way * when).length_squared() < touching * touching
}
