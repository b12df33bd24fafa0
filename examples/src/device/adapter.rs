//! The GPU back end as the runner sees it.

pub use xpbd_gpu::{DeviceError, GpuBackend, Readback};

use super::Adapter;

/// Returns what is known of the adapter of a back end, if it has one.
pub(super) fn adapter(gpu: &GpuBackend) -> Option<Adapter> {
    let info = gpu.device().adapter.as_ref()?;
    let driver = format!("{} {}", info.driver, info.driver_info);
    Some(Adapter { name: info.name.clone(), driver: driver.trim().into(), is_exact: gpu.device().is_exact() })
}
