//! The GPU back end of **xpbd**.
pub mod backend;
pub mod contact;
pub mod custom;
pub mod device;
pub mod exact;
pub mod frame;
pub mod geometry;
pub mod home;
pub mod island;
pub mod kernel;
pub mod kernels;
pub mod layout;
pub mod memory;
pub mod pairs;
pub mod particles;
pub mod pipelines;
pub mod plan;
pub mod readback;
pub mod returned;
pub mod scene;
pub mod shapes;
pub mod timing;
pub mod upload;

pub use backend::{GpuBackend, Readback};
pub use device::{Device, DeviceError};
