//! Vertices that follow particles, also those of meshes that have come apart.

use bevy::math::Vec3A;
use bevy::mesh::Indices;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as Core};

use super::surface::MeshDeformer;
use crate::mesh::{TornMesh, VertexMap};

impl MeshDeformer for VertexMap {
    fn position_indices(&self, mesh: &Mesh) -> Result<Vec<u32>, BevyError> {
        if self.particles.len() == mesh.count_vertices() {
            return Ok(self.particles.clone());
        }
        let (found, expected) = (mesh.count_vertices(), self.particles.len());
        Err(format!("its mesh has {found} vertices where {expected} follow particles").into())
    }

    fn replacement_mesh(&self, mesh: &Mesh) -> Result<Option<Mesh>, BevyError> {
        let Some(TornMesh { copies, triangles }) = &self.torn else { return Ok(None) };
        let count = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?.len();
        if count + copies.len() != self.particles.len() {
            return Ok(None);
        }
        let mut torn = mesh.clone();
        // Vertices come as often as indices name them.
        torn.insert_indices(Indices::U32((0..count as u32).chain(copies.iter().copied()).collect()));
        torn.try_duplicate_vertices()?;
        torn.insert_indices(Indices::U32(triangles.as_flattened().to_vec()));
        Ok(Some(torn))
    }

    fn positions(&self, world: &Core, object: ObjectHandle, places: &mut Vec<Vec3A>) -> Result<(), BevyError> {
        places.extend(world.packed_positions(object)?.iter().map(|&packed| Vec3A::from_vec4(packed)));
        Ok(())
    }
}
