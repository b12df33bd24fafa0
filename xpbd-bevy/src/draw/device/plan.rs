//! What kernels place in a frame.

use bevy::prelude::*;
use bevy::render::mesh::allocator::MeshAllocator;
use bevy::render::render_asset::RenderAssets;
use bevy::render::renderer::{RenderContext, RenderDevice, RenderGraph, RenderQueue};
use bevy::render::storage::GpuShaderBuffer;
use bevy::render::{ExtractSchedule, GpuResourceAppExt, MainWorld, RenderApp};

use super::DevicePositions;
use super::kernels::{DrawKernels, DrawParameters};
use crate::draw::device_buffers::DeviceBuffers;
use crate::draw::interpolation::{DrawSystems, FrameInterpolation};
use crate::draw::particles::ParticleInstances;
use crate::draw::surface::DeformedMesh;
use crate::draw::tube::TubeSurface;
use crate::draw::tube_component::Tube;
use crate::draw::upload::{PlacementSystems, UploadTarget};
use crate::handle::ObjectId;
use crate::physics::Physics;

/// Size of the parameters of a kernel \[bytes\].
const PARAMETERS: u64 = size_of::<DrawParameters>() as u64;

/// A thing that a kernel places.
struct DeviceDrawJob {
    target: UploadTarget,
    tables: DeviceBuffers,
    params: DrawParameters,
    /// Words that the table begins with, if they have changed.
    words: Option<Vec<u32>>,
    /// True if it is a tube.
    is_tube: bool,
}

impl DeviceDrawJob {
    /// Returns the job of a thing whose table begins with these words.
    fn of_words(
        target: UploadTarget,
        tables: &mut DeviceBuffers,
        params: DrawParameters,
        words: impl Iterator<Item = u32> + Clone,
    ) -> Self {
        let changed = !tables.sent.iter().copied().eq(words.clone());
        if changed {
            tables.sent.clear();
            tables.sent.extend(words);
        }
        let changed = changed.then(|| tables.sent.clone());
        let tables = DeviceBuffers { table: tables.table.clone(), params: tables.params.clone(), sent: Vec::new() };
        Self { target, tables, params, words: changed, is_tube: false }
    }
}

/// What is placed in this frame.
#[derive(Resource, Default)]
struct DeviceDrawJobs {
    jobs: Vec<DeviceDrawJob>,
    /// Positions before the last step and after it.
    positions: Option<[wgpu::Buffer; 2]>,
}

pub fn build(app: &mut App) {
    app.init_resource::<DeviceDrawJobs>().add_systems(PostUpdate, plan.after(DrawSystems::UpdateVertices));
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
    render_app.init_resource::<DeviceDrawJobs>().init_gpu_resource::<DrawKernels>();
    render_app.add_systems(ExtractSchedule, extract).add_systems(RenderGraph, run.in_set(PlacementSystems));
}

