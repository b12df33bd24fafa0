//! The media of a world: who takes part in which, and a substep of one.
#![expect(unsafe_code, reason = "threads move disjoint particles")]

use glam::{Vec3, Vec4};
use smallvec::SmallVec;

use super::walls::{PlaneIndex, Walls};
use crate::bodies::Bodies;
use crate::collide::Contacts;
use crate::medium::wall::{Wall, WallContact};
use crate::medium::{Material, Medium, MediumContext, MediumSolver, MediumStatistics, Neighbourhood, SOLID};
use crate::object::ObjectState;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;
use crate::settings::Settings;

/// A medium with all its objects.
#[derive(Debug)]
pub struct MediumState {
    /// The medium whose state this is.
    pub medium: &'static dyn Medium,
    /// Materials of its objects.
    pub materials: Vec<Material>,
    /// Its objects by their indices, with the index of their material.
    pub objects: Vec<(usize, u32)>,
    solver: Box<dyn MediumSolver>,
    neighbourhood: Neighbourhood,
    planes: PlaneIndex,
    members: Vec<(u32, u32)>,
    corrections: Vec<Vec4>,
}

impl MediumState {
    /// Creates a medium without objects.
    pub fn new(medium: &'static dyn Medium) -> Self {
        Self {
            medium,
            materials: Vec::new(),
            objects: Vec::new(),
            solver: medium.solver(),
            neighbourhood: Neighbourhood::default(),
            planes: PlaneIndex::default(),
            members: Vec::new(),
            corrections: Vec::new(),
        }
    }

    /// Returns the distance up to which members interact \[m\].
    pub fn reach(&self, settings: &Settings) -> f32 {
        self.medium.reach() * settings.particle_radius
    }

    /// Returns its members: the particles of its objects with their materials, and those of all others that may
    /// meet them, as solids.
    pub fn members(&self, objects: &[&ObjectState], particles: &Particles) -> Vec<(u32, u32)> {
        let mut members = Vec::new();
        for (place, object) in objects.iter().enumerate().filter(|(_, object)| !object.frozen) {
            let own = self.objects.iter().find(|(own, _)| *own == place);
            let meets = |(other, _): &(usize, u32)| {
                objects.get(*other).is_some_and(|other| {
                    !other.frozen && object.collision_layers.interacts_with(other.collision_layers)
                })
            };
            let material = match own {
                Some(&(_, material)) => material,
                None if self.objects.iter().any(meets) => SOLID,
                None => continue,
            };
            let present = object.range.clone().filter(|&i| !particles.inactive[i]);
            members.extend(present.map(|i| (i as u32, material)));
        }
        members
    }

    /// Lists the members and indexes the contacts of a frame.
    pub(crate) fn begin_frame(&mut self, objects: &[&ObjectState], contacts: &Contacts, particles: &Particles) {
        self.members = self.members(objects, particles);
        self.planes.fill(particles.len(), contacts);
    }

    /// Finds the neighbours of all members from the predicted positions of a substep.
    pub(crate) fn find_neighbours(&mut self, particles: &Particles, settings: &Settings, workers: &WorkerScope<'_>) {
        self.neighbourhood.search(&self.members, particles, self.reach(settings), workers);
    }

    /// Moves the members once; `first` in the first iteration of the substep.
    #[expect(clippy::too_many_arguments, reason = "what a frame consists of")]
    pub(crate) fn project(
        &mut self,
        particles: &mut Particles,
        bodies: &mut Bodies,
        contacts: &mut Contacts,
        settings: &Settings,
        h: f32,
        first: bool,
        workers: &WorkerScope<'_>,
    ) {
        let reach = self.reach(settings);
        let Self { solver, neighbourhood: near, materials, planes, corrections: changes, .. } = self;
        let radius = settings.particle_radius;
        let walls = Walls::new(planes, contacts, particles, bodies, (radius, reach), h);
        near.find_walls(|particle, out| walls.near(particle, out), workers);
        changes.clear();
        changes.resize(near.len(), Vec4::ZERO);
        let around = MediumContext { members: near, materials, radius, h, first, workers };
        solver.project(&around, changes);
        let (anchor, offset) = (&particles.anchor, DisjointSlice::new(&mut particles.offset));
        around.for_each_chunk(changes, &mut Vec::<()>::new(), |chunk, changes, ()| {
            for (member, change) in chunk.zip(changes) {
                let i = near.particles[member] as usize;
                if near.materials[member] == SOLID || anchor[i].w == 0.0 {
                    *change = Vec4::ZERO;
                }
                // SAFETY: no two members are one particle.
                unsafe { offset.set(i, offset.get(i) + change.truncate().extend(0.0)) };
            }
        });
        apply_reactions(
            near.pushed(solver.pushes()).map(|(k, wall, push)| (near.particles[k], wall, push)),
            particles,
            bodies,
            contacts,
            h,
        );
        near.shift(changes);
    }

