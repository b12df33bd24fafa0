//! The particles that the vertices of a mesh follow.

use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;

/// The vertices that an object was built from. Pins refer to them, and the mesh is drawn with them.
#[derive(Component, Debug, Clone, Default, PartialEq)]
pub struct VertexMap {
    /// The particle that each vertex follows.
    pub particles: Vec<u32>,
    /// The rest position of each vertex in the frame of the entity \[m\].
    pub rest: Vec<Vec3>,
    /// The colour of each vertex; empty if the mesh has none.
    pub colors: Vec<[f32; 4]>,
    /// The triangles of a mesh that has been torn, which has more vertices than before.
    pub torn: Option<TornMesh>,
}

impl VertexMap {
    /// Returns the vertex of the original mesh that a vertex is, or is a copy of.
    #[cfg(feature = "cloth")]
    pub(crate) fn original(&self, vertex: usize) -> usize {
        let Some(TornMesh { copies, .. }) = &self.torn else { return vertex };
        let count = self.particles.len() - copies.len();
        vertex.checked_sub(count).and_then(|copy| copies.get(copy)).map_or(vertex, |&of| of as usize)
    }
}

/// The vertices and triangles of a mesh that has been torn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TornMesh {
    /// The vertices of the original mesh that those behind them are copies of.
    pub copies: Vec<u32>,
    /// The vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// The mesh that an entity was given, kept while its [`Mesh3d`] is a deformed mesh of its own.
#[derive(Component, Debug, Clone, PartialEq)]
pub struct RestMesh {
    /// The mesh that it was given.
    pub rest: Handle<Mesh>,
    /// The deformed mesh.
    pub drawn: AssetId<Mesh>,
}

impl RestMesh {
    /// Returns the mesh that an entity was given last, by its components.
    pub(crate) fn given<'a>(mesh: Option<&'a Mesh3d>, rest: Option<&'a Self>) -> Option<&'a Handle<Mesh>> {
        match (mesh, rest) {
            (Some(mesh), Some(rest)) if mesh.id() == rest.drawn => Some(&rest.rest),
            (Some(mesh), _) => Some(&mesh.0),
            (None, rest) => rest.map(|rest| &rest.rest),
        }
    }
}

/// The skin that an entity was given, kept while its mesh is a deformed mesh of its own.
#[derive(Component, Debug, Clone)]
pub struct RestSkin(pub SkinnedMesh);
