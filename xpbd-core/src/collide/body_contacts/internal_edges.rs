//! Edges of a mesh, and between the parts of a compound, that nothing can hit.
//!
//! Several triangles of one plane are one face: a body on them has one manifold.
//!
//! A box that slides over a flat mesh meets the edges of the triangles ahead of it: by itself such a
//! triangle is a wall as thin as paper, and the nearest way out of it is back. But what rests on one
//! face of the mesh is above the plane of this face, and so are not the edges of its neighbours:
//! they are left out. What rises above the plane stays.

use glam::Vec3;
use parry3d::shape::{Shape, Triangle, TypedShape};

use super::shape_manifold::{ContactPoint, ShapeManifold};

/// The smallest cosine of the angle between the normals of two contacts with one plane \[1\].
const COS_OF_PLANE: f32 = 0.999_999;

/// The largest cosine of the angle between the normals of a face and of a wall that ends at it \[1\].
const COS_OF_WALL: f32 = 0.5;

/// Puts the points of manifolds on one side that is a mesh together whose faces lie in one plane, but for `slop` \[m\].
pub fn merge_faces(shape: &dyn Shape, side: usize, slop: f32, found: &mut Vec<ShapeManifold>) {
    if triangle(shape, found[0].pieces[side]).is_none() {
        return;
    }
    let mut merged: Vec<ShapeManifold> = Vec::with_capacity(found.len());
    for candidate in found.drain(..) {
        let (normal, first) = (candidate.normals[side], candidate.points[0].0[side]);
        let is_same = |other: &&mut ShapeManifold| {
            other.on_face[side]
                && other.pieces[1 - side] == candidate.pieces[1 - side]
                && other.normals[side].dot(normal) > COS_OF_PLANE
                && normal.dot(other.points[0].0[side] - first).abs() <= slop
        };
        let same = if candidate.on_face[side] { merged.iter_mut().find(is_same) } else { None };
        match same {
            Some(other) => other.add_points(&candidate.points, slop),
            None => merged.push(candidate),
        }
    }
    *found = merged;
}

/// Removes the manifolds of a side that is a mesh or a compound whose points do not rise more than `slop` \[m\]
/// above a face that the same piece of the other side touches.
pub fn remove_internal_edges(shape: &dyn Shape, side: usize, slop: f32, found: &mut Vec<ShapeManifold>) {
    if shape.as_support_map().is_some() {
        return;
    }
    // All of a convex piece is above the plane that it touches.
    let hides = |face: &ShapeManifold, other: &ShapeManifold| {
        let normal = face.normals[side];
        let rises = |(points, _): &ContactPoint| normal.dot(points[side] - face.points[0].0[side]) > slop;
        face.on_face[side]
            && face.pieces[1 - side] == other.pieces[1 - side]
            && face.pieces[side] != other.pieces[side]
            && is_edge_beside(normal, (other.normals[side], other.on_face[side]))
            && !other.points.iter().any(rises)
    };
    let mut is_hidden = hidden(found, hides).into_iter();
    found.retain(|_| is_hidden.next() != Some(true));
}

/// Returns whether a contact with this normal, which may be on a face, can be with an edge beside a face with another normal, or
/// with the wall below its edge: faces at a small angle hold what lies on both.
pub fn is_edge_beside(face: Vec3, (normal, on_face): (Vec3, bool)) -> bool {
    !on_face || face.dot(normal) < COS_OF_WALL
}

/// Returns for each contact whether one that is not hidden hides it.
pub fn hidden<T>(all: &[T], hides: impl Fn(&T, &T) -> bool) -> Vec<bool> {
    let mut is_hidden = vec![false; all.len()];
    for (k, one) in all.iter().enumerate() {
        let by = |(other, is_hidden): (&T, &bool)| !is_hidden && hides(other, one);
        is_hidden[k] = all.iter().zip(&is_hidden).any(by);
    }
    is_hidden
}

/// Returns a triangle of a mesh or a height field.
pub fn triangle(shape: &dyn Shape, piece: u32) -> Option<Triangle> {
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) if (piece as usize) < mesh.num_triangles() => Some(mesh.triangle(piece)),
        TypedShape::HeightField(field) => field.triangle_at_id(piece),
        _ => None,
    }
}
