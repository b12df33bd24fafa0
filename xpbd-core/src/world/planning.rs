//! From batches to a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::state::{BatchState, PlanPlacement, State, live_ranges};
use crate::batch::Batch;
use crate::connector::{Connector, NodeKind};
use crate::constraint::update::linearization::Linearization;
use crate::handle::{ObjectHandle, OrderedMap};
use crate::media::MediumState;
use crate::medium::{Material, Medium, ObjectMedia};
use crate::object::{ObjectState, Supports};
use crate::schedule::direct::FreeAxes;
use crate::schedule::{CollectedConstraints, DirectSystem, Pass, PassSlot, Plan, ScheduledBatch, Strips, TracedPass};
use crate::settings::{ConstraintSolver, ScheduleOrder, Settings};

impl State {
    /// Colours and lays out all constraints anew. Batches of one type and one set of connectors
    /// share a pass, at the place of the first of them, those that are solved after contacts at the end. Batches of objects that are
    /// frozen or asleep are left out.
    pub(crate) fn rebuild_plan(&mut self) {
        self.keep_multipliers();
        let mut linearizations = std::mem::take(&mut self.linearizations);
        let mut groups: Vec<PassGroup<'_>> = Vec::new();
        let mut plan = Plan::default();
        let mut media = MediaBuilder::default();
        let is_after_contacts =
            |state: &BatchState| state.batch.traced().is_some_and(|batch| batch.kind().is_after_contacts());
        let batches = || self.batches.iter().map(|(_, state)| state).enumerate();
        let (before, after): (Vec<_>, Vec<_>) = batches().partition(|(_, state)| !is_after_contacts(state));
        for (place, state) in before.into_iter().chain(after) {
            let Some(ranges) = live_ranges(&self.objects, &state.objects) else { continue };
            let Some(batch) = state.batch.traced() else {
                plan.passes.extend(match state.batch.material() {
                    Some(material) => media.add(material, &self.objects, &state.objects),
                    None => Some(Pass::Custom(place)),
                });
                continue;
            };
            let is_candidate = batch.constraint_solver() != ConstraintSolver::Sweep;
            let linearization = is_candidate.then(|| linearizations.get(batch.kind(), batch.connectors())).flatten();
            let places = state.bodies.iter().map(|&body| self.body_handles.index_of(body).unwrap_or(0) as u32);
            let live = LiveBatch { index: place as u32, batch, ranges, bodies: places.collect() };
            match groups.iter_mut().find(|group| group.takes(batch, linearization.is_some())) {
                Some(group) => group.batches.push(live),
                None => {
                    groups.push(PassGroup {
                        place: plan.passes.len(),
                        batches: smallvec::smallvec![live],
                        linearization,
                    });
                    plan.passes.push(Pass::Custom(usize::MAX));
                }
            }
        }
        self.add_traced_passes(&mut plan, &groups);
        drop(groups);
        (self.plan, self.linearizations) = (plan, linearizations);
        self.object_media = media.object_media(self.objects.len(), &self.settings);
        self.media = media.residents;
        self.renew_supports();
        self.place_batches();
        self.restore_multipliers();
        self.plan_generation += 1;
    }

    /// Lists anew what holds the particles of all objects.
    pub(super) fn renew_supports(&mut self) {
        self.supports = Supports::of(&self.objects, self.particles.len());
    }

    /// Puts the passes of these groups at their places in a plan. The constraints of a group that are better swept than
    /// solved directly are a pass of their own behind the others.
    fn add_traced_passes(&self, plan: &mut Plan, groups: &[PassGroup<'_>]) {
        let (direct, others): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.linearization.is_some());
        for group in &direct {
            plan.passes[group.place] = self.traced_pass(group, &|_| true, group.linearization.clone(), None);
        }
        let chooses = |slot: PassSlot| {
            let state = self.batches.keys().get(slot.batch as usize).and_then(|&batch| self.batches.get(batch));
            let solver = state.and_then(|state| state.batch.traced()).map(Batch::constraint_solver);
            solver == Some(ConstraintSolver::Automatic)
        };
        let (system, swept) = self.direct_system(plan, &chooses);
        plan.direct = system;
        let is_swept = |slot| swept.contains(&slot);
        let mut strips = self.strips(groups, &is_swept);
        for group in others {
            plan.passes[group.place] = self.traced_pass(group, &|_| true, None, strips.as_mut());
        }
        if swept.is_empty() {
            return;
        }
        for group in direct.into_iter().rev() {
            let passes = [
                self.traced_pass(group, &|slot| !is_swept(slot), group.linearization.clone(), None),
                self.traced_pass(group, &is_swept, None, strips.as_mut()),
            ];
            let filled = |pass: &Pass| matches!(pass, Pass::Traced(pass) if !pass.is_empty());
            plan.passes.splice(group.place..=group.place, passes.into_iter().filter(filled));
        }
        (plan.direct, _) = self.direct_system(plan, &|_| false);
    }

