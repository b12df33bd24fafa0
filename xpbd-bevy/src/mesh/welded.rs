//! Meshes whose vertices at one position are one particle.

mod positions;

use bevy::mesh::{PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;

use super::vertex_map::VertexMap;

/// A mesh whose vertices at one position are merged into one point, also at creases and at the seams of its texture, where those of
/// Bevy's own meshes are apart by the rounding of a sine.
#[derive(Debug, Clone, PartialEq)]
pub struct WeldedMesh {
    /// The distinct positions \[m\], in the order of the vertices.
    pub points: Vec<Vec3>,
    /// Three points for each triangle. Triangles with a point twice are left out.
    pub indices: Vec<u32>,
    /// The vertices of the mesh at the corners of these triangles.
    pub vertex_indices: Vec<u32>,
    /// The vertices of the mesh, each with its point as particle.
    pub vertices: VertexMap,
}

impl WeldedMesh {
    /// Merges the vertices of a mesh.
    ///
    /// # Errors
    /// The mesh is not a list of triangles, has no positions, or has an index that names no vertex.
    pub fn from_mesh(mesh: &Mesh) -> Result<Self, BevyError> {
        let topology = mesh.primitive_topology();
        if topology != PrimitiveTopology::TriangleList {
            return Err(format!("its mesh is a {topology:?}; it must be a TriangleList").into());
        }
        let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?.as_float3();
        let positions = positions.ok_or("the positions of the mesh must be vectors of three numbers")?;
        let (points, particles) = positions::merged(positions);
        let corners: Vec<u32> = match mesh.indices() {
            Some(indices) => indices.iter().map(|i| i as u32).collect(),
            None => (0..positions.len() as u32).collect(),
        };
        let (mut indices, mut left) = (Vec::with_capacity(corners.len()), Vec::with_capacity(corners.len()));
        for (k, triangle) in corners.chunks_exact(3).enumerate() {
            let at: Option<Vec<u32>> = triangle.iter().map(|&i| particles.get(i as usize).copied()).collect();
            let at = at.ok_or_else(|| {
                format!("triangle {k} of the mesh, {triangle:?}, names a vertex that it does not have")
            })?;
            if at[0] != at[1] && at[1] != at[2] && at[2] != at[0] {
                indices.extend(at);
                left.extend_from_slice(triangle);
            }
        }
        let colors = match mesh.try_attribute_option(Mesh::ATTRIBUTE_COLOR) {
            Ok(Some(VertexAttributeValues::Float32x4(colors))) => colors.clone(),
            _ => Vec::new(),
        };
        let rest = positions.iter().copied().map(Vec3::from).collect();
        let vertices = VertexMap { particles, rest, colors, torn: None };
        Ok(Self { points, indices, vertex_indices: left, vertices })
    }

    /// Scales the points. Where the scale mirrors them, the triangles get the other orientation, so that they face outwards.
    #[must_use]
    pub fn scaled(mut self, scale: Vec3) -> Self {
        self.points.iter_mut().for_each(|point| *point *= scale);
        if scale.x * scale.y * scale.z < 0.0 {
            self.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        self
    }

    /// Returns each edge of a triangle once, the lower point first, in order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let sides = self.indices.chunks_exact(3).flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

#[cfg(test)]
mod tests {
    use bevy::asset::RenderAssetUsages;

    use super::*;

    #[test]
    fn a_mesh_that_is_no_list_of_triangles_is_refused_by_name() {
        let strip = Mesh::new(PrimitiveTopology::TriangleStrip, RenderAssetUsages::default());
        let strip = strip.with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0, 0.0, 0.0]; 6]);
        let error = WeldedMesh::from_mesh(&strip).unwrap_err().to_string();
        assert!(error.contains("TriangleStrip") && error.contains("TriangleList"), "{error}");
    }
}
