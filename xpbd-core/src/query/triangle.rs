//! Rays through triangles without gaps: a ray through an edge or a vertex that triangles share hits one of them.
//!
//! # Theory
//! The corners are seen from the origin of the ray and sheared so that the ray runs along the third axis. The signed areas
//! U, V, W between the ray and each edge then decide. Two triangles compute the area of a common edge from the same numbers,
//! with opposite signs, so the ray cannot be outside of both. An area that is zero by underflow is computed again in double
//! precision. (\[Woop13\] Woop, Benthin, Wald, *Watertight Ray/Triangle Intersection*, section 3.)

use glam::Vec3;

/// A ray direction, sheared to the axis along which it is longest.
#[derive(Debug, Clone, Copy)]
pub struct ShearedDirection {
    /// The axes, the last one that along which the direction is longest.
    axes: [usize; 3],
    shear: [f32; 2],
    scale: f32,
}

impl ShearedDirection {
    /// Shears a direction, which is not zero.
    pub fn new(direction: Vec3) -> Self {
        let z = direction.abs().max_position();
        let direction = direction.to_array();
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let axes = if direction[z] < 0.0 { [y, x, z] } else { [x, y, z] };
        let scale = direction[z].recip();
        Self { axes, shear: [direction[axes[0]] * scale, direction[axes[1]] * scale], scale }
    }

    /// Returns the distance at which the ray meets a triangle, in lengths of the direction, and the weights of the corners
    /// there. The corners are seen from the origin of the ray \[m\].
    pub fn intersect(&self, corners: [Vec3; 3]) -> Option<(f32, Vec3)> {
        let corners = corners.map(|corner| corner.to_array());
        let [a, b, c] = corners.map(|corner| {
            let depth = corner[self.axes[2]];
            [corner[self.axes[0]] - self.shear[0] * depth, corner[self.axes[1]] - self.shear[1] * depth]
        });
        let mut areas = Vec3::new(cross(c, b), cross(a, c), cross(b, a));
        if areas.cmpeq(Vec3::ZERO).any() {
            areas = Vec3::new(exact_cross(c, b), exact_cross(a, c), exact_cross(b, a));
        }
        if areas.cmplt(Vec3::ZERO).any() && areas.cmpgt(Vec3::ZERO).any() {
            return None;
        }
        let weights = areas / areas.element_sum();
        let depths = Vec3::from(corners.map(|corner| corner[self.axes[2]]));
        let distance = weights.dot(depths) * self.scale;
        (distance >= 0.0 && weights.is_finite()).then_some((distance, weights))
    }
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

fn exact_cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    (f64::from(a[0]) * f64::from(b[1]) - f64::from(a[1]) * f64::from(b[0])) as f32
}
