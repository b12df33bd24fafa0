//! The mesh and the material of spheres.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Indices, MeshTag, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::pbr::{ExtendedMaterial, MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::prelude::*;
use bevy::render::render_resource::{AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError};
use bevy::render::storage::ShaderBuffer;
use bevy::shader::ShaderRef;

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
        let count = bevy::shader::ShaderDefVal::UInt("SPHERE_VERTICES".into(), VERTICES as u32);
        descriptor.vertex.shader_defs.push(count);
        Ok(())
    }
}

/// The mesh that all spheres share.
#[derive(Resource)]
struct SphereMesh(Handle<Mesh>);

/// The material that an entity's spheres were given.
#[derive(Component)]
struct BaseMaterial(AssetId<StandardMaterial>);

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
    bases: Res<'w, Assets<StandardMaterial>>,
}

impl<'w, 's> SphereSpawner<'w, 's> {
    /// Spawns children of an entity for this many spheres.
    pub fn spawn(
        &mut self,
        entity: Entity,
        count: usize,
        material: &Handle<StandardMaterial>,
        layers: Option<&RenderLayers>,
    ) -> SphereInstances {
        let meshes = count.div_ceil(SPHERES);
        let buffer = ShaderBuffer::with_size(16 * SPHERES * meshes, RenderAssetUsages::RENDER_WORLD);
        let places = self.buffers.add(buffer);
        let base = self.bases.get(material).cloned().unwrap_or_default();
        let of_spheres = SphereMaterial { base, extension: Spheres { places: places.clone() } };
        let of_spheres = self.materials.add(of_spheres);
        let children = Vec::from_iter((0..meshes).map(|k| {
            let tag = MeshTag((k * SPHERES) as u32);
            let looks = (Mesh3d(self.mesh.0.clone()), MeshMaterial3d(of_spheres.clone()), tag);
            let mut child = self.commands.spawn((looks, NoFrustumCulling, ChildOf(entity)));
            if let Some(layers) = layers {
                child.insert(layers.clone());
            }
            if k == 0 {
                child.insert((Upload::to(UploadTarget::Buffer(places.id())), BaseMaterial(material.id())));
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

/// Passes on what has changed of materials.
fn sync_materials(
    mut changes: MessageReader<AssetEvent<StandardMaterial>>,
    bases: Res<Assets<StandardMaterial>>,
    mut materials: ResMut<Assets<SphereMaterial>>,
    spheres: Query<(&BaseMaterial, &MeshMaterial3d<SphereMaterial>)>,
) {
    for change in changes.read() {
        let (AssetEvent::Added { id } | AssetEvent::Modified { id }) = change else { continue };
        for (_, of_spheres) in spheres.iter().filter(|(base, _)| base.0 == *id) {
            if let (Some(base), Some(mut material)) = (bases.get(*id), materials.get_mut(&of_spheres.0)) {
                material.base = base.clone();
            }
        }
    }
}

/// Adds the mesh, the material and its shader.
pub fn build(app: &mut App) {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(spheres());
    app.insert_resource(SphereMesh(mesh));
    app.add_systems(PostUpdate, sync_materials.in_set(DrawSystems::AttachMeshes));
    if let Some(mut shaders) = app.world_mut().get_resource_mut::<Assets<Shader>>() {
        let shader = Shader::from_wgsl(include_str!("sphere.wgsl"), "xpbd/sphere.wgsl");
        if shaders.insert(&SHADER, shader).is_err() {
            warn!("particles are not drawn: their shader cannot be added");
        }
    }
    app.add_plugins(MaterialPlugin::<SphereMaterial>::default());
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
