//! Four members at a time, as one sees them.

use glam::{Mat4, Vec4};
use xpbd_core::medium::Neighbourhood;

/// The vectors from four members to one \[m\], the squares of their lengths \[m²\], and these \[m\].
#[derive(Debug, Clone, Copy)]
pub struct FourNeighbours {
    pub x: Vec4,
    pub y: Vec4,
    pub z: Vec4,
    pub square: Vec4,
    pub distance: Vec4,
}

impl FourNeighbours {
    /// From these members to a place.
    #[inline(always)]
    pub fn new(members: &Neighbourhood, place: Vec4, four: &[u32; 4]) -> Self {
        let at = |k: usize| place - members.positions[four[k] as usize];
        let apart = Mat4::from_cols(at(0), at(1), at(2), at(3)).transpose();
        let (x, y, z) = (apart.x_axis, apart.y_axis, apart.z_axis);
        let square = x * x + y * y + z * z;
        let distance = Vec4::from_array(square.to_array().map(f32::sqrt));
        Self { x, y, z, square, distance }
    }
}

/// Distance \[m\] that divides in place of a shorter one: in one place, there is no direction.
pub const MIN_DISTANCE: Vec4 = Vec4::splat(1e-20);

/// Returns a number of each of four members.
#[inline(always)]
pub fn gather(of: &[f32], four: &[u32; 4]) -> Vec4 {
    Vec4::from_array(four.map(|j| of[j as usize]))
}

/// Returns a vector of each of four members, transposed.
#[inline(always)]
pub fn columns(of: &[Vec4], four: &[u32; 4]) -> Mat4 {
    let [a, b, c, d] = four.map(|j| of[j as usize]);
    Mat4::from_cols(a, b, c, d).transpose()
}

/// Returns the sum over the lanes.
#[inline(always)]
pub fn total(v: Vec4) -> f32 {
    (v.x + v.y) + (v.z + v.w)
}
