//! A winch: a rope that is paid out and reeled in while it runs.
//!
//! ```text
//!   0       1       2       3       4 = fairlead    5, 6, … on the drum: inactive
//!   ●───────●───────●───────●────▪
//!       l       l       l     p          0.4 l ≤ p ≤ 1.6 l
//! ```
//!
//! The last active particle is pinned where the rope leaves the winch. Only the rest length p of the
//! link before it changes. Where p would become longer than 1.6 l the fairlead is released, at l from its
//! neighbour, and the next particle becomes active at its position; where p would become shorter than 0.4 l it is
//! deactivated, and its neighbour moves to its position. The whole state is in the world, so that snapshots contain it.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | l | rest length of a whole link | m |
//! | p | rest length of the last link | m |

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::{Batch, BatchNumbers, ConstraintBatch};
use xpbd_core::constraint::{Constraint, Parameters};
use xpbd_core::number::NumberError;
use xpbd_core::world::{BatchHandle, ObjectHandle, ParticleSpawn, World, WorldError};

use super::cut::own_batch;
use crate::constraint::{Distance, DistanceParameters, RopeBending, RopeBendingParameters, Tether};

/// The shortest and the longest last link, relative to a whole one.
const SHORTEST: f32 = 0.4;
const LONGEST: f32 = 1.6;
/// The relative difference of links that counts as rounding of their points.
const UNEVEN: f32 = 1e-3;

/// An error of a winch.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WinchError {
    /// The object is not a line of links.
    #[error("the object is not a rope: it has no links of its own between neighbours")]
    NotARope,
    /// The rope has tethers, whose length a winch would change.
    #[error("the rope has tethers, which would hold it back; build it with `tethers(false)` or with a spool")]
    Tethers,
    /// The links are not equal.
    #[error("link {link} is not as long as the others; a winch needs equal links")]
    UnequalLinks {
        /// Index of the link.
        link: usize,
    },
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The world refuses the edit.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// A winch at the last point of a rope.
#[derive(Debug, Clone, PartialEq)]
pub struct Winch {
    rope: ObjectHandle,
    links: BatchHandle,
    bends: Option<BatchHandle>,
    /// Rest length l of a whole link \[m\].
    link: f32,
    /// Bending stiffness EI \[N m²\].
    bending: f32,
}

/// The part of a rope that is paid out.
#[derive(Debug, Clone, Copy)]
struct PaidOut {
    /// Particle at the fairlead.
    fairlead: usize,
    /// Rest length p of the last link \[m\].
    last_length: f32,
}

impl Winch {
    /// Creates a winch at the last point of a rope of equal links, which it pins.
    ///
    /// # Errors
    /// The object is not a rope, has tethers, or has been removed.
    pub fn new(world: &mut World, rope: ObjectHandle) -> Result<Self, WinchError> {
        let (mut links, mut bends) = (None, None);
        for handle in world.batches_of(rope) {
            match own_batch(world, rope, handle)?.map(|batch| batch.name()) {
                Some(Distance::NAME) => links = Some(handle),
                Some(RopeBending::NAME) => bends = Some(handle),
                Some(Tether::NAME) => return Err(WinchError::Tethers),
                _ => {}
            }
        }
        let links = links.ok_or(WinchError::NotARope)?;
        let batch = own_batch(world, rope, links)?.ok_or(WinchError::NotARope)?;
        let is_next = |k: usize| batch.node_indices(k) == [k as u32, k as u32 + 1];
        if batch.len() + 1 != world.positions(rope)?.len() || !(0..batch.len()).all(is_next) {
            return Err(WinchError::NotARope);
        }
        let length = |k: usize| rest_length(batch, k);
        let top = world.active_particles(rope)?.last().unwrap_or(0) as usize;
        // Not the last link that is out, which may be of any length.
        let link = length(if top > 1 { 0 } else { batch.len() - 1 });
        let is_whole = |k: &usize| (length(*k) / link - 1.0).abs() < UNEVEN;
        if let Some(link) = (0..top.saturating_sub(1)).find(|k| !is_whole(k)) {
            return Err(WinchError::UnequalLinks { link });
        }
        // α = l₀² l₁²/(2 EI (l₀ + l₁)).
        let stiffness = |bends: BatchHandle| -> Result<f32, WinchError> {
            let alpha = own_batch(world, rope, bends)?.map_or(f32::INFINITY, |batch| batch.compliance_of(0));
            let product = length(0) * length(1);
            Ok(product / (2.0 * (length(0) + length(1))) * (product / alpha))
        };
        let bending = bends.map_or(Ok(0.0), stiffness)?;
        let winch = Self { rope, links, bends, link, bending };
        let PaidOut { fairlead: top, .. } = winch.paid_out(world)?;
        world.set_pinned(rope, top, true)?;
        Ok(winch)
    }

    /// Returns the particle that is pinned where the rope leaves the winch.
    ///
    /// # Errors
    /// The rope has been removed.
    pub fn fairlead(&self, world: &World) -> Result<usize, WinchError> {
        Ok(self.paid_out(world)?.fairlead)
    }

    /// Returns the length of the rope that is out, without tension \[m\].
    ///
    /// # Errors
    /// The rope has been removed.
    pub fn length(&self, world: &World) -> Result<f32, WinchError> {
        let PaidOut { fairlead: top, last_length: last } = self.paid_out(world)?;
        Ok(self.link * (top - 1) as f32 + last)
    }

    /// Returns the last active particle, and the rest length of the link before it.
    fn paid_out(&self, world: &World) -> Result<PaidOut, WinchError> {
        let top = world.active_particles(self.rope)?.last().unwrap_or(0) as usize;
        let links = own_batch(world, self.rope, self.links)?.ok_or(WorldError::StaleHandle("batch"))?;
        let link = top.checked_sub(1).ok_or(WinchError::NotARope)?;
        Ok(PaidOut { fairlead: top, last_length: rest_length(links, link) })
    }

