//! Pairs of features whose second one is of a surface, and those of them that touch in a substep, as constraints.

#![expect(unsafe_code, reason = "threads fill disjoint lists")]

use glam::{Vec3, Vec4};
use hashbrown::HashSet;

use super::astray::AstrayParticles;
use super::closed_sheets::ClosedSheets;
use super::colours::PairColours;
use super::crossed_pair::CrossedPair;
use super::feature_pair::{ActivePair, FeaturePair, NO_POINT};
use super::feature_points::FeaturePoints;
use super::motion::{SurfaceMotion, Wake};
use super::placed_shapes::PlacedShapes;
use super::ridges;
use super::surface_partner::SurfacePartner;
use super::tangles::Pull;
use crate::collide::contact_set::{ContactSet, ContactSubstep};
use crate::collide::events::{ContactImpulse, ImpulseSource};
use crate::constraint::ConstraintError;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;
use crate::schedule::{PassSlot, TracedPass};

/// Number of pairs in one task.
const CHUNK: usize = 1024;

/// Pairs of surfaces with one kind of partner.
#[derive(Debug, Default)]
pub struct SurfacePairs {
    /// The pairs that touch in the current substep, as constraints.
    pub pass: Option<TracedPass>,
    partner: SurfacePartner,
    pub(super) pairs: Vec<FeaturePair>,
    /// When each pair has to be looked at.
    pub(super) wakes: Vec<Wake>,
    /// The pairs that are pulled, by number, and their ways.
    pulls: Vec<(u32, Vec3)>,
    /// Normal impulse of each pair in this frame \[N s\], and its last normal.
    impulses: Vec<(f32, Vec3)>,
    active: Vec<ActivePair>,
    lists: Vec<Vec<ActivePair>>,
    /// Buffer for a mark on each point.
    crossed_vertices: Vec<bool>,
    /// Particles that have passed a sheet.
    astray: AstrayParticles,
    colours: PairColours,
    /// Impulses of this frame from before pairs were found again.
    earlier_impulses: Vec<ContactImpulse>,
    /// Index of the collider of each pair in the order of colliders, if it has one.
    collider_indices: Vec<u32>,
}

impl SurfacePairs {
    /// Creates an empty set of pairs with such partners.
    pub(super) fn new(partner: SurfacePartner) -> Self {
        Self { partner, ..Self::default() }
    }

    /// Returns how many pairs touched in the last substep.
    pub fn active(&self) -> usize {
        self.active.len()
    }

    /// Returns whether features overlap so much that one sweep may not suffice.
    pub(super) fn is_deep(&self) -> bool {
        self.active.iter().any(|active| active.deep)
    }

    /// Makes the empty pass if there is none.
    pub(super) fn ensure_pass(&mut self) -> Result<(), ConstraintError> {
        if self.pass.is_none() {
            self.pass = self.partner.empty_pass()?;
        }
        Ok(())
    }

    /// Adds pairs that are pulled.
    pub(super) fn add_pulls(&mut self, pulls: &[Pull]) {
        let numbers = self.pairs.len() as u32..;
        self.pulls.clear();
        self.pulls.extend(numbers.zip(pulls).map(|(number, pull)| (number, pull.way)));
        self.pairs.extend(pulls.iter().map(|pull| pull.pair));
        self.wakes.resize(self.pairs.len(), Wake::NEVER);
    }

    /// Prepares for pairs that have been found, and gives those their side that are known to have crossed.
    pub(super) fn begin(&mut self, [particles, bodies]: [usize; 2], shapes: &PlacedShapes, crossed: &[CrossedPair]) {
        self.impulses.clear();
        self.collider_indices.clear();
        self.crossed_vertices.resize(particles + shapes.points.len(), false);
        self.astray.clear();
        self.colours.begin(self.pairs.len(), particles + bodies);
        self.recall(0, particles, shapes, crossed);
    }

