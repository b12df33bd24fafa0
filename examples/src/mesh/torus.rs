//! A ring.

use std::f32::consts::TAU;

use glam::Vec3;
use xpbd_core::scalar::trig;

use super::Mesh;

/// Returns a torus around the y axis: `radius` to the middle of its tube, which has the radius `tube` `[m]`, in
/// `around` parts of `across` sides.
pub fn torus(radius: f32, tube: f32, [around, across]: [u32; 2]) -> Mesh {
    let angle = |k: u32, count: u32| TAU * k as f32 / count as f32;
    let point = |k: u32| {
        let (u, v) = (angle(k / across, around), angle(k % across, across));
        let out = radius + tube * trig::cos(v);
        Vec3::new(out * trig::cos(u), tube * trig::sin(v), out * trig::sin(u))
    };
    let triangles = (0..around * across).flat_map(|k| {
        let (part, side) = (k / across, k % across);
        let at = |part: u32, side: u32| (part % around) * across + side % across;
        let [a, b, c, d] = [at(part, side), at(part, side + 1), at(part + 1, side), at(part + 1, side + 1)];
        [[a, b, c], [b, d, c]]
    });
    Mesh { positions: (0..around * across).map(point).collect(), triangles: triangles.collect() }
}
