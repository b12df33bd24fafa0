//! The trait of all kinds of contacts, and the order in which they are solved.

use super::events::ContactImpulse;
use crate::bodies::Bodies;
use crate::object::Supports;
use crate::parallel::WorkerScope;
use crate::particles::Particles;
use crate::schedule::TracedPass;
use crate::settings::Settings;

/// A kind of contacts, each with a set of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactKind {
    /// Contacts of particles with particles.
    Particles,
    /// Contacts of surfaces with surfaces and particles.
    Surfaces,
    /// Contacts of surfaces with bodies that can be pushed.
    SurfaceBodies,
    /// Contacts of particles with bodies that can be pushed.
    ParticleBodies,
    /// Contacts of bodies with bodies.
    Bodies,
    /// Bodies against colliders that are on no body.
    Ground,
    /// Contacts of surfaces with colliders that cannot be pushed.
    SurfaceShapes,
    /// Contacts of particles with colliders that cannot be pushed.
    Shapes,
}

impl ContactKind {
    /// The order in which every back end solves the kinds.
    ///
    /// Contacts with what cannot be pushed come last, so that no other contact pushes anything into it afterwards.
    pub const SOLVE_ORDER: [Self; 8] = [
        Self::Particles,
        Self::Surfaces,
        Self::ParticleBodies,
        Self::SurfaceBodies,
        Self::Bodies,
        Self::Ground,
        Self::SurfaceShapes,
        Self::Shapes,
    ];

    /// Place in that order of the first of the contacts with what cannot be pushed, which are all that follow.
    ///
    /// A substep [may solve these before all others too](super::surface_contacts::SurfaceContacts::begins_with_walls).
    /// Layers that lie on a floor would else be solved while the lowest has fallen as far as they have, so that no layer
    /// holds the next.
    pub const FIRST_WALL: usize = 6;
}

/// The number of sweeps over impacts in a substep. Each passes an impulse on through two or more contacts of a row;
/// what is left is passed on in the next substep.
pub const IMPACT_SWEEPS: usize = 8;

/// Number of sweeps over the velocities of contacts in a substep \[1\].
///
/// A slow mode z of a heap follows z‴ + σ z″ + (1 + n) ε z′ + εβ z = 0 over substeps, with n sweeps over velocities, ε the
/// part of the mode that a sweep corrects, and β and σ of the spring of a gap (`body_contact.rs`). At frequencies below σ
/// that is a spring εβ/σ with a damper (1 + n − β/σ) ε/σ. One sweep does not damp the rocking of towers: β/σ is 2.5 for a
/// point, and half as large again for the four points of a face that tilts.
pub const VELOCITY_SWEEPS: usize = 2;

/// The state of a world in a substep that contacts are updated from.
pub struct ContactSubstep<'a> {
    /// Settings of the world.
    pub settings: &'a Settings,
    /// Particles at their predicted positions.
    pub particles: &'a Particles,
    /// Bodies at their predicted poses.
    pub bodies: &'a Bodies,
    /// Pins that hold particles.
    pub supports: &'a Supports,
    /// Index of the substep in its frame.
    pub index: u32,
    /// Length of the substep \[s\].
    pub h: f32,
    /// Threads to divide the work among.
    pub workers: &'a WorkerScope<'a>,
}

/// The contacts of one kind: candidates found at the start of a frame, and those that touch in a substep as constraints.
pub trait ContactSet {
    /// Returns the number of candidates of this frame.
    fn len(&self) -> usize;

    /// Returns whether there are no candidates.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of candidates that were left out because there were too many at one place.
    fn dropped(&self) -> usize {
        0
    }

    /// Removes all contacts of the frame.
    fn clear(&mut self);

    /// Returns the contacts as constraints, if any have ever been detected.
    fn pass(&self) -> Option<&TracedPass>;

    /// Returns the contacts as constraints, to be solved.
    fn pass_mut(&mut self) -> Option<&mut TracedPass>;

    /// Returns whether any of them may rebound.
    fn rebounds(&self) -> bool {
        false
    }

    /// Updates the contacts before any constraint of a substep is solved.
    fn update_predicted(&mut self, _substep: &ContactSubstep<'_>) {}

    /// Updates the contacts before they are solved for the first time in a substep.
    fn update(&mut self, _substep: &ContactSubstep<'_>) {}

    /// Adds the impulses of the solved positions of a substep to those of the frame, and calls `touched` with each
    /// particle that was pushed. `per_multiplier` is the impulse of a multiplier of 1 \[1/s\].
    fn accumulate(&mut self, _per_multiplier: f32, _workers: &WorkerScope<'_>, _touched: &mut dyn FnMut(u32)) {}

    /// Adds the impulses of a substep whose velocities are solved too, for contacts that change velocities.
    fn accumulate_velocities(&mut self, _per_multiplier: f32, _workers: &WorkerScope<'_>) {}

    /// Returns the impulses on particles in this frame.
    fn particle_impulses(&self) -> Box<dyn Iterator<Item = ContactImpulse> + '_> {
        Box::new(std::iter::empty())
    }
}
