//! Shapes from bytes, which could hold broken search structures and indices.

use parry3d::shape::{ConvexPolyhedron, HeightField, SharedShape, TriMesh, TypedShape};
use parry3d::utils::Array2;

/// Returns a shape with its search structures built anew, none if it does not fit together. What is kept is kept bit by bit.
pub fn rebuilt(shape: &SharedShape) -> Option<SharedShape> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => {
            let finite = mesh.vertices().iter().all(|vertex| vertex.is_finite());
            let known = are_below(mesh.indices().as_flattened(), mesh.vertices().len());
            let build = || TriMesh::with_flags(mesh.vertices().to_vec(), mesh.indices().to_vec(), mesh.flags()).ok();
            if finite && known { build().map(SharedShape::new) } else { None }
        }
        TypedShape::Compound(compound) => {
            let part = |part: &SharedShape| rebuilt(part).filter(|part| part.as_composite_shape().is_none());
            let parts = compound.shapes().iter().map(|(pose, shape)| Some((*pose, part(shape)?)));
            let parts: Vec<_> = parts.collect::<Option<_>>()?;
            let is_sound = !parts.is_empty() && parts.iter().all(|(pose, _)| pose.is_finite());
            is_sound.then(|| SharedShape::compound(parts))
        }
        TypedShape::HeightField(field) => rebuilt_field(field).map(SharedShape::new),
        TypedShape::ConvexPolyhedron(hull) => is_sound(hull).then(|| shape.clone()),
        TypedShape::RoundConvexPolyhedron(round) => is_sound(&round.inner_shape).then(|| shape.clone()),
        _ => Some(shape.clone()),
    }
}

/// Returns a height field as it would be made of its heights, with the cells that it has lost; none if counts do not fit.
fn rebuilt_field(field: &HeightField) -> Option<HeightField> {
    let (heights, statuses) = (field.heights(), field.cells_statuses());
    let size = [heights.nrows(), heights.ncols()];
    let cells = size.map(|count| count.wrapping_sub(1));
    let is_filled = |[rows, columns]: [usize; 2], count: usize| rows.checked_mul(columns) == Some(count);
    let is_sound = size.iter().all(|&count| count > 1)
        && is_filled(size, heights.data().len())
        && [statuses.nrows(), statuses.ncols()] == cells
        && is_filled(cells, statuses.data().len())
        && heights.data().iter().all(|height| height.is_finite());
    is_sound.then(|| {
        let heights = Array2::new(size[0], size[1], heights.data().to_vec());
        let mut rebuilt = HeightField::with_flags(heights, field.scale(), field.flags());
        *rebuilt.cells_statuses_mut() = statuses.clone();
        rebuilt
    })
}

/// Returns whether all that a polyhedron refers to is there.
fn is_sound(hull: &ConvexPolyhedron) -> bool {
    let [points, edges, faces] = [hull.points().len(), hull.edges().len(), hull.faces().len()];
    let of_faces = [hull.vertices_adj_to_face(), hull.edges_adj_to_face()];
    let is_part = |first: u32, count: u32, of: &[u32]| (first as usize).saturating_add(count as usize) <= of.len();
    points > 0
        && hull.points().iter().all(|point| point.is_finite())
        && hull.vertices().len() == points
        && hull.vertices().iter().all(|vertex| {
            is_part(vertex.first_adj_face_or_edge, vertex.num_adj_faces_or_edge, hull.faces_adj_to_vertex())
        })
        && are_below(hull.faces_adj_to_vertex(), faces)
        && hull.faces().iter().all(|face| {
            let (first, count) = (face.first_vertex_or_edge, face.num_vertices_or_edges);
            count > 2 && of_faces.iter().all(|of| is_part(first, count, of)) && face.normal.is_normalized()
        })
        && are_below(of_faces[0], points)
        && are_below(of_faces[1], edges)
        && hull
            .edges()
            .iter()
            .all(|edge| are_below(&edge.vertices, points) && are_below(&edge.faces, faces) && edge.dir.is_normalized())
}

/// Returns whether all indices are of one of `count` things.
fn are_below(indices: &[u32], count: usize) -> bool {
    indices.iter().all(|&index| (index as usize) < count)
}
