//! Four neighbours of a member at a time.

use glam::{Mat4, Vec4};
use xpbd_core::medium::Neighbourhood;
use xpbd_core::scalar::Single4;

/// Four neighbours of a member: the vectors from them to it \[m\], the squares of their lengths \[m²\], and the lengths
/// \[m\].
#[derive(Debug, Clone, Copy)]
pub struct FourNeighbours {
    /// First component of each vector \[m\].
    pub x: Vec4,
    /// Second component \[m\].
    pub y: Vec4,
    /// Third component \[m\].
    pub z: Vec4,
    /// Square of the distance \[m²\].
    pub square: Vec4,
    /// Distance \[m\].
    pub distance: Vec4,
}

impl FourNeighbours {
    /// Measures from four members to a position \[m\].
    #[inline(always)]
    pub fn new(members: &Neighbourhood, position: Vec4, four: &[u32; 4]) -> Self {
        let at = |k: usize| position - members.positions[four[k] as usize];
        let apart = Mat4::from_cols(at(0), at(1), at(2), at(3)).transpose();
        let (x, y, z) = (apart.x_axis, apart.y_axis, apart.z_axis);
        let square = x * x + y * y + z * z;
        Self { x, y, z, square, distance: square.sqrt() }
    }

    /// Returns q, the distances in reaches, at most 1.
    #[inline(always)]
    pub fn in_reaches(&self, per_reach: f32) -> Single4 {
        Single4((self.distance * per_reach).min(Vec4::ONE))
    }
}

/// The smallest distance \[m\] that is divided by: members at one position have no direction.
pub const MIN_DISTANCE: f32 = 1e-20;

/// Returns a number of each of four members.
#[inline(always)]
pub fn gather(of: &[f32], four: &[u32; 4]) -> Vec4 {
    Vec4::from_array(four.map(|j| of[j as usize]))
}

/// Returns the components of a vector of each of four members.
#[inline(always)]
pub fn columns(of: &[Vec4], four: &[u32; 4]) -> Mat4 {
    let [a, b, c, d] = four.map(|j| of[j as usize]);
    Mat4::from_cols(a, b, c, d).transpose()
}

/// Returns the sum over the four.
#[inline(always)]
pub fn total(v: Vec4) -> f32 {
    (v.x + v.y) + (v.z + v.w)
}
