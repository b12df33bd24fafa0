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
        && edges_of_vertices(hull).is_some_and(|of_vertices| has_edges_of_vertices(hull, &of_vertices))
}

/// Returns the edges of each vertex of a polyhedron one vertex after the other, as parry lists them; none if there is no room for
/// them.
fn edges_of_vertices(hull: &ConvexPolyhedron) -> Option<Vec<u32>> {
    let mut next: Vec<u32> = hull.vertices().iter().map(|vertex| vertex.first_adj_face_or_edge).collect();
    let mut edges = vec![0; hull.faces_adj_to_vertex().len()];
    for face in hull.faces() {
        let corners =
            face.first_vertex_or_edge as usize..(face.first_vertex_or_edge + face.num_vertices_or_edges) as usize;
        for (&vertex, &edge) in
            hull.vertices_adj_to_face()[corners.clone()].iter().zip(&hull.edges_adj_to_face()[corners])
        {
            let place = &mut next[vertex as usize];
            *edges.get_mut(*place as usize)? = edge;
            *place += 1;
        }
    }
    Some(edges)
}

/// Returns whether these are the edges of the vertices of a polyhedron. parry shows all its lists but this one; its bytes tell.
fn has_edges_of_vertices(hull: &ConvexPolyhedron, edges: &[u32]) -> bool {
    let expected = (
        (hull.points(), hull.vertices(), hull.faces(), hull.edges()),
        (hull.faces_adj_to_vertex(), edges, hull.edges_adj_to_face(), hull.vertices_adj_to_face()),
    );
    match [postcard::to_stdvec(hull), postcard::to_stdvec(&expected)] {
        [Ok(found), Ok(expected)] => found == expected,
        _ => false,
    }
}

/// Returns whether all indices are of one of `count` things.
fn are_below(indices: &[u32], count: usize) -> bool {
    indices.iter().all(|&index| (index as usize) < count)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    /// A list that no accessor of parry's shows is checked, too: an edge that does not exist panicked in a contact.
    #[test]
    fn a_polyhedron_with_an_edge_that_does_not_exist_is_refused() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 1.0, 0.3)];
        let hull = ConvexPolyhedron::from_convex_hull(&corners).expect("the points have a hull");
        let edges = postcard::to_stdvec(&edges_of_vertices(&hull).expect("there is room")).expect("numbers are saved");
        let bytes = postcard::to_stdvec(&hull).expect("a hull is saved");
        let places: Vec<_> = (0..bytes.len() - edges.len()).filter(|&k| bytes[k..].starts_with(&edges)).collect();
        assert_eq!(places.len(), 1, "the list is there once");
        let with = |edge: u8| {
            let mut bytes = bytes.clone();
            bytes[places[0] + 1] = edge;
            postcard::from_bytes::<ConvexPolyhedron>(&bytes).expect("it is read")
        };
        let is_restored = |hull: ConvexPolyhedron| rebuilt(&SharedShape::new(hull)).is_some();
        assert!(is_restored(with(edges[1])));
        assert!(!is_restored(with(63)));
        assert!(!is_restored(with((edges[1] + 1) % hull.edges().len() as u8)));
    }
}
