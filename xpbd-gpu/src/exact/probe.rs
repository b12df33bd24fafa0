//! A kernel that shows whether a device computes as the CPU does.

use wgpu::util::DeviceExt;

use super::Arithmetic;
use crate::layout::buffer_entry;

/// The results of the kernel for two numbers, in its order.
const NAMES: [&str; 8] = ["a + b", "a² + b²", "a·b", "a/b", "√|a|", "a/b of 2", "a/b of 3", "a/b of 4"];
/// Pairs that a workgroup computes.
const GROUP: usize = 64;
/// Pairs in one dispatch.
const PART: usize = 1 << 19;

/// The kernel on a device.
pub struct Probe<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
}

impl<'a> Probe<'a> {
    /// Compiles the kernel.
    ///
    /// # Errors
    /// The text is not valid WGSL.
    pub fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue, arithmetic: Arithmetic) -> Result<Self, String> {
        let module = arithmetic.module(device, include_str!("probe.wgsl"), "main")?;
        let storage = |binding, read_only| buffer_entry(binding, wgpu::BufferBindingType::Storage { read_only });
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("probe"),
            entries: &[storage(0, true), storage(1, false)],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("probe"),
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("probe"),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Ok(Self { device, queue, pipeline })
    }

    /// Returns how the first result that is not that of the CPU differs from it; waits for the device. NaN is NaN, whatever
    /// its bits.
    pub fn first_difference(&self, pairs: &[[f32; 2]]) -> Option<String> {
        pairs.chunks(PART).find_map(|pairs| {
            let Some(results) = self.results(pairs) else { return Some("the device gave no results".into()) };
            pairs.iter().zip(&results).find_map(|(&[a, b], results)| {
                let all = NAMES.iter().zip(results).zip(on_cpu(a, b));
                let mut differing = all.filter(|((_, x), y)| x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan()));
                differing.next().map(|((name, x), y)| format!("{name} of {a:e} and {b:e} is {x:e}, not {y:e}"))
            })
        })
    }

    /// Returns the results of each pair, unless the device is lost.
    fn results(&self, pairs: &[[f32; 2]]) -> Option<Vec<[f32; NAMES.len()]>> {
        let mut padded = pairs.to_vec();
        padded.resize(pairs.len().next_multiple_of(GROUP), [1.0; 2]);
        let contents = bytemuck::cast_slice(&padded);
        let numbers = wgpu::util::BufferInitDescriptor { label: None, contents, usage: wgpu::BufferUsages::STORAGE };
        let numbers = self.device.create_buffer_init(&numbers);
        let size = (padded.len() * size_of::<[f32; NAMES.len()]>()) as u64;
        let buffer = |usage| wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let results = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let results = self.device.create_buffer(&results);
        let back = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let back = self.device.create_buffer(&back);
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: results.as_entire_binding() },
            ],
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((padded.len() / GROUP) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&results, 0, &back, 0, size);
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        back.slice(..).map_async(wgpu::MapMode::Read, move |outcome| {
            let _ = sender.send(outcome);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely()).ok()?;
        receiver.recv().ok()?.ok()?;
        let bytes = back.slice(..).get_mapped_range();
        Some(bytemuck::cast_slice(&bytes)[..pairs.len()].to_vec())
    }
}

fn on_cpu(a: f32, b: f32) -> [f32; NAMES.len()] {
    let quotient = a / b;
    [a + b, a * a + b * b, a * b, quotient, a.abs().sqrt(), quotient, quotient, quotient]
}

/// Returns some thousand pairs of numbers, with which a device that rounds in another way gives another result at least once:
/// zeros, the least and greatest numbers and those between, each with each; and numbers of all magnitudes.
pub fn hard_pairs() -> Vec<[f32; 2]> {
    let least = f32::from_bits(1);
    let positive = [
        0.0,
        least,
        3.0 * least,
        0.5 * f32::MIN_POSITIVE,
        f32::MIN_POSITIVE,
        1e-30,
        1.0 / 3.0,
        1.0 - f32::EPSILON / 2.0,
        1.0,
        1.0 + f32::EPSILON,
        1.5,
        2.0 - f32::EPSILON,
        1e10,
        1e30,
        f32::MAX,
        f32::INFINITY,
    ];
    let special: Vec<f32> = positive.into_iter().flat_map(|x| [x, -x]).chain([f32::NAN]).collect();
    let of_special = special.iter().flat_map(|&a| special.iter().map(move |&b| [a, b]));
    // The golden ratio and the silver one spread bits evenly.
    let spread = |k: u32| [k.wrapping_mul(0x9e37_79b9), k.wrapping_mul(0x6a09_e667)];
    let of_all_bits = (0..4096).map(|k| spread(k).map(f32::from_bits));
    let of_magnitude_one = (0..4096).map(|k| spread(k).map(|bits| f32::from_bits(0x3f00_0000 | bits >> 8)));
    of_special.chain(of_all_bits).chain(of_magnitude_one).collect()
}
