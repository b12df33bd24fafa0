//! The kernel of coarse levels on a GPU: one workgroup sweeps over them, then each vertex of the mesh follows.

use xpbd_core::batch::BatchKernel;
use xpbd_core::batch::kernel::{KernelBuffer, KernelGrid, KernelHook, KernelStage};

use super::hierarchy::Hierarchy;
use super::words;

const SOURCE: &str = include_str!("multilevel.wgsl");

/// Returns the kernel of a hierarchy.
pub(super) fn kernel(hierarchy: &Hierarchy) -> BatchKernel {
    let coarse = vec![0; 4 * hierarchy.nodes.len().max(1)];
    let buffer = |name, element, words, written| KernelBuffer { name, element, words, written };
    let stage = |hook, function, grid| KernelStage { hook, function, grid };
    BatchKernel {
        source: SOURCE.into(),
        buffers: vec![buffer("lists", "u32", words::words(hierarchy), false), buffer("coarse", "vec4f", coarse, true)],
        stages: vec![
            stage(KernelHook::BeginFrame, "weigh", KernelGrid::Groups(1)),
            stage(KernelHook::Project, "sweep", KernelGrid::Groups(1)),
            stage(KernelHook::Project, "follow", KernelGrid::Threads(hierarchy.mesh_parents.len())),
        ],
    }
}
