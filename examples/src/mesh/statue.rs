//! The default statue: a seated cat with its tail around its feet, facing +z.
//!
//! The shape is a signed distance function φ, negative inside (see [`shape`]), sampled on a
//! regular grid and turned into triangles by naive surface nets (S. F. F. Gibson, *Constrained
//! Elastic Surface Nets*, 1998). [`relax`] then evens the triangles out along the surface.
//! Only + − × ÷, square roots, minima and maxima are used, so every machine makes the same mesh.

mod relax;
mod shape;

use fast_surface_nets::ndshape::{RuntimeShape, Shape};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use glam::{UVec3, Vec3};

use super::{Bounds, Mesh};
use shape::distance;

/// Height of the finished statue `[m]`.
const HEIGHT: f32 = 1.0;

/// Edge of a grid cell `[m]`. Half of it makes four times the triangles; twice of it loses the
/// ears.
const CELL: f32 = 0.0262;

/// Passes of [`relax`] after the first polygonisation.
const PASSES: usize = 5;

/// Returns a closed, outward-facing cat, 1 `[m]` tall on y = 0, of about seven thousand triangles.
pub fn statue() -> Mesh {
    let mut mesh = polygonise(shape::BOUNDS.expanded(2.0 * CELL), CELL);
    for _ in 0..PASSES {
        relax::relax(&mut mesh);
    }
    mesh.fit(HEIGHT)
}

/// Returns the zero surface of φ inside `bounds`, on cells of edge `cell` `[m]`.
///
/// The origin is a node of the grid, so that both sides of the cat are sampled alike.
fn polygonise(bounds: Bounds, cell: f32) -> Mesh {
    let first = (bounds.min / cell).floor();
    let cells = ((bounds.max / cell).ceil() - first).as_uvec3();
    let nodes = cells + UVec3::ONE;
    let grid = RuntimeShape::<u32, 3>::new(nodes.to_array());
    let place = |node: Vec3| (first + node) * cell;
    let samples: Vec<f32> =
        (0..grid.size()).map(|index| distance(place(UVec3::from(grid.delinearize(index)).as_vec3()))).collect();
    let mut net = SurfaceNetsBuffer::default();
    surface_nets(&samples, &grid, [0; 3], cells.to_array(), &mut net);
    let (triangles, _) = net.indices.as_chunks::<3>();
    Mesh { positions: net.positions.iter().map(|&point| place(point.into())).collect(), triangles: triangles.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the vertices reachable from vertex 0 along edges.
    fn reached(mesh: &Mesh) -> usize {
        let mut seen = vec![false; mesh.positions.len()];
        seen[0] = true;
        let mut grew = true;
        while grew {
            grew = false;
            for triangle in &mesh.triangles {
                let touched = triangle.map(|index| seen[index as usize]);
                if touched.contains(&true) && touched.contains(&false) {
                    triangle.iter().for_each(|&index| seen[index as usize] = true);
                    grew = true;
                }
            }
        }
        seen.into_iter().filter(|&seen| seen).count()
    }

    /// Returns the smallest height of a triangle as a share of its longest edge `[1]`, 0.866 for an
    /// equilateral one.
    fn slenderness([a, b, c]: [Vec3; 3]) -> f32 {
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        (b - a).cross(c - a).length() / (longest * longest)
    }

    #[test]
    fn statue_is_one_closed_body_facing_outward() {
        let mesh = statue();
        assert!(mesh.is_closed());
        assert!(mesh.signed_volume() > 0.05, "{}", mesh.signed_volume());
        assert_eq!(reached(&mesh), mesh.positions.len());
    }

    #[test]
    fn statue_has_even_triangles_and_the_documented_count() {
        let mesh = statue();
        let count = mesh.triangles.len();
        assert!((3000..=8000).contains(&count), "{count}");
        let worst =
            mesh.triangles.iter().map(|&triangle| slenderness(mesh.corners(triangle))).fold(f32::INFINITY, f32::min);
        assert!(worst > 0.1, "worst slenderness {worst} of {count}");
    }

    #[test]
    fn statue_stands_one_metre_tall_on_the_ground() {
        let bounds = statue().bounds();
        assert!(bounds.min.y.abs() < 1e-6);
        assert!((bounds.max.y - HEIGHT).abs() < 1e-6);
    }

    /// Returns the 64-bit FNV-1a hash of all position bits and indices.
    fn fingerprint(mesh: &Mesh) -> u64 {
        let positions = mesh.positions.iter().flat_map(|point| point.to_array());
        let indices = mesh.triangles.iter().flatten().copied();
        let words = positions.map(f32::to_bits).chain(indices);
        words
            .flat_map(u32::to_le_bytes)
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    #[test]
    fn statue_has_the_same_bits_everywhere() {
        assert_eq!(fingerprint(&statue()), 0x0593_5bdc_93b5_a8bc);
    }
}
