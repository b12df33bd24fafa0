//! The mesh and the material of spheres.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Indices, MeshTag, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::pbr::{ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError};
use bevy::render::storage::ShaderBuffer;
use bevy::shader::{ShaderDefVal, ShaderRef};

use super::interpolation::DrawSystems;
use super::upload::{Upload, UploadTarget};

/// The material of spheres: what the user says, where particles are.
pub type SphereMaterial = ExtendedMaterial<StandardMaterial, Spheres>;

/// Spheres a mesh: what one entity draws.
pub const SPHERES: usize = 512;

/// Vertices a sphere.
const VERTICES: usize = 42;

const SHADER: Handle<Shader> = uuid_handle!("5e0c7a8e-5bd5-4c4f-8e0b-0f7d6a4f1b5d");

/// Places spheres at particles.
#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
pub struct Spheres {
    /// Centre \[m\] and radius \[m\] of each.
    #[storage(100, read_only, visibility(vertex))]
    pub places: Handle<ShaderBuffer>,
}

impl MaterialExtension for Spheres {
    fn vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn prepass_vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn deferred_vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.vertex.shader_defs.push(vertex_count());
        Ok(())
    }
}

/// Returns the definition by which the shader knows the vertices of a sphere.
fn vertex_count() -> ShaderDefVal {
    ShaderDefVal::UInt("SPHERE_VERTICES".into(), VERTICES as u32)
}

/// Places spheres of which only the shadows are seen.
#[derive(Asset, AsBindGroup, TypePath, Debug, Clone)]
pub struct SphereShadows {
    /// Centre \[m\] and radius \[m\] of each.
    #[storage(100, read_only, visibility(vertex))]
    pub places: Handle<ShaderBuffer>,
}

impl MaterialExtension for SphereShadows {
    fn vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn prepass_vertex_shader() -> ShaderRef {
        ShaderRef::Handle(SHADER)
    }

    fn enable_prepass() -> bool {
        false
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.vertex.shader_defs.extend([vertex_count(), "ONLY_SHADOWS".into()]);
        Ok(())
    }
}

/// The material of spheres of which only the shadows are seen.
type ShadowMaterial = ExtendedMaterial<StandardMaterial, SphereShadows>;

/// The mesh that all spheres share.
#[derive(Resource)]
struct SphereMesh(Handle<Mesh>);

/// The material that was given to what an entity draws.
#[derive(Component)]
pub struct BaseMaterial(pub AssetId<StandardMaterial>);

/// Spheres that an entity draws.
pub struct SphereInstances {
    /// The children that draw, [`SPHERES`] each, of which the first carries what is sent.
    pub children: Vec<Entity>,
    /// Their places in a buffer of the renderer.
    pub places: Handle<ShaderBuffer>,
}

/// Spawns children that draw spheres.
#[derive(SystemParam)]
pub struct SphereSpawner<'w, 's> {
    commands: Commands<'w, 's>,
    mesh: Res<'w, SphereMesh>,
    buffers: ResMut<'w, Assets<ShaderBuffer>>,
    materials: ResMut<'w, Assets<SphereMaterial>>,
    shadows: ResMut<'w, Assets<ShadowMaterial>>,
    bases: Res<'w, Assets<StandardMaterial>>,
}

impl<'w, 's> SphereSpawner<'w, 's> {
    /// Spawns children of an entity for this many spheres. Without a material only their shadows are seen.
    pub fn spawn(
        &mut self,
        entity: Entity,
        count: usize,
        material: Option<&Handle<StandardMaterial>>,
        layers: Option<&RenderLayers>,
    ) -> SphereInstances {
        let meshes = count.div_ceil(SPHERES);
        let buffer = ShaderBuffer::with_size(16 * SPHERES * meshes, RenderAssetUsages::RENDER_WORLD);
        let places = self.buffers.add(buffer);
        let looks = match material {
            Some(material) => {
                let base = self.bases.get(material).cloned().unwrap_or_default();
                let extension = Spheres { places: places.clone() };
                Ok(MeshMaterial3d(self.materials.add(SphereMaterial { base, extension })))
            }
            None => {
                let extension = SphereShadows { places: places.clone() };
                Err(MeshMaterial3d(self.shadows.add(ShadowMaterial { base: StandardMaterial::default(), extension })))
            }
        };
        let children = Vec::from_iter((0..meshes).map(|k| {
            let tag = MeshTag((k * SPHERES) as u32);
            let mut child = self.commands.spawn((Mesh3d(self.mesh.0.clone()), tag, NoFrustumCulling, ChildOf(entity)));
            match &looks {
                Ok(material) => child.insert(material.clone()),
                Err(shadows) => child.insert(shadows.clone()),
            };
            if let Some(layers) = layers {
                child.insert(layers.clone());
            }
            if k == 0 {
                child.insert(Upload::to(UploadTarget::Buffer(places.id())));
                child.insert_if(BaseMaterial(material.map_or(AssetId::invalid(), Handle::id)), || material.is_some());
            }
            child.id()
        }));
        SphereInstances { children, places }
    }

