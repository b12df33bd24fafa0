//! Soft bodies, from the mesh of their entity.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::Affine3A;
use bevy::prelude::*;
pub use xpbd_cloth::SoftBodySettings;
use xpbd_cloth::TetraMesh;
use xpbd_cloth::tetra_mesh::Skin;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::WeldedMesh;

/// A soft body: an elastic material that fills the mesh of its entity ([`Mesh3d`]), at the scale of its transform, as
/// a lattice of tetrahedra whose border lies on the mesh. The mesh is closed.
///
/// Beside it [`Pinned`](super::pin::Pinned) holds the nodes of the lattice nearest to vertices, and the components of a
/// [material](crate::material) apply as on any other object. Its nodes collide: those on the border follow the mesh to a few
/// hundredths of a cell, and cut off its sharp corners.
#[derive(Component, Debug, Default, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct SoftBody {
    /// Size of the cells of the lattice \[m\]; by default an eighth of the longest side of the mesh.
    pub cell: Option<f32>,
    /// The settings apart from its mesh.
    #[deref]
    pub settings: SoftBodySettings,
}

/// The mesh of a soft body, embedded in its tetrahedra.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable)]
pub struct SoftBodyMeshSkin(pub Skin);

impl ObjectSource for SoftBody {
    const NAME: &'static str = "soft body";
    const NEEDS_MESH: bool = true;

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let (scale, rotation, translation) = site.transform.to_scale_rotation_translation();
        let WeldedMesh { points, indices, mut vertices, .. } = WeldedMesh::from_mesh(mesh)?.scaled(scale);
        let (low, high) = points.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        let cell = self.cell.unwrap_or((high - low).max_element() / 8.0);
        let (lattice, skin) = TetraMesh::lattice(&xpbd_cloth::Mesh::new(&points, &indices)?, cell)?;
        let nearest: Vec<u32> = skin.bindings().map(|(nodes, weights)| heaviest(nodes, weights)).collect();
        vertices.particles.iter_mut().for_each(|point| *point = nearest[*point as usize]);
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let body = xpbd_cloth::SoftBody { settings: self.settings.clone(), ..xpbd_cloth::SoftBody::new(&lattice) };
        let pose = Affine3A::from_rotation_translation(rotation, translation);
        let mut object = body.name(site.name.clone()).transform(pose).pin(pins).build()?;
        let (linear, angular) = (site.linear_velocity, site.angular_velocity);
        object.velocities = object.positions.iter().map(|&x| linear + angular.cross(x - translation)).collect();
        Ok(Some(BuiltObject::from_vertex_map(object, vertices).with(SoftBodyMeshSkin(skin))))
    }
}

/// Returns the node that has the most weight.
fn heaviest(nodes: [u32; 4], weights: [f32; 4]) -> u32 {
    let most = nodes.into_iter().zip(weights).max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(nodes[0], |(node, _)| node)
}

/// Soft bodies: their objects, and their skins.
#[derive(Debug, Clone)]
pub struct SoftBodyPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for SoftBodyPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<SoftBody>();
        app.add_plugins(ObjectPlugin::<SoftBody>::in_schedule(self.0));
        app.add_observer(|removed: On<Remove, SoftBody>, mut commands: Commands| {
            commands.entity(removed.entity).try_remove::<SoftBodyMeshSkin>();
        });
    }
}
