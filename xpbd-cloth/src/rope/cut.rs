//! Cutting of ropes.

use std::ops::Range;

use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::constraint::Constraint;
use xpbd_core::object::Support;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use crate::constraint::Distance;
use crate::polyline;

/// Cuts a rope at a link, counted from 0: all constraints between particles before and behind it are broken. Mass and
/// momentum are kept.
///
/// # Errors
/// The handle is stale, or the link does not exist.
pub fn cut(world: &mut World, rope: ObjectHandle, link: usize) -> Result<(), WorldError> {
    world.position(rope, link + 1)?;
    for handle in world.batches_of(rope) {
        let Some(batch) = own_batch(world, rope, handle)? else { continue };
        let spans = |k: &usize| {
            let nodes = batch.node_indices(*k);
            nodes.iter().any(|&node| node as usize <= link) && nodes.iter().any(|&node| node as usize > link)
        };
        let cut: Vec<usize> = (0..batch.len()).filter(spans).collect();
        if !cut.is_empty() {
            world.edit_batch(handle, |batch| cut.into_iter().for_each(|k| batch.set_broken(k, true)))?;
        }
    }
    let is_before = |particle: u32| particle as usize <= link;
    let supports = world.state().objects.get(rope).map(|state| state.supports.clone()).unwrap_or_default();
    let on_one_side = |support: &Support| is_before(support.particle) == is_before(support.pin);
    world.set_supports(rope, supports.into_iter().filter(on_one_side).collect())
}

/// Returns the particles of each piece of a rope between cuts, in order; a rope without cuts is one range.
///
/// # Errors
/// The handle is stale.
pub fn pieces_of(world: &World, rope: ObjectHandle) -> Result<Vec<Range<usize>>, WorldError> {
    let count = world.positions(rope)?.len();
    for handle in world.batches_of(rope) {
        if let Some(batch) = own_batch(world, rope, handle)?.filter(|batch| batch.name() == Distance::NAME) {
            return Ok(polyline::unbroken_ranges(Some(batch), count));
        }
    }
    Ok(std::iter::once(0..count).collect())
}

/// Returns a traced batch over the particles of this object alone.
pub(super) fn own_batch(world: &World, rope: ObjectHandle, handle: BatchHandle) -> Result<Option<&Batch>, WorldError> {
    let state = world.state().batches.get(handle);
    let is_alone = state.is_some_and(|state| state.objects.as_slice() == [rope] && state.bodies.is_empty());
    Ok(world.batch(handle)?.traced().filter(|_| is_alone))
}
