//! The separation of two particles, of which each may hold its signed distance from the surface of its body
//! (\[Unified14\] section 5).
//!
//! Particles of two bodies that have come past each other would lock if they were pushed apart along
//! the line of their centres. Of the two, the one nearer to the surface of its body says which way is
//! out: its field holds the gradient ∇φ and the distance φ of that surface. With n from the second
//! particle to the first, ∇φ₂ or −∇φ₁, and x = x₁ − x₂ the contact keeps
//!
//! ```text
//! |x + L n| ≥ D + L          D = max(−φ, r) + r
//! ```
//!
//! which is n·x ≥ D on a sphere of radius D + L instead of a plane: one form serves for all contacts,
//! and x = x₁ − x₂ counts a little, as it does between balls. Particles of the outermost layer that are
//! on the right side, n·x ≥ 0, touch as balls do, so that edges are round.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | φ | signed distance from the surface, negative inside | m |
//! | r | radius of particles | m |
//! | L | length that flattens the contact | m |

use glam::{Vec3, Vec4};

use crate::particles::Particles;
use crate::scalar::{Real, Single};

/// Length L that flattens the contact, in radii \[1\].
pub const FLATNESS: f32 = 32.0;
/// Depth up to which a particle belongs to the outermost layer, in radii \[1\].
pub const LAYER: f32 = 2.0;
/// Distance along y that two particles at one point are given, as a part of their contact distance \[1\].
pub const APART: f32 = 1e-6;

/// The inequality of a pair: |x₁ − x₂ + `apart`| ≥ `distance`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Separation {
    /// \[m\]
    pub distance: f32,
    /// \[m\]
    pub apart: Vec3,
}

impl Separation {
    /// Creates the separation of two balls.
    pub fn of_balls(radius: f32) -> Self {
        let distance = 2.0 * radius;
        Self { distance, apart: Vec3::new(0.0, distance * APART, 0.0) }
    }

    /// Creates the separation of two particles of different objects.
    pub fn of_bodies(particles: &Particles, a: usize, b: usize, radius: f32) -> Self {
        let field = |i: usize| particles.signed_distance.get(i).copied().unwrap_or(Vec4::ZERO);
        let [first, second] = [field(a), field(b)].map(|field| field.to_array().map(Single));
        let [normal @ .., depth] = exit_direction(first, second).map(|number| number.0);
        let normal = Vec3::from_array(normal);
        if normal == Vec3::ZERO {
            return Self::of_balls(radius);
        }
        let x = particles.between(b, a);
        let along = (normal.x * x.x + normal.y * x.y) + normal.z * x.z;
        if depth <= LAYER * radius && along >= 0.0 {
            return Self::of_balls(radius);
        }
        let length = FLATNESS * radius;
        Self { distance: (depth.max(radius) + radius) + length, apart: normal * length }
    }
}

/// Returns the direction n from the second particle to the first \[1\], and the depth −φ \[m\] of the one that is less
/// deep, from ∇φ and φ of both; 0 if neither has a field. Kernels are printed from this function.
pub fn exit_direction<S: Real>(first: [S; 4], second: [S; 4]) -> [S; 4] {
    let half = S::literal(0.5);
    let [has_first, has_second] = [first, second].map(|[x, y, z, _]| x * x + y * y + z * z);
    [0, 1, 2, 3].map(|k| {
        let from_second = half.select_lt(has_second, if k < 3 { second[k] } else { -second[k] }, S::zero());
        let from_first = -first[k];
        let nearer = second[3].select_lt(first[3], from_first, from_second);
        half.select_lt(has_first, half.select_lt(has_second, nearer, from_first), from_second)
    })
}
