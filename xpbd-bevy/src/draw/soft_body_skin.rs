//! Meshes that are embedded in soft bodies.

use bevy::math::Vec3A;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as PhysicsWorld};

use super::surface::MeshDeformer;
use crate::mesh::WeldedMesh;
use crate::object::soft_body::SoftBodyMeshSkin;

impl MeshDeformer for SoftBodyMeshSkin {
    fn position_indices(&self, mesh: &Mesh) -> Result<Vec<u32>, BevyError> {
        let WeldedMesh { points, vertices, .. } = WeldedMesh::from_mesh(mesh)?;
        match self.0.bindings().len() {
            bound if bound == points.len() => Ok(vertices.particles),
            bound => Err(format!("its mesh has {} places where {bound} are embedded", points.len()).into()),
        }
    }

    fn bindings(&self) -> Option<Vec<([u32; 4], [f32; 4])>> {
        Some(self.0.bindings().collect())
    }

    fn positions(&self, world: &PhysicsWorld, object: ObjectHandle, places: &mut Vec<Vec3A>) -> Result<(), BevyError> {
        let nodes: Vec<Vec3> = world.positions(object)?.collect();
        places.extend(self.0.positions(&nodes)?.into_iter().map(Vec3A::from));
        Ok(())
    }
}
