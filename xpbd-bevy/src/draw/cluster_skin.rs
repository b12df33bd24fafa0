//! Meshes that follow clusters.

use std::marker::PhantomData;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::Vec3A;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as Core};
use xpbd_rigid::cluster::ClusterSkin;

use super::surface::{MeshDeformer, MeshDeformerPlugin};
use crate::mesh::WeldedMesh;
use crate::object::cluster::ClusterMeshSkin;

/// A component that holds a [`ClusterMeshSkin`] of the vertices of its entity's mesh.
///
/// ```
/// use bevy::prelude::*;
/// use xpbd_bevy::draw::{ClusterSkinPlugin, HasClusterSkin};
/// use xpbd_rigid::cluster::ClusterSkin;
///
/// #[derive(Component)]
/// struct Hide(ClusterSkin);
///
/// impl HasClusterSkin for Hide {
///     fn skin(&self) -> &ClusterSkin {
///         &self.0
///     }
/// }
///
/// App::new().add_plugins(ClusterSkinPlugin::<Hide>::default());
/// ```
pub trait HasClusterSkin: Component {
    /// Returns the skin, bound to the vertices in their order.
    fn skin(&self) -> &ClusterSkin;
}

impl HasClusterSkin for ClusterMeshSkin {
    fn skin(&self) -> &ClusterSkin {
        &self.0
    }
}

/// Draws what follows skins in components of one kind.
pub struct ClusterSkinPlugin<S> {
    schedule: Interned<dyn ScheduleLabel>,
    kind: PhantomData<fn(S)>,
}

impl<S> ClusterSkinPlugin<S> {
    /// Creates the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), kind: PhantomData }
    }
}

impl<S> Default for ClusterSkinPlugin<S> {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl<S: HasClusterSkin> Plugin for ClusterSkinPlugin<S> {
    fn build(&self, app: &mut App) {
        app.add_plugins(MeshDeformerPlugin::<S>::in_schedule(self.schedule));
    }
}

/// Places are vertices, of those in one place at rest the first: they follow the same clusters.
impl<S: HasClusterSkin> MeshDeformer for S {
    fn position_indices(&self, mesh: &Mesh) -> Result<Vec<u32>, BevyError> {
        let WeldedMesh { points, vertices, .. } = WeldedMesh::from_mesh(mesh)?;
        let mut first = vec![u32::MAX; points.len()];
        let place = |(&point, vertex): (&u32, u32)| {
            let first = &mut first[point as usize];
            *first = vertex.min(*first);
            *first
        };
        Ok(vertices.particles.iter().zip(0..).map(place).collect())
    }

    fn positions(&self, world: &Core, object: ObjectHandle, places: &mut Vec<Vec3A>) -> Result<(), BevyError> {
        places.extend(self.skin().positions(world, object)?.into_iter().map(Vec3A::from));
        Ok(())
    }
}
