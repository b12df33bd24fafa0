//! Surfaces against themselves, each other, the particles of other objects and the shapes of colliders: pairs that may touch
//! in a frame, and those that do in a substep.
//!
//! Every pair of a vertex, another particle or a corner of a shape and a triangle, or of two edges, that may come near in the frame is looked at in
//! every substep in which it can be near, with the side on which it was when the substep began. One that
//! has crossed since is taken back to that side, and remembers it until it is there: within a frame
//! nothing that is in contact passes, however far a substep overshoots. What is still on the wrong side at the end
//! of a frame is [remembered](SurfaceContacts::crossed) in the next. Where features are deep in each other, contacts themselves
//! push others through, which the next substep finds; and a particle that has passed one triangle belongs on the other side of
//! all of its sheet until it has come back.
//!
//! How near a pair can be follows from how far its vertices have moved, relative to the mean motion of all, since it
//! was looked at last: a pair sleeps until then, so that those far apart cost a comparison a substep. The pairs of
//! vertices that stray by more than half of the margin from where they were expected are found anew within the frame.
//!
//! Those that touch, or nearly do, are coloured in every substep, and solved more than once where layers are
//! deep in each other: a sweep of corrections that are split among the contacts of a particle is too slow to keep them
//! apart. A cloth of 625 particles pulled through a ring had 600 edges in triangles then, and has none.
//!
//! Surfaces that run through each other as they were placed are [pulled apart](tangles). What is on the wrong side of anything
//! else at first stays there: sides are remembered, not found.

mod astray;
mod closed_sheets;
mod colours;
pub mod crossed_pair;
mod enclosed_particles;
mod enclosures;
pub mod feature_geometry;
pub mod feature_pair;
mod feature_points;
mod features;
mod kept_pairs;
mod motion;
pub mod pair_set;
mod placed_shape;
mod placed_shapes;
mod pushed_nodes;
mod ridges;
mod search;
mod shape_features;
mod sheets;
mod surface_partner;
mod swept_box;
pub mod tangles;

use glam::Vec4;

use super::contact_set::{ContactSet, ContactSubstep};
use super::detection::DetectionContext;
use super::events::ContactImpulse;
use crate::bodies::Bodies;
use crate::constraint::ConstraintError;
use crate::object::ObjectState;
use crate::parallel::WorkerScope;
use crate::particles::Particles;
use astray::{Astray, AstrayParticles};
use crossed_pair::CrossedPair;
use enclosed_particles::EnclosedParticles;
use feature_pair::FeaturePair;
use feature_points::FeaturePoints;
use features::SurfaceFeatures;
use motion::{SurfaceMotion, Wake};
use pair_set::SurfacePairs;
use search::PairSearch;
use surface_partner::SurfacePartner;
use tangles::{TangleMemory, Tangles};

/// Number of sweeps over the contacts in an iteration while surfaces are deep in each other: folds press on folds, and
/// walls
/// on all of them.
const SWEEPS: usize = 4;

/// The part of all points that may stray for only their pairs to be found anew \[1\].
const FEW: f32 = 0.03;

/// The contacts of surfaces in a frame.
#[derive(Debug)]
pub struct SurfaceContacts {
    /// Pairs of surfaces, and of surfaces and particles.
    pub particles: SurfacePairs,
    /// Pairs of surfaces and shapes of bodies that can be pushed.
    pub bodies: SurfacePairs,
    /// Pairs of surfaces and shapes that cannot be pushed.
    pub shapes: SurfacePairs,
    /// Pairs that were on the wrong side when the last frame ended, sorted.
    pub crossed: Vec<CrossedPair>,
    /// Memory of surfaces that ran through each other.
    pub(crate) tangled: TangleMemory,
    /// True if the plan that the next frame makes is one that was there before.
    is_restored: bool,
    tangles: Tangles,
    features: SurfaceFeatures,
    /// Number of the plan that the features belong to.
    plan_generation: Option<u64>,
    search: PairSearch,
    motion: SurfaceMotion,
    /// Anchors and offsets of particles when the last substep of the frame began \[m\], if features were deep in each other in it.
    last_starts: Vec<[Vec4; 2]>,
    dropped: usize,
}

/// The state of the contacts of surfaces that is kept from frame to frame.
#[derive(Debug, Clone)]
pub struct SurfaceMemory {
    crossed: Vec<CrossedPair>,
    tangled: TangleMemory,
}

