//! The members of a medium in the order of their cells, and who is near whom.
#![expect(unsafe_code, reason = "threads fill disjoint chunks")]

use std::ops::Range;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::candidates::{LANES, NOWHERE};
use super::cells::Cells;
use super::neighbour_lists::{CHUNK, NeighbourLists, SortedMembers};
use super::wall::Wall;
use super::{Material, SOLID};
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;

/// The members of a medium in a substep, sorted by cells, with the neighbours of each.
#[derive(Debug, Clone, Default)]
pub struct Neighbourhood {
    /// Distance up to which members interact \[m\].
    pub reach: f32,
    /// World index of the particle of each member.
    pub particles: Vec<u32>,
    /// Material of each member, or [`SOLID`].
    pub materials: Vec<u32>,
    /// Position \[m\] of each member from a place in their middle, and its inverse mass \[1/kg\]. One more than
    /// there are members: the last is nowhere, far from all others.
    pub positions: Vec<Vec4>,
    /// Velocity \[m/s\] of each member and of nobody, while velocities are changed.
    pub velocities: Vec<Vec4>,
    /// True if any member is a solid.
    pub has_solids: bool,
    lists: Vec<NeighbourLists>,
    walls: Vec<WallLists>,
    cells: Cells,
    order: Vec<u32>,
    points: Vec<Vec3>,
    columns: [Vec<f32>; 3],
}

/// The walls near the members of a chunk.
#[derive(Debug, Clone, Default)]
struct WallLists {
    first: Vec<u32>,
    walls: Vec<Wall>,
}

impl Neighbourhood {
    /// Returns how many members there are.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Sorts members, given as particle and material, by their current positions, and lists their neighbours.
    pub(crate) fn search(
        &mut self,
        members: &[(u32, u32)],
        particles: &Particles,
        reach: f32,
        workers: &WorkerScope<'_>,
    ) {
        self.reach = reach;
        let middle = middle(members, particles);
        let place = |i: usize| (particles.anchor[i].xyz() - middle) + particles.offset[i].xyz();
        self.points.clear();
        self.points.extend(members.iter().map(|&(i, _)| finite(place(i as usize))));
        self.cells.sort(&self.points, reach, &mut self.order);
        let sorted = || self.order.iter().map(|&k| (k as usize, members[k as usize]));
        self.particles.clear();
        self.particles.extend(sorted().map(|(_, (i, _))| i));
        self.materials.clear();
        self.materials.extend(sorted().map(|(_, (_, material))| material));
        self.has_solids = self.materials.contains(&SOLID);
        self.positions.clear();
        self.positions.extend(sorted().map(|(k, (i, _))| self.points[k].extend(particles.anchor[i as usize].w)));
        self.positions.push(Vec4::new(NOWHERE, NOWHERE, NOWHERE, 0.0));
        for (axis, column) in self.columns.iter_mut().enumerate() {
            column.clear();
            column.extend(self.positions.iter().map(|place| place[axis]));
            column.resize(self.particles.len() + LANES, NOWHERE);
        }
        let tasks = self.len().div_ceil(CHUNK);
        self.lists.resize_with(self.lists.len().max(tasks), NeighbourLists::default);
        let Self { lists, positions: places, columns, order, cells, .. } = self;
        let (lists, sorted) = (DisjointSlice::new(lists), SortedMembers { places, columns, order, cells, reach });
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own lists.
                let lists = unsafe { &mut lists.slice(task..task + 1)[0] };
                lists.search(task, &sorted);
            }
        });
    }

    /// Looks up the walls near the members that are not solid; `walls` appends those near a particle.
    pub(crate) fn find_walls(&mut self, walls: impl Fn(u32, &mut Vec<Wall>) + Sync, workers: &WorkerScope<'_>) {
        let tasks = self.len().div_ceil(CHUNK);
        self.walls.resize_with(self.walls.len().max(tasks), WallLists::default);
        let Self { walls: lists, particles, materials, .. } = self;
        let lists = DisjointSlice::new(lists);
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own list.
                let list = unsafe { &mut lists.slice(task..task + 1)[0] };
                list.first.clear();
                list.walls.clear();
                list.first.push(0);
                for i in task * CHUNK..particles.len().min((task + 1) * CHUNK) {
                    if materials[i] != SOLID {
                        walls(particles[i], &mut list.walls);
                    }
                    list.first.push(list.walls.len() as u32);
                }
            }
        });
    }

    /// Copies the current velocities of the members.
    pub(crate) fn take_velocities(&mut self, particles: &Particles) {
        self.velocities.clear();
        self.velocities.extend(self.particles.iter().map(|&i| particles.velocity[i as usize]));
        self.velocities.push(Vec4::ZERO);
    }

    /// Moves the members by these corrections \[m\].
    pub(crate) fn shift(&mut self, corrections: &[Vec4]) {
        for (place, by) in self.positions.iter_mut().zip(corrections) {
            *place += by.xyz().extend(0.0);
        }
    }

    /// Returns the members near a member, itself among them, filled up to a multiple of four with the number of the
    /// one that is nowhere.
    #[inline]
    pub fn neighbours(&self, member: usize) -> &[u32] {
        let lists = &self.lists[member / CHUNK];
        let k = member % CHUNK;
        &lists.near[lists.first[k] as usize..lists.first[k + 1] as usize]
    }

    /// Returns the walls near a member.
    #[inline]
    pub fn walls(&self, member: usize) -> &[Wall] {
        let Some(lists) = self.walls.get(member / CHUNK) else { return &[] };
        let k = member % CHUNK;
        &lists.walls[lists.first[k] as usize..lists.first[k + 1] as usize]
    }

    /// Returns all members that walls are near, with their walls and how far these have pushed them \[m\].
    pub(crate) fn pushed<'a>(
        &'a self,
        pushes: impl Iterator<Item = &'a [f32]> + 'a,
    ) -> impl Iterator<Item = (usize, &'a Wall, f32)> {
        let chunks = self.walls.iter().zip(pushes).take(self.len().div_ceil(CHUNK)).enumerate();
        chunks.flat_map(|(chunk, (lists, pushes))| {
            let owners = lists.first.windows(2).enumerate();
            let owners = owners.flat_map(move |(k, ends)| (ends[0]..ends[1]).map(move |_| chunk * CHUNK + k));
            let all = owners.zip(&lists.walls).zip(pushes);
            all.filter(|(_, push)| **push > 0.0).map(|((member, wall), &push)| (member, wall, push))
        })
    }
}

