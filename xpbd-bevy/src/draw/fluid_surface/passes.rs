//! The maps of surfaces, drawn before what is opaque.

use bevy::asset::uuid_handle;
use bevy::camera::{MainPassResolutionOverride, Viewport};
use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::schedule::{Core3d, Core3dSystems, camera_driver};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::diagnostic::RecordDiagnostics;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::binding_types::{
    storage_buffer, storage_buffer_read_only, storage_buffer_read_only_sized, storage_buffer_sized, texture_2d,
    texture_storage_2d, uniform_buffer,
};
use bevy::render::render_resource::{
    BindGroupEntries, BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendComponent, BlendFactor, BlendOperation,
    BlendState, Buffer, BufferDescriptor, BufferSize, BufferUsages, CachedComputePipelineId, CachedRenderPipelineId,
    ColorTargetState, ColorWrites, CompareFunction, ComputePassDescriptor, ComputePipelineDescriptor,
    DepthStencilState, DynamicUniformBuffer, FragmentState, LoadOp, Operations, PipelineCache, PrimitiveState,
    PrimitiveTopology, RenderPassColorAttachment, RenderPassDepthStencilAttachment, RenderPassDescriptor,
    RenderPipelineDescriptor, ShaderStages, ShaderType, StorageTextureAccess, StoreOp, TextureSampleType, VertexState,
};
use bevy::render::renderer::{RenderContext, RenderDevice, RenderGraph, RenderQueue, ViewQuery};
use bevy::render::storage::{GpuShaderBuffer, ShaderBuffer};
use bevy::render::texture::GpuImage;
use bevy::render::view::{ViewUniform, ViewUniformOffset, ViewUniforms};
use bevy::render::{ExtractSchedule, GpuResourceAppExt, MainWorld, Render, RenderApp, RenderSystems};
use hashbrown::HashMap;

use super::SurfaceInstance;
use super::material::{DEPTH, DISTANCE, SurfaceMaps, THICKNESS};
use crate::draw::fluid_surface_component::FluidSurface;
use crate::draw::particles::ParticleInstances;
use crate::draw::sphere::add_shader;
use crate::draw::upload::PlacementSystems;
use crate::physics::Physics;

const SHADER: Handle<Shader> = uuid_handle!("d3c7a2b5-5b1c-4f0e-9f6e-3c3d3b6f7f21");

/// The stages of all pipelines, which share buffers.
const CODE: &str = concat!(
    include_str!("liquid.wgsl"),
    include_str!("ellipsoids.wgsl"),
    include_str!("maps.wgsl"),
    include_str!("smooth.wgsl")
);

/// Number of times that distances are smoothed, along rows and along columns.
const SMOOTHINGS: usize = 2;

/// Radius of the balls that give the thickness over the width of a particle \[1\].
const BALL: f32 = 0.9;
/// Standard deviation of the smoothing over the width of a particle, where the user says 1 \[1\].
const DEVIATION: f32 = 0.9;

/// The numbers that the maps of a surface are drawn with.
#[derive(Debug, Clone, Copy, ShaderType)]
struct Liquid {
    /// Width of a particle \[m\].
    spacing: f32,
    /// Size of ellipsoids over that which the particles have \[1\].
    scale: f32,
    /// Radius of the balls that give the thickness \[m\].
    ball: f32,
    /// Thickness of the liquid over that of all these balls on a ray \[1\].
    share: f32,
    /// Standard deviation of the smoothing \[m\].
    deviation: f32,
    particles: u32,
    /// Number of cells that particles are sorted into, a power of two.
    cells: u32,
}

impl Liquid {
    /// Bytes of an ellipsoid.
    const ELLIPSOID: u64 = 48;

    /// Returns that of particles of a radius \[m\]; none if nothing can be seen of it.
    fn new(surface: &FluidSurface, particle_radius: f32, particles: usize) -> Option<Self> {
        let spacing = 2.0 * particle_radius;
        let ball = BALL * surface.scale * spacing;
        // A particle has a cube of its width for itself.
        let part = spacing / ball;
        let share = part * part * part / (4.0 / 3.0 * std::f32::consts::PI);
        let deviation = DEVIATION * surface.smoothing.max(0.0) * spacing;
        let is_seen = particles > 0 && ball > 0.0 && share.is_normal() && deviation.is_finite();
        let (particles, cells) = (particles as u32, particles.next_power_of_two() as u32);
        is_seen.then_some(Self { spacing, scale: surface.scale, ball, share, deviation, particles, cells })
    }
}

/// A surface whose maps are to be drawn.
struct SurfaceJob {
    places: AssetId<ShaderBuffer>,
    liquid: Liquid,
    maps: SurfaceMaps,
    /// Offset of its uniform \[bytes\].
    offset: u32,
}

