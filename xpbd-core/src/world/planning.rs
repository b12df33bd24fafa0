//! From batches to a plan.

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::state::{State, live_ranges};
use crate::batch::Batch;
use crate::connector::{Connector, NodeKind};
use crate::schedule::{Entry, Pass, Plan, TracedPass};

impl State {
    /// Colours and lays out all constraints anew. Batches of one type and one set of connectors
    /// share a pass, at the place of the first of them. Batches of frozen objects are left out.
    pub(crate) fn rebuild_plan(&mut self) {
        let mut groups: Vec<(usize, SmallVec<[Live<'_>; 4]>)> = Vec::new();
        let mut plan = Plan::default();
        for (place, (_, state)) in self.batches.iter().enumerate() {
            let Some(ranges) = live_ranges(&self.objects, &state.objects) else { continue };
            let Some(batch) = state.batch.traced() else {
                plan.passes.push(Pass::Custom(place));
                continue;
            };
            let places = state.bodies.iter().map(|&body| self.body_handles.position(body).unwrap_or(0) as u32);
            let live = Live { place: place as u32, batch, ranges, bodies: places.collect() };
            let same = |(_, group): &&mut (usize, SmallVec<[Live<'_>; 4]>)| {
                group[0].batch.kind().same(batch.kind()) && group[0].batch.connectors() == batch.connectors()
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
            NodeKind::Particle => self.particles.anchor[node as usize].w,
            NodeKind::Body => self.bodies.anchor[node as usize].w,
        };
        let central = |point: Connector, body: u32, local: Vec3| match point {
            Connector::BodyAxis { .. } => self.bodies.about[body as usize].body.mass.axes.conjugate() * local,
            _ => self.bodies.central(body as usize, Pose::from_translation(local)).translation,
        };
        for (pass, group) in &groups {
            let resolvers: Vec<_> = group.iter().map(|live| |kind, node| live.resolve(kind, node)).collect();
            let entries: Vec<Entry<'_>> = group
                .iter()
                .zip(&resolvers)
                .map(|(live, resolve)| Entry { number: live.place, batch: live.batch, resolve, central: &central })
                .collect();
            plan.passes[*pass] =
                Pass::Traced(Box::new(TracedPass::build(&entries, &self.settings.schedule, &inverse_mass)));
        }
        self.plan = plan;
        self.plans += 1;
    }
}

/// A traced batch with the world indices of its nodes.
struct Live<'a> {
    place: u32,
    batch: &'a Batch,
    ranges: SmallVec<[std::ops::Range<usize>; 2]>,
    bodies: SmallVec<[u32; 2]>,
}

impl Live<'_> {
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
