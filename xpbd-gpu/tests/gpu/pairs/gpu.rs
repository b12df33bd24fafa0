//! A device with the core limits, a state on it as the solver lays it out, and the lists read back.

use std::time::Instant;

use glam::Vec4;
use libtest_mimic::Failed;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{BufferBindingType, BufferUsages, ShaderStages};
use xpbd_gpu::internals::{PairSearch, PairSearchKernels};

use super::case::{Case, Lists};
use crate::ensure;

/// Words of the counters.
const COUNTERS: usize = 2;

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub state: wgpu::BindGroupLayout,
    /// True if every operation rounds like the CPU's.
    pub exact: bool,
    pub name: String,
}

impl Gpu {
    /// The default adapter, if there is one, with the core limits.
    pub fn new() -> Option<Self> {
        Self::with_limits(wgpu::Limits::default())
    }

    pub fn with_limits(required_limits: wgpu::Limits) -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).ok()?;
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).ok()?;
        let info = adapter.get_info();
        let state = state_layout(&device);
        Some(Self { device, queue, state, exact: info.device_type == wgpu::DeviceType::Cpu, name: info.name })
    }

    pub fn pairs(&self) -> PairSearch {
        let device = xpbd_gpu::Device::of(self.device.clone(), self.queue.clone());
        PairSearch::new(PairSearchKernels::new(&device, &self.state).expect("the kernels are valid"))
    }

    /// Searches once, and once more if there was not enough room.
    pub fn search(&self, pairs: &mut PairSearch, case: &Case) -> Result<Lists, Failed> {
        let found = self.search_once(pairs, case)?;
        if found.needed <= pairs.capacity() as usize {
            return Ok(found);
        }
        pairs.reserve(found.needed as u32);
        self.search_once(pairs, case)
    }

    pub fn search_once(&self, pairs: &mut PairSearch, case: &Case) -> Result<Lists, Failed> {
        pairs.prepare(&self.device, &self.queue, &case.scene(&case.pairs_objects()))?;
        let state = self.upload(case);
        self.dispatch(pairs, &state)?;
        self.read(pairs, case.particles.len())
    }

    /// Runs the search and waits for it; returns the time in seconds.
    pub fn dispatch(&self, pairs: &PairSearch, state: &wgpu::BindGroup) -> Result<f64, Failed> {
        let begin = Instant::now();
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pairs.record(&mut pass, state, &[]);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(begin.elapsed().as_secs_f64())
    }

    /// Bind group 0.
    pub fn upload(&self, case: &Case) -> wgpu::BindGroup {
        let particles = &case.particles;
        let accelerations = case.accelerations();
        let scratch = vec![Vec4::ZERO; particles.len()];
        let motion = [
            &particles.velocity,
            &accelerations,
            &particles.previous_displacement,
            &particles.previous_velocity,
            &scratch,
        ];
        let motion: Vec<Vec4> = motion.into_iter().flatten().copied().collect();
        let buffer = |numbers: &[Vec4], usage| {
            let none = [Vec4::ZERO];
            let contents = bytemuck::cast_slice(if numbers.is_empty() { &none } else { numbers });
            self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
        };
        let mut buffers = vec![buffer(&[Vec4::ZERO; 4], BufferUsages::UNIFORM)];
        let storage = [&particles.anchor, &particles.offset, &particles.start, &motion, &Vec::new()];
        buffers.extend(storage.map(|numbers| buffer(numbers, BufferUsages::STORAGE)));
        let entries: Vec<_> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.state,
            entries: &entries,
        })
    }

    /// Returns the lists of `n` particles as they are on the device.
    pub fn read(&self, pairs: &PairSearch, n: usize) -> Result<Lists, Failed> {
        let lists = pairs.lists().ok_or("nothing was prepared")?;
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: lists.size(), usage, mapped_at_creation: false };
        let copy = self.device.create_buffer(&descriptor);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(lists, 0, &copy, 0, lists.size());
        self.queue.submit([encoder.finish()]);
        copy.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let bytes = copy.slice(..).get_mapped_range();
        let words: &[u32] = bytemuck::cast_slice(&bytes);
        let [needed, dropped] = [0, 1].map(|k| words[..COUNTERS][k] as usize);
        let first = &words[pairs.first() as usize..][..n + 1];
        let partners = &words[pairs.partners() as usize..];
        ensure(first[0] == 0 && first.is_sorted() && first[n] <= pairs.capacity(), || "starts out of order".into())?;
        let list = |i: usize| partners[first[i] as usize..first[i + 1] as usize].to_vec();
        Ok(Lists { needed, dropped, lists: (0..n).map(list).collect() })
    }
}

/// Returns a uniform and five storage buffers.
fn state_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entries = [0, 1, 2, 3, 4, 5].map(|binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: if binding == 0 { BufferBindingType::Uniform } else { BufferBindingType::Storage { read_only: false } },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    });
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}
