//! From batches to a plan.

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::state::{BatchState, PlanPlacement, State, live_ranges};
use crate::batch::Batch;
use crate::connector::{Connector, NodeKind};
use crate::handle::{ObjectHandle, OrderedMap};
use crate::media::MediumState;
use crate::medium::{Material, Medium, ObjectMedia};
use crate::object::ObjectState;
use crate::schedule::direct::FreeAxes;
use crate::schedule::{DirectSystem, Pass, Plan, ScheduledBatch, TracedPass};
use crate::settings::{ConstraintSolver, Settings};

impl State {
    /// Colours and lays out all constraints anew. Batches of one type and one set of connectors
    /// share a pass, at the place of the first of them. Batches of frozen objects are left out.
    pub(crate) fn rebuild_plan(&mut self) {
        self.keep_multipliers();
        let mut groups: Vec<(usize, SmallVec<[LiveBatch<'_>; 4]>)> = Vec::new();
        let mut plan = Plan::default();
        let mut media = MediaBuilder::default();
        for (place, (_, state)) in self.batches.iter().enumerate() {
            let Some(ranges) = live_ranges(&self.objects, &state.objects) else { continue };
            let Some(batch) = state.batch.traced() else {
                plan.passes.extend(match state.batch.material() {
                    Some(material) => media.add(material, &self.objects, &state.objects),
                    None => Some(Pass::Custom(place)),
                });
                continue;
            };
            let places = state.bodies.iter().map(|&body| self.body_handles.index_of(body).unwrap_or(0) as u32);
            let live = LiveBatch { index: place as u32, batch, ranges, bodies: places.collect() };
            let same = |(_, group): &&mut (usize, SmallVec<[LiveBatch<'_>; 4]>)| {
                let first = group[0].batch;
                first.kind().is_same_type(batch.kind())
                    && first.connectors() == batch.connectors()
                    && first.constraint_solver() == batch.constraint_solver()
            };
            match groups.iter_mut().find(same) {
                Some((_, group)) => group.push(live),
                None => {
                    groups.push((plan.passes.len(), smallvec::smallvec![live]));
                    plan.passes.push(Pass::Custom(usize::MAX));
                }
            }
        }
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
        for (pass, group) in &groups {
            let resolvers: Vec<_> = group.iter().map(|live| |kind, node| live.resolve(kind, node)).collect();
            let entries: Vec<ScheduledBatch<'_>> = group
                .iter()
                .zip(&resolvers)
                .map(|(live, resolve)| ScheduledBatch {
                    batch_index: live.index,
                    batch: live.batch,
                    resolve,
                    central: &central,
                })
                .collect();
            plan.passes[*pass] =
                Pass::Traced(Box::new(TracedPass::build(&entries, &self.settings.schedule, &inverse_mass)));
        }
        drop(groups);
        plan.direct = self.direct_system(&plan);
        self.plan = plan;
        self.object_media = media.object_media(self.objects.len(), &self.settings);
        self.media = media.residents;
        self.place_batches();
        self.restore_multipliers();
        self.plan_generation += 1;
    }
}

impl State {
    /// Notes where the plan has the constraints of each batch.
    fn place_batches(&mut self) {
        let mut placements = vec![PlanPlacement::default(); self.batches.len()];
        for (pass, traced) in self.plan.passes.iter().enumerate() {
            let Pass::Traced(traced) = traced else { continue };
            for (slot, of) in traced.slots.iter().enumerate() {
                let PlanPlacement { pass: place, slots } = &mut placements[of.batch as usize];
                *place = pass;
                slots.resize(slots.len().max(of.constraint as usize + 1), PlanPlacement::NONE);
                slots[of.constraint as usize] = slot as u32;
            }
        }
        let mut placements = placements.into_iter();
        self.batches.for_each_mut(|_, state| state.placement = placements.next().unwrap_or_default());
    }
}

impl State {
    /// Finds the systems of the constraints that are solved directly.
    fn direct_system(&self, plan: &Plan) -> DirectSystem {
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
        DirectSystem::new(direct.collect(), &free_axes)
    }

    /// Marks the plan as out of date if it has direct systems, which leave out nodes that cannot move.
    pub(super) fn renew_direct_systems(&mut self) {
        self.plan_is_stale |= !self.plan.direct.is_empty();
    }

    /// Returns the multipliers of a batch that is solved directly, those of one constraint after another: they form the
    /// stiffness of the next substep. Empty for other batches.
    pub(super) fn direct_multipliers(&self, state: &BatchState) -> Vec<f32> {
        let is_direct = state.batch.traced().is_some_and(|batch| batch.constraint_solver() == ConstraintSolver::Direct);
        if !is_direct || state.placement.slots.is_empty() {
            return state.multipliers.clone();
        }
        let Some(Pass::Traced(pass)) = self.plan.passes.get(state.placement.pass) else { return Vec::new() };
        let of = |&slot: &u32| pass.lambda.iter().map(move |row| row.get(slot as usize).copied().unwrap_or(0.0));
        state.placement.slots.iter().flat_map(of).collect()
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
            let multipliers = std::mem::take(&mut state.multipliers);
            let Some(Pass::Traced(pass)) = plan.passes.get_mut(state.placement.pass) else { return };
            if pass.linearization.is_none() || state.placement.slots.is_empty() {
                return;
            }
            for (&slot, numbers) in state.placement.slots.iter().zip(multipliers.chunks_exact(pass.lambda.len())) {
                if slot != PlanPlacement::NONE {
                    pass.lambda.iter_mut().zip(numbers).for_each(|(row, &number)| row[slot as usize] = number);
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
