//! Body-centred cells: cubes split into tetrahedra around the faces between their centres.
//!
//! A node has whole coordinates, two for each cube: corners are even in all three, centres odd. The centres on both
//! sides of a face and two neighbouring corners of it are a tetrahedron, four around each face, all alike. At
//! the border the centre of the face stands for the centre that is missing.

use glam::Vec3;

/// The coordinates of a node.
pub(super) type Node = [u32; 3];

/// Returns the middles of all faces of these cubes: even along the axis across, odd along the others.
pub(super) fn faces(cubes: [u32; 3]) -> impl Iterator<Item = Node> {
    nodes(cubes).filter(|node| node.iter().filter(|x| x.is_multiple_of(2)).count() == 1)
}

/// Returns the coordinates of all nodes and middles, in the order of [`index`].
pub(super) fn nodes([nx, ny, nz]: [u32; 3]) -> impl Iterator<Item = Node> {
    (0..=2 * nz).flat_map(move |z| (0..=2 * ny).flat_map(move |y| (0..=2 * nx).map(move |x| [x, y, z])))
}

/// Returns the coordinates of a node as numbers.
pub(super) fn place(node: Node) -> Vec3 {
    Vec3::from_array(node.map(|x| x as f32))
}

/// Returns the index of a node.
pub(super) fn index([nx, ny, _]: [u32; 3], [x, y, z]: Node) -> usize {
    let [width, height] = [nx, ny].map(|n| 2 * n as usize + 1);
    (z as usize * height + y as usize) * width + x as usize
}

/// Returns the number of indices.
pub(super) fn count(cubes: [u32; 3]) -> usize {
    cubes.iter().map(|&n| 2 * n as usize + 1).product()
}

/// Returns the four tetrahedra around the middle of a face.
pub(super) fn tetrahedra_around(cubes: [u32; 3], middle: Node) -> [[Node; 4]; 4] {
    let across = (0..3).find(|&axis| middle[axis].is_multiple_of(2)).unwrap_or(0);
    let (u, v) = ((across + 1) % 3, (across + 2) % 3);
    let (mut below, mut above) = (middle, middle);
    below[across] = middle[across].saturating_sub(1);
    above[across] = (middle[across] + 1).min(2 * cubes[across]);
    let corner = |k: usize| {
        let mut node = middle;
        node[u] = if k == 0 || k == 3 { middle[u] - 1 } else { middle[u] + 1 };
        node[v] = if k < 2 { middle[v] - 1 } else { middle[v] + 1 };
        node
    };
    std::array::from_fn(|k| [below, above, corner(k), corner((k + 1) % 4)])
}
