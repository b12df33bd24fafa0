//! Colliders from meshes.

use bevy::prelude::*;
use xpbd_core::collide::DecompositionSettings;

use super::Collider;
use crate::mesh::WeldedMesh;
use crate::report::EntityErrors;

/// Makes a [`Collider`] beside it from the mesh of the entity ([`Mesh3d`]), once that is loaded.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub enum ColliderFromMesh {
    /// Its triangles: solid if it is closed, with two sides otherwise.
    #[default]
    Triangles,
    /// The convex hull of the mesh.
    ConvexHull,
    /// Convex parts that it is divided into, for bodies that move.
    ConvexDecomposition,
}

/// The mesh that a collider has been built from.
#[derive(Component)]
pub(super) struct Made(ColliderFromMesh, AssetId<Mesh>);

pub(super) fn load(
    mut commands: Commands,
    wanted: Query<(Entity, &ColliderFromMesh, &Mesh3d, Option<&Made>)>,
    meshes: Option<Res<Assets<Mesh>>>,
    mut problems: EntityErrors,
) {
    let Some(meshes) = meshes else { return };
    for (entity, &kind, mesh, made) in &wanted {
        let id = mesh.0.id();
        if made.is_some_and(|made| made.0 == kind && made.1 == id) {
            continue;
        }
        let Some(mesh) = meshes.get(id) else { continue };
        let collider = match kind {
            ColliderFromMesh::Triangles => triangles(mesh),
            ColliderFromMesh::ConvexHull => hull(mesh),
            ColliderFromMesh::ConvexDecomposition => convex_parts(mesh),
        };
        let mut entity = commands.entity(entity);
        entity.try_insert(Made(kind, id));
        match collider {
            Ok(collider) => {
                entity.try_insert(collider);
            }
            Err(problem) => {
                problems.report(entity.id(), "collider from its mesh", problem);
                entity.try_remove::<Collider>();
            }
        }
    }
}

pub(super) fn unload(removed: On<Remove, ColliderFromMesh>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(Collider, Made)>();
}

pub(super) fn triangles(mesh: &Mesh) -> Result<Collider, BevyError> {
    let WeldedMesh { points, indices, .. } = WeldedMesh::from_mesh(mesh)?;
    Ok(Collider::triangles(&points, indices.as_chunks().0)?)
}

fn convex_parts(mesh: &Mesh) -> Result<Collider, BevyError> {
    let WeldedMesh { points, indices, .. } = WeldedMesh::from_mesh(mesh)?;
    Ok(Collider::convex_decomposition(&points, indices.as_chunks().0, DecompositionSettings::default())?)
}

pub(super) fn hull(mesh: &Mesh) -> Result<Collider, BevyError> {
    let WeldedMesh { points, .. } = WeldedMesh::from_mesh(mesh)?;
    Ok(Collider::convex_hull(&points).ok_or("its vertices lie in one plane, or are not finite")?)
}
