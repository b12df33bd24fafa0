//! Signed distance `[m]` and nearest point `[m]` of a convex polyhedron, by its face planes.

use super::ContactPlane;
use super::near::{NearestFeature, NearestPoint};
use super::triangle::{self, TriangleFeature};
use glam::Vec3;
use parry3d::shape::{ConvexPolyhedron, Triangle};

/// Heights of `x` above the face planes.
fn heights(hull: &ConvexPolyhedron, x: Vec3) -> impl Iterator<Item = (usize, f32)> + '_ {
    let corners = hull.vertices_adj_to_face();
    hull.faces().iter().enumerate().map(move |(i, face)| {
        let corner = hull.points()[corners[face.first_vertex_or_edge as usize] as usize];
        (i, face.normal.dot(x - corner))
    })
}

/// Nearest point of one face, as a fan of triangles.
fn polygon(hull: &ConvexPolyhedron, i: usize, height: f32, x: Vec3) -> NearestFeature {
    let face = hull.faces()[i];
    let first = face.first_vertex_or_edge as usize;
    let corners = &hull.vertices_adj_to_face()[first..first + face.num_vertices_or_edges as usize];
    let corner = |k: usize| hull.points()[corners[k] as usize];
    let mut best: Option<NearestFeature> = None;
    for k in 2..corners.len() {
        let fan = Triangle::new(corner(0), corner(k - 1), corner(k));
        let (found, feature) = triangle::near(&fan, x);
        if feature == TriangleFeature::Face {
            return NearestFeature { point: x - face.normal * height, normal: face.normal, distance: height };
        }
        if best.is_none_or(|b| found.distance < b.distance) {
            best = Some(found);
        }
    }
    let point = best.map_or(corner(0), |b| b.point);
    NearestFeature::sharp(x, point, face.normal)
}

impl NearestPoint for ConvexPolyhedron {
    fn near(&self, x: Vec3) -> NearestFeature {
        let highest = heights(self, x).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let (face, height) = highest.unwrap_or((0, f32::NAN));
        if height <= 0.0 {
            let normal = self.faces()[face].normal;
            return NearestFeature { point: x - normal * height, normal, distance: height };
        }
        let mut best = polygon(self, face, height, x);
        for (i, height) in heights(self, x) {
            if height > 0.0 && height < best.distance && i != face {
                let found = polygon(self, i, height, x);
                if found.distance < best.distance {
                    best = found;
                }
            }
        }
        best
    }

    fn bound(&self, x: Vec3) -> f32 {
        heights(self, x).fold(f32::NEG_INFINITY, |m, (_, height)| m.max(height))
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        self.points().iter().all(|&p| plane.height(p) <= slack)
    }
}
