//! The tetrahedra through which a surface passes.

use glam::DVec3;

use super::super::cells;
use super::LatticeGrid;
use crate::mesh::Mesh;

/// Returns for each middle of a face a bit for each of the tetrahedra around it, set if the surface enters it by this
/// depth, in half cells.
pub(super) fn faces(surface: &Mesh, frame: &LatticeGrid, depth: f64) -> Vec<u8> {
    let mut touched = vec![0; cells::count(frame.cubes)];
    for &triangle in surface.triangles() {
        let corners = frame.corners(surface, triangle);
        let low = corners[0].min(corners[1]).min(corners[2]) - 1.0 + depth;
        let high = corners[0].max(corners[1]).max(corners[2]) + 1.0 - depth;
        // Tetrahedra reach one half cell from the middle of their face.
        let from = low.ceil().max(DVec3::ZERO).to_array().map(|x| x as u32);
        let to: [u32; 3] = std::array::from_fn(|k| (high[k].floor().max(0.0) as u32).min(2 * frame.cubes[k]));
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                for x in from[0]..=to[0] {
                    let middle = [x, y, z];
                    if middle.iter().filter(|x| x.is_multiple_of(2)).count() == 1 {
                        mark_touched(&mut touched[cells::index(frame.cubes, middle)], frame, middle, corners, depth);
                    }
                }
            }
        }
    }
    touched
}

/// Sets the bits of the tetrahedra around a middle that a triangle meets.
fn mark_touched(bits: &mut u8, frame: &LatticeGrid, middle: cells::Node, triangle: [DVec3; 3], depth: f64) {
    for (quarter, tetrahedron) in cells::tetrahedra_around(frame.cubes, middle).into_iter().enumerate() {
        if *bits & (1 << quarter) == 0
            && intersect(triangle, tetrahedron.map(|node| cells::place(node).as_dvec3()), depth)
        {
            *bits |= 1 << quarter;
        }
    }
}

/// Returns whether a triangle and a tetrahedron overlap by this depth: no plane along a face of either, or along an edge
/// of each, has all but this much of them on different sides.
fn intersect(triangle: [DVec3; 3], tetrahedron: [DVec3; 4], depth: f64) -> bool {
    let [a, b, c] = triangle;
    let [p, q, r, s] = tetrahedron;
    let sides = [b - a, c - b, a - c];
    let edges = [q - p, r - p, s - p, r - q, s - q, s - r];
    let planes =
        [sides[0].cross(sides[1]), edges[0].cross(edges[1]), edges[1].cross(edges[2]), edges[2].cross(edges[0])];
    let last = edges[3].cross(edges[4]);
    let across = sides.iter().flat_map(|side| edges.iter().map(|edge| side.cross(*edge)));
    !planes.into_iter().chain([last]).chain(across).any(|axis| are_separated(axis, &triangle, &tetrahedron, depth))
}

/// Returns whether the projections of two sets of points onto an axis overlap by less than a depth.
fn are_separated(axis: DVec3, one: &[DVec3], other: &[DVec3], depth: f64) -> bool {
    let shadow = |points: &[DVec3]| {
        let places = points.iter().map(|x| x.dot(axis));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((a, b), (c, d)) = (shadow(one), shadow(other));
    (c - b).max(a - d) > -depth * axis.length()
}
