//! Hand-written batches on the device.

use std::fmt::Write;
use std::mem::offset_of;
use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast_slice};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::batch::kernel::{BatchKernel, KernelBuffer, KernelGrid, KernelHook, KernelStage};
use xpbd_core::world::{BatchHandle, State};

use crate::device::Device;
use crate::host_copy::BufferPart;
use crate::layout::MAX_WORKGROUPS;
use crate::memory::{GrowableBuffer, bind_group};
use crate::passes::groups;
use crate::pipelines::Pipelines;
use crate::upload::Upload;
use crate::wgsl;

/// The most objects that a batch may name: as many as its uniform holds.
const MAX_RANGES: usize = 64;

/// The uniform of a batch; see `batch_nodes.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BatchNodes {
    count: u32,
    ranges: u32,
    padding: [u32; 2],
    first: [[u32; 2]; MAX_RANGES],
    stages: [u32; BatchKernel::MAX_STAGES],
    inputs: [f32; BatchKernel::MAX_INPUTS],
}

/// A hand-written batch.
#[derive(Debug)]
pub struct CustomBatch {
    handle: BatchHandle,
    group: wgpu::BindGroup,
    table: GrowableBuffer,
    /// Inputs that the device has.
    inputs: [f32; BatchKernel::MAX_INPUTS],
    buffers: Vec<(GrowableBuffer, KernelBuffer)>,
    stages: Vec<(KernelHook, wgpu::ComputePipeline, u32)>,
}

impl CustomBatch {
    /// Lays a batch out on the device; `ranges` are its particles.
    ///
    /// # Errors
    /// The batch has no kernel, its kernel has too many parts, or the device refuses it.
    pub fn new(
        state: &State,
        place: usize,
        ranges: &[Range<usize>],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<Self, String> {
        let handle = *state.batches.keys().get(place).ok_or("the plan names a batch that does not exist")?;
        let batch = &state.batches.get(handle).ok_or("the plan names a batch that does not exist")?.batch;
        let name = batch.name();
        let kernel =
            batch.kernel().ok_or_else(|| format!("the batch `{name}` has no kernel: it runs on the CPU only"))?;
        check(&kernel, batch.inputs().len(), ranges.len()).map_err(|reason| format!("the batch `{name}`: {reason}"))?;
        let inputs = inputs(batch.as_ref());
        let uniform = BatchNodes { inputs, ..uniform(&kernel, ranges) };
        let mut table = GrowableBuffer::uniforms(device, "batch");
        table.reserve(device, size_of::<BatchNodes>() as u64)?;
        device.queue.write_buffer(&table.buffer, 0, bytemuck::bytes_of(&uniform));
        let text = text(&kernel);
        let family = pipelines.custom(device, kernel.buffers.iter().map(|buffer| !buffer.written).collect());
        let mut stages = Vec::new();
        for (number, stage) in kernel.stages.iter().enumerate() {
            let pipeline = pipelines.get(device, family, &text, ENTRIES[number]);
            let pipeline = pipeline.map_err(|reason| format!("the batch `{name}`: {reason}"))?;
            stages.push((stage.hook, pipeline, workgroups(stage)));
        }
        let mut buffers = Vec::new();
        for part in kernel.buffers {
            let mut buffer = GrowableBuffer::storage(device, part.name);
            buffer.reserve(device, 4 * part.words.len() as u64)?;
            device.queue.write_buffer(&buffer.buffer, 0, cast_slice(&part.words));
            buffers.push((buffer, part));
        }
        let resources = [&table].into_iter().chain(buffers.iter().map(|(buffer, _)| buffer));
        let group = bind_group(device, Some(name), pipelines.layout(family), resources.map(GrowableBuffer::whole));
        Ok(Self { handle, group, table, inputs, buffers, stages })
    }

    /// Uploads the inputs if they have changed.
    pub fn upload_inputs(&mut self, state: &State, upload: &mut Upload) {
        let Some(batch) = state.batches.get(self.handle) else { return };
        let inputs = inputs(batch.batch.as_ref());
        if inputs != self.inputs {
            upload.write(&self.table.buffer, offset_of!(BatchNodes, inputs) as u64, cast_slice(&inputs));
            self.inputs = inputs;
        }
    }

    /// Returns whether a stage runs at a hook.
    pub fn has_hook(&self, hook: KernelHook) -> bool {
        self.stages.iter().any(|stage| stage.0 == hook)
    }

    /// Records the stages of a hook, and returns the number of dispatches.
    pub fn record(&self, hook: KernelHook, pass: &mut wgpu::ComputePass<'_>) -> usize {
        let mut count = 0;
        for (_, pipeline, groups) in self.stages.iter().filter(|stage| stage.0 == hook && stage.2 > 0) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(1, &self.group, &[]);
            pass.dispatch_workgroups(*groups, 1, 1);
            count += 1;
        }
        count
    }

