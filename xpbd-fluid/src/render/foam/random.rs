//! Numbers that look random and are the same everywhere.

/// SplitMix64 (G. Steele, D. Lea, C. Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// Returns a generator whose numbers depend on `seed` alone.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number in \[0, 1).
    pub(super) fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) >> 40) as f32 / 16_777_216.0
    }

    /// Returns a point of the unit disc, evenly spread: the first of a square that lies in it, the middle if none
    /// of many does.
    pub(super) fn in_disc(&mut self) -> [f32; 2] {
        let tries = (0..32).map(|_| [2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0]);
        tries.into_iter().find(|[x, y]| x * x + y * y < 1.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut random = Random::new(7);
        let count = 10_000;
        let numbers: Vec<f32> = (0..count).map(|_| random.unit()).collect();
        assert!(numbers.iter().all(|x| (0.0..1.0).contains(x)));
        for tenth in 0..10 {
            let share = numbers.iter().filter(|&&x| (10.0 * x) as usize == tenth).count();
            assert!((900..1100).contains(&share), "{tenth}: {share}");
        }
    }

    #[test]
    fn the_disc_is_filled_evenly() {
        let mut random = Random::new(3);
        let count = 10_000;
        let inner = (0..count).map(|_| random.in_disc()).filter(|[x, y]| x * x + y * y < 0.5).count();
        assert!((inner as i32 - 5000).abs() < 200, "{inner}");
    }
}
