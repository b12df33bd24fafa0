//! Vertices as the renderer keeps them.

use bevy::asset::RenderAssetUsages;
use bevy::math::Vec3A;
use bevy::mesh::{PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;

/// The vertices of a mesh, interleaved, of which positions and normals change.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedVertices {
    /// At rest.
    rest: Vec<u8>,
    /// Number of bytes of a vertex.
    pub stride: usize,
    /// Offset of the position in a vertex \[bytes\].
    pub position: usize,
    /// Offset of the normal in a vertex \[bytes\].
    pub normal: usize,
}

impl PackedVertices {
    /// Returns a mesh for the renderer alone, with normals, and its vertices.
    pub fn new(mesh: &Mesh) -> Result<(Mesh, Self), BevyError> {
        if mesh.primitive_topology() != PrimitiveTopology::TriangleList {
            return Err("its mesh is not a list of triangles".into());
        }
        let is_triple = |attribute| {
            mesh.try_attribute_option(attribute)
                .map(|values| matches!(values, Some(VertexAttributeValues::Float32x3(_))))
        };
        if !is_triple(Mesh::ATTRIBUTE_POSITION)? {
            return Err("its mesh has no positions of three numbers each".into());
        }
        let mut own = mesh.clone();
        own.asset_usage = RenderAssetUsages::RENDER_WORLD;
        // Its joints have no part in it.
        own.try_remove_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok();
        own.try_remove_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT).ok();
        if !is_triple(Mesh::ATTRIBUTE_NORMAL)? {
            own.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 1.0, 0.0]; mesh.count_vertices()]);
        }
        let (mut stride, mut position, mut normal) = (0, 0, 0);
        // Attributes come in the order in which they are interleaved.
        for (attribute, _) in own.attributes() {
            if attribute.id == Mesh::ATTRIBUTE_POSITION.id {
                position = stride;
            } else if attribute.id == Mesh::ATTRIBUTE_NORMAL.id {
                normal = stride;
            }
            stride += attribute.format.size() as usize;
        }
        if stride % 4 != 0 {
            return Err("its mesh has vertices that are not a multiple of four bytes long".into());
        }
        let rest = own.create_packed_vertex_buffer_data();
        Ok((own, Self { rest, stride, position, normal }))
    }

    /// Returns how many vertices there are.
    #[cfg(feature = "gpu")]
    pub fn vertices(&self) -> usize {
        self.rest.len() / self.stride
    }

    /// Returns the bytes of vertices at these places with these normals.
    pub fn write(&self, vertices: impl Iterator<Item = (Vec3A, Vec3A)>, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&self.rest);
        let put = |bytes: &mut [u8], at: usize, value: Vec3A| {
            bytes[at..at + 12].copy_from_slice(bytemuck::bytes_of(&value.to_array()));
        };
        for (vertex, (place, normal)) in bytes.chunks_exact_mut(self.stride).zip(vertices) {
            put(vertex, self.position, place);
            put(vertex, self.normal, normal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_bevy_would() {
        let mut mesh = Sphere::new(1.0).mesh().uv(8, 6);
        mesh.remove_attribute(Mesh::ATTRIBUTE_NORMAL);
        let (own, packed) = PackedVertices::new(&mesh).expect("a mesh");
        let changed: Vec<[f32; 3]> = (0..own.count_vertices()).map(|k| [k as f32, 0.5, -1.0]).collect();
        let normals: Vec<[f32; 3]> = (0..own.count_vertices()).map(|k| [0.0, k as f32, 2.0]).collect();
        let mut bytes = Vec::new();
        let vertices = changed.iter().zip(&normals).map(|(&place, &normal)| (place.into(), normal.into()));
        packed.write(vertices, &mut bytes);
        let mut expected = own;
        expected.insert_attribute(Mesh::ATTRIBUTE_POSITION, changed);
        expected.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals);
        assert_eq!(bytes, expected.create_packed_vertex_buffer_data());
        assert_eq!((packed.stride, packed.position, packed.normal), (32, 0, 12));
    }

    #[test]
    fn a_mesh_of_lines_is_refused() {
        let mesh = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default());
        assert!(PackedVertices::new(&mesh).is_err());
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        assert!(PackedVertices::new(&mesh).is_err());
    }
}
