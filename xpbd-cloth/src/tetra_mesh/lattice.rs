//! A lattice of tetrahedra that fills a closed surface.

mod fit;
mod inside;
mod overlap;

use glam::{DVec3, Vec3};
use parry3d::shape::TriMesh;
use thiserror::Error;

use super::{Skin, TetraError, TetraMesh, cell_block, cells};
use crate::mesh::Mesh;

/// The largest number of nodes, which takes some hundred megabytes while the lattice is created.
const MOST: f64 = 1e8;

/// The distance between the surface and a node or tetrahedron that rounding may make or take away, in half cells.
const ROUNDING: f64 = 1e-3;

/// An error of a lattice.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LatticeError {
    /// The surface is not closed.
    #[error("the surface is open: only triangle {triangle} is at the edge {edge:?}")]
    OpenSurface {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// Triangle on its one side.
        triangle: u32,
    },
    /// The cell size is not positive, or so small that there would be too many cells.
    #[error(
        "the cell is {cell} m for a surface of {size} m; it must be positive, with at most {MOST:e} places of nodes"
    )]
    CellSize {
        /// Size of the cell \[m\].
        cell: f32,
        /// Size of the surface \[m\].
        size: Vec3,
    },
    /// The resulting mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] TetraError),
}

impl TetraMesh {
    /// Returns a lattice of body-centred cells of this edge \[m\] that fills a closed surface, and the surface bound to
    /// it as its skin: every tetrahedron with a vertex inside, and where the surface is thinner than a cell every one with
    /// a part of it, the border moved onto the surface. Inside is what the surface winds around, so closed parts may
    /// overlap.
    ///
    /// The border follows the surface to a few hundredths of a cell where it is smooth. It cuts off corners and edges,
    /// and stands out around parts thinner than a cell, by up to half a cell.
    ///
    /// # Errors
    /// A surface with a border, or a cell that is not positive or far too small.
    pub fn lattice(surface: &Mesh, cell: f32) -> Result<(Self, Skin), LatticeError> {
        if let Some(edge) = surface.edges().iter().find(|edge| edge.second.is_none()) {
            return Err(LatticeError::OpenSurface { edge: edge.vertices, triangle: edge.first.triangle });
        }
        let frame = LatticeGrid::around(surface, cell)?;
        let shape = frame.shape(surface)?;
        let mut kept = kept_tetrahedra(surface, &shape, &frame, ROUNDING);
        if kept.is_empty() {
            // All of it is within rounding of a plane of the lattice.
            kept = kept_tetrahedra(surface, &shape, &frame, -ROUNDING);
        }
        let (nodes, tetrahedra) = cell_block::number_nodes(frame.cubes, &kept, cells::place);
        let whole = Self::from_tetrahedra(&nodes, &tetrahedra)?;
        let positions = frame.places(&fit::positions(&whole, &shape));
        let mesh = Self::from_tetrahedra(&positions, &tetrahedra)?;
        let skin = Skin::bind(&mesh, surface);
        Ok((mesh, skin))
    }
}

/// Returns the tetrahedra of the lattice: those with a node inside, and where the surface is thinner than a cell those
/// that it enters by this depth, in half cells. Beside the former the latter would have all of their nodes on the border, and
/// be flattened by what the body lies on.
fn kept_tetrahedra(surface: &Mesh, shape: &TriMesh, frame: &LatticeGrid, depth: f64) -> Vec<[cells::Node; 4]> {
    let cubes = frame.cubes;
    let index = |node: &cells::Node| cells::index(cubes, *node);
    let inside = inside::nodes(surface, shape, frame);
    let touched = overlap::faces(surface, frame, depth);
    let (mut kept, mut bare) = (Vec::new(), Vec::new());
    let mut filled = vec![false; inside.len()];
    for middle in cells::faces(cubes) {
        let touched = touched[index(&middle)];
        for (quarter, tetrahedron) in cells::tetrahedra_around(cubes, middle).into_iter().enumerate() {
            if tetrahedron.iter().any(|node| inside[index(node)]) {
                tetrahedron.iter().for_each(|node| filled[index(node)] = true);
                kept.push(tetrahedron);
            } else if touched & (1 << quarter) != 0 {
                bare.push(tetrahedron);
            }
        }
    }
    // Nodes that are more than an edge away from the filled part.
    let mut beyond = vec![false; inside.len()];
    for tetrahedron in &bare {
        let others = tetrahedron.iter().map(index).filter(|&node| !filled[node]);
        if others.clone().count() > 1 {
            others.for_each(|node| beyond[node] = true);
        }
    }
    bare.retain(|tetrahedron| tetrahedron.iter().any(|node| beyond[index(node)]));
    kept.extend(bare);
    kept
}

/// Cubes around a surface, with one to spare on every side.
struct LatticeGrid {
    cubes: [u32; 3],
    /// Position of the node (0, 0, 0) \[m\].
    origin: DVec3,
    /// Distance of nodes along an axis: half a cell \[m\].
    step: f64,
}

impl LatticeGrid {
    fn around(surface: &Mesh, cell: f32) -> Result<Self, LatticeError> {
        let places = surface.positions().iter().map(|x| x.as_dvec3());
        let (low, high) = places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let cubes = ((high - low) / f64::from(cell)).ceil().max(DVec3::ONE) + 2.0;
        let count = (cubes * 2.0 + 1.0).to_array().into_iter().product::<f64>();
        if !(cell > 0.0 && count <= MOST) {
            return Err(LatticeError::CellSize { cell, size: (high - low).as_vec3() });
        }
        let step = 0.5 * f64::from(cell);
        Ok(Self { cubes: cubes.to_array().map(|n| n as u32), origin: 0.5 * (low + high) - cubes * step, step })
    }

    /// Returns positions \[m\] for coordinates of nodes.
    fn places(&self, nodes: &[DVec3]) -> Vec<Vec3> {
        nodes.iter().map(|x| (self.origin + self.step * *x).as_vec3()).collect()
    }

    /// Returns the surface in the coordinates of nodes.
    fn shape(&self, surface: &Mesh) -> Result<TriMesh, TetraError> {
        let places = surface.positions().iter().map(|x| ((x.as_dvec3() - self.origin) / self.step).as_vec3());
        TriMesh::new(places.collect(), surface.triangles().to_vec())
            .map_err(|_| TetraError::Empty { vertices: surface.positions().len(), indices: 0 })
    }

    /// Returns the vertices of a triangle of the surface in the coordinates of nodes.
    fn corners(&self, surface: &Mesh, triangle: [u32; 3]) -> [DVec3; 3] {
        surface.at(triangle).map(|x| (x.as_dvec3() - self.origin) / self.step)
    }
}
