//! Triangle meshes for cloth: an oriented surface with its edges, checked once.

pub mod edges;
pub mod error;
pub mod geodesic;

pub use edges::{Edge, Flap};
pub use error::MeshError;

use std::collections::HashMap;

use glam::{DVec3, Vec3};

/// The smallest area of a triangle as a part of the square of its longest edge; a smaller one is rounding.
const SMALLEST_AREA: f64 = 1e-6;

/// An oriented triangle mesh, with or without boundary, in which every vertex is used. It may have
/// several parts.
///
/// The edges are in the order in which the triangles first run through them, each in the direction
/// of that first triangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    areas: Vec<f64>,
    edges: Vec<Edge>,
}

impl Mesh {
    /// Creates a mesh from vertex positions \[m\] and three vertex indices per triangle.
    ///
    /// # Errors
    /// The first element at fault, in the order of the variants of [`MeshError`].
    pub fn new(positions: &[Vec3], indices: &[u32]) -> Result<Self, MeshError> {
        if positions.is_empty() || indices.is_empty() {
            return Err(MeshError::Empty { vertices: positions.len(), indices: indices.len() });
        }
        check_positions(positions)?;
        let (triangles, rest) = indices.as_chunks();
        if !rest.is_empty() {
            return Err(MeshError::IndexCount(indices.len()));
        }
        check_indices(positions.len(), triangles)?;
        check_distinct(positions)?;
        let areas = areas(positions, triangles)?;
        let edges = edges::find(positions.len(), triangles)?;
        check_used(positions.len(), triangles)?;
        Ok(Self { positions: positions.to_vec(), triangles: triangles.to_vec(), areas, edges })
    }

    /// Creates a mesh from vertex positions \[m\] and triangles.
    ///
    /// # Errors
    /// Those of [`Mesh::new`].
    pub fn from_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        Self::new(positions, triangles.as_flattened())
    }

    /// Returns the vertex positions \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Returns the vertices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the pairs of triangles that share an edge, in the order of the edges.
    pub fn flaps(&self) -> impl Iterator<Item = Flap> {
        self.edges.iter().filter_map(Edge::flap)
    }

    /// Returns the area of each triangle \[m²\].
    pub fn triangle_areas(&self) -> impl Iterator<Item = f32> {
        self.areas.iter().map(|&area| area as f32)
    }

    /// Returns the area \[m²\] that belongs to each vertex, a third of that of its triangles.
    pub fn vertex_areas(&self) -> Vec<f32> {
        let mut sums = vec![0.0; self.positions.len()];
        for (triangle, area) in self.triangles.iter().zip(&self.areas) {
            triangle.iter().for_each(|&vertex| sums[vertex as usize] += area / 3.0);
        }
        sums.into_iter().map(|area| area as f32).collect()
    }

    /// Returns the area of the whole mesh \[m²\].
    pub fn area(&self) -> f32 {
        self.areas.iter().sum::<f64>() as f32
    }

    /// Returns the edges with a triangle on one side only. A closed mesh has none.
    pub fn boundary(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| edge.second.is_none())
    }

    /// Returns the volume \[m³\] that a closed mesh encloses, negative if it faces inwards.
    pub fn volume(&self) -> f64 {
        volume(&self.positions, &self.triangles)
    }

    /// Returns the positions \[m\] of these vertices.
    pub fn at<const N: usize>(&self, vertices: [u32; N]) -> [Vec3; N] {
        vertices.map(|vertex| self.positions[vertex as usize])
    }
}

/// Returns the volume \[m³\] that a closed surface encloses, negative if its triangles face inwards:
/// ⅙ Σ x₀·(x₁ × x₂), relative to the first vertex.
///
/// # Panics
/// A triangle names a vertex that does not exist.
pub fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let at = |vertex: u32| positions[vertex as usize].as_dvec3() - positions[0].as_dvec3();
    triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c)))).sum::<f64>() / 6.0
}

fn check_positions(positions: &[Vec3]) -> Result<(), MeshError> {
    match positions.iter().position(|position| !position.is_finite()) {
        Some(vertex) => Err(MeshError::Position { vertex: vertex as u32, position: positions[vertex] }),
        None => Ok(()),
    }
}

fn check_indices(vertices: usize, triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    for (triangle, &corners) in triangles.iter().enumerate() {
        let triangle = triangle as u32;
        if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices) {
            return Err(MeshError::Index { triangle, index, vertices });
        }
        let [a, b, c] = corners;
        if a == b || a == c || b == c {
            return Err(MeshError::Repeated { triangle, vertex: if b == c { b } else { a } });
        }
    }
    Ok(())
}

fn check_distinct(positions: &[Vec3]) -> Result<(), MeshError> {
    let mut known = HashMap::with_capacity(positions.len());
    for (vertex, position) in positions.iter().enumerate() {
        let second = vertex as u32;
        let bits = (*position + Vec3::ZERO).to_array().map(f32::to_bits);
        if let Some(first) = known.insert(bits, second) {
            return Err(MeshError::Duplicate { first, second });
        }
    }
    Ok(())
}

fn check_used(vertices: usize, triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    let mut used = vec![false; vertices];
    triangles.as_flattened().iter().for_each(|&vertex| used[vertex as usize] = true);
    match used.iter().position(|&used| !used) {
        Some(vertex) => Err(MeshError::Isolated { vertex: vertex as u32 }),
        None => Ok(()),
    }
}

fn areas(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<f64>, MeshError> {
    let area = |(triangle, corners): (usize, &[u32; 3])| {
        let [a, b, c] = corners.map(|vertex| positions[vertex as usize].as_dvec3());
        let longest = [a - b, b - c, c - a].map(DVec3::length_squared).into_iter().fold(0.0, f64::max);
        let area = 0.5 * (b - a).cross(c - a).length();
        if area > SMALLEST_AREA * longest {
            Ok(area)
        } else {
            Err(MeshError::ZeroArea { triangle: triangle as u32, vertices: *corners })
        }
    };
    triangles.iter().enumerate().map(area).collect()
}
