//! Soft bodies, from the mesh of their entity.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::Affine3A;
use bevy::prelude::*;
use xpbd_cloth::tetra_mesh::Skin;
use xpbd_cloth::{Elasticity, TetraMesh};
use xpbd_core::plasticity::Plasticity;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::WeldedMesh;

/// A soft body: an elastic material that fills the mesh of its entity ([`Mesh3d`]), at the scale of its transform, as
/// a lattice of tetrahedra that the mesh is embedded in. The mesh is closed.
///
/// Beside it [`Pinned`](super::pin::Pinned) holds the nodes of the lattice nearest to vertices, and
/// [`Friction`](crate::material::Friction), [`CollisionLayers`](crate::material::CollisionLayers),
/// [`GravityScale`](crate::material::GravityScale) and [`LinearVelocity`](crate::material::LinearVelocity) apply as on any
/// other object. Its nodes collide, which are up to a cell outside of the mesh.
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct SoftBody {
    /// Size of the cells of the lattice \[m\]; an eighth of the longest side of the mesh if nothing is said.
    pub cell: Option<f32>,
    /// Density \[kg/m³\].
    pub density: f32,
    /// Resistance to deformation.
    pub elasticity: Elasticity,
    /// Bulk modulus of a constraint on the volume of every tetrahedron, on top of the material's \[Pa\].
    pub volume_bulk_modulus: Option<f32>,
    /// Plasticity; a material of fibres has none.
    pub plasticity: Option<Plasticity>,
    /// Damping time \[s\].
    pub damping_time: f32,
    /// Linear damping \[1/s\]: the part of the velocity that is lost in a second.
    pub linear_damping: f32,
    /// True if it collides with itself.
    pub self_collision: bool,
}

/// A jelly that stands.
impl Default for SoftBody {
    fn default() -> Self {
        Self {
            cell: None,
            density: 1000.0,
            elasticity: Elasticity::default(),
            volume_bulk_modulus: None,
            plasticity: None,
            damping_time: 0.0,
            linear_damping: 0.0,
            self_collision: false,
        }
    }
}

/// The mesh of a soft body, embedded in its tetrahedra.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable)]
pub struct SoftBodyMeshSkin(pub Skin);

impl ObjectSource for SoftBody {
    const NAME: &'static str = "soft body";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let WeldedMesh { points, mut indices, mut vertices, .. } = WeldedMesh::from_mesh(mesh)?;
        let (scale, rotation, translation) = site.transform.to_scale_rotation_translation();
        if scale.x * scale.y * scale.z < 0.0 {
            // The mirror image of a mesh has its faces the other way round.
            indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let points: Vec<Vec3> = points.into_iter().map(|point| point * scale).collect();
        let (low, high) = points.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        let cell = self.cell.unwrap_or((high - low).max_element() / 8.0);
        let (lattice, skin) = TetraMesh::lattice(&xpbd_cloth::Mesh::new(&points, &indices)?, cell)?;
        let nearest: Vec<u32> = skin.bindings().map(|(nodes, weights)| heaviest(nodes, weights)).collect();
        vertices.particles.iter_mut().for_each(|point| *point = nearest[*point as usize]);
        let mut body = xpbd_cloth::SoftBody::new(&lattice)
            .name(site.name.clone())
            .transform(Affine3A::from_rotation_translation(rotation, translation))
            .density(self.density)
            .elasticity(self.elasticity)
            .damping_time(self.damping_time)
            .linear_damping(self.linear_damping)
            .self_collision(self.self_collision)
            .pin(site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices)));
        if let Some(bulk) = self.volume_bulk_modulus {
            body = body.volume_bulk_modulus(bulk);
        }
        if let Some(plasticity) = self.plasticity {
            body = body.plasticity(plasticity);
        }
        let mut object = body.build()?;
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
