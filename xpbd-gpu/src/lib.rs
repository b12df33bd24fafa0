//! The GPU back end of **xpbd**: any world that steps on the CPU steps here, by changing the back end
//! and nothing else.
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
//! The plan, the order in which it is solved, contacts and events are those of the CPU. Where the
//! device leaves arithmetic as it is written ([`exact`]) so are the bits, as far as it rounds quotients
//! and roots as IEEE 754 says; elsewhere results agree within rounding. On one device and driver the
//! bits are the same from run to run: sums run in a fixed order, and nothing depends on which thread
//! comes first.
//!
//! A world lives on the device while it is stepped there. What queries tell comes back a frame or two
//! late, so that nobody waits; [`World::synchronize`](xpbd_core::world::World::synchronize) waits.
//! Edits of particles and bodies wait too, since they change the state as it is now, and so
//! do forces at a point of a body; other forces, targets, settings and colliders do not.
//!
//! A frame in which bodies move that can collide or fall asleep waits for its end: the host finds the contacts
//! of bodies, with parry as the CPU does, and says what sleeps and what wakes. Everything of such a frame comes
//! back with it, whatever [`Readback`] says. On the web, where nothing may wait, contacts of bodies are refused.
//!
//! A frame with objects that collide as [surfaces](xpbd_core::object::Surface) waits in every substep: the host
//! looks which of them touch. On the web they are refused.
//!
//! Snapshots, another back end, and the end of the device work at any time: the world then goes on from the last
//! frame that came back. An object or body that becomes non-finite is
//! frozen at once, but constraints that tie others to it are only left out once the host knows, a frame
//! or two later.
//!
//! Core WebGPU limits suffice. Where to read on: a frame is recorded in `frame.rs`, a constraint's
//! kernel is printed in [`kernel`], hand-written batches bring [kernels](xpbd_core::batch::kernel) of
//! their own.
//!
//! - \[SmallSteps19\] Macklin et al., *Small Steps in Physics Simulation*

mod backend;
mod collider_shapes;
pub mod collisions;
mod contact_updates;
mod custom_batch;
mod device;
mod device_world;
pub mod exact;
mod frame;
mod frame_result;
mod island;
pub mod layout;
pub mod media;
mod memory;
pub mod pair_search;
mod particle_pairs;
pub mod pass_kernel;
mod passes;
mod pipelines;
mod plan;
mod readback;
pub mod rotation;
mod scene;
pub mod shape_query;
pub mod surface_contacts;
mod timing;
mod transient_passes;
mod upload;
pub mod world_kernels;

pub use backend::{GpuBackend, ParticleBuffers, Readback};
pub use device::{Device, DeviceError};
