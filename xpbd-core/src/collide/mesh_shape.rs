//! Triangle meshes for collision `[m]`: closed and solid, open with two sides, or divided into convex parts.

mod decomposition;

pub use decomposition::{DecompositionSettings, convex_decomposition};

use glam::Vec3;
use parry3d::shape::{SharedShape, TriMesh, TriMeshFlags};

/// A reason why a set of triangles is no collision mesh.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No triangle is left once those with two equal corners are gone.
    #[error("the mesh has no triangle with three different corners")]
    Empty,
    /// A position is not finite.
    #[error("vertex {vertex} is not finite")]
    Position {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {vertex}, which does not exist")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The index it holds.
        vertex: u32,
    },
    /// An edge has more triangles on one side than on the other.
    #[error(
        "edge {}-{} of triangle {triangle} has no neighbour of the same orientation: \
         the mesh is not closed",
        edge[0], edge[1]
    )]
    Open {
        /// A triangle at the edge.
        triangle: usize,
        /// The vertices of the edge, by the lowest index at their positions.
        edge: [u32; 2],
    },
    /// The faces are clockwise seen from outside, or the mesh encloses nothing.
    #[error("the mesh is inside out or flat: it encloses {volume} m³")]
    InsideOut {
        /// Enclosed volume `[m³]`.
        volume: f64,
    },
}

/// Returns a closed mesh with an inside, counter-clockwise seen from outside; positions in `[m]`.
///
/// Vertices at equal positions count as one and triangles with two equal corners are left out. The
/// mesh is marked as oriented, so that it has the pseudo-normals which tell inside from outside.
///
/// # Errors
/// See [`MeshError`]; the error names the element. A mesh with a hole can be an [`open_mesh`].
pub fn solid_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<SharedShape, MeshError> {
    check(positions, triangles)?;
    let same = merge(positions);
    let merged: Vec<_> = triangles.iter().map(|t| t.map(|v| same[v as usize])).collect();
    if !merged.iter().any(proper) {
        return Err(MeshError::Empty);
    }
    check_closed(&merged)?;
    let volume = volume(positions, &merged);
    if volume <= 0.0 {
        return Err(MeshError::InsideOut { volume });
    }
    build(positions, &merged, TriMeshFlags::ORIENTED)
}

/// Returns a surface with two sides and no inside; positions in `[m]`.
///
/// # Errors
/// See [`MeshError`]; the error names the element.
pub fn open_mesh(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<SharedShape, MeshError> {
    check(positions, triangles)?;
    build(positions, triangles, TriMeshFlags::empty())
}

fn check(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
        return Err(MeshError::Position { vertex });
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(MeshError::Index { triangle, vertex });
        }
    }
    Ok(())
}

fn build(positions: &[Vec3], triangles: &[[u32; 3]], flags: TriMeshFlags) -> Result<SharedShape, MeshError> {
    let kept = triangles.iter().copied().filter(proper).collect();
    TriMesh::with_flags(positions.to_vec(), kept, flags).map(SharedShape::new).map_err(|_| MeshError::Empty)
}

fn proper(t: &[u32; 3]) -> bool {
    t[0] != t[1] && t[1] != t[2] && t[2] != t[0]
}

/// Returns for each vertex the lowest index of a vertex at the same position.
fn merge(positions: &[Vec3]) -> Vec<u32> {
    let key = |v: u32| (positions[v as usize] + 0.0).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut same = vec![0; positions.len()];
    for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &v in group {
            same[v as usize] = group[0];
        }
    }
    same
}

/// Checks that every edge is used as often in one direction as in the other.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (triangle, t) in triangles.iter().enumerate().filter(|(_, t)| proper(t)) {
        for i in 0..3 {
            let (a, b) = (t[i], t[(i + 1) % 3]);
            let turn = if a < b { 1 } else { -1 };
            edges.push(([a.min(b), a.max(b)], triangle, turn));
        }
    }
    edges.sort_unstable();
    for side in edges.chunk_by(|a, b| a.0 == b.0) {
        if side.iter().map(|e| e.2).sum::<i32>() != 0 {
            let (edge, triangle, _) = side[0];
            return Err(MeshError::Open { triangle, edge });
        }
    }
    Ok(())
}

/// Returns the enclosed volume `[m³]`, computed from the first position in double precision.
fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let origin = positions.first().copied().unwrap_or_default().as_dvec3();
    let at = |v: u32| positions[v as usize].as_dvec3() - origin;
    let six: f64 = triangles.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2])))).sum();
    six / 6.0
}

#[cfg(test)]
mod tests;
