//! Sampling discs, rotated differently in neighbouring pixels so that averaging hides the pattern.

use glam::Vec2;

/// Turn of each cell of a repeating 4 × 4 tile in sixteenths of a circle, in Bayer's order.
const ORDER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// Points spread over the unit disc and the sixteen ways to turn them.
pub(super) struct Disc {
    points: Vec<Vec2>,
    turns: [Vec2; 16],
}

impl Disc {
    /// Creates a sunflower spiral of `count` points, the k-th at distance ((k + ½) / count)^`power`.
    ///
    /// A power of ½ covers the disc evenly, greater ones gather toward the middle.
    pub(super) fn new(count: usize, power: f32) -> Self {
        const GOLDEN_ANGLE: f32 = 2.399_963_2;
        let point = |k: usize| {
            let fraction = (k as f32 + 0.5) / count as f32;
            libm::powf(fraction, power) * unit(GOLDEN_ANGLE * k as f32)
        };
        Self {
            points: (0..count).map(point).collect(),
            turns: ORDER.map(|step| unit(f32::from(step) * std::f32::consts::TAU / 16.0)),
        }
    }

    /// Returns the points as turned at column `x` and row `y`.
    pub(super) fn at(&self, x: usize, y: usize) -> impl Iterator<Item = Vec2> {
        let turn = self.turns[(y & 3) * 4 + (x & 3)];
        self.points.iter().map(move |&point| turn.rotate(point))
    }

    /// Returns how many points there are.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }
}

/// Returns a number in [−½, ½) that looks random over columns `x` and rows `y`: interleaved gradient noise
/// (J. Jimenez, *Next Generation Post Processing in Call of Duty*, 2014).
pub(super) fn grain(x: usize, y: usize) -> f32 {
    let phase = (0.067_110_56 * x as f32 + 0.005_837_15 * y as f32).fract();
    (52.982_918 * phase).fract() - 0.5
}

/// Returns the unit vector at `angle` `[rad]`.
fn unit(angle: f32) -> Vec2 {
    let (sine, cosine) = libm::sincosf(angle);
    Vec2::new(cosine, sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disc_points_stay_in_the_disc() {
        let disc = Disc::new(24, 0.5);
        for place in 0..16 {
            let points: Vec<Vec2> = disc.at(place % 4, place / 4).collect();
            assert_eq!(points.len(), disc.len());
            assert!(points.iter().all(|point| point.length() < 1.0));
        }
    }

    #[test]
    fn grain_is_centred() {
        let mean = (0..4096).map(|i| grain(i % 64, i / 64)).sum::<f32>() / 4096.0;
        assert!(mean.abs() < 0.02, "{mean}");
    }
}
