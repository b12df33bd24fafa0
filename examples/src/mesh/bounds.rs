//! Axis-aligned boxes around points.

use glam::Vec3;

/// An axis-aligned box `[m]`. It is empty while any `min` component exceeds its `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner `[m]`.
    pub min: Vec3,
    /// Highest corner `[m]`.
    pub max: Vec3,
}

impl Bounds {
    /// The box that holds no point, neutral under [`Bounds::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around `points` `[m]`.
    pub fn from_points(points: &[Vec3]) -> Self {
        points
            .iter()
            .fold(Self::EMPTY, |bounds, &point| Self { min: bounds.min.min(point), max: bounds.max.max(point) })
    }

    /// The smallest box around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with every face moved outward by `margin` `[m]`.
    pub fn expanded(self, margin: f32) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Returns whether no point lies inside.
    pub fn is_empty(self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Returns the middle `[m]`, the origin for an empty box.
    pub fn center(self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        0.5 * (self.min + self.max)
    }

    /// Edge lengths `[m]`, zero for an empty box.
    pub fn size(self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        self.max - self.min
    }

    /// Returns the eight corners `[m]`.
    pub fn corners(self) -> [Vec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |axis: usize| {
                let side = if corner >> axis & 1 == 0 { self.min } else { self.max };
                side[axis]
            };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_their_points() {
        let bounds = Bounds::from_points(&[Vec3::new(1.0, -2.0, 0.0), Vec3::new(-1.0, 4.0, 3.0)]);
        assert_eq!(bounds.size(), Vec3::new(2.0, 6.0, 3.0));
        assert_eq!(bounds.center(), Vec3::new(0.0, 1.0, 1.5));
        assert_eq!(Bounds::from_points(&bounds.corners()), bounds);
        assert_eq!(bounds.union(Bounds::EMPTY), bounds);
    }

    #[test]
    fn the_empty_box_has_no_size() {
        assert!(Bounds::EMPTY.is_empty());
        assert_eq!(Bounds::EMPTY.size(), Vec3::ZERO);
        assert_eq!(Bounds::EMPTY.center(), Vec3::ZERO);
    }
}