impl Default for SurfaceContacts {
    fn default() -> Self {
        Self {
            particles: SurfacePairs::new(SurfacePartner::Particles),
            bodies: SurfacePairs::new(SurfacePartner::Bodies),
            shapes: SurfacePairs::new(SurfacePartner::Shapes),
            crossed: Vec::new(),
            tangled: TangleMemory::default(),
            is_restored: false,
            tangles: Tangles::default(),
            features: SurfaceFeatures::default(),
            plan_generation: None,
            search: PairSearch::default(),
            motion: SurfaceMotion::default(),
            last_starts: Vec::new(),
            dropped: 0,
        }
    }
}

impl SurfaceContacts {
    /// Creates a set without contacts that remembers these pairs on the wrong side, and this of crossings.
    pub(crate) fn restored(crossed: Vec<CrossedPair>, tangled: TangleMemory) -> Self {
        Self { crossed, tangled, is_restored: true, ..Self::default() }
    }

    /// Returns the pairs with each kind of partner.
    pub fn sets(&self) -> [&SurfacePairs; 3] {
        [&self.particles, &self.bodies, &self.shapes]
    }

    pub(crate) fn sets_mut(&mut self) -> [&mut SurfacePairs; 3] {
        [&mut self.particles, &mut self.bodies, &mut self.shapes]
    }

    /// Returns how many pairs may touch in this frame.
    pub fn len(&self) -> usize {
        self.sets().iter().map(|set| set.len()).sum()
    }

    /// Returns whether no pairs may touch in this frame.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many pairs touched in the last substep.
    pub fn active(&self) -> usize {
        self.sets().iter().map(|set| set.active()).sum()
    }

    /// Returns how many pairs were left out because there were too many at one place.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Returns how many edges ran through triangles at the beginning of the frame, where that was looked for: after a change
    /// of the plan, every eighth frame, and while surfaces cross.
    pub fn crossings(&self) -> usize {
        self.tangles.count
    }

    /// Returns the number of sweeps over the contacts in an iteration.
    pub fn sweeps(&self) -> usize {
        if self.sets().iter().any(|set| set.is_deep()) { SWEEPS } else { 1 }
    }

    /// Returns whether contacts with what cannot be pushed are solved
    /// [before all others](super::contact_set::ContactKind::FIRST_WALL) in a substep: where surfaces touch, and one sweep has to do.
    pub fn begins_with_walls(&self) -> bool {
        self.sweeps() == 1 && self.active() > 0
    }

    /// Returns whether shapes of bodies may touch surfaces in this frame.
    pub fn meets_bodies(&self) -> bool {
        self.search.shapes.colliders.iter().any(|shape| shape.body.is_some())
    }

    /// Forgets on which side of surfaces a particle was that has come, has gone or is put elsewhere, where one of them is closed.
    pub(crate) fn forget_particle(&mut self, particle: usize) {
        let particle = particle as u32;
        let Some(enclosed) = &mut self.tangled.enclosed else { return };
        self.crossed.retain(|pair| !pair.nodes[pair.particles()].contains(&particle));
        if self.features.vertices.binary_search(&particle).is_ok() {
            self.forget_enclosed();
        } else {
            enclosed.forget(particle);
        }
    }

    /// Forgets which particles are inside of surfaces.
    pub(crate) fn forget_enclosed(&mut self) {
        self.tangled.enclosed = None;
    }

    /// Returns the state that is kept from frame to frame.
    pub fn memory(&self) -> SurfaceMemory {
        SurfaceMemory { crossed: self.crossed.clone(), tangled: self.tangled.clone() }
    }

    /// Takes back a frame, before which the contacts had this memory.
    pub fn undo_frame(&mut self, SurfaceMemory { crossed, tangled }: SurfaceMemory) {
        self.clear();
        (self.crossed, self.tangled) = (crossed, tangled);
    }

    /// Removes all pairs of the frame.
    pub fn clear(&mut self) {
        self.sets_mut().into_iter().for_each(ContactSet::clear);
        self.dropped = 0;
    }