/// The surfaces of this frame.
#[derive(Resource, Default)]
pub struct SurfaceJobs(Vec<SurfaceJob>);

/// Their uniforms.
#[derive(Resource, Default)]
struct SurfaceUniforms(DynamicUniformBuffer<Liquid>);

/// The ellipsoids of a surface, and what they are fitted with.
struct FitBuffers {
    /// The last particle of each cell.
    heads: Buffer,
    /// For each particle another one of its cell.
    links: Buffer,
    ellipsoids: Buffer,
    cells: u32,
}

/// Those of all surfaces.
#[derive(Resource, Default)]
struct AllFitBuffers(HashMap<AssetId<ShaderBuffer>, FitBuffers>);

pub fn build(app: &mut App) {
    app.init_resource::<SurfaceJobs>();
    add_shader(app, &SHADER, CODE, "xpbd/fluid_surface.wgsl");
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
    render_app.init_resource::<SurfaceJobs>().init_gpu_resource::<MapPipelines>();
    render_app.init_gpu_resource::<SurfaceUniforms>().init_gpu_resource::<AllFitBuffers>();
    let before_cameras = fit_ellipsoids.after(PlacementSystems).before(camera_driver);
    render_app.add_systems(RenderGraph, before_cameras);
    render_app.add_systems(ExtractSchedule, extract);
    render_app.add_systems(Render, write_uniforms.in_set(RenderSystems::PrepareResources));
    render_app.add_systems(Core3d, draw_maps.before(main_opaque_pass_3d).in_set(Core3dSystems::MainPass));
}

/// Lists the surfaces that are shown.
pub fn collect(
    physics: Res<Physics>,
    mut jobs: ResMut<SurfaceJobs>,
    surfaces: Query<(&FluidSurface, &SurfaceInstance, &ParticleInstances, &InheritedVisibility)>,
) {
    jobs.0.clear();
    let radius = physics.world().settings().particle_radius;
    for (surface, SurfaceInstance { maps, places, .. }, balls, _) in surfaces.iter().filter(|(.., shown)| shown.get()) {
        if let Some(liquid) = Liquid::new(surface, radius, balls.radii.len()) {
            jobs.0.push(SurfaceJob { places: places.id(), liquid, maps: maps.clone(), offset: 0 });
        }
    }
}

fn extract(mut main: ResMut<MainWorld>, mut jobs: ResMut<SurfaceJobs>) {
    if let Some(mut collected) = main.get_resource_mut::<SurfaceJobs>() {
        std::mem::swap(&mut *collected, &mut *jobs);
    }
}

