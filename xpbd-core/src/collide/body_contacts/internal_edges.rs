//! Edges of a mesh that nothing can hit.
//!
//! A box that slides over a flat mesh meets the edges of the triangles ahead of it: by itself such a
//! triangle is a wall as thin as paper, and the nearest way out of it is back. But what rests on one
//! face of the mesh is above the plane of this face, and so are not the edges of its neighbours:
//! they are left out. What rises above the plane stays.

use glam::Vec3;
use parry3d::shape::{Shape, Triangle, TypedShape};

use super::shape_manifold::ShapeManifold;

/// The smallest cosine of the angle between the normal of a contact and that of its triangle for
/// the contact to be one with the face.
const FACE: f32 = 0.99999;

/// Removes the manifolds of a side that is a mesh whose points do not rise more than `slop` \[m\]
/// above a face that the other side touches.
pub fn remove_internal_edges(shape: &dyn Shape, side: usize, slop: f32, found: &mut Vec<ShapeManifold>) {
    let face_of = |candidate: &ShapeManifold| {
        let normal = triangle(shape, candidate.pieces[side])?.normal()?;
        Some(candidate.normals[side].dot(normal).abs() > FACE)
    };
    let faces: Vec<Option<bool>> = found.iter().map(face_of).collect();
    let touched = found.iter().zip(&faces).filter(|(_, face)| **face == Some(true));
    let planes: Vec<(Vec3, Vec3)> =
        touched.map(|(candidate, _)| (candidate.normals[side], candidate.points[0].0[side])).collect();
    let hidden = |candidate: &ShapeManifold| {
        let below = |&(normal, point): &(Vec3, Vec3)| {
            candidate.points.iter().all(|(points, _)| normal.dot(points[side] - point) <= slop)
        };
        planes.iter().any(below)
    };
    let mut faces = faces.into_iter();
    found.retain(|candidate| faces.next().flatten() != Some(false) || !hidden(candidate));
}

/// Returns a triangle of a mesh or a height field.
pub fn triangle(shape: &dyn Shape, piece: u32) -> Option<Triangle> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) if (piece as usize) < mesh.num_triangles() => Some(mesh.triangle(piece)),
        TypedShape::HeightField(field) => field.triangle_at_id(piece),
        _ => None,
    }
}
