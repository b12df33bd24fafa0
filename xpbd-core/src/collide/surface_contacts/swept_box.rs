//! Boxes that move.

use glam::{Vec3, Vec3A};

/// A box at the beginning and at the end of a straight motion.
#[derive(Debug, Clone, Copy)]
pub struct SweptBox {
    lowest: [Vec3A; 2],
    highest: [Vec3A; 2],
}

impl SweptBox {
    /// An empty box.
    pub const EMPTY: Self = Self { lowest: [Vec3A::INFINITY; 2], highest: [Vec3A::NEG_INFINITY; 2] };

    /// Creates a box of half size `around` about a point that moves by `way`.
    pub fn new(from: Vec3, way: Vec3, around: Vec3) -> Self {
        let (around, ends) = (Vec3A::from(around), [from, from + way].map(Vec3A::from));
        Self { lowest: ends.map(|end| end - around), highest: ends.map(|end| end + around) }
    }

    /// Returns a box around the ray from a point along x, as far as rounding of positions may move that.
    pub fn along_x(from: Vec3) -> Self {
        let around = from.abs() * (4.0 * f32::EPSILON);
        let far = Vec3 { x: f32::MAX, ..from };
        Self::new(from, Vec3::ZERO, around).merged(&Self::new(far, Vec3::ZERO, around))
    }

    /// Returns the smallest box around both.
    #[inline]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            lowest: [self.lowest[0].min(other.lowest[0]), self.lowest[1].min(other.lowest[1])],
            highest: [self.highest[0].max(other.highest[0]), self.highest[1].max(other.highest[1])],
        }
    }

    /// Returns the box that is larger by `by` on every side.
    #[inline]
    pub fn grown(&self, by: f32) -> Self {
        Self { lowest: self.lowest.map(|low| low - by), highest: self.highest.map(|high| high + by) }
    }

    /// Returns the box that does not move and is around this one during the whole motion.
    pub fn at_rest(&self) -> Self {
        let ([a, b], [c, d]) = (self.lowest, self.highest);
        Self { lowest: [a.min(b); 2], highest: [c.max(d); 2] }
    }

    /// Returns what is left of the motion after a part of it.
    pub fn after(&self, part: f32) -> Self {
        let rest = |[from, to]: [Vec3A; 2]| [from + (to - from) * part, to];
        Self { lowest: rest(self.lowest), highest: rest(self.highest) }
    }

    /// Returns whether another one is inside during the whole motion.
    pub fn contains(&self, other: &Self) -> bool {
        let holds = |k: usize| self.lowest[k].cmple(other.lowest[k]) & self.highest[k].cmpge(other.highest[k]);
        (holds(0) & holds(1)).all()
    }

    /// Returns whether they may meet: on no axis is one below the other at both ends, and so always.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let below = |a: &Self, b: &Self| a.highest[0].cmplt(b.lowest[0]) & a.highest[1].cmplt(b.lowest[1]);
        !(below(self, other) | below(other, self)).any()
    }

    /// Returns how far apart they are on one axis at least, during the whole motion; 0 where they may meet.
    pub fn gap(&self, other: &Self) -> f32 {
        let above = |a: &Self, b: &Self| (a.lowest[0] - b.highest[0]).min(a.lowest[1] - b.highest[1]);
        above(self, other).max(above(other, self)).max_element().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two that meet in passing, one that follows another, and one that goes by on the other side.
    #[test]
    fn boxes_meet_where_their_motions_cross() {
        let swept = |from: Vec3, way: Vec3| SweptBox::new(from, way, Vec3::splat(0.1));
        let right = swept(Vec3::ZERO, 2.0 * Vec3::X);
        assert!(right.meets(&swept(Vec3::X, -Vec3::X)));
        assert!(!right.meets(&swept(0.5 * Vec3::X, 2.0 * Vec3::X)));
        assert!(!right.meets(&swept(Vec3::X + 0.3 * Vec3::Y, -Vec3::X)));
        let beside = swept(Vec3::X + 0.5 * Vec3::Y, -Vec3::X);
        assert!((right.gap(&beside) - 0.3).abs() < 1e-6 && (beside.gap(&right) - 0.3).abs() < 1e-6);
        assert_eq!(right.gap(&swept(Vec3::X, -Vec3::X)), 0.0);
        let around = right.at_rest();
        assert!(around.contains(&right) && !right.contains(&around) && around.contains(&SweptBox::EMPTY));
        assert!(around.meets(&swept(0.5 * Vec3::X, 2.0 * Vec3::X)) && !around.meets(&beside));
        assert!(right.contains(&right.after(0.0)) && !right.after(0.5).meets(&swept(0.5 * Vec3::X, Vec3::ZERO)));
        assert!(!right.meets(&SweptBox::EMPTY) && right.merged(&SweptBox::EMPTY).meets(&right));
    }
}