    /// Moves the fairlead to `target` \[m\] in the course of the next frame.
    ///
    /// # Errors
    /// The rope has been removed, or the target is not finite.
    pub fn move_to(&self, world: &mut World, target: Vec3) -> Result<(), WinchError> {
        let PaidOut { fairlead: top, .. } = self.paid_out(world)?;
        Ok(world.move_pinned(self.rope, top, target)?)
    }

    /// Pays out a length of rope \[m\], or reels it in if the length is negative, and returns the length that was possible:
    /// the spool limits the whole rope, and 0.4 links stay out. A few tenths of a link in a frame run
    /// smoothly. A new plan is made only when a particle comes off the drum or goes onto it.
    ///
    /// # Errors
    /// The rope has been removed, or the number is not finite; the world is then as it was.
    pub fn pay_out(&self, world: &mut World, length: f32) -> Result<f32, WinchError> {
        NumberError::check_finite("length to pay out", length)?;
        let before = self.paid_out(world)?;
        let most = world.positions(self.rope)?.len() - 1;
        let mut now = PaidOut { last_length: before.last_length + length, ..before };
        while now.last_length > LONGEST * self.link && now.fairlead < most {
            self.release_link(world, &mut now)?;
        }
        while now.last_length < SHORTEST * self.link && now.fairlead > 1 {
            self.take_in_link(world, &mut now)?;
        }
        now.last_length = now.last_length.clamp(SHORTEST * self.link, (LONGEST * self.link).max(before.last_length));
        world.edit_parameters(self.links, |links| self.set_links(links, before.fairlead, now))?;
        if let Some(bends) = self.bends {
            world.edit_parameters(bends, |bends| self.set_bends(bends, before.fairlead, now))?;
        }
        if now.fairlead != before.fairlead {
            self.hold(world, before.fairlead, now.fairlead)?;
        }
        let whole = (now.fairlead as f32 - before.fairlead as f32) * self.link;
        Ok(whole + (now.last_length - before.last_length))
    }

    /// Releases the fairlead, at a link from its neighbour, and activates the next particle at its position.
    fn release_link(&self, world: &mut World, out: &mut PaidOut) -> Result<(), WinchError> {
        let (rope, top) = (self.rope, out.fairlead);
        let part = (out.last_length - self.link) / out.last_length;
        let drum = ParticleSpawn { position: world.position(rope, top)?, velocity: world.velocity(rope, top)? };
        let below =
            ParticleSpawn { position: world.position(rope, top - 1)?, velocity: world.velocity(rope, top - 1)? };
        let between = |a: Vec3, b: Vec3| a + (b - a) * part;
        world.spawn_at(rope, &[top as u32 + 1], &[drum])?;
        world.set_pinned(rope, top + 1, true)?;
        world.set_pinned(rope, top, false)?;
        let [position, velocity] = [between(drum.position, below.position), between(drum.velocity, below.velocity)];
        world.set_position(rope, top, position, velocity)?;
        *out = PaidOut { fairlead: top + 1, last_length: out.last_length - self.link };
        Ok(())
    }

    /// Deactivates the fairlead, and moves its neighbour to its position.
    fn take_in_link(&self, world: &mut World, out: &mut PaidOut) -> Result<(), WinchError> {
        let (rope, top) = (self.rope, out.fairlead);
        let (position, velocity) = (world.position(rope, top)?, world.velocity(rope, top)?);
        world.deactivate(rope, &[top as u32])?;
        world.set_position(rope, top - 1, position, velocity)?;
        world.set_pinned(rope, top - 1, true)?;
        *out = PaidOut { fairlead: top - 1, last_length: out.last_length + self.link };
        Ok(())
    }

    /// Sets the rest lengths of the links that have changed.
    fn set_links(&self, links: &mut BatchNumbers<'_>, before: usize, now: PaidOut) {
        let first = before.min(now.fairlead) - 1;
        for k in first..before.max(now.fairlead) {
            let rest_length = if k + 1 == now.fairlead { now.last_length } else { self.link };
            DistanceParameters { rest_length }.write_to(links.parameters_mut(k));
        }
    }

    /// Sets rest shape and compliance of the bends that have changed; bend k is at particle k + 1.
    fn set_bends(&self, bends: &mut BatchNumbers<'_>, before: usize, now: PaidOut) {
        let first = before.min(now.fairlead).saturating_sub(2);
        for k in first..bends.len().min(before.max(now.fairlead)) {
            let last = if k + 2 == now.fairlead { now.last_length } else { self.link };
            RopeBendingParameters::new([self.link, last]).write_to(bends.parameters_mut(k));
            bends.set_compliance(k, RopeBending::compliance([self.link, last], self.bending));
        }
    }

    /// Unbreaks the constraints that have come off the drum, and breaks those that have gone onto it. Cut ones stay cut.
    fn hold(&self, world: &mut World, before: usize, now: usize) -> Result<(), WorldError> {
        let change = |batch: &mut Batch, before: usize, now: usize| {
            (before..now).for_each(|k| batch.set_broken(k, false));
            (now..batch.len()).for_each(|k| batch.set_broken(k, true));
        };
        world.edit_batch(self.links, |links| change(links, before, now))?;
        if let Some(bends) = self.bends {
            world.edit_batch(bends, |bends| change(bends, before.saturating_sub(1), now.saturating_sub(1)))?;
        }
        Ok(())
    }
}

/// Returns the rest length \[m\] of a link.
fn rest_length(links: &Batch, link: usize) -> f32 {
    DistanceParameters::from_numbers(links.parameters(link)).rest_length
}
