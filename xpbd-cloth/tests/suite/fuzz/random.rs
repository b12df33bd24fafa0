//! Numbers that look random and are the same in every run, some of them bad.

use glam::Vec3;

/// Numbers that no builder expects.
const BAD: [f32; 11] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, -1.0, 1e30, -1e30, 1e-30, f32::MAX, f32::MIN_POSITIVE];

/// A linear congruential generator of 64 bits with Knuth's constants; the high bits are used.
pub struct Random {
    state: u64,
    /// One number in so many is bad; 0 for none.
    bad: usize,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed ^ 0x9E37_79B9_7F4A_7C15, bad: 0 }
    }

    pub fn next(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 32) as u32
    }

    /// Returns a whole number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u64::from(self.next()) * bound.max(1) as u64) >> 32) as usize
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    /// From now on one number of [`Random::number`] in so many is bad, as one of these has it; 0 for none.
    pub fn spoil_at_times(&mut self, one_in: &[usize]) {
        self.bad = one_in[self.below(one_in.len())];
    }

    /// Returns a number in [low, high).
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 8) as f32 / (1 << 24) as f32)
    }

    /// Returns the same, evenly spread over powers of ten, or a bad one.
    pub fn number(&mut self, low: f32, high: f32) -> f32 {
        if self.bad > 0 && self.below(self.bad) == 0 {
            return BAD[self.below(BAD.len())];
        }
        libm::expf(self.range(libm::logf(low), libm::logf(high)))
    }

    /// Returns a vector with components in [−size, size).
    pub fn vector(&mut self, size: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.range(-size, size)))
    }

    /// Returns one that may be bad.
    pub fn any_vector(&mut self, size: f32) -> Vec3 {
        let v = self.vector(size);
        if self.bad > 0 && self.below(self.bad) == 0 { v * BAD[self.below(BAD.len())] } else { v }
    }
}