    /// Returns the commands that spawn.
    pub fn commands(&mut self) -> &mut Commands<'w, 's> {
        &mut self.commands
    }
}

/// Passes on what has changed of materials to those that extend them.
pub fn sync_materials<E: MaterialExtension>(
    mut changes: MessageReader<AssetEvent<StandardMaterial>>,
    bases: Res<Assets<StandardMaterial>>,
    mut materials: ResMut<Assets<ExtendedMaterial<StandardMaterial, E>>>,
    drawn: Query<(&BaseMaterial, &MeshMaterial3d<ExtendedMaterial<StandardMaterial, E>>)>,
) {
    for change in changes.read() {
        let (AssetEvent::Added { id } | AssetEvent::Modified { id }) = change else { continue };
        for (_, extended) in drawn.iter().filter(|(base, _)| base.0 == *id) {
            if let (Some(base), Some(mut material)) = (bases.get(*id), materials.get_mut(&extended.0)) {
                material.base = base.clone();
            }
        }
    }
}

/// Adds the mesh, the material and its shader.
pub fn build(app: &mut App) {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(spheres());
    app.insert_resource(SphereMesh(mesh));
    app.add_systems(PostUpdate, sync_materials::<Spheres>.in_set(DrawSystems::AttachMeshes));
    add_shader(app, &SHADER, include_str!("sphere.wgsl"), "xpbd/sphere.wgsl");
    app.add_plugins((MaterialPlugin::<SphereMaterial>::default(), MaterialPlugin::<ShadowMaterial>::default()));
}

/// Adds a shader of this crate.
pub fn add_shader(app: &mut App, handle: &Handle<Shader>, code: &'static str, name: &'static str) {
    if let Some(mut shaders) = app.world_mut().get_resource_mut::<Assets<Shader>>()
        && shaders.insert(handle, Shader::from_wgsl(code, name)).is_err()
    {
        warn!("particles are not drawn: the shader {name} cannot be added");
    }
}

/// As many unit spheres in one mesh as an entity draws; normals are the places of their vertices.
fn spheres() -> Mesh {
    // One subdivision of the icosahedron. It cannot fail for so few vertices.
    let sphere = Sphere::new(1.0).mesh().ico(1).unwrap_or_else(|_| Sphere::new(1.0).mesh().uv(8, 4));
    let corners = sphere.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|all| all.as_float3()).unwrap_or_default();
    let indices: Vec<u32> = sphere.indices().map_or_else(Vec::new, |list| list.iter().map(|i| i as u32).collect());
    let (points, indices) = joined(corners, &indices);
    let all = (0..SPHERES as u32).flat_map(|k| indices.iter().map(move |i| k * VERTICES as u32 + i)).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, points.repeat(SPHERES))
        .with_inserted_indices(Indices::U32(all))
}

/// Returns the vertices in one place made one, padded to as many as a sphere has.
fn joined(corners: &[[f32; 3]], indices: &[u32]) -> (Vec<[f32; 3]>, Vec<u32>) {
    let mut points: Vec<[f32; 3]> = Vec::new();
    let mut numbers = Vec::with_capacity(corners.len());
    for &corner in corners {
        let near = |point: &[f32; 3]| Vec3::from(*point).distance(corner.into()) < 1e-4;
        let number = points.iter().position(near).unwrap_or(points.len());
        if number == points.len() {
            points.push(corner);
        }
        numbers.push(number as u32);
    }
    points.resize(VERTICES, [0.0; 3]);
    (points, indices.iter().map(|&index| numbers[index as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_has_as_many_vertices_as_its_shader_thinks() {
        let mesh = spheres();
        assert_eq!(mesh.count_vertices(), SPHERES * VERTICES);
        assert_eq!(mesh.indices().map(Indices::len), Some(SPHERES * 80 * 3));
        let points = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|all| all.as_float3()).expect("positions");
        assert!(points.iter().all(|&point| (Vec3::from(point).length() - 1.0).abs() < 1e-5));
    }
}
