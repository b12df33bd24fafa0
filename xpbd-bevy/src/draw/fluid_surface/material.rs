//! The material of a surface, and the maps that it is shaded from.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::pbr::{ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, Extent3d, RenderPipelineDescriptor, SpecializedMeshPipelineError, TextureDimension, TextureFormat,
    TextureUsages,
};
use bevy::shader::ShaderRef;

use crate::draw::sphere::add_shader;

/// The material of a surface: what the user says, and the maps.
pub type FluidSurfaceMaterial = ExtendedMaterial<StandardMaterial, SurfaceMaps>;

/// Format of distances \[m\].
pub const DISTANCE: TextureFormat = TextureFormat::R32Float;
/// Format of thicknesses \[m\].
pub const THICKNESS: TextureFormat = TextureFormat::R16Float;
/// Format of the depths by which the nearest ball is found.
pub const DEPTH: TextureFormat = TextureFormat::Depth32Float;

const SHADER: Handle<Shader> = uuid_handle!("0d7fd0b6-9d1b-4b35-8f6a-6b2a6b1f3a54");

/// The maps of a surface as seen by the camera that is being drawn, of the size of the largest picture.
#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
pub struct SurfaceMaps {
    /// Distance of the surface in the direction of view \[m\], 0 where there is none.
    #[texture(100, filterable = false, visibility(fragment))]
    pub distance: Handle<Image>,
    /// Thickness of the liquid \[m\].
    #[texture(101, filterable = false, visibility(fragment))]
    pub thickness: Handle<Image>,
    /// Distances while they are smoothed \[m\].
    pub scratch: Handle<Image>,
    /// Depth of the nearest ball.
    pub depth: Handle<Image>,
    /// Size \[pixels\].
    pub size: UVec2,
}

impl SurfaceMaps {
    /// Creates maps of a size.
    pub fn new(size: UVec2, images: &mut Assets<Image>) -> Self {
        let extent = Extent3d { width: size.x, height: size.y, depth_or_array_layers: 1 };
        let mut map = |format, usage| {
            let mut image = Image::new_uninit(extent, TextureDimension::D2, format, RenderAssetUsages::RENDER_WORLD);
            image.texture_descriptor.usage = usage;
            images.add(image)
        };
        let (target, bound) = (TextureUsages::RENDER_ATTACHMENT, TextureUsages::TEXTURE_BINDING);
        let stored = bound | TextureUsages::STORAGE_BINDING;
        Self {
            distance: map(DISTANCE, target | stored),
            thickness: map(THICKNESS, target | bound),
            scratch: map(DISTANCE, stored),
            depth: map(DEPTH, target),
            size,
        }
    }
}

impl MaterialExtension for SurfaceMaps {
    fn vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn fragment_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.primitive.cull_mode = None;
        Ok(())
    }
}

/// A triangle that covers the whole picture.
#[derive(Resource)]
pub struct ScreenTriangle(pub Handle<Mesh>);

pub fn build(app: &mut App) {
    let corners = vec![[-1.0, -1.0, 0.5], [3.0, -1.0, 0.5], [-1.0, 3.0, 0.5]];
    let triangle = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 0.0, 1.0]; 3])
        .with_inserted_indices(Indices::U32(vec![0, 1, 2]));
    let triangle = app.world_mut().resource_mut::<Assets<Mesh>>().add(triangle);
    app.insert_resource(ScreenTriangle(triangle));
    add_shader(app, &SHADER, include_str!("surface.wgsl"), "xpbd/fluid_surface/surface.wgsl");
    app.add_plugins(MaterialPlugin::<FluidSurfaceMaterial>::default());
}
