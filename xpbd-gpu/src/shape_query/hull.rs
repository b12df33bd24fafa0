//! Convex polyhedra: face planes, and corners by position.

use super::{Geometry, ShapeKind};
use parry3d::shape::ConvexPolyhedron;

/// Words of a face.
pub(super) const FACE_WORDS: u32 = 5;

impl Geometry {
    pub(super) fn hull(&mut self, hull: &ConvexPolyhedron) {
        self.solid(ShapeKind::Hull, &[]);
        let (faces, points) = (hull.faces(), hull.points());
        self.words.extend([faces.len() as u32, points.len() as u32]);
        let mut corner = self.place() + FACE_WORDS * faces.len() as u32 + 3 * points.len() as u32;
        for face in faces {
            self.vector(face.normal);
            self.words.extend([corner, face.num_vertices_or_edges]);
            corner += 3 * face.num_vertices_or_edges;
        }
        points.iter().for_each(|&p| self.vector(p));
        for face in faces {
            let first = face.first_vertex_or_edge as usize;
            for &i in &hull.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize] {
                self.vector(points[i as usize]);
            }
        }
    }
}
