//! A round tube around a line of points, for ropes and chains.

use glam::{Quat, Vec3};

use crate::mesh::Mesh;

/// Corners around the tube.
const SIDES: u32 = 16;

/// The largest ball that fits into the tube, as a share of its radius `[1]`: cos(π / 16).
pub(super) const INNER: f32 = 0.980_785;

/// An open tube of `radius` `[m]` along `points` `[m]`. Points that are not finite or repeat their
/// predecessor are skipped; fewer than two leave the mesh empty.
pub(super) fn tube(points: &[Vec3], radius: f32) -> Mesh {
    let mut line: Vec<Vec3> = points.iter().copied().filter(|p| p.is_finite()).collect();
    line.dedup();
    let mut mesh = Mesh::default();
    if line.len() < 2 {
        return mesh;
    }
    let mut tangent = direction(&line, 0);
    let mut side = tangent.any_orthonormal_vector();
    for (k, &point) in line.iter().enumerate() {
        let next = direction(&line, k);
        side = Quat::from_rotation_arc(tangent, next) * side;
        side = side.reject_from(next).normalize_or(next.any_orthonormal_vector());
        tangent = next;
        add_ring(&mut mesh, point, radius * side, radius * tangent.cross(side));
        if k > 0 {
            join_last_rings(&mut mesh);
        }
    }
    mesh
}

/// The unit tangent at point `k`: the mean of its two segments' directions.
fn direction(line: &[Vec3], k: usize) -> Vec3 {
    let segment = |from: usize| (line[from + 1] - line[from]).normalize_or(Vec3::Y);
    let last = line.len() - 1;
    let before = segment(k.max(1) - 1);
    let after = segment(k.min(last - 1));
    (before + after).normalize_or(after)
}

/// Adds a circle around `center` through `center + u` and `center + v`.
fn add_ring(mesh: &mut Mesh, center: Vec3, u: Vec3, v: Vec3) {
    for corner in 0..SIDES {
        let angle = corner as f32 * std::f32::consts::TAU / SIDES as f32;
        let (sine, cosine) = libm::sincosf(angle);
        mesh.positions.push(center + cosine * u + sine * v);
    }
}

/// Joins the two rings that were added last.
fn join_last_rings(mesh: &mut Mesh) {
    let new = mesh.positions.len() as u32 - SIDES;
    let old = new - SIDES;
    for corner in 0..SIDES {
        let next = (corner + 1) % SIDES;
        mesh.triangles.push([old + corner, old + next, new + next]);
        mesh.triangles.push([old + corner, new + next, new + corner]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tube_keeps_its_radius_and_faces_outward() {
        let points = [Vec3::ZERO, Vec3::Y, 2.0 * Vec3::Y, 2.0 * Vec3::Y];
        let mesh = tube(&points, 0.25);
        assert_eq!(mesh.positions.len(), 3 * SIDES as usize);
        for (position, normal) in mesh.positions.iter().zip(mesh.normals()) {
            let radial = position.reject_from(Vec3::Y);
            assert!((radial.length() - 0.25).abs() < 1e-5);
            assert!(normal.dot(radial) > 0.0);
        }
    }

    #[test]
    fn short_or_broken_lines_make_no_tube() {
        assert!(tube(&[], 1.0).triangles.is_empty());
        assert!(tube(&[Vec3::ONE], 1.0).triangles.is_empty());
        assert!(tube(&[Vec3::ONE, Vec3::NAN], 1.0).triangles.is_empty());
    }
}
