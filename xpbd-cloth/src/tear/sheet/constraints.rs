//! The constraints between particles of a sheet and other nodes, while the sheet tears.

use std::borrow::Cow;

use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::connector::NodeKind;
use xpbd_core::world::BatchHandle;

use super::Sheet;

/// A batch with particles of the sheet.
pub(in crate::tear) struct SheetBatch<'w> {
    pub(super) handle: BatchHandle,
    /// Its constraints, copied when they change.
    pub batch: Cow<'w, Batch>,
    /// Index of the first particle of the sheet in the batch.
    first: u32,
    /// Constraints at each particle of the sheet, with those that were moved away. The list is made at the first split.
    at: Vec<Vec<u32>>,
}

impl<'w> SheetBatch<'w> {
    pub(super) fn new(handle: BatchHandle, batch: &'w Batch, first: u32) -> Self {
        Self { handle, batch: Cow::Borrowed(batch), first, at: Vec::new() }
    }
}

impl Sheet<'_> {
    /// Returns the particle of the sheet that has this index in a batch, if there is one.
    pub fn particle_of(&self, part: &SheetBatch<'_>, number: u32) -> Option<u32> {
        number.checked_sub(part.first).filter(|&particle| (particle as usize) < self.len())
    }

    /// Moves the constraints of a batch at a particle to its duplicate, where the faces that they lie on move with it.
    pub(super) fn reassign_constraints(&self, part: &mut SheetBatch<'_>, [particle, twin]: [u32; 2], leaving: &[u32]) {
        if part.at.is_empty() {
            part.at = self.constraints_at(part);
        }
        let kinds: Vec<NodeKind> = part.batch.connectors().nodes().to_vec();
        let here = std::mem::take(&mut part.at[particle as usize]);
        for &constraint in &here {
            let k = constraint as usize;
            let nodes = part.batch.node_indices(k);
            let own = |(&number, &kind): (&u32, &NodeKind)| {
                self.particle_of(part, number).filter(|_| kind == NodeKind::Particle)
            };
            let named: Vec<Option<u32>> = nodes.iter().zip(&kinds).map(own).collect();
            if !named.contains(&Some(particle)) {
                continue;
            }
            // The faces that hold most of it.
            let shared = |face: u32| named.iter().flatten().filter(|&&other| self.has(face, other)).count();
            let fan = &self.faces_at[particle as usize];
            let most = fan.iter().map(|&face| shared(face)).max().unwrap_or(0);
            if most < 2 {
                continue;
            }
            let below: Vec<bool> =
                fan.iter().filter(|&&face| shared(face) == most).map(|face| leaving.contains(face)).collect();
            if !below.contains(&true) {
                continue;
            }
            let of_twin =
                |(&number, own): (&u32, &Option<u32>)| if *own == Some(particle) { part.first + twin } else { number };
            let moved: Vec<u32> = nodes.iter().zip(&named).map(of_twin).collect();
            let batch = part.batch.to_mut();
            if !below.contains(&false) {
                batch.set_nodes(k, &moved);
                part.at[twin as usize].push(constraint);
            } else if moved.len() == 2 {
                batch.set_compliance(k, 2.0 * batch.compliance_of(k));
                let new = batch.len() as u32;
                batch.push_like(k, &moved);
                let others = named.iter().flatten().filter(|&&other| other != particle);
                others.chain([&twin]).for_each(|&end| part.at[end as usize].push(new));
            } else {
                batch.set_broken(k, true);
            }
        }
        part.at[particle as usize] = here;
        part.at[twin as usize].sort_unstable();
    }

    /// Returns the constraints of a batch at each particle, ascending.
    fn constraints_at(&self, part: &SheetBatch<'_>) -> Vec<Vec<u32>> {
        let mut at = vec![Vec::new(); self.len()];
        for k in 0..part.batch.len() {
            let own = part.batch.node_indices(k).iter().filter_map(|&number| self.particle_of(part, number));
            own.for_each(|particle| at[particle as usize].push(k as u32));
        }
        at
    }
}