fn write_uniforms(
    mut jobs: ResMut<SurfaceJobs>,
    mut uniforms: ResMut<SurfaceUniforms>,
    mut buffers: ResMut<AllFitBuffers>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
) {
    uniforms.0.clear();
    jobs.0.iter_mut().for_each(|job| job.offset = uniforms.0.push(&job.liquid));
    uniforms.0.write_buffer(&device, &queue);
    buffers.0.retain(|places, _| jobs.0.iter().any(|job| job.places == *places));
    for SurfaceJob { places, liquid, .. } in &jobs.0 {
        if buffers.0.get(places).is_some_and(|buffers| buffers.cells == liquid.cells) {
            continue;
        }
        let buffer = |label, bytes: u64| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
            device.create_buffer(&BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let cells = u64::from(liquid.cells);
        let fit = FitBuffers {
            heads: buffer("cells of a liquid", 4 * cells),
            links: buffer("links of a liquid", 4 * cells),
            ellipsoids: buffer("ellipsoids of a liquid", Liquid::ELLIPSOID * cells),
            cells: liquid.cells,
        };
        buffers.0.insert(*places, fit);
    }
}

/// The pipelines of the maps.
#[derive(Resource)]
struct MapPipelines {
    fit: BindGroupLayoutDescriptor,
    draw: BindGroupLayoutDescriptor,
    filter: BindGroupLayoutDescriptor,
    /// Sorts particles into cells, then fits ellipsoids.
    fits: [CachedComputePipelineId; 2],
    nearest: CachedRenderPipelineId,
    thickness: CachedRenderPipelineId,
    /// Along rows, then along columns.
    smooth: [CachedComputePipelineId; 2],
}

impl FromWorld for MapPipelines {
    fn from_world(world: &mut World) -> Self {
        let cache = world.resource::<PipelineCache>();
        let fit = BindGroupLayoutDescriptor::new(
            "ellipsoids of a liquid",
            &BindGroupLayoutEntries::with_indices(
                ShaderStages::COMPUTE,
                (
                    (1, uniform_buffer::<Liquid>(true)),
                    (2, storage_buffer_read_only::<Vec4>(false)),
                    (3, storage_buffer::<u32>(false)),
                    (4, storage_buffer::<u32>(false)),
                    (5, storage_buffer_sized(false, BufferSize::new(Liquid::ELLIPSOID))),
                ),
            ),
        );
        let drawn = BindGroupLayoutDescriptor::new(
            "balls of a liquid",
            &BindGroupLayoutEntries::with_indices(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    (0, uniform_buffer::<ViewUniform>(true)),
                    (1, uniform_buffer::<Liquid>(true)),
                    (2, storage_buffer_read_only::<Vec4>(false)),
                    (6, storage_buffer_read_only_sized(false, BufferSize::new(Liquid::ELLIPSOID))),
                ),
            ),
        );
        let filter = BindGroupLayoutDescriptor::new(
            "distances of a liquid",
            &BindGroupLayoutEntries::with_indices(
                ShaderStages::COMPUTE,
                (
                    (0, uniform_buffer::<ViewUniform>(true)),
                    (1, uniform_buffer::<Liquid>(true)),
                    (7, texture_2d(TextureSampleType::Float { filterable: false })),
                    (8, texture_storage_2d(DISTANCE, StorageTextureAccess::WriteOnly)),
                ),
            ),
        );
        let draw = |[vertex, entry]: [&'static str; 2], target: ColorTargetState, depth: Option<DepthStencilState>| {
            cache.queue_render_pipeline(RenderPipelineDescriptor {
                label: Some(entry.into()),
                layout: vec![drawn.clone()],
                vertex: VertexState { shader: SHADER, entry_point: Some(vertex.into()), ..default() },
                primitive: PrimitiveState { topology: PrimitiveTopology::TriangleStrip, ..default() },
                depth_stencil: depth,
                fragment: Some(FragmentState {
                    shader: SHADER,
                    entry_point: Some(entry.into()),
                    targets: vec![Some(target)],
                    ..default()
                }),
                ..default()
            })
        };
        let compute = |layout: &BindGroupLayoutDescriptor, entry: &'static str| {
            cache.queue_compute_pipeline(ComputePipelineDescriptor {
                label: Some(entry.into()),
                layout: vec![layout.clone()],
                shader: SHADER,
                entry_point: Some(entry.into()),
                ..default()
            })
        };
        let sum = BlendComponent {
            src_factor: BlendFactor::One,
            dst_factor: BlendFactor::One,
            operation: BlendOperation::Add,
        };
        let target = |format, blend| ColorTargetState { format, blend, write_mask: ColorWrites::ALL };
        let depth = DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(CompareFunction::GreaterEqual),
            stencil: default(),
            bias: default(),
        };
        let nearest = draw(["around_ellipsoid", "nearest"], target(DISTANCE, None), Some(depth));
        let sum = Some(BlendState { color: sum, alpha: sum });
        let thickness = draw(["around_ball", "thickness"], target(THICKNESS, sum), None);
        let fits = ["sort_into_cells", "fit_ellipsoids"].map(|entry| compute(&fit, entry));
        let smooth = ["smooth_rows", "smooth_columns"].map(|entry| compute(&filter, entry));
        Self { fit, draw: drawn, filter, fits, nearest, thickness, smooth }
    }
}