    /// Adds those of the pairs that have been found, with when they have to be looked at, that are not there yet.
    /// `is_renewed` tells of which points pairs were looked for.
    pub(super) fn add(
        &mut self,
        (found, wakes): &(Vec<FeaturePair>, Vec<Wake>),
        is_renewed: impl Fn(u32) -> bool,
        motion: &SurfaceMotion,
        (particles, shapes, crossed): (usize, &PlacedShapes, &[CrossedPair]),
    ) {
        let key = |pair: &FeaturePair| (pair.kind, pair.nodes);
        let mut known = HashSet::with_capacity(found.len());
        for (pair, wake) in self.pairs.iter().zip(&mut self.wakes).filter(|(pair, _)| !pair.is_pull) {
            if pair.nodes.iter().any(|&node| is_renewed(node)) {
                wake.time = 0.0;
                known.insert(key(pair));
            }
        }
        let first = self.pairs.len();
        for (pair, wake) in found.iter().zip(wakes).filter(|(pair, _)| !known.contains(&key(pair))) {
            self.pairs.push(*pair);
            self.wakes.push(Wake { path: wake.path + motion.of(pair.kind, pair.nodes), ..*wake });
        }
        self.colours.grow(self.pairs.len());
        self.recall(first, particles, shapes, crossed);
    }

    /// Gives the pairs from one on their side that are known to have crossed.
    fn recall(&mut self, first: usize, particles: usize, shapes: &PlacedShapes, crossed: &[CrossedPair]) {
        let Self { pairs, wakes, impulses, collider_indices, .. } = self;
        let (added, wakes) = (&mut pairs[first..], &mut wakes[first..]);
        if !crossed.is_empty() {
            for (pair, wake) in added.iter_mut().zip(wakes).filter(|(pair, _)| !pair.is_pull) {
                let key = CrossedPair::of(pair, particles, shapes).key();
                if let Ok(place) = crossed.binary_search_by_key(&key, CrossedPair::key) {
                    (pair.kept_side, pair.has_passed, *wake) =
                        (crossed[place].side, crossed[place].has_passed, Wake::NOW);
                }
            }
        }
        self.astray.add(added);
        impulses.resize(pairs.len(), (0.0, Vec3::ZERO));
        if self.partner != SurfacePartner::Particles {
            let index = |pair: &FeaturePair| shapes.collider_of(pair.nodes[0] as usize - particles).index;
            collider_indices.extend(pairs[first..].iter().map(index));
        }
    }

    /// Adds particles that have passed sheets.
    pub(super) fn add_astray(&mut self, astray: AstrayParticles) {
        self.astray.extend(astray);
    }

    /// Removes the particles that have passed sheets, and returns those of closed ones.
    pub(super) fn take_astray(&mut self, closed: &ClosedSheets) -> AstrayParticles {
        std::mem::take(&mut self.astray).only_of(closed)
    }

    /// Returns the particles that have passed a sheet, in order.
    pub(super) fn astray(&self) -> impl Iterator<Item = u32> {
        self.astray.particles()
    }

    /// Keeps those pairs on their sides that have passed each other while contacts were solved in the last substep of a frame, which
    /// particles began at these anchors and offsets \[m\].
    pub(super) fn keep_passed(&mut self, starts: &[[Vec4; 2]], particles: &Particles) {
        let points = FeaturePoints::new(particles, &[]);
        let Self { pairs, astray, .. } = self;
        for pair in &mut *pairs {
            pair.keep_passed(astray.side(pair), points.corners_at(pair.nodes, starts), points.corners(pair.nodes));
        }
    }

    /// Keeps the impulses of this frame while pairs are found again.
    pub(super) fn keep_impulses(&mut self) {
        self.earlier_impulses = self.applied_impulses().collect();
    }

    /// Lists the pairs that touch at the predicted positions and lays them out. If features may have passed each other while
    /// contacts were solved in the last substep, it is told where particles were when that began, by anchors and offsets \[m\].
    pub(super) fn update_active(
        &mut self,
        substep: &ContactSubstep<'_>,
        (shapes, closed): (&PlacedShapes, &ClosedSheets),
        motion: &SurfaceMotion,
        last_starts: &[[Vec4; 2]],
    ) {
        if self.pass.is_some() {
            let points = FeaturePoints::new(substep.particles, &shapes.places);
            self.update_pairs(points, motion, last_starts, substep.workers);
            if self.partner == SurfacePartner::Particles {
                let Self { pairs, wakes, active, astray, crossed_vertices: marks, .. } = self;
                astray.hold((pairs, wakes), active, marks, (points, closed));
            }
            self.remove_rim_contacts();
            ridges::keep_nearest(&mut self.active, &self.pairs);
            self.lay_out(substep, shapes);
        }
    }