/// Returns a position in the middle of all members \[m\].
fn middle(members: &[(u32, u32)], particles: &Particles) -> Vec3 {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &(i, _) in members {
        let x = particles.anchor[i as usize].xyz();
        (low, high) = (low.min(x), high.max(x));
    }
    finite(0.5 * low + 0.5 * high)
}

/// Returns a finite vector in place of one that is not finite, which is reported elsewhere.
fn finite(x: Vec3) -> Vec3 {
    if x.is_finite() { x.clamp(Vec3::splat(-1e12), Vec3::splat(1e12)) } else { Vec3::splat(-1e12) }
}

/// The data that a solver of a medium reads and writes.
pub struct MediumContext<'a> {
    /// The particles of the medium.
    pub members: &'a Neighbourhood,
    /// The materials that members name.
    pub materials: &'a [Material],
    /// Radius of a particle \[m\].
    pub radius: f32,
    /// Length of the substep \[s\].
    pub h: f32,
    /// True if this is the first iteration of the substep: forces act in that one alone.
    pub first: bool,
    pub(crate) workers: &'a WorkerScope<'a>,
}

impl MediumContext<'_> {
    /// Calls `work` for all members in chunks, on all threads, with the part of `out`, which has an element a
    /// member, that belongs to the chunk, and with the chunk's element of `scratch`.
    pub fn for_each_chunk<T: Send, S: Send + Default>(
        &self,
        out: &mut [T],
        scratch: &mut Vec<S>,
        work: impl Fn(Range<usize>, &mut [T], &mut S) + Sync,
    ) {
        let count = self.members.len().min(out.len());
        let tasks = count.div_ceil(CHUNK);
        scratch.resize_with(scratch.len().max(tasks), S::default);
        let (out, scratch) = (DisjointSlice::new(out), DisjointSlice::new(scratch));
        self.workers.run(tasks, |_, range| {
            for task in range {
                let members = task * CHUNK..count.min((task + 1) * CHUNK);
                // SAFETY: chunks do not overlap, and every task has its own.
                let (out, scratch) = unsafe { (out.slice(members.clone()), &mut scratch.slice(task..task + 1)[0]) };
                work(members, out, scratch);
            }
        });
    }
}
