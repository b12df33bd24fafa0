//! A sheet while it tears: splits are decided on copies of the batches, and then applied to the world together.

mod constraints;

use std::borrow::Cow;

use glam::Vec3;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::constraint::Parameters;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::{SplitVertex, TearError, TearReport, corners, faces_of};
use crate::constraint::ClothFaceParameters;
use constraints::SheetBatch;

/// The smallest part of a particle's mass that its duplicate takes or leaves \[1\].
const SMALLEST: f32 = 1e-5;

/// A sheet while it tears.
pub(super) struct Sheet<'w> {
    world: &'w World,
    /// Its first particle in the world.
    start: usize,
    handle: BatchHandle,
    /// The faces of the sheet.
    pub faces: Cow<'w, Batch>,
    /// Other batches with particles of the sheet.
    pub batches: Vec<SheetBatch<'w>>,
    /// Faces around each particle.
    pub faces_at: Vec<Vec<u32>>,
    /// Particle of the world from which each one was duplicated.
    source: Vec<u32>,
    /// Inactive particles, the next one last.
    inactive: Vec<u32>,
    splits: Vec<VertexSplit>,
    missing: usize,
}

/// A particle that is going to be split.
struct VertexSplit {
    particle: u32,
    duplicate: u32,
    /// Part of the mass \[1\] that the duplicate takes.
    mass_fraction: f32,
    position: Vec3,
}

/// The changes that are applied to the world.
pub(super) struct SheetChange {
    splits: Vec<VertexSplit>,
    batches: Vec<(BatchHandle, Batch)>,
    missing: usize,
}

impl<'w> Sheet<'w> {
    /// Creates the sheet of an object.
    pub fn of(world: &'w World, object: ObjectHandle) -> Result<Self, TearError> {
        let (handle, faces) = faces_of(world, object)?;
        let state = world.state();
        let range = state.objects.get(object).ok_or(WorldError::StaleHandle("object"))?.range.clone();
        let mut fans = vec![Vec::new(); range.len()];
        for face in 0..faces.len() {
            corners(faces, face).into_iter().for_each(|corner| fans[corner as usize].push(face as u32));
        }
        let absent = |&k: &u32| state.particles.inactive[range.start + k as usize] && fans[k as usize].is_empty();
        let spares = (0..range.len() as u32).rev().filter(absent).collect();
        let part = |other: BatchHandle| {
            let of = state.batches.get(other).filter(|_| other != handle)?;
            let before = of.objects.iter().take_while(|&&other| other != object);
            let first =
                before.filter_map(|&other| state.objects.get(other)).map(|other| other.range.len() as u32).sum();
            Some(SheetBatch::new(other, of.batch.traced()?, first))
        };
        let parts = world.batches_of(object).into_iter().filter_map(part).collect();
        let stem = (0..range.len() as u32).collect();
        let (faces, start) = (Cow::Borrowed(faces), range.start);
        Ok(Self {
            world,
            start,
            handle,
            faces,
            batches: parts,
            faces_at: fans,
            source: stem,
            inactive: spares,
            splits: Vec::new(),
            missing: 0,
        })
    }

    /// Returns the number of particles, with the inactive ones.
    pub fn len(&self) -> usize {
        self.faces_at.len()
    }

    /// Returns the index in the world of the particle from which one was duplicated.
    fn index(&self, particle: u32) -> usize {
        self.start + self.source[particle as usize] as usize
    }

    /// Returns the position \[m\] of a particle.
    pub fn position(&self, particle: u32) -> Vec3 {
        self.world.state().particles.position(self.index(particle))
    }

    /// Returns its position in the rest shape \[m\].
    pub fn rest(&self, particle: u32) -> Vec3 {
        self.world.state().particles.rest_positions[self.index(particle)]
    }

    /// Returns the vector \[m\] from one particle to another.
    pub fn between(&self, a: u32, b: u32) -> Vec3 {
        self.world.state().particles.between(self.index(a), self.index(b))
    }