    /// Updates the pairs that may touch.
    fn update_pairs(
        &mut self,
        points: FeaturePoints<'_>,
        motion: &SurfaceMotion,
        last_starts: &[[Vec4; 2]],
        workers: &WorkerScope<'_>,
    ) {
        let tasks = self.pairs.len().div_ceil(CHUNK);
        self.lists.resize_with(self.lists.len().max(tasks), Vec::new);
        let (count, astray) = (self.pairs.len(), &self.astray);
        let (pairs, wakes) = (DisjointSlice::new(&mut self.pairs), DisjointSlice::new(&mut self.wakes));
        let (lists, most, elapsed) = (DisjointSlice::new(&mut self.lists), motion.most(), motion.elapsed());
        workers.run(tasks, |_, range| {
            for task in range {
                let chunk = task * CHUNK..count.min((task + 1) * CHUNK);
                // SAFETY: every task has its own list, and its own pairs.
                let (list, pairs) = unsafe { (&mut lists.slice(task..task + 1)[0], pairs.slice(chunk.clone())) };
                // SAFETY: as above.
                let wakes = unsafe { wakes.slice(chunk.clone()) };
                list.clear();
                let awake = |(_, wake): &(usize, &mut Wake)| wake.path <= most && wake.time <= elapsed;
                for (k, wake) in wakes.iter_mut().enumerate().filter(awake) {
                    let (pair, number) = (&mut pairs[k], (chunk.start + k) as u32);
                    let moved = motion.of(pair.kind, pair.nodes);
                    if wake.path <= moved {
                        let home = astray.side(pair);
                        if !last_starts.is_empty() {
                            pair.keep_passed(
                                home,
                                points.corners_at(pair.nodes, last_starts),
                                points.corners_before(pair.nodes),
                            );
                        }
                        let touch = pair.touch((&mut wake.path, moved), home, points, motion);
                        list.extend(touch.map(|touch| ActivePair { pair: number, ..touch }));
                    }
                }
            }
        });
        self.active.clear();
        self.active.extend(self.lists[..tasks].iter().flatten());
        let Self { pairs, active, pulls, .. } = self;
        active.extend(pulls.iter().filter_map(|&(pair, way)| {
            let pulled = pairs[pair as usize].pull(way, points)?;
            Some(ActivePair { pair, ..pulled })
        }));
    }

    /// Removes contacts at a rim with a vertex on the wrong side, which they would keep there.
    fn remove_rim_contacts(&mut self) {
        let Self { pairs, active, crossed_vertices: astray, .. } = self;
        let vertices = |active: &ActivePair| pairs[active.pair as usize].nodes.map(|node| node as usize);
        if active.iter().any(|active| active.crossed) {
            active.iter().filter(|active| active.crossed).flat_map(vertices).for_each(|vertex| astray[vertex] = true);
            active.retain(|active| !(active.rim && vertices(active).iter().any(|&vertex| astray[vertex])));
            active.iter().filter(|active| active.crossed).flat_map(vertices).for_each(|vertex| astray[vertex] = false);
        }
    }

