//! What is behind the members: the contact planes of particles, as a medium sees them.

use glam::Vec4Swizzles;

use crate::bodies::Bodies;
use crate::collide::Contacts;
use crate::collide::contact::ShapeContactParameters;
use crate::medium::wall::WallContact;
use crate::medium::{ONE_WALL, Wall};
use crate::particles::Particles;
use crate::schedule::TracedPass;

/// The contacts of each particle in a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct PlaneIndex {
    /// Start of the planes of each particle; one entry more than there are particles.
    first: Vec<u32>,
    /// Slots of contacts with colliders, then behind [`ON_BODY`] numbers of those with bodies.
    planes: Vec<u32>,
}

/// Bit that marks contacts with bodies that can be pushed.
const ON_BODY: u32 = 1 << 31;

impl PlaneIndex {
    /// Indexes the contacts of the frame that begins.
    pub fn fill(&mut self, count: usize, contacts: &Contacts) {
        let shapes = contacts.shapes.pass.iter().flat_map(|pass| &pass.nodes[0][..pass.len()]).copied();
        let bodies = contacts.particle_bodies.candidates().iter().map(|found| found.particle);
        let all = shapes.zip(0..).chain(bodies.zip(ON_BODY..));
        self.first.clear();
        self.first.resize(count + 1, 0);
        all.clone().for_each(|(particle, _)| self.first[particle as usize] += 1);
        let mut sum = 0;
        for first in &mut self.first {
            sum += std::mem::replace(first, sum);
        }
        self.planes.clear();
        self.planes.resize(sum as usize, 0);
        for (particle, plane) in all {
            let first = &mut self.first[particle as usize];
            self.planes[*first as usize] = plane;
            *first += 1;
        }
        // Every start has moved to the end of its list, which is the start of the next.
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    /// Returns the planes of a particle.
    fn of(&self, particle: u32) -> &[u32] {
        let first = |k: usize| self.first.get(k).map_or(0, |&first| first as usize);
        &self.planes[first(particle as usize)..first(particle as usize + 1)]
    }
}

/// The walls near particles in a substep.
pub(super) struct Walls<'a> {
    index: &'a PlaneIndex,
    contacts: &'a Contacts,
    particles: &'a Particles,
    bodies: &'a Bodies,
    radius: f32,
    /// Distance up to which members of the medium interact \[m\].
    reach: f32,
    /// Length of the substep \[s\].
    h: f32,
    /// Columns of the parameters of contacts with colliders, if there are any.
    columns: Option<ShapeContactParameters<usize>>,
}

impl<'a> Walls<'a> {
    pub fn new(
        index: &'a PlaneIndex,
        contacts: &'a Contacts,
        particles: &'a Particles,
        bodies: &'a Bodies,
        (radius, reach): (f32, f32),
        h: f32,
    ) -> Self {
        let columns = contacts.shapes.pass.as_ref().map(TracedPass::columns_of);
        Self { index, contacts, particles, bodies, radius, reach, h, columns }
    }

    /// Appends the walls near a particle, those that are nearly parallel as one.
    pub fn near(&self, particle: u32, out: &mut Vec<Wall>) {
        let begin = out.len();
        for &plane in self.index.of(particle) {
            let wall = if plane < ON_BODY { self.of_collider(plane) } else { self.of_body(plane - ON_BODY) };
            let Some(wall) = wall else { continue };
            match out[begin..].iter_mut().find(|other| other.normal.dot(wall.normal) > ONE_WALL) {
                Some(other) => other.merge(wall, self.reach),
                None => out.push(wall),
            }
        }
    }

    fn of_collider(&self, slot: u32) -> Option<Wall> {
        let (pass, columns) = (self.contacts.shapes.pass.as_ref()?, self.columns.as_ref()?);
        let contact = WallContact::Static(slot);
        let slot = slot as usize;
        let normal = pass.vector_at(columns.normal, slot);
        let particle = pass.nodes[0][slot] as usize;
        let gap = pass.columns[columns.gap][slot];
        let height = gap + self.radius + normal.dot(self.particles.offset[particle].xyz());
        let velocity = pass.vector_at(columns.displacement, slot) / self.h;
        Some(Wall { normal, height, velocity, coverage: self.contacts.shapes.coverage(slot), contact })
    }

    fn of_body(&self, number: u32) -> Option<Wall> {
        let found = self.contacts.particle_bodies.candidates().get(number as usize)?;
        let (i, k) = (found.particle as usize, found.body as usize);
        let arm = self.bodies.rotation[k] * found.plane.point;
        let normal = self.bodies.rotation[k] * found.plane.normal;
        let apart = (self.particles.anchor[i] - self.bodies.anchor[k]).xyz();
        let apart = apart + (self.particles.offset[i] - self.bodies.offset[k]).xyz();
        let velocity = self.bodies.velocity[k].xyz() + self.bodies.angular_velocity[k].xyz().cross(arm);
        let (height, contact) = (normal.dot(apart - arm), WallContact::Dynamic(number));
        Some(Wall { normal, height, velocity, coverage: found.coverage, contact })
    }
}
