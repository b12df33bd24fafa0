//! Rigid and soft bodies of particles, from the mesh of their entity.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::math::Pose;
pub use xpbd_rigid::ClusterSettings;
use xpbd_rigid::ClusterSkin;
pub use xpbd_rigid::cluster::ClusterOverlap;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::handle::ObjectId;
use crate::mesh::{VertexMap, WeldedMesh, nearest_points};
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};

/// A body of particles that fill the mesh of its entity ([`Mesh3d`]), at the scale of its transform, and keep its
/// shape (shape matching). The mesh is closed.
///
/// Beside it [`Pinned`](super::pin::Pinned) holds the particles nearest to vertices, and the components of a
/// [material](crate::material) apply as on any other object.
#[derive(Component, Debug, Default, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Cluster {
    /// Distance of particles \[m\]; by default the diameter of the world's particles.
    pub spacing: Option<f32>,
    /// The settings apart from its particles.
    #[deref]
    pub settings: ClusterSettings,
}

impl Cluster {
    /// Creates a rigid body of particles this far apart \[m\].
    pub fn rigid(spacing: f32) -> Self {
        Self { spacing: Some(spacing), ..Self::default() }
    }

    /// Creates a soft body of particles `spacing` \[m\] apart; its clusters are twice as far apart, and so
    /// large that they overlap by half.
    pub fn soft(spacing: f32) -> Self {
        let overlap = Some(ClusterOverlap { spacing: 2.0 * spacing, radius: 3.0 * spacing });
        Self { spacing: Some(spacing), settings: ClusterSettings { overlap, ..default() } }
    }
}

/// The mesh of a cluster, bound to its particles.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable)]
pub struct ClusterMeshSkin(pub ClusterSkin);

impl ObjectSource for Cluster {
    const NAME: &'static str = "cluster";
    const NEEDS_MESH: bool = true;

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let (scale, rotation, translation) = site.transform.to_scale_rotation_translation();
        let WeldedMesh { points, indices, mut vertices, .. } = WeldedMesh::from_mesh(mesh)?.scaled(scale);
        let spacing = self.spacing.unwrap_or(2.0 * site.settings.particle_radius);
        let mut cluster = xpbd_rigid::Cluster::from_mesh(&points, &indices, spacing)
            .name(site.name.clone())
            .at(Pose::from_parts(translation, rotation))
            .velocity(site.linear_velocity, site.angular_velocity);
        cluster.settings = self.settings.clone();
        let mut object = cluster.build()?;
        let nearest = nearest_points(&object.rest_positions, spacing, points.into_iter());
        vertices.particles.iter_mut().for_each(|point| *point = nearest[*point as usize]);
        object.pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        Ok(Some(BuiltObject::from_vertex_map(object, vertices)))
    }
}

/// Clusters: their objects, and their skins.
#[derive(Debug, Clone)]
pub struct ClusterPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for ClusterPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Cluster>();
        app.add_plugins(ObjectPlugin::<Cluster>::in_schedule(self.0));
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), bind);
        app.add_observer(unbind);
    }
}

/// A cluster whose object is new.
type NewCluster = (With<Cluster>, Changed<ObjectId>);

/// Binds the meshes of clusters that are new.
fn bind(
    mut commands: Commands,
    physics: Res<Physics>,
    clusters: Query<(Entity, &ObjectId, &VertexMap), NewCluster>,
    transforms: TransformHelper,
    mut problems: EntityErrors,
) {
    for (entity, id, vertices) in &clusters {
        let scale = transforms.compute_global_transform(entity).unwrap_or_default().scale();
        let bound: Vec<Vec3> = vertices.rest.iter().map(|&vertex| vertex * scale).collect();
        match ClusterSkin::bind(physics.world(), id.handle(), &bound) {
            Ok(skin) => {
                commands.entity(entity).try_insert(ClusterMeshSkin(skin));
            }
            Err(problem) => problems.report(entity, "skin of a cluster", problem),
        }
    }
}

fn unbind(removed: On<Remove, Cluster>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<ClusterMeshSkin>();
}
