//! The mesh with which a rope or a rod is drawn: a smooth round tube along its points.
//!
//! The line between the points is a Catmull–Rom spline: between x₁ and x₂ it is the cubic with the tangents
//! (x₂ − x₀)/2 and (x₃ − x₁)/2 there, so that it goes through every point without a corner; beyond the ends
//! the line continues straight. Parallel transport rotates the rings along it, without twist.

use std::f32::consts::TAU;

use glam::Vec3;
use xpbd_core::scalar::trig;

/// A triangle mesh with a normal at every vertex, counter-clockwise from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TubeMesh {
    /// Positions \[m\].
    pub positions: Vec<Vec3>,
    /// Unit normals of the vertices.
    pub normals: Vec<Vec3>,
    /// Vertices of each triangle.
    pub indices: Vec<[u32; 3]>,
}

/// The shape of a tube along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tube {
    /// Radius \[m\].
    pub radius: f32,
    /// Number of corners around the tube, at least 3.
    pub sides: u32,
    /// Number of rings per link, at least 1.
    pub rings_per_link: u32,
}

impl Tube {
    /// Creates a tube of this radius \[m\], with 12 corners around it and 4 rings per link.
    pub fn new(radius: f32) -> Self {
        Self { radius, sides: 12, rings_per_link: 4 }
    }

    /// Returns the open tube along a line of points \[m\]: n points give (n − 1) `steps` + 1 rings of `sides` vertices.
    /// Points that are not finite or repeat their predecessor are left out; fewer than two give an empty mesh.
    pub fn mesh(&self, points: &[Vec3]) -> TubeMesh {
        let mut line: Vec<Vec3> = points.iter().copied().filter(|point| point.is_finite()).collect();
        line.dedup();
        let mut mesh = TubeMesh::default();
        if line.len() < 2 {
            return mesh;
        }
        let (sides, steps) = (self.sides.max(3), self.rings_per_link.max(1));
        let circle: Vec<[f32; 2]> = (0..sides)
            .map(|corner| corner as f32 * TAU / sides as f32)
            .map(|angle| [trig::cos(angle), trig::sin(angle)])
            .collect();
        let (_, mut tangent) = spline(&line, 0, 0.0);
        let mut across = tangent.any_orthonormal_vector();
        for sample in 0..=(line.len() as u32 - 1) * steps {
            let link = (sample / steps).min(line.len() as u32 - 2);
            let part = (sample - link * steps) as f32 / steps as f32;
            let (center, next) = spline(&line, link as usize, part);
            across = transport(across, tangent, next);
            tangent = next;
            mesh.ring(center, [across, tangent.cross(across)], self.radius, &circle);
        }
        mesh
    }
}

/// Returns a point of the spline within a link \[m\], and the unit tangent there.
fn spline(line: &[Vec3], link: usize, t: f32) -> (Vec3, Vec3) {
    let (x1, x2) = (line[link], line[link + 1]);
    let x0 = link.checked_sub(1).map_or(x1 * 2.0 - x2, |before| line[before]);
    let x3 = line.get(link + 2).copied().unwrap_or(x2 * 2.0 - x1);
    let (way, m1, m2) = (x2 - x1, (x2 - x0) * 0.5, (x3 - x1) * 0.5);
    let (b, c) = (way * 3.0 - m1 * 2.0 - m2, m1 + m2 - way * 2.0);
    let point = if t == 1.0 { x2 } else { x1 + (m1 + (b + c * t) * t) * t };
    let slope = m1 + (b * 2.0 + c * (3.0 * t)) * t;
    (point, slope.try_normalize().unwrap_or_else(|| way.normalize_or(Vec3::Y)))
}

/// Rotates a unit vector across the tangent t by the smallest rotation from t to the tangent u.
fn transport(across: Vec3, t: Vec3, u: Vec3) -> Vec3 {
    let turned = across - (t + u) * (across.dot(u) / (1.0 + t.dot(u)).max(1e-6));
    turned.reject_from_normalized(u).try_normalize().unwrap_or_else(|| u.any_orthonormal_vector())
}

impl TubeMesh {
    /// Adds a ring of vertices and joins it to the one before.
    fn ring(&mut self, center: Vec3, [u, v]: [Vec3; 2], radius: f32, circle: &[[f32; 2]]) {
        let (new, sides) = (self.positions.len() as u32, circle.len() as u32);
        for &[cosine, sine] in circle {
            let normal = u * cosine + v * sine;
            self.normals.push(normal);
            self.positions.push(center + normal * radius);
        }
        let Some(old) = new.checked_sub(sides) else { return };
        for corner in 0..sides {
            let next = (corner + 1) % sides;
            self.indices.push([old + corner, old + next, new + next]);
            self.indices.push([old + corner, new + next, new + corner]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(points: u16) -> Vec<Vec3> {
        let point = |k: u16| {
            let angle = 4.0 * f32::from(k) / f32::from(points - 1);
            Vec3::new(trig::cos(angle), 0.1 * angle, trig::sin(angle))
        };
        (0..points).map(point).collect()
    }

    #[test]
    fn a_tube_goes_through_its_points_at_its_radius_and_faces_outward() {
        let points = arc(9);
        let mesh = Tube { radius: 0.05, sides: 8, rings_per_link: 4 }.mesh(&points);
        assert_eq!((mesh.positions.len(), mesh.indices.len()), (33 * 8, 32 * 16));
        for (k, &point) in points.iter().enumerate() {
            let ring = &mesh.positions[k * 32..][..8];
            assert!(ring.iter().all(|x| (x.distance(point) - 0.05).abs() < 1e-5));
        }
        for &[a, b, c] in &mesh.indices {
            let [a, b, c] = [a, b, c].map(|k| k as usize);
            let face = (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]);
            assert!(face.normalize().dot(mesh.normals[a]) > 0.8);
        }
    }

    /// The spline stays close to the circle that its points are on.
    #[test]
    fn a_tube_along_an_arc_is_smooth() {
        let mesh = Tube { radius: 1e-3, sides: 3, rings_per_link: 8 }.mesh(&arc(17));
        let middle = mesh.positions.chunks(3).map(|ring| (ring[0] + ring[1] + ring[2]) / 3.0);
        for center in middle.skip(8).take(8 * 14) {
            assert!((center.x * center.x + center.z * center.z - 1.0).abs() < 2e-3, "{center}");
        }
    }

    #[test]
    fn neighbouring_rings_are_hardly_rotated_against_each_other() {
        let mesh = Tube::new(0.01).mesh(&arc(33));
        for pair in mesh.normals.chunks(12).collect::<Vec<_>>().windows(2) {
            assert!(pair[0][0].dot(pair[1][0]) > 0.99);
        }
    }

    #[test]
    fn lines_that_are_too_short_or_not_finite_give_no_mesh() {
        for points in [&[][..], &[Vec3::ONE], &[Vec3::ONE, Vec3::NAN], &[Vec3::X, Vec3::X]] {
            assert_eq!(Tube::new(1.0).mesh(points), TubeMesh::default());
        }
        let back = Tube::new(0.1).mesh(&[Vec3::ZERO, Vec3::X, Vec3::ZERO, Vec3::X]);
        assert!(back.positions.iter().all(|x| x.is_finite()));
    }
}