    /// Lays out the pairs that touch. Pairs of one colour share no particle and no body that moves.
    fn lay_out(&mut self, substep: &ContactSubstep<'_>, shapes: &PlacedShapes) {
        let Self { pass: Some(pass), pairs, active, impulses, colours, partner, .. } = self else { return };
        pass.clear();
        let particles = substep.particles;
        let moved = |active: &ActivePair| {
            let pair = &pairs[active.pair as usize];
            let (mut nodes, _) = partner.particles(pair, active.weights);
            for node in &mut nodes[..partner.particle_count()] {
                *node = if particles.anchor[*node as usize].w > 0.0 { *node } else { NO_POINT };
            }
            if let Some(body) = partner.body(pair, particles.len(), shapes) {
                nodes[3] = particles.len() as u32 + body;
            }
            nodes
        };
        pass.remainder = colours.sort(active, moved, &mut pass.colours);
        active.iter().for_each(|active| impulses[active.pair as usize].1 = active.normal);
        partner.append(pass, pairs, active, (substep, shapes));
        let slots = 0..active.len() as u32;
        pass.slots.extend(slots.map(|constraint| PassSlot { batch: u32::MAX, constraint }));
        let shares = usize::from(pass.layout.mass_shares);
        pass.columns[shares..].iter_mut().for_each(|column| column.resize(active.len(), 1.0));
        pass.list_remainder_nodes(&|_, _| true);
        pass.pad();
    }

    /// Returns the impulses of the pairs that pushed in this frame.
    fn applied_impulses(&self) -> impl Iterator<Item = ContactImpulse> {
        let pushed = self.pairs.iter().zip(&self.impulses).enumerate().filter(|(_, (_, (impulse, _)))| *impulse > 0.0);
        let pushed = pushed.map(|(number, (pair, &(impulse, normal)))| match self.collider_indices.get(number) {
            Some(&collider_index) => {
                let source = ImpulseSource::Collider { collider_index, normal: -normal };
                ContactImpulse { particle: pair.nodes[3], source, impulse }
            }
            None => {
                let source = ImpulseSource::Surface { particle: pair.nodes[3], normal };
                ContactImpulse { particle: pair.nodes[0], source, impulse }
            }
        });
        self.earlier_impulses.iter().copied().chain(pushed)
    }

    /// Returns the pairs that are on the wrong side.
    pub(super) fn crossed<'a>(
        &'a self,
        particles: &'a Particles,
        shapes: &'a PlacedShapes,
    ) -> impl Iterator<Item = CrossedPair> + 'a {
        let points = FeaturePoints::new(particles, &shapes.places);
        let is_crossed = move |pair: &&FeaturePair| {
            if pair.is_of_particle() {
                return pair.has_passed;
            }
            let corners = points.corners(pair.nodes);
            let is_inside = pair.kind.nearest(corners).inside;
            if is_inside { pair.kind.side(corners) != pair.kept_side } else { pair.has_passed }
        };
        let crossed = self.pairs.iter().filter(|pair| pair.kept_side != 0.0).filter(is_crossed);
        crossed.map(move |pair| CrossedPair::of(pair, particles.len(), shapes))
    }

    /// Returns all pairs that are kept on a side.
    pub(super) fn kept<'a>(
        &'a self,
        particles: usize,
        shapes: &'a PlacedShapes,
    ) -> impl Iterator<Item = CrossedPair> + 'a {
        let kept = self.pairs.iter().filter(|pair| pair.kept_side != 0.0);
        kept.map(move |pair| CrossedPair::of(pair, particles, shapes))
    }
}

impl ContactSet for SurfacePairs {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.pairs.clear();
        self.wakes.clear();
        self.pulls.clear();
        self.impulses.clear();
        self.active.clear();
        self.earlier_impulses.clear();
        self.collider_indices.clear();
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    fn accumulate(&mut self, _: f32, _: &WorkerScope<'_>, touched: &mut dyn FnMut(u32)) {
        let Some(pass) = &self.pass else { return };
        for (active, _) in self.active.iter().zip(&pass.lambda[0]).filter(|(_, lambda)| **lambda > 0.0) {
            let (nodes, _) = self.partner.particles(&self.pairs[active.pair as usize], active.weights);
            nodes.into_iter().take(self.partner.particle_count()).for_each(&mut *touched);
        }
    }

    fn accumulate_velocities(&mut self, per_multiplier: f32, _: &WorkerScope<'_>) {
        let Some(pass) = &self.pass else { return };
        for (active, &lambda) in self.active.iter().zip(&pass.lambda[0]) {
            self.impulses[active.pair as usize].0 += lambda.max(0.0) * per_multiplier;
        }
    }

    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        Box::new(self.applied_impulses())
    }
}
