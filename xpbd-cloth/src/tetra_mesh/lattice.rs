//! A lattice of tetrahedra around a closed surface.

mod inside;
mod overlap;

use glam::{DVec3, Vec3};
use thiserror::Error;

use super::{Skin, TetraError, TetraMesh, cell_block, cells};
use crate::mesh::Mesh;

/// The largest number of nodes, which takes some hundred megabytes while the lattice is created.
const MOST: f64 = 1e8;

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
    /// Returns a lattice of body-centred cells of this edge \[m\] that covers what is inside a closed surface, and the
    /// surface bound to it as its skin: every tetrahedron with a vertex inside or a part of the surface in it. Inside
    /// is what the surface winds around, so closed parts may overlap.
    ///
    /// # Errors
    /// A surface with a border, or a cell that is not positive or far too small.
    pub fn lattice(surface: &Mesh, cell: f32) -> Result<(Self, Skin), LatticeError> {
        if let Some(edge) = surface.edges().iter().find(|edge| edge.second.is_none()) {
            return Err(LatticeError::OpenSurface { edge: edge.vertices, triangle: edge.first.triangle });
        }
        let frame = LatticeGrid::around(surface, cell)?;
        let cubes = frame.cubes;
        let inside = inside::nodes(surface, &frame);
        let touched = overlap::faces(surface, &frame);
        let mut kept = Vec::new();
        for middle in cells::faces(cubes) {
            let touched = touched[cells::index(cubes, middle)];
            for (quarter, tetrahedron) in cells::tetrahedra_around(cubes, middle).into_iter().enumerate() {
                let holds = |node: &cells::Node| inside[cells::index(cubes, *node)];
                if touched & (1 << quarter) != 0 || tetrahedron.iter().any(holds) {
                    kept.push(tetrahedron);
                }
            }
        }
        let (positions, tetrahedra) = cell_block::number_nodes(cubes, &kept, |node| frame.place(node));
        let mesh = Self::from_tetrahedra(&positions, &tetrahedra)?;
        let skin = Skin::bind(&mesh, surface);
        Ok((mesh, skin))
    }
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

    /// Returns the position \[m\] of a node.
    fn place(&self, [x, y, z]: cells::Node) -> Vec3 {
        (self.origin + self.step * DVec3::new(x.into(), y.into(), z.into())).as_vec3()
    }

    /// Returns the vertices of a triangle of the surface in the coordinates of nodes.
    fn corners(&self, surface: &Mesh, triangle: [u32; 3]) -> [DVec3; 3] {
        surface.at(triangle).map(|x| (x.as_dvec3() - self.origin) / self.step)
    }
}