    /// Finds strips for the constraints that are swept, if they are to be divided: those that `is_swept` names in groups that may
    /// be solved directly, and all of the others.
    fn strips(&self, groups: &[PassGroup<'_>], is_swept: &dyn Fn(PassSlot) -> bool) -> Option<Strips> {
        if self.settings.schedule.order != ScheduleOrder::Patched {
            return None;
        }
        let collected = groups.iter().map(|group| {
            let has = |slot| group.linearization.is_none() || is_swept(slot);
            self.schedule(group, |batches, inverse_mass| CollectedConstraints::collect(batches, &has, inverse_mass))
        });
        CollectedConstraints::strips(&collected.collect::<Vec<_>>())
    }

    /// Builds a pass over those constraints of a group that it `has`, divided by strips if there are any.
    fn traced_pass(
        &self,
        group: &PassGroup<'_>,
        has: &dyn Fn(PassSlot) -> bool,
        linearization: Option<Arc<Linearization>>,
        strips: Option<&mut Strips>,
    ) -> Pass {
        let settings = (&self.settings.schedule, strips);
        Pass::Traced(Box::new(self.schedule(group, |batches, inverse_mass| {
            TracedPass::build(batches, has, linearization, settings, inverse_mass)
        })))
    }

    /// Calls `build` with the batches of a group, and with what tells the inverse mass of a node.
    fn schedule<R>(
        &self,
        group: &PassGroup<'_>,
        build: impl FnOnce(&[ScheduledBatch<'_>], &dyn Fn(NodeKind, u32) -> f32) -> R,
    ) -> R {
        let inverse_mass = |kind: NodeKind, node: u32| match kind {
            // Particles come, go, and are pinned without a new plan.
            NodeKind::Particle => self.particles.planned_inverse_mass(node as usize),
            NodeKind::Body => self.bodies.anchor[node as usize].w,
        };
        let central = |point: Connector, body: u32, local: Vec3| match point {
            Connector::BodyAxis { .. } => {
                self.bodies.records[body as usize].body.mass.principal_axes.conjugate() * local
            }
            _ => self.bodies.to_central_frame(body as usize, Pose::from_translation(local)).translation,
        };
        let resolvers: Vec<_> = group.batches.iter().map(|live| |kind, node| live.resolve(kind, node)).collect();
        let mut entries: Vec<ScheduledBatch<'_>> = Vec::with_capacity(group.batches.len());
        for (live, resolve) in group.batches.iter().zip(&resolvers) {
            let LiveBatch { index, batch, .. } = *live;
            entries.push(ScheduledBatch { batch_index: index, batch, resolve, central: &central });
        }
        build(&entries, &inverse_mass)
    }
}

impl State {
    /// Notes where the plan has the constraints of each batch.
    fn place_batches(&mut self) {
        let mut placements: Vec<SmallVec<[PlanPlacement; 1]>> = vec![SmallVec::new(); self.batches.len()];
        for (pass, traced) in self.plan.passes.iter().enumerate() {
            let Pass::Traced(traced) = traced else { continue };
            for (slot, of) in traced.slots.iter().enumerate() {
                let placements = &mut placements[of.batch as usize];
                if placements.last().is_none_or(|placement| placement.pass != pass) {
                    placements.push(PlanPlacement { pass, slots: SmallVec::new() });
                }
                let Some(PlanPlacement { slots, .. }) = placements.last_mut() else { continue };
                slots.resize(slots.len().max(of.constraint as usize + 1), PlanPlacement::NONE);
                slots[of.constraint as usize] = slot as u32;
            }
        }
        let mut placements = placements.into_iter();
        self.batches.for_each_mut(|_, state| state.placements = placements.next().unwrap_or_default());
    }
}

impl State {
    /// Finds the systems of the constraints that are solved directly, and those of them that are better swept, of those that
    /// the plan `chooses` the solver for.
    fn direct_system(&self, plan: &Plan, chooses: &dyn Fn(PassSlot) -> bool) -> (DirectSystem, BTreeSet<PassSlot>) {
        let direct = plan.passes.iter().enumerate().filter_map(|(index, pass)| match pass {
            Pass::Traced(pass) if pass.linearization.is_some() => Some((index, pass.as_ref())),
            _ => None,
        });
        let free_axes = |kind: NodeKind, node: u32| match kind {
            NodeKind::Particle => {
                let is_free = self.particles.anchor[node as usize].w > 0.0;
                is_free.then_some(FreeAxes { translation: true, rotation: false })
            }
            NodeKind::Body => {
                let is_free = self.bodies.anchor[node as usize].w > 0.0;
                let locked = self.bodies.inverse_inertia[node as usize].w as u8;
                let axes = FreeAxes { translation: locked & 0b111 != 0b111, rotation: locked >> 3 != 0b111 };
                (is_free && (axes.translation || axes.rotation)).then_some(axes)
            }
        };
        DirectSystem::new(&direct.collect::<Vec<_>>(), &free_axes, chooses)
    }

    /// Marks the plan as out of date if constraints of an object may be solved directly: systems leave out particles that
    /// cannot move.
    pub(super) fn renew_direct_systems(&mut self, object: ObjectHandle) {
        let is_candidate = |state: &BatchState| {
            state.objects.contains(&object)
                && state.batch.traced().is_some_and(|batch| batch.constraint_solver() != ConstraintSolver::Sweep)
        };
        self.plan_is_stale |= self.batches.iter().any(|(_, state)| is_candidate(state));
    }

    /// Returns the multipliers of a batch, those of one constraint after another, if any of it is solved directly: they form
    /// the stiffness of the next substep. Empty for other batches.
    pub(super) fn direct_multipliers(&self, state: &BatchState) -> Vec<f32> {
        if state.placements.is_empty() {
            return state.multipliers.clone();
        }
        for placement in &state.placements {
            let Some(Pass::Traced(pass)) = self.plan.passes.get(placement.pass) else { continue };
            if pass.linearization.is_some() {
                let of =
                    |&slot: &u32| pass.lambda.iter().map(move |row| row.get(slot as usize).copied().unwrap_or(0.0));
                return placement.slots.iter().flat_map(of).collect();
            }
        }
        Vec::new()
    }

    /// Keeps the multipliers of the plan that is given up.
    fn keep_multipliers(&mut self) {
        let kept: Vec<Vec<f32>> = self.batches.iter().map(|(_, state)| self.direct_multipliers(state)).collect();
        let mut kept = kept.into_iter();
        self.batches.for_each_mut(|_, state| state.multipliers = kept.next().unwrap_or_default());
    }

    /// Gives a new plan the multipliers of the one before, or of a snapshot.
    fn restore_multipliers(&mut self) {
        let Self { batches, plan, .. } = self;
        batches.for_each_mut(|_, state| {
            // What sleeps is not in the plan, and keeps its own.
            if state.placements.is_empty() {
                return;
            }
            let multipliers = std::mem::take(&mut state.multipliers);
            for placement in &state.placements {
                let Some(Pass::Traced(pass)) = plan.passes.get_mut(placement.pass) else { continue };
                let places = placement.slots.iter().filter(|_| pass.linearization.is_some());
                for (&slot, numbers) in places.zip(multipliers.chunks_exact(pass.lambda.len())) {
                    if slot != PlanPlacement::NONE {
                        pass.lambda.iter_mut().zip(numbers).for_each(|(row, &number)| row[slot as usize] = number);
                    }
                }
            }
        });
    }

    /// Scales the multipliers of direct solves, which are forces times h², to the substep length `h` \[s\].
    pub(crate) fn rescale_multipliers(&mut self, h: f32) {
        let Some(scale) = self.multiplier_scale(h) else { return };
        for pass in self.plan.traced_mut().filter(|pass| pass.linearization.is_some()) {
            pass.lambda.iter_mut().flatten().for_each(|lambda| *lambda *= scale);
        }
    }

    /// Returns what the multipliers of direct solves are scaled by for the substep length `h` \[s\], if by anything.
    pub fn multiplier_scale(&self, h: f32) -> Option<f32> {
        let ratio = h / self.last_substep;
        (h != self.last_substep && self.last_substep > 0.0).then_some(ratio * ratio)
    }

    /// Takes from the device what a new plan keeps of the one before.
    pub(super) fn prepare_plan(&mut self) {
        self.prepare_constraint_edit();
        if !self.plan.direct.is_empty() {
            // What is kept is the last state that there is.
            let _ = self.sync_from_device();
        }
    }
}

/// The media on their way into a plan.
#[derive(Default)]
pub(super) struct MediaBuilder {
    residents: Vec<MediumState>,
}

impl MediaBuilder {
    /// Collects the media of all batches.
    pub fn from_state(state: &State) -> Self {
        let mut media = Self::default();
        for (_, batch) in state.batches.iter() {
            if let (Some(material), Some(_)) = (batch.batch.material(), live_ranges(&state.objects, &batch.objects)) {
                media.add(material, &state.objects, &batch.objects);
            }
        }
        media
    }

    /// Returns one of them.
    pub fn find(&self, medium: &'static dyn Medium) -> Option<&MediumState> {
        self.residents.iter().find(|resident| resident.medium == medium)
    }

    /// Gives objects to the medium of a material; returns its pass if it is the first of its kind.
    fn add(
        &mut self,
        material: Material,
        objects: &OrderedMap<ObjectHandle, ObjectState>,
        handles: &[ObjectHandle],
    ) -> Option<Pass> {
        let known = self.residents.iter().position(|resident| resident.medium == material.medium);
        let place = known.unwrap_or(self.residents.len());
        if known.is_none() {
            self.residents.push(MediumState::new(material.medium));
        }
        let resident = &mut self.residents[place];
        let number = resident.materials.len() as u32;
        resident.materials.push(material);
        for place in handles.iter().filter_map(|&handle| objects.index_of(handle)) {
            resident.objects.retain(|&(other, _)| other != place);
            resident.objects.push((place, number));
        }
        known.is_none().then_some(Pass::Medium(place))
    }

    /// Returns what they are to the objects of a world.
    pub fn object_media(&self, count: usize, settings: &Settings) -> ObjectMedia {
        let mut of = ObjectMedia { medium: vec![ObjectMedia::NONE; count], reach: vec![0.0; count] };
        for (number, resident) in self.residents.iter().enumerate() {
            for &(place, _) in &resident.objects {
                of.medium[place] = number as u32;
                of.reach[place] = resident.reach(settings);
            }
        }
        of
    }
}

/// Batches of one type and one set of connectors.
struct PassGroup<'a> {
    /// Index of its pass in the plan.
    place: usize,
    batches: SmallVec<[LiveBatch<'a>; 4]>,
    /// The linearization of its constraints, if they are solved directly or the plan chooses.
    linearization: Option<Arc<Linearization>>,
}

impl PassGroup<'_> {
    /// Returns whether a batch, which may be solved directly or not, belongs to it.
    fn takes(&self, batch: &Batch, may_be_direct: bool) -> bool {
        let first = self.batches[0].batch;
        first.kind().is_same_type(batch.kind())
            && first.connectors() == batch.connectors()
            && self.linearization.is_some() == may_be_direct
    }
}

/// A traced batch with the world indices of its nodes.
struct LiveBatch<'a> {
    index: u32,
    batch: &'a Batch,
    ranges: SmallVec<[std::ops::Range<usize>; 2]>,
    bodies: SmallVec<[u32; 2]>,
}

impl LiveBatch<'_> {
    fn resolve(&self, kind: NodeKind, node: u32) -> u32 {
        if kind == NodeKind::Body {
            return self.bodies[node as usize];
        }
        let mut rest = node as usize;
        for range in &self.ranges {
            if rest < range.len() {
                return (range.start + rest) as u32;
            }
            rest -= range.len();
        }
        0
    }
}
