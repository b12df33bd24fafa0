//! Tetrahedral meshes, which are given, read from files, or created inside a closed surface that is their skin.

pub mod error;
pub mod lattice;
pub mod skin;
pub mod tetgen;

mod boundary;
mod cell_block;
mod cells;

pub use error::TetraError;
pub use lattice::LatticeError;
pub use skin::{Skin, SkinError};
pub use tetgen::TetgenError;

use std::collections::HashMap;

use glam::Vec3;

use crate::constraint::tetra::volume;

/// The smallest volume of a tetrahedron relative to the cube of its longest edge; a smaller one is rounding.
const SMALLEST_VOLUME: f64 = 1e-7;

/// A mesh of tetrahedra in which every vertex is used. It may have several parts.
///
/// Of a tetrahedron's vertices the last is on the side to which (x₁ − x₀) × (x₂ − x₀) points:
///
/// ```text
///      3
///     /|\
///    / | \
///   0--|--2
///    \ | /
///      1
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TetraMesh {
    positions: Vec<Vec3>,
    tetrahedra: Vec<[u32; 4]>,
    surface: Vec<[u32; 3]>,
}

impl TetraMesh {
    /// Creates a mesh from vertex positions \[m\] and four vertex indices per tetrahedron.
    ///
    /// # Errors
    /// The first element at fault, in the order of the variants of [`TetraError`].
    pub fn new(positions: &[Vec3], indices: &[u32]) -> Result<Self, TetraError> {
        if positions.is_empty() || indices.is_empty() {
            return Err(TetraError::Empty { vertices: positions.len(), indices: indices.len() });
        }
        if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
            return Err(TetraError::Position { vertex: vertex as u32, position: positions[vertex] });
        }
        let (tetrahedra, rest) = indices.as_chunks();
        if !rest.is_empty() {
            return Err(TetraError::IndexCount(indices.len()));
        }
        check_indices(positions.len(), tetrahedra)?;
        check_distinct(positions)?;
        check_volumes(positions, tetrahedra)?;
        let surface = boundary::find(tetrahedra)?;
        check_used(positions.len(), tetrahedra)?;
        Ok(Self { positions: positions.to_vec(), tetrahedra: tetrahedra.to_vec(), surface })
    }

    /// Creates a mesh from vertex positions \[m\] and tetrahedra.
    ///
    /// # Errors
    /// Those of [`TetraMesh::new`].
    pub fn from_tetrahedra(positions: &[Vec3], tetrahedra: &[[u32; 4]]) -> Result<Self, TetraError> {
        Self::new(positions, tetrahedra.as_flattened())
    }

    /// Returns the vertex positions \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Returns the vertices of each tetrahedron.
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// Returns the triangles that belong to one tetrahedron alone, counter-clockwise from outside, in the order of the
    /// tetrahedra: for drawing. Their vertices are those of the mesh, most of which are inside.
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.surface
    }

    /// Returns the volume of each tetrahedron \[m³\].
    pub fn volumes(&self) -> impl Iterator<Item = f32> {
        self.tetrahedra.iter().map(|&tetrahedron| volume(self.at(tetrahedron)) as f32)
    }

    /// Returns the volume of the whole mesh \[m³\].
    pub fn volume(&self) -> f32 {
        self.tetrahedra.iter().map(|&tetrahedron| volume(self.at(tetrahedron))).sum::<f64>() as f32
    }

    /// Returns the volume that belongs to each vertex \[m³\]: a quarter of that of its tetrahedra.
    pub fn vertex_volumes(&self) -> Vec<f32> {
        let mut sums = vec![0.0; self.positions.len()];
        for &tetrahedron in &self.tetrahedra {
            let share = 0.25 * volume(self.at(tetrahedron));
            tetrahedron.iter().for_each(|&vertex| sums[vertex as usize] += share);
        }
        sums.into_iter().map(|volume| volume as f32).collect()
    }

    /// Returns the edges, each once with its lower vertex first, in ascending order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let of = |t: &[u32; 4]| PAIRS.map(|[a, b]| [t[a].min(t[b]), t[a].max(t[b])]);
        let mut edges: Vec<_> = self.tetrahedra.iter().flat_map(of).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Returns the positions \[m\] of these vertices.
    pub fn at<const N: usize>(&self, vertices: [u32; N]) -> [Vec3; N] {
        vertices.map(|vertex| self.positions[vertex as usize])
    }
}

fn check_indices(vertices: usize, tetrahedra: &[[u32; 4]]) -> Result<(), TetraError> {
    for (corners, tetrahedron) in tetrahedra.iter().zip(0..) {
        if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices) {
            return Err(TetraError::Index { tetrahedron, index, vertices });
        }
        if let Some(k) = (1..4).find(|&k| corners[..k].contains(&corners[k])) {
            return Err(TetraError::Repeated { tetrahedron, vertex: corners[k] });
        }
    }
    Ok(())
}

fn check_distinct(positions: &[Vec3]) -> Result<(), TetraError> {
    let mut known = HashMap::with_capacity(positions.len());
    for (position, second) in positions.iter().zip(0..) {
        let bits = (*position + Vec3::ZERO).to_array().map(f32::to_bits);
        if let Some(first) = known.insert(bits, second) {
            return Err(TetraError::Duplicate { first, second });
        }
    }
    Ok(())
}

fn check_volumes(positions: &[Vec3], tetrahedra: &[[u32; 4]]) -> Result<(), TetraError> {
    for (&vertices, tetrahedron) in tetrahedra.iter().zip(0..) {
        let corners = vertices.map(|vertex| positions[vertex as usize]);
        let squares =
            (1..4).flat_map(|k| corners[..k].iter().map(move |x| x.as_dvec3().distance_squared(corners[k].as_dvec3())));
        let longest = squares.fold(0.0, f64::max).sqrt();
        let volume = volume(corners);
        if volume.abs() <= SMALLEST_VOLUME * longest * longest * longest {
            return Err(TetraError::ZeroVolume { tetrahedron, vertices });
        }
        if volume < 0.0 {
            return Err(TetraError::Inverted { tetrahedron, vertices });
        }
    }
    Ok(())
}

fn check_used(vertices: usize, tetrahedra: &[[u32; 4]]) -> Result<(), TetraError> {
    let mut used = vec![false; vertices];
    tetrahedra.as_flattened().iter().for_each(|&vertex| used[vertex as usize] = true);
    match used.iter().position(|&used| !used) {
        Some(vertex) => Err(TetraError::Isolated { vertex: vertex as u32 }),
        None => Ok(()),
    }
}
