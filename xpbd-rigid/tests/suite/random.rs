//! Numbers that are the same in every run.

use glam::{Quat, Vec3};

/// A linear congruential generator with mixed output.
pub struct Random(pub u64);

impl Random {
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform in the cube from −1 to 1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }

    /// Uniform among all rotations: a point of the unit ball in four dimensions, normalised.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let q = Quat::from_vec4(self.vector().extend(2.0 * self.unit() - 1.0));
            if (0.01..1.0).contains(&q.length_squared()) {
                return q.normalize();
            }
        }
    }
}
