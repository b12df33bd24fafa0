//! Vectors over any [`Real`].

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::Real;

/// A 3-vector over a [`Real`]; for plain numbers the crate uses `glam::Vec3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vec3<S> {
    /// First component.
    pub x: S,
    /// Second component.
    pub y: S,
    /// Third component.
    pub z: S,
}

impl From<glam::Vec3> for Vec3<f32> {
    fn from(v: glam::Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<Vec3<f32>> for glam::Vec3 {
    fn from(v: Vec3<f32>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl<S: Real> Vec3<S> {
    /// Returns the vector (x, y, z).
    pub fn new(x: S, y: S, z: S) -> Self {
        Self { x, y, z }
    }

    /// Returns the vector (0, 0, 0).
    pub fn zero() -> Self {
        Self::new(S::zero(), S::zero(), S::zero())
    }

    /// Returns the components in order.
    pub fn to_array(self) -> [S; 3] {
        [self.x, self.y, self.z]
    }

    /// Returns the scalar product.
    pub fn dot(self, other: Self) -> S {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the vector product.
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Returns the square of the length.
    pub fn length_squared(self) -> S {
        self.dot(self)
    }

    /// Returns the length; its gradient is 0 for the zero vector.
    pub fn length(self) -> S {
        self.length_squared().sqrt()
    }

    /// Returns the unit vector in this direction; 0 for the zero vector.
    pub fn normalize(self) -> Self {
        self / self.length().max(S::literal(super::real::TINY))
    }

    /// Returns `then` where a < b, otherwise `otherwise`, component by component.
    pub fn select_lt(a: S, b: S, then: Self, otherwise: Self) -> Self {
        Self::new(
            a.select_lt(b, then.x, otherwise.x),
            a.select_lt(b, then.y, otherwise.y),
            a.select_lt(b, then.z, otherwise.z),
        )
    }

    /// This vector turned by the unit quaternion (x, y, z, w): v + 2w (q × v) + 2 q × (q × v).
    pub fn rotate(self, [x, y, z, w]: [S; 4]) -> Self {
        let q = Self::new(x, y, z);
        let t = q.cross(self) * S::literal(2.0);
        self + t * w + q.cross(t)
    }
}

impl<S: Real> Add for Vec3<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl<S: Real> Sub for Vec3<S> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl<S: Real> AddAssign for Vec3<S> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Real> SubAssign for Vec3<S> {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<S: Real> Mul<S> for Vec3<S> {
    type Output = Self;
    fn mul(self, factor: S) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl<S: Real> Div<S> for Vec3<S> {
    type Output = Self;
    fn div(self, divisor: S) -> Self {
        self * (S::one() / divisor)
    }
}

impl<S: Real> Neg for Vec3<S> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}
