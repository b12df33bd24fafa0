//! A bowl: a frustum that opens upward, with the smallest number of triangles.

use core::f32::consts::TAU;

use glam::Vec3;

use crate::mesh::Mesh;

/// Sides of the bowl.
const SIDES: u32 = 12;
/// Distance of the corners from the axis at the bottom and at the rim, height, and height of the bottom above
/// the ground, of a bowl of scale 1 \[m\].
const BOTTOM: f32 = 0.4;
const RIM: f32 = 0.6;
const HEIGHT: f32 = 0.4;
const FOOT: f32 = 0.15;

/// A bowl about the y axis, its walls without thickness.
#[derive(Debug, Clone)]
pub struct Bowl {
    scale: f32,
    /// Outward unit vectors across its sides.
    across: Vec<Vec3>,
}

fn around(part: f32) -> Vec3 {
    let angle = part * (TAU / SIDES as f32);
    Vec3::new(libm::cosf(angle), 0.0, libm::sinf(angle))
}

impl Bowl {
    /// Creates a bowl this many times as large.
    pub fn new(scale: f32) -> Self {
        Self { scale, across: (0..SIDES).map(|k| around(k as f32 + 0.5)).collect() }
    }

    /// Returns two triangles a side, and a bottom.
    pub fn mesh(&self) -> Mesh {
        let ring =
            |radius: f32, y: f32| (0..SIDES).map(move |k| (around(k as f32) * radius + Vec3::Y * y) * self.scale);
        let mut positions: Vec<Vec3> = ring(BOTTOM, FOOT).chain(ring(RIM, FOOT + HEIGHT)).collect();
        positions.push(Vec3::Y * (FOOT * self.scale));
        let side = |k: u32| {
            let next = (k + 1) % SIDES;
            [[k, k + SIDES, next], [next, k + SIDES, next + SIDES], [k, next, 2 * SIDES]]
        };
        Mesh { positions, triangles: (0..SIDES).flat_map(side).collect() }
    }

    /// Returns the height of the rim above the ground \[m\].
    pub fn rim(&self) -> f32 {
        (FOOT + HEIGHT) * self.scale
    }

    /// Returns the height of the bottom above the ground \[m\].
    pub fn foot(&self) -> f32 {
        FOOT * self.scale
    }

    /// Returns the height of the rim above the bottom \[m\].
    pub fn height(&self) -> f32 {
        HEIGHT * self.scale
    }

    /// Returns whether a point \[m\] is in the bowl, or above its bottom within its walls as they would go on.
    pub fn contains(&self, x: Vec3) -> bool {
        let up = x.y / self.scale - FOOT;
        let apothem = (BOTTOM + (RIM - BOTTOM) * up / HEIGHT) * libm::cosf(0.5 * TAU / SIDES as f32) * self.scale;
        up > 0.0 && self.across.iter().all(|across| x.dot(*across) < apothem)
    }

    /// Returns what it holds \[m³\].
    pub fn volume(&self) -> f64 {
        self.below(1.0).0
    }

    /// Returns the mean height above the bottom \[m\] of a volume \[m³\] of water in it at rest; what is more than it
    /// holds stands within its walls as they would go on.
    pub fn mean_height(&self, volume: f64) -> f64 {
        let (mut low, mut high) = (0.0, 4.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if self.below(middle).0 < volume { low = middle } else { high = middle }
        }
        let (volume, moment) = self.below(high);
        moment / volume
    }

    /// Returns the volume below a part of the height \[m³\], and the integral of the height above the bottom over it
    /// \[m⁴\].
    fn below(&self, part: f64) -> (f64, f64) {
        let [bottom, rim, height] = [BOTTOM, RIM, HEIGHT].map(|length| f64::from(length * self.scale));
        // Of a regular polygon with its corners at a distance of 1.
        let area = 0.5 * f64::from(SIDES) * libm::sin(core::f64::consts::TAU / f64::from(SIDES));
        let (y, grows) = (part * height, (rim - bottom) / height);
        // (bottom + grows y)² and y times that, integrated.
        let volume = y * (bottom * bottom + y * (bottom * grows + y * (grows * grows / 3.0)));
        let moment = y * y * (0.5 * bottom * bottom + y * (bottom * grows * (2.0 / 3.0) + y * (0.25 * grows * grows)));
        (area * volume, area * moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The volume of a mesh of triangles as a sum over tetrahedra at the middle of the rim, which its open top adds
    /// nothing to.
    #[test]
    fn the_volume_of_a_bowl_is_that_of_its_mesh() {
        let bowl = Bowl::new(0.7);
        let (mesh, apex) = (bowl.mesh(), Vec3::Y * bowl.rim());
        let tetrahedron = |&triangle: &[u32; 3]| {
            let [a, b, c] = mesh.corners(triangle).map(|x| (x - apex).as_dvec3());
            a.dot(b.cross(c)) / 6.0
        };
        let volume: f64 = mesh.triangles.iter().map(tetrahedron).sum();
        assert!((volume.abs() / bowl.volume() - 1.0).abs() < 1e-5, "{volume} {}", bowl.volume());
    }

    #[test]
    fn the_corners_of_a_bowl_are_on_its_boundary() {
        let bowl = Bowl::new(1.3);
        let middle = Vec3::Y * (bowl.foot() + 0.5 * bowl.height());
        for corner in bowl.mesh().positions {
            assert!(bowl.contains(corner.lerp(middle, 1e-3)) && !bowl.contains(corner.lerp(middle, -1e-3)), "{corner}");
        }
    }
}
