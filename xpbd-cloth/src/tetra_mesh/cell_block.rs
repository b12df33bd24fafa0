//! A box of tetrahedra.

use glam::Vec3;

use super::{TetraError, TetraMesh, cells};

/// The largest number of nodes.
const MOST: usize = 1 << 27;

impl TetraMesh {
    /// Creates a box of `size` \[m\] about the origin, made of this many body-centred cells along each axis, at least
    /// one: 12 tetrahedra per cell, and 2 more for each of its faces on the border, whose vertices are the corners and
    /// the middle of each cell, and the middle of each face on the border.
    ///
    /// # Errors
    /// A size that is not positive, or too many cells.
    pub fn block(cells: [u32; 3], size: Vec3) -> Result<Self, TetraError> {
        let cubes = cells.map(|n| n.max(1));
        if cubes.iter().map(|&n| 2.0 * f64::from(n) + 1.0).product::<f64>() > MOST as f64 {
            return Err(TetraError::Cells(cubes));
        }
        let place = |node: cells::Node| {
            let part = |k: usize| size[k] * (node[k] as f32 / (2 * cubes[k]) as f32 - 0.5);
            Vec3::new(part(0), part(1), part(2))
        };
        let all: Vec<_> = cells::faces(cubes).flat_map(|middle| cells::tetrahedra_around(cubes, middle)).collect();
        let (positions, tetrahedra) = number_nodes(cubes, &all, place);
        Self::from_tetrahedra(&positions, &tetrahedra)
    }
}

/// Returns the positions of the nodes that these tetrahedra use, in the order of the cells, and the tetrahedra.
pub(super) fn number_nodes(
    cubes: [u32; 3],
    tetrahedra: &[[cells::Node; 4]],
    place: impl Fn(cells::Node) -> Vec3,
) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    const UNUSED: u32 = u32::MAX;
    let mut number = vec![UNUSED; cells::count(cubes)];
    tetrahedra.as_flattened().iter().for_each(|&node| number[cells::index(cubes, node)] = 0);
    let mut positions = Vec::new();
    for (node, number) in cells::nodes(cubes).zip(&mut number).filter(|(_, number)| **number != UNUSED) {
        *number = positions.len() as u32;
        positions.push(place(node));
    }
    let tetrahedra = tetrahedra.iter().map(|t| t.map(|node| number[cells::index(cubes, node)])).collect();
    (positions, tetrahedra)
}
