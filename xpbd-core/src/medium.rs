//! Media: what particles do to all particles near them.
//!
//! A fluid is a constraint on every particle that sums over whatever comes near, so it has no fixed
//! points and no fixed partners. A [`Medium`] says what is summed; batches give it objects
//! ([`ConstraintBatch::material`](crate::batch::ConstraintBatch::material)). All batches of one medium are
//! solved together, as one Jacobi pass at the place of the first of them, so that fluids push on each other.
//!
//! Once a substep the members of a medium, its own particles and the solid ones that may meet them, are
//! sorted by cells of a grid ([`Neighbourhood`]), and each gets the list of all others within reach,
//! however many. What lies behind walls is told by the contact planes of the particles ([`Wall`]).

mod candidates;
mod cells;
pub mod coverage;
pub mod kernel;
mod neighbour_lists;
mod neighbourhood;
mod object_media;
pub(crate) mod wall;

pub use kernel::MediumKernel;
pub use neighbourhood::{MediumContext, Neighbourhood};
pub use object_media::ObjectMedia;
pub use wall::Wall;
#[doc(hidden)]
pub use wall::{LEAST_FILL, ONE_WALL};

use std::fmt::Debug;

use crate::parallel::WorkerScope;

/// The material of a member that is not of the medium itself: a solid.
pub const SOLID: u32 = u32::MAX;

/// A rule by which particles act on all particles near them.
///
/// A medium is a type without data; what differs between two objects of one medium is their
/// [`Material`].
pub trait Medium: Debug + Send + Sync {
    /// Returns the name, which is unique among media.
    fn name(&self) -> &'static str;

    /// Returns the distance up to which particles interact, in radii of a particle \[1\].
    fn reach(&self) -> f32;

    /// Returns the solver on the CPU, with the buffers that it keeps from step to step.
    fn solver(&self) -> Box<dyn MediumSolver>;

    /// Returns the kernels that solve it on a GPU, if there are any, for objects of these materials.
    fn kernel(&self, _materials: &[Material]) -> Option<MediumKernel> {
        None
    }
}

/// A solver of a medium on the CPU. Nothing that it keeps may change its results.
pub trait MediumSolver: Debug + Send + Sync {
    /// Writes the correction \[m\] of every member, once an iteration; all are 0 at first. Those of solids
    /// are not used.
    fn project(&mut self, around: &MediumContext<'_>, corrections: &mut [glam::Vec4]);

    /// Returns how far \[m\] each wall has pushed its member in the last projection: a list a chunk, in the order of
    /// members and their walls. The corrections hold these pushes; walls that can move are pushed back.
    fn pushes(&self) -> Box<dyn Iterator<Item = &[f32]> + '_> {
        Box::new(std::iter::empty())
    }

    /// Returns whether velocities are changed at the end of a substep.
    fn changes_velocities(&self, materials: &[Material]) -> bool;

    /// Writes the change of velocity \[m/s\] of every member; all are 0 at first. Those of solids count.
    fn velocities(&mut self, around: &MediumContext<'_>, changes: &mut [glam::Vec4]);
}

/// The material of an object of a medium.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The medium.
    pub medium: &'static dyn Medium,
    /// Numbers that the medium defines.
    pub parameters: Vec<f32>,
}

impl PartialEq for dyn Medium {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// The members of a medium between steps, with their neighbours and walls.
#[derive(Debug)]
pub struct MediumStatistics {
    /// The particles of the medium.
    pub members: Neighbourhood,
    /// The materials that they name.
    pub materials: Vec<Material>,
    /// Radius of a particle \[m\].
    pub radius: f32,
}

impl MediumStatistics {
    /// Returns the context of a solver for these members and a substep of 1 s.
    pub fn context(&self) -> MediumContext<'_> {
        let Self { members, materials, radius } = self;
        MediumContext { members, materials, radius: *radius, h: 1.0, first: true, workers: &WorkerScope::SINGLE }
    }
}
