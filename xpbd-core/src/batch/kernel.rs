//! What a hand-written batch does on a GPU, described without naming one.
//!
//! A batch whose constraints have no fixed number of points brings WGSL beside its CPU code: a few
//! functions, the buffers that they read and write, and when each of them is called. The functions
//! see the batch's nodes by the numbers that the batch gives them, through the functions that
//! [`Nodes`](super::Nodes) has on the CPU:
//!
//! ```wgsl
//! fn node_count() -> u32
//! fn step_length() -> f32                        // h, the substep [s]
//! fn frame_length() -> f32                       // dt, the frame [s]
//! fn input(k: u32) -> f32                        // of the batch's inputs, as they are in this frame
//! fn compliance_scale() -> f32                   // 1/h² for the integrator [1/s²], 0 where ignored
//! fn position(node: u32) -> vec3f                // [m]
//! fn between(a: u32, b: u32) -> vec3f            // from a to b [m], exact far from the origin
//! fn displacement(node: u32) -> vec3f            // in this substep so far [m]
//! fn inverse_mass(node: u32) -> f32              // [1/kg]
//! fn set_inverse_mass(node: u32, inverse_mass: f32)
//! fn acceleration(node: u32) -> vec3f            // by gravity and forces in this frame [m/s²]
//! fn set_acceleration(node: u32, acceleration: vec3f)
//! fn is_active(node: u32) -> bool               // false where absent
//! fn shift(node: u32, by: vec3f)                 // [m]
//! fn set_signed_distance(node: u32, gradient: vec3f, distance: f32)   // of the surface of its body [m]
//! fn velocity(node: u32) -> vec3f                // [m/s]
//! fn set_velocity(node: u32, velocity: vec3f)    // [m/s]
//! ```
//!
//! and each buffer as an array of its name. Threads of a stage run in any order and at once: no two
//! may move one node, nor one write what another reads. The stages themselves run one after the
//! other. Sums must be taken in a fixed order, or results differ from run to run. Helper functions
//! `dot3`, `cross3` and `rotate` do what `glam` does, in its order, so that a device that fuses
//! nothing gives the bits of the CPU.

use std::borrow::Cow;

/// The GPU side of a hand-written batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchKernel {
    /// WGSL functions, one for each stage, and what they call.
    pub source: Cow<'static, str>,
    /// The buffers, at most [`BatchKernel::MAX_BUFFERS`].
    pub buffers: Vec<KernelBuffer>,
    /// Stages, at most [`BatchKernel::MAX_STAGES`]. Stages of one hook run in this order.
    pub stages: Vec<KernelStage>,
}

impl BatchKernel {
    /// The most buffers that a batch may have, so that core WebGPU limits suffice.
    pub const MAX_BUFFERS: usize = 3;
    /// The most inputs that a batch may have.
    pub const MAX_INPUTS: usize = 8;
    /// The most stages that a batch may have.
    pub const MAX_STAGES: usize = 16;
    /// Threads of a workgroup, in the source the constant `LANES`.
    pub const LANES: u32 = 128;
}

/// A buffer of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelBuffer {
    /// Name of the array in the source.
    pub name: &'static str,
    /// Type of its elements: `u32`, `f32`, `vec4f`, …
    pub element: &'static str,
    /// Initial contents of the buffer.
    pub words: Vec<u32>,
    /// True if the stages write it: the batch then gets it back from the device, by
    /// [`ConstraintBatch::read_back`](super::ConstraintBatch::read_back). Otherwise the source may only read it.
    pub written: bool,
}

/// A function of a kernel, and when it is called.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelStage {
    /// Hook at which the stage runs.
    pub hook: KernelHook,
    /// Name of the function.
    pub function: &'static str,
    /// Threads or workgroups of the stage.
    pub grid: KernelGrid,
}

/// The points of a frame at which a stage can run, like the methods of [`ConstraintBatch`](super::ConstraintBatch).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelHook {
    /// The kernel runs once before the substeps of a frame.
    BeginFrame,
    /// At the start of each substep, after prediction.
    BeginSubstep,
    /// Once an iteration, in the place of the batch among the passes.
    Project,
    /// At the end of each substep, after velocities were taken.
    VelocityPass,
    /// The kernel runs once after the substeps of a frame.
    EndFrame,
}

/// Over what a stage runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelGrid {
    /// `fn f(k: u32)` for each k below this number.
    Threads(usize),
    /// `fn f(group: u32, lane: u32)` for this many workgroups of [`BatchKernel::LANES`] lanes, which may
    /// share `var<workgroup>` memory and wait for each other. At most 65535.
    Groups(usize),
}
