//! The points that a constraint sees.

use std::ops::{Add, Sub};

use crate::scalar::{Real, Vec3};

/// A place in the world, or an axis on a body.
///
/// The difference of two points is a vector, exact even far from the origin: points are held
/// relative to an origin near the constraint (where its first node was when the frame began).
#[derive(Debug, Clone, Copy)]
pub struct Point<S> {
    local: Vec3<S>,
    origin: Vec3<S>,
}

impl<S: Real> Point<S> {
    /// Creates a point at `local` from `origin` \[m\].
    pub fn new(local: Vec3<S>, origin: Vec3<S>) -> Self {
        Self { local, origin }
    }

    /// Returns the position in the world \[m\], rounded like any `f32` of its size.
    pub fn world(self) -> Vec3<S> {
        self.local + self.origin
    }

    /// Returns the position \[m\] from where the first node of the constraint was when the frame began.
    pub fn local(self) -> Vec3<S> {
        self.local
    }

    /// Returns where the first node of the constraint was when the frame began \[m\].
    pub fn origin(self) -> Vec3<S> {
        self.origin
    }

    /// Returns the direction, of a point that is an axis on a body.
    pub fn axis(self) -> Vec3<S> {
        self.local
    }
}

impl<S: Real> Sub for Point<S> {
    type Output = Vec3<S>;
    fn sub(self, other: Self) -> Vec3<S> {
        self.local - other.local
    }
}

impl<S: Real> Add<Vec3<S>> for Point<S> {
    type Output = Self;
    fn add(self, vector: Vec3<S>) -> Self {
        Self { local: self.local + vector, ..self }
    }
}

/// The points of a constraint now and at the start of the substep.
#[derive(Debug, Clone)]
pub struct Points<S, const N: usize> {
    /// Current positions \[m\].
    pub now: [Point<S>; N],
    /// Positions at the start of the substep \[m\], for friction, damping and motors.
    pub before: [Point<S>; N],
    /// Length of the substep \[s\].
    pub dt: S,
}
