//! The layout of manifolds as a pass, which stays from frame to frame while the same colliders meet.

use std::sync::Arc;

use glam::Vec3;
use smallvec::SmallVec;

use super::manifold_pose::ManifoldSide;
use super::manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet, surface_axes};
use crate::bodies::Bodies;
use crate::collide::body_contact::ManifoldParameters;
use crate::collide::detection::DetectionContext;
use crate::collide::rebound::slowest_rebound;
use crate::connector::{Connector, Connectors};
use crate::constraint::ConstraintType;
use crate::schedule::{Colouring, PassSlot, TracedPass};

/// The place of a manifold among those that are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ManifoldPlace {
    /// Indices of its colliders.
    pub colliders: [u32; 2],
    /// True if its second side is on no body.
    pub is_ground: bool,
    /// Slot in the pass of its set.
    pub slot: u32,
    /// Number of the manifold among those of its colliders.
    pub number: u32,
    /// Its normal \[1\].
    pub normal: Vec3,
}

impl ManifoldPlace {
    /// Returns the place of a manifold that has no slot yet.
    pub fn unplaced(found: &ManifoldCandidate) -> Self {
        let &ManifoldCandidate { colliders, number, normal, .. } = found;
        Self { colliders, is_ground: found.sides[1].body.is_none(), slot: NONE, number, normal }
    }
}

/// The origin of a manifold of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum ManifoldSource<'a> {
    /// It goes on from this slot of the last frame.
    Slot(u32),
    /// It is new, or its points are taken anew.
    Fresh(&'a ManifoldCandidate),
}

/// The old slot of a manifold that had none.
const NONE: u32 = u32::MAX;

impl ManifoldSet {
    /// Colours manifolds and lays them out as a pass. The points of fresh ones are filled in by
    /// [`ManifoldSet::refresh`]. Returns the slot of each.
    pub(super) fn lay_out(
        &mut self,
        kind: Arc<ConstraintType>,
        points: &[Connector],
        sources: &[ManifoldSource<'_>],
        context: &DetectionContext<'_>,
    ) -> Vec<u32> {
        let bodies = context.bodies;
        let Ok(connectors) = Connectors::new(points) else { return Vec::new() };
        let mut pass = self.pass.take().unwrap_or_else(|| TracedPass::empty(kind, connectors));
        let found = sources.iter().map(|source| match *source {
            ManifoldSource::Slot(slot) => &self.candidates[slot as usize],
            ManifoldSource::Fresh(found) => found,
        });
        let found: Vec<&ManifoldCandidate> = found.collect();
        let movable = |side: &ManifoldSide| side.body.filter(|&k| bodies.anchor[k as usize].w > 0.0);
        let touched: Vec<SmallVec<[u32; 2]>> =
            found.iter().map(|found| found.sides.iter().filter_map(movable).collect()).collect();
        let lists = touched.iter().map(SmallVec::as_slice);
        let colouring = Colouring::first_fit(&vec![false; bodies.len()], lists, 64);
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&k| colouring.colour[k]);
        let from: Vec<u32> = order.iter().map(|&k| sources[k].slot().unwrap_or(NONE)).collect();
        pass.rearrange(&from);
        let old = |slot: &u32| *slot as usize;
        self.feet = from.iter().map(|slot| self.feet.get(old(slot)).copied().unwrap_or(Vec3::ZERO)).collect();
        self.is_fresh = from.iter().map(|slot| self.is_fresh.get(old(slot)).copied().unwrap_or(true)).collect();
        self.candidates = order.iter().map(|&k| *found[k]).collect();
        self.is_steady.clear();
        self.is_steady.extend(self.candidates.iter().map(ManifoldCandidate::is_steady));
        for (slot, found) in (0..).zip(&self.candidates) {
            for (column, side) in pass.nodes.iter_mut().zip(&found.sides) {
                column.push(side.body.unwrap_or(0));
            }
            pass.slots.push(PassSlot { batch: u32::MAX, constraint: slot });
        }
        pass.pad();
        pass.mark_colours(&order, &colouring, 0);
        let shares = pass.layout.mass_shares as usize;
        pass.columns[shares..].iter_mut().for_each(|column| column.fill(1.0));
        pass.list_remainder_nodes(&|_, node| bodies.anchor[node as usize].w > 0.0);
        self.pass = Some(pass);
        for slot in (0..from.len()).filter(|&slot| from[slot] == NONE) {
            let found = self.candidates[slot];
            self.write(slot, &found, context);
        }
        let mut slots = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&k, slot)| slots[k] = slot);
        slots
    }

    /// Puts a manifold in a slot, its points to be taken where bodies are at the start of the frame.
    pub(super) fn write(&mut self, slot: usize, found: &ManifoldCandidate, context: &DetectionContext<'_>) {
        let Some(pass) = &mut self.pass else { return };
        let columns = ManifoldColumns::of(pass);
        let h = context.dt / context.settings.substeps as f32;
        let mut write = |column: usize, number: f32| pass.columns[column][slot] = number;
        let mut write_vector = |column: usize, v: Vec3| (column..).zip(v.to_array()).for_each(|(k, x)| write(k, x));
        let ManifoldParameters { friction, twist_arm, surface_velocity, max_depenetration_speed, .. } =
            columns.manifold;
        write_vector(columns.normal, found.normal);
        write_vector(surface_velocity.x, found.surface_velocity);
        write(max_depenetration_speed, context.settings.max_depenetration_speed);
        write(friction.static_coefficient, found.friction.static_coefficient);
        write(friction.dynamic_coefficient, found.friction.dynamic_coefficient);
        write(twist_arm, found.arm);
        write(columns.manifold.restitution, found.restitution);
        write(columns.manifold.slowest_rebound, slowest_rebound(context.settings, h));
        let [_, axis] = surface_axes(found.normal, found.twist);
        let across = found.normal.cross(axis);
        let friction = [found.twist_impulse, axis.dot(found.friction_impulse), across.dot(found.friction_impulse)];
        let impulses = found.impulses.into_iter().chain(friction);
        pass.lambda.iter_mut().zip(impulses).for_each(|(row, impulse)| row[slot] = impulse * h);
        self.candidates[slot] = *found;
        (self.is_steady[slot], self.is_fresh[slot]) = (found.is_steady(), true);
    }

    /// Begins the sums of a frame whose manifolds are in their slots.
    pub(super) fn begin_frame(&mut self, bodies: &Bodies) {
        self.impulses.clear();
        self.impulses.resize(self.candidates.len(), 0.0);
        self.rebounds = self.candidates.iter().any(|found| found.restitution > 0.0);
        if let Some(pass) = &mut self.pass {
            pass.has_impacts(self.rebounds);
        }
        if self.rebounds {
            self.place_rebounding(bodies);
        }
    }
}

impl ManifoldSource<'_> {
    fn slot(&self) -> Option<u32> {
        match *self {
            Self::Slot(slot) => Some(slot),
            Self::Fresh(_) => None,
        }
    }
}

impl ManifoldCandidate {
    /// Returns whether the surfaces neither roll nor run nor rebound.
    fn is_steady(&self) -> bool {
        let rolls = self.sides.iter().any(ManifoldSide::is_round);
        !rolls && self.surface_velocity == Vec3::ZERO && self.restitution <= 0.0
    }
}
