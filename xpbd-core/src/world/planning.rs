//! From batches to a plan.

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::state::{PlanPlacement, State, live_ranges};
use crate::batch::Batch;
use crate::connector::{Connector, NodeKind};
use crate::handle::{ObjectHandle, OrderedMap};
use crate::media::MediumState;
use crate::medium::{Material, Medium, ObjectMedia};
use crate::object::ObjectState;
use crate::schedule::{Pass, Plan, ScheduledBatch, TracedPass};
use crate::settings::Settings;

impl State {
    /// Colours and lays out all constraints anew. Batches of one type and one set of connectors
    /// share a pass, at the place of the first of them. Batches of frozen objects are left out.
    pub(crate) fn rebuild_plan(&mut self) {
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
                group[0].batch.kind().is_same_type(batch.kind()) && group[0].batch.connectors() == batch.connectors()
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
        self.plan = plan;
        self.object_media = media.object_media(self.objects.len(), &self.settings);
        self.media = media.residents;
        self.place_batches();
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

/// The media on their way into a plan.
#[derive(Default)]
pub(super) struct MediaBuilder {
    residents: Vec<MediumState>,
}

impl MediaBuilder {
    /// Those of all batches.
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