    /// Returns whether a particle is pinned.
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.world.state().particles.pinned[self.index(particle)]
    }

    /// Returns the vector \[m\] from a particle to the middle of a face.
    pub fn from(&self, particle: u32, face: u32) -> Vec3 {
        let [a, b, c] = corners(&self.faces, face as usize);
        (self.between(particle, a) + self.between(particle, b) + self.between(particle, c)) / 3.0
    }

    /// Returns the rest shape and the limits of a face.
    pub fn face(&self, face: u32) -> ClothFaceParameters {
        ClothFaceParameters::from_numbers(self.faces.parameters(face as usize))
    }

    /// Returns whether a face has this corner.
    pub fn has(&self, face: u32, particle: u32) -> bool {
        self.faces.node_indices(face as usize).contains(&particle)
    }

    /// Returns whether no inactive particles are left.
    pub fn is_exhausted(&self) -> bool {
        self.missing > 0
    }

    /// Returns the particles that share a face with one, ascending.
    pub fn neighbours(&self, particle: u32) -> Vec<u32> {
        let faces = self.faces_at[particle as usize].iter();
        let mut around: Vec<u32> = faces.flat_map(|&face| corners(&self.faces, face as usize)).collect();
        around.sort_unstable();
        around.dedup();
        around.retain(|&other| other != particle);
        around
    }

    /// Splits a particle between the faces around it for which `leaves` holds and the others, and the particles whose
    /// faces are disconnected by that. Returns whether it was split.
    pub fn split(&mut self, particle: u32, leaves: impl Fn(&Self, u32) -> bool) -> bool {
        let fan = self.faces_at[particle as usize].clone();
        let side: Vec<u32> = fan.iter().copied().filter(|&face| leaves(self, face)).collect();
        if side.is_empty() || side.len() == fan.len() {
            return false;
        }
        // What goes hangs together: the largest part of the side.
        let arcs = self.edge_connected_groups(particle, &side);
        let largest = arcs.iter().rev().max_by(|a, b| self.area(a).total_cmp(&self.area(b)));
        let around = self.neighbours(particle);
        let Some(leaving) = largest.cloned() else { return false };
        if !self.move_to_duplicate(particle, &leaving) {
            return false;
        }
        for other in std::iter::once(particle).chain(around) {
            self.separate_groups(other);
        }
        true
    }

    /// Gives each group of faces around a particle that is no longer connected with the others a particle of
    /// its own.
    fn separate_groups(&mut self, particle: u32) {
        let arcs = self.edge_connected_groups(particle, &self.faces_at[particle as usize]);
        for arc in arcs.iter().skip(1) {
            self.move_to_duplicate(particle, arc);
        }
    }

    /// Returns the groups of these faces that are connected by edges at a particle.
    fn edge_connected_groups(&self, particle: u32, faces: &[u32]) -> Vec<Vec<u32>> {
        let shares = |a: u32, b: u32| corners(&self.faces, a as usize).iter().any(|&c| c != particle && self.has(b, c));
        let mut left = faces.to_vec();
        let mut arcs = Vec::new();
        while !left.is_empty() {
            let mut arc = vec![left.remove(0)];
            let mut next = 0;
            while next < arc.len() {
                let face = arc[next];
                let (near, far): (Vec<u32>, Vec<u32>) = left.into_iter().partition(|&other| shares(face, other));
                arc.extend(near);
                left = far;
                next += 1;
            }
            arcs.push(arc);
        }
        arcs
    }

    /// Returns the area of faces at rest \[m²\].
    fn area(&self, faces: &[u32]) -> f32 {
        faces.iter().map(|&face| self.face(face).rest_area).sum()
    }

    /// Moves some of the faces around a particle to a duplicate. Returns whether an inactive particle was left for it.
    fn move_to_duplicate(&mut self, particle: u32, leaving: &[u32]) -> bool {
        let Some(twin) = self.inactive.pop() else {
            self.missing += 1;
            return false;
        };
        let share = self.area(leaving) / self.area(&self.faces_at[particle as usize]);
        let part = if share.is_finite() { share.clamp(SMALLEST, 1.0 - SMALLEST) } else { 0.5 };
        let position = self.position(particle);
        let mut parts = std::mem::take(&mut self.batches);
        parts.iter_mut().for_each(|part| self.reassign_constraints(part, [particle, twin], leaving));
        self.batches = parts;
        for &face in leaving {
            let nodes = corners(&self.faces, face as usize).map(|c| if c == particle { twin } else { c });
            self.faces.to_mut().set_nodes(face as usize, &nodes);
        }
        self.faces_at[particle as usize].retain(|face| !leaving.contains(face));
        self.faces_at[twin as usize] = leaving.to_vec();
        self.source[twin as usize] = self.source[particle as usize];
        self.splits.push(VertexSplit { particle, duplicate: twin, mass_fraction: part, position });
        true
    }

    /// Returns the changes that have been decided.
    pub fn finish(self) -> SheetChange {
        let all = self.batches.into_iter().map(|part| (part.handle, part.batch)).chain([(self.handle, self.faces)]);
        let changed = all.filter_map(|(handle, batch)| match batch {
            Cow::Owned(batch) => Some((handle, batch)),
            Cow::Borrowed(_) => None,
        });
        let batches = changed.collect();
        SheetChange { splits: self.splits, batches, missing: self.missing }
    }
}

impl SheetChange {
    /// Applies the changes.
    pub fn apply(self, world: &mut World, object: ObjectHandle) -> Result<TearReport, TearError> {
        let mut tear = TearReport { missing_particles: self.missing, ..TearReport::default() };
        if self.splits.is_empty() {
            return Ok(tear);
        }
        for VertexSplit { particle, duplicate: twin, mass_fraction: part, position } in self.splits {
            world.split_particle(object, particle, twin, part)?;
            tear.split_vertices.push(SplitVertex { particle, duplicate: twin, position });
        }
        for (handle, batch) in self.batches {
            world.edit_batch(handle, |now| *now = batch)?;
        }
        world.set_triangles(object, super::sheet_triangles(world, object)?)?;
        Ok(tear)
    }
}
