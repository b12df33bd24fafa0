//! The GPU back end of **xpbd**: it steps any world that the CPU back end steps, without a change of the world.
//!
//! ```no_run
//! use xpbd_core::prelude::*;
//! use xpbd_gpu::GpuBackend;
//!
//! let mut world = World::new(Settings::default())?;
//! let mut gpu = GpuBackend::new()?;
//! for _ in 0..60 {
//!     world.step(&mut gpu, 1.0 / 60.0)?;
//! }
//! world.synchronize()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Results
//!
//! Plan, order of solution, contacts and events are those of the CPU. On a device of Vulkan that can be made to compute as
//! IEEE 754 says ([`Device::is_exact`]), so are the bits, except those of media; elsewhere results agree within rounding. A
//! device of the caller needs the feature `PASSTHROUGH_SHADERS` for that. One device with one driver gives the same bits
//! from run to run: sums run in a fixed order, and no result depends on the order of threads.
//!
//! # What waits for the device
//!
//! A world stays on the device while it is stepped there. Results of queries come back one or two frames late, so that
//! no call waits. [`World::synchronize`](xpbd_core::world::World::synchronize) waits. So do edits of particles and
//! bodies and forces at a point of a body, since they change the present state; other forces, targets, settings and
//! colliders do not.
//!
//! A frame in which bodies can collide, or anything can fall asleep or wake, waits for its end, because the host finds the
//! contacts of bodies with parry, as the CPU back end does, and decides what sleeps. All results of such a frame come back
//! with it, whatever [`Readback`] says. A frame with objects that collide as [surfaces](xpbd_core::object::Surface) waits in
//! every substep, because the host decides which surfaces touch.
//!
//! On the web no call may wait. There one awaits [`World::step_async`](xpbd_core::world::World::step_async) in place of `step`,
//! which refuses contacts of bodies and of surfaces, and [`GpuBackend::fetch`] before `synchronize` and before edits of particles
//! and bodies; without it an edit acts on the last state that came back, and the world continues from that.
//!
//! Taking a snapshot, changing the back end and losing the device are possible at any time: the world continues from the
//! last frame that came back. An object or body that becomes non-finite is frozen at once, but constraints that connect
//! it to others are left out only when the host knows, one or two frames later.
//!
//! # Limits
//!
//! Core WebGPU limits suffice, for worlds of up to a million particles, which take from 0.8 GB (liquids) to 1.3 GB (grains) of the
//! device's memory. A hand-written batch needs a [kernel](xpbd_core::batch::kernel), and so does a
//! [medium](xpbd_core::medium::kernel).
//!
//! # Source
//!
//! `frame.rs` records a frame, `pass_kernel.rs` prints the kernel of a constraint type, and `wgsl/` holds what is written
//! by hand.
//!
//! - \[SmallSteps19\] Macklin et al., *Small Steps in Physics Simulation*

mod backend;
mod cell_sort;
mod collider_shapes;
mod collisions;
mod contact_updates;
mod custom_batch;
mod device;
mod device_world;
mod direct;
mod exact;
mod frame;
mod host_copy;
mod island;
mod layout;
mod media;
mod memory;
mod pair_search;
mod particle_pairs;
mod pass_kernel;
mod passes;
mod pipelines;
mod plan;
mod readback;
mod recorded;
mod scene;
mod shape_query;
mod surface_contacts;
mod timing;
mod transient_passes;
mod upload;
mod wgsl;
mod world_kernels;

pub use backend::{GpuBackend, ParticleBuffers, Readback};
pub use device::{Device, DeviceError};

/// Kernels and searches that the tests of this crate run without a world.
#[doc(hidden)]
pub mod internals {
    pub use crate::cell_sort::SearchError;
    pub use crate::collisions::{manifolds_text, particle_bodies_text, particle_body_pass_text};
    pub use crate::direct::{Aim, direct_text, multipliers_text};
    pub use crate::exact::hard_pairs;
    pub use crate::layout::{PATCH_WORKGROUP_SIZE, PassRange, SubstepUniform, buffer_entry};
    pub use crate::media::{
        body_pushes_text, body_walls_text, collider_pushes_text, collider_walls_text, copy_texts, stage_text,
    };
    pub use crate::pair_search::{PairSearch, PairSearchKernels, PairSearchObject, PairSearchScene};
    pub use crate::pass_kernel::PassKernel;
    pub use crate::shape_query::{Geometry, UnsupportedShape, wgsl as shape_query_text};
    pub use crate::surface_contacts::surface_contacts_text;
    pub use crate::wgsl::KernelOptions;
    pub use crate::world_kernels::{bodies_text, detect_text, pairs_text, substep_text};
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
