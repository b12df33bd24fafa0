//! What renderers are given: ellipsoids, surfaces and foam.

mod ellipsoids;
mod foam;
#[cfg(feature = "surface")]
mod surface;

use glam::Vec3;

/// Returns the points of a cubic lattice of this `spacing` that lie `inside`, up to `reach` lattice points from the
/// origin along each axis.
fn lattice(spacing: f32, reach: i32, inside: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let axis = || -reach..=reach;
    let all =
        axis().flat_map(|z| axis().flat_map(move |y| axis().map(move |x| Vec3::new(x as f32, y as f32, z as f32))));
    all.map(|point| spacing * point).filter(|&point| inside(point)).collect()
}