    /// Detects the pairs of the frame that begins.
    pub(crate) fn detect(
        &mut self,
        context: &DetectionContext<'_>,
        workers: &WorkerScope<'_>,
    ) -> Result<(), ConstraintError> {
        self.clear();
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        // What is on the wrong side does not fall asleep, and with the plan that wakes it crossings are looked for again.
        let mut bodies = 0..context.bodies.len();
        let rests = objects.iter().all(|object| !object.is_live()) && !bodies.any(|k| context.bodies.is_movable(k));
        if rests || objects.iter().all(|object| object.surface.is_none()) {
            self.crossed.clear();
            self.search.shapes.clear();
            (self.features, self.plan_generation) = (SurfaceFeatures::default(), None);
            (self.tangles, self.tangled, self.is_restored) = Default::default();
            return Ok(());
        }
        self.particles.ensure_pass()?;
        if !context.colliders.is_empty() {
            self.bodies.ensure_pass()?;
            self.shapes.ensure_pass()?;
        }
        if self.plan_generation != Some(context.plan_generation) {
            self.features = SurfaceFeatures::of(&objects, context.particles);
            self.plan_generation = Some(context.plan_generation);
            if !std::mem::take(&mut self.is_restored) {
                self.tangled = TangleMemory::default();
            }
        }
        self.tangles = Tangles::default();
        if let Some(look) = self.tangled.look(self.crossed.iter().any(CrossedPair::is_of_surfaces)) {
            let crossings = self.search.crossings(context, &objects, &self.features);
            let memory = (look, &mut self.tangled);
            self.tangles = Tangles::of(&crossings, memory, &self.features, &objects, context.particles);
        }
        let escaped = self.find_escaped(context, &objects);
        self.find(context, &objects, (false, escaped), workers);
        Ok(())
    }

    /// Returns the particles that are on another side of a closed sheet than they belong, and remembers where those belong that
    /// are new.
    fn find_escaped(&mut self, context: &DetectionContext<'_>, objects: &[&ObjectState]) -> AstrayParticles {
        let Self { crossed, tangled, features, search, .. } = self;
        let mut astray = AstrayParticles::default();
        astray.recall(crossed, features);
        if features.balls.is_empty() || !features.trees.iter().any(|tree| tree.is_closed) {
            return astray;
        }
        let now = search.enclosed_particles(context, objects, features);
        let closed = &features.closed_sheets;
        let (enclosed, escaped) = EnclosedParticles::updated(tangled.enclosed.as_ref(), now, &astray, closed);
        // Where contacts have failed, what pairs remember may be the opposite.
        crossed.retain(|pair| {
            Astray::of_crossed(pair, features).is_none_or(|astray| !enclosed.denies(&astray, &escaped, closed))
        });
        tangled.enclosed = Some(enclosed);
        astray.clear();
        astray.recall(crossed, features);
        astray.extend(escaped);
        astray
    }

    /// Finds the pairs of the next `context.dt`, also those of the substep so far if it is within one, and takes over the sides of
    /// earlier ones, and which particles are astray.
    fn find(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        (within_substep, astray): (bool, AstrayParticles),
        workers: &WorkerScope<'_>,
    ) {
        let Self { particles, bodies, shapes, crossed, features, search, motion, tangles, .. } = self;
        let mut sets = [particles, bodies, shapes];
        let lists = sets.each_mut().map(|set| {
            set.pairs.clear();
            set.wakes.clear();
            (&mut set.pairs, &mut set.wakes)
        });
        search.astray.clear();
        search.astray.extend(astray.particles());
        self.dropped = search.run(context, objects, features, workers, (context.dt, within_substep), lists);
        let count = context.particles.len();
        let of_particles = &mut sets[0];
        tangles.remove_holding(&mut of_particles.pairs, &mut of_particles.wakes, features);
        of_particles.add_pulls(&tangles.pulls);
        for set in sets {
            set.begin([count, context.bodies.len()], &search.shapes, crossed);
        }
        self.particles.add_astray(astray);
        let points = FeaturePoints::new(context.particles, &search.shapes.places);
        let of_shapes = count as u32..points.len() as u32;
        motion.begin(points, [&features.vertices, search.balls()], of_shapes, search.ways(), context.dt);
    }

    /// Tracks the motion up to the predicted positions of a substep of `h` \[s\]. Returns whether points are so far from where
    /// they were expected, or on the other side of a sheet, that pairs have to be [found again](SurfaceContacts::detect_again).
    pub(crate) fn track_motion(&mut self, particles: &Particles, bodies: &Bodies, h: f32) -> bool {
        if self.features.vertices.is_empty() {
            return false;
        }
        self.search.shapes.update(bodies);
        let strays = self.motion.follow(FeaturePoints::new(particles, &self.search.shapes.places), h);
        strays || self.particles.astray().any(|particle| self.search.astray.binary_search(&particle).is_err())
    }