    /// Returns what the kernel has written of each buffer.
    pub fn written(&self) -> impl Iterator<Item = BufferPart<'_>> {
        let bytes = |part: &KernelBuffer| if part.written { 4 * part.words.len() as u64 } else { 0 };
        self.buffers.iter().map(move |(buffer, part)| (&buffer.buffer, 0, bytes(part)))
    }

    /// Gives the bytes of what the kernel has written to the batch of the host.
    pub fn take_written(&self, bytes: &[u8], state: &mut State) {
        let mut words: &[u32] = &bytemuck::pod_collect_to_vec::<u8, u32>(bytes);
        let mut lists = Vec::new();
        for (_, _, bytes) in self.written() {
            let (list, rest) = words.split_at((bytes / 4) as usize);
            lists.push(list.to_vec());
            words = rest;
        }
        if let Some(batch) = state.batches.get_mut(self.handle).filter(|_| !bytes.is_empty()) {
            batch.batch.read_back(&lists);
        }
    }
}

/// Returns the inputs of a batch, filled up with zeros.
fn inputs(batch: &dyn ConstraintBatch) -> [f32; BatchKernel::MAX_INPUTS] {
    let mut inputs = [0.0; BatchKernel::MAX_INPUTS];
    inputs.iter_mut().zip(batch.inputs()).for_each(|(slot, &input)| *slot = input);
    inputs
}

fn check(kernel: &BatchKernel, inputs: usize, ranges: usize) -> Result<(), String> {
    let too_many = |what: &str, found, most| Err(format!("its kernel has {found} {what}; there is room for {most}"));
    if kernel.buffers.len() > BatchKernel::MAX_BUFFERS {
        return too_many("buffers", kernel.buffers.len(), BatchKernel::MAX_BUFFERS);
    }
    if kernel.stages.len() > BatchKernel::MAX_STAGES {
        return too_many("stages", kernel.stages.len(), BatchKernel::MAX_STAGES);
    }
    if inputs > BatchKernel::MAX_INPUTS {
        return too_many("inputs", inputs, BatchKernel::MAX_INPUTS);
    }
    if ranges > MAX_RANGES {
        return too_many("objects", ranges, MAX_RANGES);
    }
    let crowded = kernel.stages.iter().find_map(|stage| match stage.grid {
        KernelGrid::Groups(groups) if groups > MAX_WORKGROUPS => Some(groups),
        _ => None,
    });
    crowded.map_or(Ok(()), |groups| too_many("workgroups", groups, MAX_WORKGROUPS))
}

fn workgroups(stage: &KernelStage) -> u32 {
    match stage.grid {
        KernelGrid::Threads(0) => 0,
        KernelGrid::Threads(threads) => groups(threads),
        KernelGrid::Groups(groups) => groups as u32,
    }
}

fn uniform(kernel: &BatchKernel, ranges: &[Range<usize>]) -> BatchNodes {
    let mut uniform = BatchNodes { ranges: ranges.len() as u32, ..BatchNodes::zeroed() };
    for (slot, range) in uniform.first.iter_mut().zip(ranges) {
        *slot = [uniform.count, range.start as u32];
        uniform.count += range.len() as u32;
    }
    for (slot, stage) in uniform.stages.iter_mut().zip(&kernel.stages) {
        *slot = match stage.grid {
            KernelGrid::Threads(count) | KernelGrid::Groups(count) => count as u32,
        };
    }
    uniform
}

/// InputNames of the entry points of stages.
const ENTRIES: [&str; BatchKernel::MAX_STAGES] = [
    "stage_0", "stage_1", "stage_2", "stage_3", "stage_4", "stage_5", "stage_6", "stage_7", "stage_8", "stage_9",
    "stage_10", "stage_11", "stage_12", "stage_13", "stage_14", "stage_15",
];

/// Prints the text of all stages: the nodes, the buffers, the source, an entry for each stage.
fn text(kernel: &BatchKernel) -> String {
    let mut text = [wgsl::VECTOR, include_str!("wgsl/batch_nodes.wgsl")].concat();
    for (binding, KernelBuffer { name, element, written, .. }) in (1..).zip(&kernel.buffers) {
        // What is only read is the same for all threads, so that loops with barriers may end by it.
        let access = if *written { "read_write" } else { "read" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "@group(1) @binding({binding}) var<storage, {access}> {name}: array<{element}>;");
    }
    text += &kernel.source;
    for (number, stage) in kernel.stages.iter().enumerate() {
        let (entry, function) = (ENTRIES[number], stage.function);
        let _ = match stage.grid {
            KernelGrid::Threads(_) => writeln!(
                text,
                "
@compute @workgroup_size($group)
fn {entry}(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {{
    for (var k = id.x; k < batch.stages[{}][{}]; k += groups.x * LANES) {{
        {function}(k);
    }}
}}",
                number / 4,
                number % 4
            ),
            KernelGrid::Groups(_) => writeln!(
                text,
                "
@compute @workgroup_size($group)
fn {entry}(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {{
    {function}(group.x, lane);
}}"
            ),
        };
    }
    wgsl::kernel(&[&text])
}
