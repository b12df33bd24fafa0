//! A small generator of pseudorandom numbers that gives the same sequence on every platform.

/// A linear congruential generator of 64 bits with Knuth's constants; the high bits are used.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator whose numbers depend on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// Returns a number in \[−1, 1).
    pub fn signed(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / 8_388_608.0 - 1.0
    }

    /// Returns a vector with components in \[−1, 1).
    pub fn vector(&mut self) -> glam::Vec3 {
        glam::Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Returns the numbers below `count` in a random order (Fisher and Yates).
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = (u64::from(self.bits()) * (last as u64 + 1)) >> 32;
            order.swap(last, other as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range_and_fill_it() {
        let mut random = Random::new(1);
        let numbers: Vec<f32> = (0..1000).map(|_| random.signed()).collect();
        assert!(numbers.iter().all(|x| (-1.0..1.0).contains(x)));
        assert!(numbers.iter().any(|&x| x < -0.9) && numbers.iter().any(|&x| x > 0.9));
    }

    #[test]
    fn a_permutation_holds_every_number_once() {
        let mut order = Random::new(2).permutation(100);
        assert_ne!(order[..5], [0, 1, 2, 3, 4]);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..100));
    }
}