    /// Finds the pairs of the rest, `context.dt`, of a frame: those of the points that have strayed, or all if these are many.
    pub(crate) fn detect_again(&mut self, context: &DetectionContext<'_>, workers: &WorkerScope<'_>) {
        let objects: Vec<&ObjectState> = context.objects.iter().map(|(_, object)| object).collect();
        if self.find_strayed(context, &objects, workers) {
            return;
        }
        self.sets_mut().into_iter().for_each(SurfacePairs::keep_impulses);
        let shapes = &self.search.shapes;
        self.crossed = self.sets().iter().flat_map(|set| set.kept(context.particles.len(), shapes)).collect();
        self.crossed.sort_unstable_by_key(CrossedPair::key);
        let mut astray = self.particles.take_astray(&self.features.closed_sheets);
        astray.recall(&self.crossed, &self.features);
        self.find(context, &objects, (true, astray), workers);
    }

    /// Adds the pairs of points that have strayed. Returns whether that is all that is needed.
    fn find_strayed(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        workers: &WorkerScope<'_>,
    ) -> bool {
        let Self { particles, bodies, shapes, crossed, features, search, motion, tangles, .. } = self;
        let count = context.particles.len();
        let is_of_shape = |&point: &u32| point as usize >= count;
        if motion.strayed().len() as f32 > FEW * motion.len() as f32 || motion.strayed().iter().any(is_of_shape) {
            return false;
        }
        search.astray.extend(particles.astray());
        search.astray.sort_unstable();
        search.astray.dedup();
        let mut which: Vec<u32> = motion.strayed().iter().chain(&search.astray).copied().collect();
        which.sort_unstable();
        which.dedup();
        motion.expect_rest(FeaturePoints::new(context.particles, &search.shapes.places), &mut search.ways);
        let mut found = <[(Vec<FeaturePair>, Vec<Wake>); 3]>::default();
        let lists = found.each_mut().map(|(pairs, wakes)| (pairs, wakes));
        let rest = (context.dt, motion.elapsed(), motion.drift());
        let Some(dropped) = search.renew((context, objects, features), workers, rest, &which, lists) else {
            return false;
        };
        self.dropped += dropped;
        let (pairs, wakes) = &mut found[0];
        tangles.remove_holding(pairs, wakes, features);
        for (set, found) in [particles, bodies, shapes].into_iter().zip(&found) {
            set.add(found, |point| search.is_renewed(point), motion, (count, &search.shapes, crossed));
        }
        motion.expect_anew(FeaturePoints::new(context.particles, &search.shapes.places), &which, &search.ways);
        true
    }

    /// Lists the pairs that touch at the predicted positions and lays them out.
    pub(crate) fn update(&mut self, substep: &ContactSubstep<'_>) {
        let Self { particles, bodies, shapes, features, search, motion, last_starts, .. } = self;
        let closed = &features.closed_sheets;
        let from: &[_] = if substep.index > 0 { last_starts } else { &[] };
        particles.update_active(substep, (&search.shapes, closed), motion, from);
        bodies.update_active(substep, (&search.shapes, closed), motion, &[]);
        shapes.update_active(substep, (&search.shapes, closed), motion, &[]);
        last_starts.clear();
        if particles.is_deep() {
            let Particles { anchor, start, .. } = substep.particles;
            last_starts.extend(anchor.iter().zip(start).map(|(&anchor, &start)| [anchor, start]));
        }
    }

    /// Returns the impulses of all pairs in this frame.
    pub fn particle_impulses(&self) -> impl Iterator<Item = ContactImpulse> {
        self.sets().into_iter().flat_map(|set| set.particle_impulses())
    }

    /// Records at the end of a frame the pairs that are on the wrong side.
    pub(crate) fn record_crossed(&mut self, particles: &Particles, bodies: &Bodies) {
        self.search.shapes.update(bodies);
        if !self.last_starts.is_empty() {
            self.particles.keep_passed(&self.last_starts, particles);
        }
        let shapes = &self.search.shapes;
        self.crossed = self.sets().iter().flat_map(|set| set.crossed(particles, shapes)).collect();
        self.crossed.sort_unstable_by_key(CrossedPair::key);
    }
}