fn plan(
    mut jobs: ResMut<DeviceDrawJobs>,
    resident: Res<DevicePositions>,
    (pace, physics): (Res<FrameInterpolation>, Res<Physics>),
    device: Option<Res<RenderDevice>>,
    mut surfaces: Query<(&ObjectId, &mut DeformedMesh, &GlobalTransform)>,
    mut swarms: Query<(&ObjectId, &mut ParticleInstances)>,
    mut tubes: Query<(&ObjectId, &Tube, &mut TubeSurface, &GlobalTransform)>,
) {
    jobs.jobs.clear();
    jobs.positions = None;
    let (Some(device), Some(now)) = (device, &resident.positions) else { return };
    let before = resident.before();
    let part = if before.is_some() { pace.fraction } else { 1.0 };
    jobs.positions = Some([before.unwrap_or(now).clone(), now.clone()]);
    for (object, mut surface, transform) in surfaces.iter_mut().filter(|(_, surface, _)| surface.on_device) {
        let frame = transform.affine().inverse();
        let Some(first) = resident.first(object.handle()).filter(|_| frame.is_finite()) else { continue };
        let is_new = surface.is_new(physics.world().state().frames);
        let DeformedMesh { topology, packed, tables, mesh, bindings, .. } = &mut *surface;
        let lists = || [topology.lists(), bindings.clone()].concat();
        let tables =
            tables.get_or_insert_with(|| DeviceBuffers::new(&device, bytemuck::cast_slice(&lists()), PARAMETERS));
        // A mesh that has come apart in the last step has places that were nowhere before.
        let part = if is_new { 1.0 } else { part };
        let params = DrawParameters {
            first,
            part,
            count: packed.vertices() as u32,
            places: topology.places() as u32,
            stride: packed.stride as u32 / 4,
            position: packed.position as u32 / 4,
            normal: packed.normal as u32 / 4,
            bindings: if bindings.is_empty() { 0 } else { topology.list_words() as u32 },
            ..DrawParameters::of(frame)
        };
        let target = UploadTarget::Vertices(mesh.id(), packed.stride);
        jobs.jobs.push(DeviceDrawJob { target, tables: tables.clone(), params, words: None, is_tube: false });
    }
    for (object, mut swarm) in swarms.iter_mut().filter(|(_, swarm)| swarm.on_device) {
        let Some(first) = resident.first(object.handle()) else { continue };
        let ParticleInstances { radii, places, tables, .. } = &mut *swarm;
        let tables = tables.get_or_insert_with(|| DeviceBuffers::new(&device, bytemuck::cast_slice(radii), PARAMETERS));
        let params = DrawParameters { first, part, count: radii.len() as u32, ..DrawParameters::default() };
        let words = radii.iter().map(|radius| radius.to_bits());
        jobs.jobs.push(DeviceDrawJob::of_words(UploadTarget::Buffer(places.id()), tables, params, words));
    }
    for (object, shape, mut tube, transform) in tubes.iter_mut().filter(|(_, _, tube, _)| tube.on_device) {
        let frame = transform.affine().inverse();
        let Some(first) = resident.first(object.handle()).filter(|_| frame.is_finite()) else { continue };
        let words = tube.flags(physics.world(), object.handle());
        let (target, sides) = (UploadTarget::Vertices(tube.mesh.id(), tube.packed.stride), tube.sides());
        let params = DrawParameters {
            first,
            part,
            count: tube.packed.vertices() as u32,
            places: words.len() as u32,
            stride: tube.packed.stride as u32 / 4,
            position: tube.packed.position as u32 / 4,
            normal: tube.packed.normal as u32 / 4,
            sides,
            radius: shape.radius,
            ..DrawParameters::of(frame)
        };
        // Nine numbers of each ring follow.
        let empty = || vec![0_u32; 10 * words.len()];
        let tables =
            tube.tables.get_or_insert_with(|| DeviceBuffers::new(&device, bytemuck::cast_slice(&empty()), PARAMETERS));
        let job = DeviceDrawJob::of_words(target, tables, params, words.iter().copied());
        jobs.jobs.push(DeviceDrawJob { is_tube: true, ..job });
    }
}

fn extract(mut main: ResMut<MainWorld>, mut jobs: ResMut<DeviceDrawJobs>) {
    if let Some(mut planned) = main.get_resource_mut::<DeviceDrawJobs>() {
        std::mem::swap(&mut *planned, &mut *jobs);
    }
}

fn run(
    mut context: RenderContext,
    jobs: Res<DeviceDrawJobs>,
    kernels: Option<Res<DrawKernels>>,
    queue: Res<RenderQueue>,
    meshes: Res<MeshAllocator>,
    buffers: Res<RenderAssets<GpuShaderBuffer>>,
) {
    let (Some(kernels), Some(positions)) = (kernels, &jobs.positions) else { return };
    for DeviceDrawJob { target, tables, params, words, is_tube } in &jobs.jobs {
        let mut params = *params;
        if let Some(words) = words {
            queue.write_buffer(&tables.table, 0, bytemuck::cast_slice(words));
        }
        let (kernel, binding) = match *target {
            UploadTarget::Vertices(mesh, stride) => {
                let Some(slice) = meshes.mesh_vertex_slice(&mesh) else { continue };
                let begin = u64::from(slice.range.start) * stride as u64;
                // Bindings begin at a multiple of this.
                let offset = begin / 256 * 256;
                params.base = ((begin - offset) / 4) as u32;
                let size = begin - offset + u64::from(params.count) * stride as u64;
                if slice.range.len() < params.count as usize {
                    continue;
                }
                let size = wgpu::BufferSize::new(size);
                (
                    if *is_tube { &kernels.tube } else { &kernels.vertices },
                    wgpu::BufferBinding { buffer: slice.buffer, offset, size },
                )
            }
            UploadTarget::Buffer(buffer) => {
                let Some(buffer) = buffers.get(buffer) else { continue };
                if buffer.buffer.size() < 16 * u64::from(params.count) {
                    continue;
                }
                (&kernels.spheres, buffer.buffer.as_entire_buffer_binding())
            }
        };
        queue.write_buffer(&tables.params, 0, bytemuck::bytes_of(&params));
        let group = kernel.group(context.render_device(), &tables.params, positions, &tables.table, binding);
        let mut pass = context.command_encoder().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.0);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(if *is_tube { 1 } else { params.count.div_ceil(64) }, 1, 1);
    }
}
