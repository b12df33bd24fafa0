//! The thickness of closed surfaces along each sight line.
//!
//! Along a line through closed surfaces the depths of their backs minus those of their fronts add up to the
//! length within. A sample on the edge of two triangles must count in exactly one of them, or in both if one
//! is a front and the other a back: the side of an edge is therefore worked out from its ends in one order,
//! whichever triangle asks.

use glam::Vec4;
use rayon::prelude::*;

use super::triangle::ScreenTriangle;
use super::{STRIP, bins, centers, clipped_triangles};
use crate::picture::geometry::Geometry;
use crate::picture::view::View;

/// Per sample, row after row, the sum over the closed surfaces of `geometry` of the length within them `[m]`
/// times `weight`, which is given for a triangle by its number. `ends` holds per sample the depth `[m]` at
/// which the line ends.
pub(in crate::picture) fn thickness(
    geometry: &Geometry,
    view: &View,
    ends: &[f32],
    weight: impl Fn(u32) -> Vec4 + Sync,
) -> Vec<Vec4> {
    let triangles: Vec<ScreenTriangle> = clipped_triangles(geometry, view).collect();
    let bins = bins(triangles.iter().map(ScreenTriangle::extent), view);
    let columns = view.columns as usize;
    let mut sums = vec![Vec4::ZERO; ends.len()];
    sums.par_chunks_mut(STRIP * columns).zip(ends.par_chunks(STRIP * columns)).enumerate().for_each(
        |(strip, (sums, ends))| {
            let first = strip * STRIP;
            for &index in &bins[strip] {
                let triangle = &triangles[index as usize];
                let share = weight(triangle.number()) * if triangle.faces_viewer() { -1.0 } else { 1.0 };
                let (low, high) = triangle.extent();
                for y in centers(low.y, high.y, first..first + sums.len() / columns) {
                    for x in centers(low.x, high.x, 0..columns) {
                        if let Some(near) = triangle.depth_at(super::sample(x, y)) {
                            let sample = (y - first) * columns + x;
                            sums[sample] += share * view.depth(near).min(ends[sample]);
                        }
                    }
                }
            }
        },
    );
    let steepness = |x: usize, y: usize| view.ray(super::sample(x, y)).direction.length();
    sums.par_iter_mut()
        .enumerate()
        .for_each(|(k, sum)| *sum = sum.max(Vec4::ZERO) * steepness(k % columns, k / columns));
    sums
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::mesh::Mesh;
    use crate::picture::Material;
    use crate::picture::view::Lens;

    /// Returns how much of a mesh lies along each of 32 × 32 parallel lines down to the depth `end`.
    fn lengths(mesh: &Mesh, end: f32) -> Vec<f32> {
        let mut geometry = Geometry::default();
        geometry.add_mesh(mesh, &[], Material::matte(Vec3::ONE));
        let view = View::new(Vec3::new(0.0, 0.0, 8.0), Vec3::NEG_Z, Lens::Parallel(8.0), [32, 32]);
        thickness(&geometry, &view, &[end; 1024], |_| Vec4::ONE).iter().map(|sum| sum.x).collect()
    }

    /// Edges and corners of this cube fall on samples: each must count once.
    #[test]
    fn the_thickness_of_a_cube_does_not_depend_on_its_edges() {
        let (corners, triangles) = parry3d::shape::Cuboid::new(Vec3::ONE).to_trimesh();
        for shift in [0.0, 1.0 / 16.0, 0.03] {
            let positions = corners.iter().map(|corner| corner + Vec3::new(shift, shift, 0.0)).collect();
            let mesh = Mesh { positions, triangles: triangles.clone() };
            for (end, expected) in [(f32::INFINITY, 2.0), (7.5, 0.5), (3.0, 0.0)] {
                let lengths = lengths(&mesh, end);
                let within: Vec<f32> = lengths.into_iter().filter(|length| *length != 0.0).collect();
                assert!(within.iter().all(|length| (length - expected).abs() < 1e-5), "{shift} {end}");
                assert_eq!(within.len(), if expected > 0.0 { 256 } else { 0 }, "{shift} {end}");
            }
        }
    }

    /// A chord of a ball of radius 1 at distance r from its middle is 2 √(1 − r²) long.
    #[test]
    fn a_ball_has_the_length_of_its_chords() {
        let (positions, triangles) = parry3d::shape::Ball::new(1.0).to_trimesh(64, 64);
        for (k, length) in lengths(&Mesh { positions, triangles }, f32::INFINITY).into_iter().enumerate() {
            let [x, y] = [k % 32, k / 32].map(|number| (number as f32 - 15.5) / 8.0);
            let square = 1.0 - x * x - y * y;
            if square.abs() > 0.1 {
                assert!((length - 2.0 * square.max(0.0).sqrt()).abs() < 0.02, "{x} {y} {length}");
            }
        }
    }
}
