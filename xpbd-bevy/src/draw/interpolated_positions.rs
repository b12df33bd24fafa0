//! Where things were before the last step, and where they are.

use bevy::math::{Affine3A, Vec3A};

/// Places before the last step and after it.
#[derive(Debug, Default, Clone)]
pub struct InterpolatedPositions {
    previous: Vec<Vec3A>,
    /// After the last step \[m\].
    pub current: Vec<Vec3A>,
    /// Steps that the world had made then.
    frames: u64,
    /// True if the world stood still since.
    stands: bool,
}

impl InterpolatedPositions {
    /// Creates positions at rest \[m\].
    pub fn at(current: Vec<Vec3A>, frames: u64) -> Self {
        Self { previous: current.clone(), current, frames, stands: false }
    }

    /// Takes in a step, if there was one: `place` writes where everything is now \[m\].
    pub fn step(&mut self, frames: u64, place: impl FnOnce(&mut Vec<Vec3A>)) {
        self.stands = frames == self.frames;
        if self.stands {
            return;
        }
        self.frames = frames;
        std::mem::swap(&mut self.previous, &mut self.current);
        self.current.clear();
        place(&mut self.current);
        if self.previous.len() != self.current.len() {
            self.previous.clone_from(&self.current);
        }
    }

    /// Steps that the world had made when a step was taken in.
    #[cfg(feature = "gpu")]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Lets a new position begin where another one was.
    pub fn begin_as(&mut self, place: usize, other: usize) {
        if place < self.previous.len()
            && let Some(&from) = self.previous.get(other)
        {
            self.previous[place] = from;
        }
    }

    /// Lets a new position begin where it is, since it was nowhere before.
    pub fn appear(&mut self, place: usize) {
        if let (Some(previous), Some(current)) = (self.previous.get_mut(place), self.current.get(place)) {
            *previous = *current;
        }
    }

    /// Returns where everything is at this part of the way, seen from this frame.
    pub fn places(&self, part: f32, frame: Affine3A) -> impl ExactSizeIterator<Item = Vec3A> + '_ {
        let part = if self.stands { 1.0 } else { part };
        let pairs = self.previous.iter().zip(&self.current);
        pairs.map(move |(&previous, &current)| frame.transform_point3a(previous + part * (current - previous)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(motion: &InterpolatedPositions, part: f32) -> f32 {
        motion.places(part, Affine3A::IDENTITY).next().map_or(f32::NAN, |place| place.x)
    }

    #[test]
    fn is_interpolated_between_steps_and_not_while_it_stands() {
        let mut motion = InterpolatedPositions::at(vec![Vec3A::ZERO], 0);
        motion.step(1, |places| places.push(Vec3A::X));
        assert_eq!([0.0, 0.25, 1.0].map(|part| place(&motion, part)), [0.0, 0.25, 1.0]);
        motion.step(1, |_| unreachable!());
        assert_eq!(place(&motion, 0.25), 1.0);
        motion.step(2, |places| places.push(2.0 * Vec3A::X));
        assert_eq!(place(&motion, 0.5), 1.5);
        motion.appear(0);
        assert_eq!(place(&motion, 0.5), 2.0);
    }
}
