//! A round tube around a line of points, for ropes and chains.

use glam::Vec3;
use xpbd_cloth::Tube;

use crate::mesh::Mesh;

/// Corners around the tube.
const SIDES: u32 = 16;

/// The largest ball that fits into the tube, as a share of its radius `[1]`: cos(π / 16).
pub(super) const INNER: f32 = 0.980_785;

/// Returns an open tube of `radius` `[m]` along `points` `[m]`, as [`Tube::mesh`] has it.
pub(super) fn tube(points: &[Vec3], radius: f32) -> Mesh {
    let mesh = Tube { radius, sides: SIDES, rings_per_link: if points.len() > 2 { 4 } else { 1 } }.mesh(points);
    Mesh { positions: mesh.positions, triangles: mesh.indices }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tube_keeps_its_radius_and_faces_outward() {
        let points = [Vec3::ZERO, Vec3::Y, 2.0 * Vec3::Y, 2.0 * Vec3::Y];
        let mesh = tube(&points, 0.25);
        assert_eq!(mesh.positions.len(), 9 * SIDES as usize);
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
