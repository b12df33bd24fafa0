//! Runs `contact_planes` in a compute shader.

use glam::Vec3;
use libtest_mimic::Failed;
use wgpu::util::DeviceExt;
use xpbd_core::collide::particle_shape::{ContactPlane, ContactPlanes};
use xpbd_gpu::GpuBackend;
use xpbd_gpu::internals::{self, Geometry};

/// Words of a query and of an answer.
const QUERY: usize = 12;
const ANSWER: usize = 28;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> geometry: array<u32>;
@group(0) @binding(1) var<storage, read> queries: array<u32>;
@group(0) @binding(2) var<storage, read_write> answers: array<u32>;

fn asked(at: u32) -> vec3f {
    return vec3f(bitcast<f32>(queries[at]), bitcast<f32>(queries[at + 1u]), bitcast<f32>(queries[at + 2u]));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let q = 12u * id.x;
    if q >= arrayLength(&queries) {
        return;
    }
    let radius = bitcast<f32>(queries[q + 7u]);
    let margin = bitcast<f32>(queries[q + 8u]);
    let count = contact_planes(queries[q], asked(q + 1u), asked(q + 4u), radius, margin);
    let at = 28u * id.x;
    answers[at] = count;
    for (var i = 0u; i < count; i++) {
        for (var k = 0u; k < 3u; k++) {
            answers[at + 1u + 6u * i + k] = bitcast<u32>(plane_points[i][k]);
            answers[at + 4u + 6u * i + k] = bitcast<u32>(plane_normals[i][k]);
        }
    }
}
";

/// One question about one shape.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    pub shape: u32,
    pub from: Vec3,
    pub to: Vec3,
    pub radius: f32,
    pub margin: f32,
}

impl Question {
    fn words(&self) -> [u32; QUERY] {
        let mut words = [0; QUERY];
        let points = self.from.to_array().into_iter().chain(self.to.to_array());
        let floats = points.chain([self.radius, self.margin]);
        words[0] = self.shape;
        words[1..9].iter_mut().zip(floats).for_each(|(word, x)| *word = x.to_bits());
        words
    }
}

pub struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroupLayout,
}

impl Device {
    /// The adapter at hand.
    pub fn open() -> Result<Self, Failed> {
        let gpu = GpuBackend::new()?;
        let xpbd_gpu::Device { device, queue, .. } = gpu.device().clone();
        let module = gpu.device().module(&(internals::shape_query_text() + KERNEL), "main")?;
        let bindings = bindings(&device);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        Ok(Self { device, queue, pipeline, bindings })
    }

    /// Returns the planes of each question.
    pub fn ask(&self, geometry: &Geometry, questions: &[Question]) -> Vec<ContactPlanes> {
        let words: Vec<u32> = questions.iter().flat_map(Question::words).collect();
        let storage = wgpu::BufferUsages::STORAGE;
        let buffer = |words: &[u32], usage| {
            let contents = bytemuck::cast_slice(words);
            self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
        };
        let answers = vec![0; ANSWER * questions.len().max(1)];
        let buffers = [
            buffer(if geometry.words().is_empty() { &[0] } else { geometry.words() }, storage),
            buffer(if words.is_empty() { &[0; QUERY] } else { &words }, storage),
            buffer(&answers, storage | wgpu::BufferUsages::COPY_SRC),
        ];
        let back = buffer(&answers, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let entries: Vec<_> = (0..).zip(&buffers).map(entry).collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.bindings,
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(questions.len().div_ceil(64).max(1) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&buffers[2], 0, &back, 0, back.size());
        self.queue.submit([encoder.finish()]);
        back.slice(..).map_async(wgpu::MapMode::Read, |done| done.expect("the answers"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
        let bytes = back.slice(..).get_mapped_range();
        let words: &[u32] = bytemuck::cast_slice(&bytes);
        words.chunks(ANSWER).take(questions.len()).map(planes).collect()
    }
}

/// Shapes, questions, answers.
fn bindings(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = (0..)
        .zip([true, true, false])
        .map(|(binding, read_only)| internals::buffer_entry(binding, wgpu::BufferBindingType::Storage { read_only }))
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn entry((binding, buffer): (u32, &wgpu::Buffer)) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

fn planes(answer: &[u32]) -> ContactPlanes {
    let vector = |w: &[u32]| Vec3::new(f32::from_bits(w[0]), f32::from_bits(w[1]), f32::from_bits(w[2]));
    let planes = answer[1..].chunks_exact(6).take(answer[0] as usize);
    planes.map(|w| ContactPlane { point: vector(w), normal: vector(&w[3..]) }).collect()
}