    /// Changes the velocities of the members at the end of a substep.
    pub(crate) fn velocities(
        &mut self,
        particles: &mut Particles,
        settings: &Settings,
        h: f32,
        workers: &WorkerScope<'_>,
    ) {
        let Self { solver, neighbourhood: near, materials, corrections: changes, .. } = self;
        if !solver.changes_velocities(materials) {
            return;
        }
        near.take_velocities(particles);
        changes.clear();
        changes.resize(near.len(), Vec4::ZERO);
        solver.velocities(
            &MediumContext { members: near, materials, radius: settings.particle_radius, h, first: true, workers },
            changes,
        );
        for (&i, change) in near.particles.iter().zip(changes.iter()) {
            if particles.anchor[i as usize].w > 0.0 {
                particles.velocity[i as usize] += change.truncate().extend(0.0);
            }
        }
    }

    /// Returns the members as they are now.
    pub(crate) fn statistics(
        &self,
        particles: &Particles,
        bodies: &Bodies,
        contacts: &Contacts,
        settings: &Settings,
        objects: &[&ObjectState],
    ) -> MediumStatistics {
        let mut members = Neighbourhood::default();
        members.search(&self.members(objects, particles), particles, self.reach(settings), &WorkerScope::SINGLE);
        let mut index = PlaneIndex::default();
        index.fill(particles.len(), contacts);
        let radius = settings.particle_radius;
        let walls = Walls::new(&index, contacts, particles, bodies, (radius, self.reach(settings)), 1.0);
        members.find_walls(|particle, out| walls.near(particle, out), &WorkerScope::SINGLE);
        MediumStatistics { members, materials: self.materials.clone(), radius }
    }
}

/// Applies the reactions to what walls have pushed particles by \[m\] in a substep of `h` \[s\]: bodies move, and
/// contacts
/// record the impulse.
fn apply_reactions<'a>(
    pushed: impl Iterator<Item = (u32, &'a Wall, f32)>,
    particles: &Particles,
    bodies: &mut Bodies,
    contacts: &mut Contacts,
    h: f32,
) {
    let mut sums: SmallVec<[Option<[Vec3; 2]>; 16]> = SmallVec::new();
    for (particle, wall, push) in pushed {
        let i = particle as usize;
        let moved = push / particles.anchor[i].w;
        if !moved.is_finite() {
            continue;
        }
        match wall.contact {
            WallContact::Static(slot) => contacts.shapes.add_impulse(slot as usize, moved / h),
            WallContact::Dynamic(number) => {
                let Some(k) = contacts.particle_bodies.add_impulse(number as usize, moved / h, wall.normal) else {
                    continue;
                };
                let by = -moved * wall.normal;
                let centre = bodies.anchor[k] + bodies.offset[k];
                let arm = (particles.anchor[i] + particles.offset[i] - centre).truncate() - wall.height * wall.normal;
                sums.resize(sums.len().max(k + 1), None);
                let [shift, turn] = sums[k].get_or_insert_default();
                *shift += by;
                *turn += arm.cross(by);
            }
        }
    }
    for (k, sum) in sums.into_iter().enumerate() {
        if let Some([shift, turn]) = sum {
            bodies.apply_correction(k, shift, turn);
        }
    }
}
