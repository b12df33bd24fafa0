//! What the app has placed, on its way to the renderer's buffers.

use bevy::core_pipeline::schedule::camera_driver;
use bevy::ecs::query::QueryState;
use bevy::prelude::*;
use bevy::render::mesh::allocator::MeshAllocator;
use bevy::render::render_asset::RenderAssets;
use bevy::render::renderer::{RenderGraph, RenderQueue};
use bevy::render::storage::{GpuShaderBuffer, ShaderBuffer};
use bevy::render::{ExtractSchedule, MainWorld, RenderApp};

/// The systems that write into the renderer's buffers before cameras draw.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlacementSystems;

/// The destination of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadTarget {
    /// All vertices of a mesh, of this many bytes each.
    Vertices(AssetId<Mesh>, usize),
    /// The buffer of an asset.
    Buffer(AssetId<ShaderBuffer>),
}

/// Bytes for a buffer of the renderer; none if there is nothing new.
#[derive(Component, Debug)]
pub struct Upload {
    /// The buffer or mesh that receives the bytes.
    pub target: UploadTarget,
    /// The bytes to write.
    pub bytes: Vec<u8>,
}

impl Upload {
    /// Returns an upload of nothing yet.
    pub fn to(target: UploadTarget) -> Self {
        Self { target, bytes: Vec::new() }
    }
}

/// The bytes of this frame. Those of an earlier one go back to be filled anew, so that nothing is allocated.
#[derive(Resource, Default)]
struct Uploads(Vec<Upload>);

pub fn build(app: &mut App) {
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
    render_app.init_resource::<Uploads>().add_systems(ExtractSchedule, extract);
    render_app.configure_sets(RenderGraph, PlacementSystems.before(camera_driver));
    render_app.add_systems(RenderGraph, upload.in_set(PlacementSystems));
}

fn extract(
    mut main: ResMut<MainWorld>,
    mut uploads: ResMut<Uploads>,
    mut query: Local<Option<QueryState<&'static mut Upload>>>,
) {
    let query = query.get_or_insert_with(|| main.query());
    let mut count = 0;
    for mut upload in query.iter_mut(&mut main) {
        if upload.bytes.is_empty() {
            continue;
        }
        if uploads.0.len() == count {
            uploads.0.push(Upload::to(upload.target));
        }
        let mine = &mut uploads.0[count];
        mine.target = upload.target;
        mine.bytes.clear();
        std::mem::swap(&mut mine.bytes, &mut upload.bytes);
        count += 1;
    }
    uploads.0.truncate(count);
}

fn upload(
    uploads: Res<Uploads>,
    queue: Res<RenderQueue>,
    meshes: Res<MeshAllocator>,
    buffers: Res<RenderAssets<GpuShaderBuffer>>,
) {
    for Upload { target, bytes } in &uploads.0 {
        match target {
            UploadTarget::Vertices(mesh, stride) => {
                let Some(slice) = meshes.mesh_vertex_slice(mesh) else { continue };
                if slice.range.len() * stride >= bytes.len() {
                    queue.write_buffer(slice.buffer, u64::from(slice.range.start) * *stride as u64, bytes);
                }
            }
            UploadTarget::Buffer(buffer) => {
                let Some(buffer) = buffers.get(*buffer) else { continue };
                if buffer.buffer.size() >= bytes.len() as u64 {
                    queue.write_buffer(&buffer.buffer, 0, bytes);
                }
            }
        }
    }
}