/// Fits ellipsoids to the particles of all surfaces.
fn fit_ellipsoids(
    jobs: Res<SurfaceJobs>,
    (uniforms, fits): (Res<SurfaceUniforms>, Res<AllFitBuffers>),
    (pipelines, cache): (Res<MapPipelines>, Res<PipelineCache>),
    buffers: Res<RenderAssets<GpuShaderBuffer>>,
    mut context: RenderContext,
) {
    let Some(uniforms) = uniforms.0.binding() else { return };
    let [Some(sort), Some(fit)] = pipelines.fits.map(|id| cache.get_compute_pipeline(id)) else { return };
    for job in &jobs.0 {
        let (Some(places), Some(own)) = (buffers.get(job.places), fits.0.get(&job.places)) else { continue };
        let group = context.render_device().create_bind_group(
            None,
            &cache.get_bind_group_layout(&pipelines.fit),
            &BindGroupEntries::with_indices((
                (1, uniforms.clone()),
                (2, places.buffer.as_entire_binding()),
                (3, own.heads.as_entire_binding()),
                (4, own.links.as_entire_binding()),
                (5, own.ellipsoids.as_entire_binding()),
            )),
        );
        let encoder = context.command_encoder();
        encoder.clear_buffer(&own.heads, 0, None);
        let descriptor = ComputePassDescriptor { label: Some("ellipsoids of a liquid"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for pipeline in [sort, fit] {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[job.offset]);
            pass.dispatch_workgroups(job.liquid.particles.div_ceil(64), 1, 1);
        }
    }
}

/// Draws the maps of all surfaces as the camera sees them.
fn draw_maps(
    view: ViewQuery<(&ExtractedCamera, &ViewUniformOffset, Option<&MainPassResolutionOverride>)>,
    jobs: Res<SurfaceJobs>,
    (uniforms, views, fits): (Res<SurfaceUniforms>, Res<ViewUniforms>, Res<AllFitBuffers>),
    (pipelines, cache): (Res<MapPipelines>, Res<PipelineCache>),
    images: Res<RenderAssets<GpuImage>>,
    buffers: Res<RenderAssets<GpuShaderBuffer>>,
    mut context: RenderContext,
) {
    if jobs.0.is_empty() {
        return;
    }
    let (camera, view_offset, resolution) = view.into_inner();
    let (Some(views), Some(uniforms)) = (views.uniforms.binding(), uniforms.0.binding()) else { return };
    let pipeline = |id| cache.get_render_pipeline(id);
    let (Some(nearest), Some(thickness)) = (pipeline(pipelines.nearest), pipeline(pipelines.thickness)) else { return };
    let [Some(rows), Some(columns)] = pipelines.smooth.map(|id| cache.get_compute_pipeline(id)) else { return };
    let Some(size) = camera.physical_viewport_size.filter(|size| size.x > 0 && size.y > 0) else { return };
    let viewport = Viewport::from_viewport_and_override(camera.viewport.as_ref(), resolution);
    let recorder = context.diagnostic_recorder();
    let recorder = recorder.as_deref();
    for job in &jobs.0 {
        let image = |handle: &Handle<Image>| images.get(handle).map(|image| &image.texture_view);
        let SurfaceMaps { distance, thickness: thicknesses, scratch, depth, .. } = &job.maps;
        let (Some(distance), Some(thicknesses), Some(scratch), Some(depth)) =
            (image(distance), image(thicknesses), image(scratch), image(depth))
        else {
            continue;
        };
        let (Some(places), Some(own)) = (buffers.get(job.places), fits.0.get(&job.places)) else { continue };
        let device = context.render_device();
        let balls = device.create_bind_group(
            None,
            &cache.get_bind_group_layout(&pipelines.draw),
            &BindGroupEntries::with_indices((
                (0, views.clone()),
                (1, uniforms.clone()),
                (2, places.buffer.as_entire_binding()),
                (6, own.ellipsoids.as_entire_binding()),
            )),
        );
        let filter = [[distance, scratch], [scratch, distance]].map(|[from, to]| {
            let entries = ((0, views.clone()), (1, uniforms.clone()), (7, from), (8, to));
            let layout = cache.get_bind_group_layout(&pipelines.filter);
            device.create_bind_group(None, &layout, &BindGroupEntries::with_indices(entries))
        });
        let offsets = [view_offset.offset, job.offset];
        let clear = |view| {
            let ops = Operations { load: LoadOp::Clear(default()), store: StoreOp::Store };
            [Some(RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })]
        };
        for (pipeline, target, depth, label) in [
            (nearest, distance, Some(depth), "distance of a liquid"),
            (thickness, thicknesses, None, "thickness of a liquid"),
        ] {
            let depth_ops = Some(Operations { load: LoadOp::Clear(0.0), store: StoreOp::Discard });
            let mut pass = context.begin_tracked_render_pass(RenderPassDescriptor {
                label: Some(label),
                color_attachments: &clear(target),
                depth_stencil_attachment: depth.map(|view| RenderPassDepthStencilAttachment {
                    view,
                    depth_ops,
                    stencil_ops: None,
                }),
                timestamp_writes: None,
                occlusion_query_set: None,
                multiview_mask: None,
            });
            let span = recorder.pass_span(&mut pass, label);
            if let Some(viewport) = &viewport {
                pass.set_camera_viewport(viewport);
            }
            pass.set_render_pipeline(pipeline);
            pass.set_bind_group(0, &balls, &offsets);
            pass.draw(0..4, 0..job.liquid.particles);
            span.end(&mut pass);
        }
        let mut pass = context.command_encoder().begin_compute_pass(&ComputePassDescriptor {
            label: Some("smoothing of a liquid"),
            timestamp_writes: None,
        });
        let span = recorder.pass_span(&mut pass, "smoothing of a liquid");
        for _ in 0..SMOOTHINGS {
            for (pipeline, group) in [rows, columns].into_iter().zip(&filter) {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, group, &offsets);
                pass.dispatch_workgroups(size.x.div_ceil(8), size.y.div_ceil(8), 1);
            }
        }
        span.end(&mut pass);
    }
}
