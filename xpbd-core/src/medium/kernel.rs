//! What a medium does on a GPU, described without naming one.
//!
//! A medium brings WGSL beside its CPU code: stages, each with a function that is called once for every member.
//! Members are numbered in the order of their cells, once a substep, so that members near in space have numbers
//! near each other. Stages see them through these functions:
//!
//! ```wgsl
//! fn reach() -> f32                              // how far members see [m]
//! fn radius() -> f32                             // of a particle [m]
//! fn step_length() -> f32                        // h, the substep [s]
//! fn place(k: u32) -> vec4f                      // from a place in the middle of all [m], and inverse mass [1/kg]
//! fn is_solid(k: u32) -> bool
//! fn particle_of(k: u32) -> u32                  // index of its particle in the world
//! fn material(k: u32) -> u32                     // of a member that is no solid, one number for equal materials
//! fn number(k: u32, n: u32) -> f32               // n-th number of the material of a member that is no solid
//! fn field(f: u32, k: u32) -> vec4f              // what a stage has kept
//! fn set_field(f: u32, k: u32, value: vec4f)
//! fn wall_count(k: u32) -> u32                   // walls near a member that is no solid
//! fn wall(k: u32, n: u32) -> Wall                // normal, height [m], velocity [m/s], coverage, as `medium::Wall`
//! ```
//!
//! and those of [`MediumHook::Project`] also
//!
//! ```wgsl
//! fn shift(k: u32, by: vec3f)                    // moves a member [m], unless it is pinned or a solid
//! ```
//!
//! those of [`MediumHook::Velocities`] also
//!
//! ```wgsl
//! fn velocity(k: u32) -> vec3f                   // as it was before the first of these stages [m/s]
//! fn accelerate(k: u32, by: vec3f)               // changes a velocity [m/s], also of solids, unless pinned
//! ```
//!
//! and those that sum also
//!
//! ```wgsl
//! fn around(k: u32)                              // calls `visit` for every member within reach, itself among them
//! ```
//!
//! where `visit(j: u32, other: vec4f, apart: vec3f, square: f32)` is the stage's own: the other member, its
//! `place`, the vector from there to member k \[m\] and the square of its length \[m²\]. The order is the same from
//! run to run. Who is within reach is found anew whenever a stage asks, where the CPU keeps lists for a substep: what
//! is summed must vanish at the reach. What is summed is kept in private variables of the module.
//!
//! Every stage is a module of its own. Threads run in any order and at once: a stage may move and write only
//! the member that it is called for, and must not read a field of others that it writes. Stages run one after
//! the other. Positions stay as they are until all stages of a hook are done. Helper functions `dot3` and `cross3`
//! do what `glam` does, in its order.

use std::borrow::Cow;

/// The GPU side of a medium.
#[derive(Debug, Clone, PartialEq)]
pub struct MediumKernel {
    /// WGSL that is before the source of each stage.
    pub common: Cow<'static, str>,
    /// Vectors of four numbers that stages keep for each member.
    pub fields: usize,
    /// Stages of the medium. Stages of one hook run in this order.
    pub stages: Vec<MediumStage>,
}

impl MediumKernel {
    /// The most numbers of all materials of a medium together, each filled up to a multiple of four, so that core
    /// WebGPU limits suffice.
    pub const MAX_PARAMETERS: usize = 4096;
}

/// A function of a kernel, and when it is called for all members.
#[derive(Debug, Clone, PartialEq)]
pub struct MediumStage {
    /// Hook at which the stage runs.
    pub hook: MediumHook,
    /// Name of the function, which takes the number of a member.
    pub function: &'static str,
    /// Its WGSL, behind that of [`MediumKernel::common`].
    pub source: Cow<'static, str>,
    /// True if it calls `around`, and so has a function `visit`.
    pub sums: bool,
    /// True if it is left out where no solids take part.
    pub only_with_solids: bool,
    /// True if it is left out in all iterations of a substep but the first: forces act in that one alone.
    pub only_first: bool,
}

impl MediumStage {
    /// Creates a stage that calls `around` and is never left out.
    pub fn summing(hook: MediumHook, function: &'static str, source: impl Into<Cow<'static, str>>) -> Self {
        Self { hook, function, source: source.into(), sums: true, only_with_solids: false, only_first: false }
    }
}

/// The points of a frame at which a stage can run, like the methods of [`MediumSolver`](super::MediumSolver).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediumHook {
    /// Once an iteration, in the place of the medium among the passes.
    Project,
    /// At the end of each substep, after velocities were taken.
    Velocities,
}
