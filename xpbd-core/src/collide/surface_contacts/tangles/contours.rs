//! The curves along which surfaces cross, and the ways on which these become shorter.
//!
//! An edge through a triangle is a place of such a contour, which goes on from there in the triangles beside the edge, at a rim
//! in one of them. It becomes shorter if the edge moves along G relative to the triangle (\[Volino06\]):
//!
//! ```text
//! G = Σ R − 2 (E·R)/(E·N) N
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E | direction of the edge | 1 |
//! | N | normal of the triangle | 1 |
//! | R | direction in which the contour goes on in a triangle beside the edge | 1 |
//!
//! No side has to be known. A straight contour moves only at its ends, which are at rims, so that a surface that another one
//! halves takes long to come apart.

use glam::{DVec3, Vec3};
use hashbrown::HashMap;
use smallvec::SmallVec;

use super::Crossing;
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::particles::Particles;

/// Least cosine of the angle between edge and normal that is reckoned with \[1\]: near to 0, G has no limit.
const LEAST_SLOPE: f64 = 0.05;

/// The triangles beside edges that cross others.
pub(super) struct Contours {
    /// The third corners of the triangles beside each edge.
    opposite: HashMap<[u32; 2], SmallVec<[u32; 2]>>,
}

impl Contours {
    /// Finds what is beside the edges of some crossings.
    pub fn of(crossings: &[Crossing], features: &SurfaceFeatures) -> Self {
        let mut opposite: HashMap<_, SmallVec<_>> =
            crossings.iter().map(|crossing| (crossing.edge, SmallVec::new())).collect();
        if !opposite.is_empty() {
            for (triangle, k) in features.triangles.iter().flat_map(|triangle| [0, 1, 2].map(|k| (triangle, k))) {
                if let Some(corners) = opposite.get_mut(&triangle.edge(k)) {
                    corners.push(triangle.corners[(k + 2) % 3]);
                }
            }
        }
        Self { opposite }
    }

    /// Returns G for one of the crossings \[1\].
    pub fn gradient(&self, crossing: &Crossing, particles: &Particles) -> Vec3 {
        let first = crossing.edge[0] as usize;
        let place = |k: u32| particles.between(first, k as usize).as_dvec3();
        let [a, b, c] = crossing.triangle.map(place);
        let along = place(crossing.edge[1]).normalize_or_zero();
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let slope = along.dot(normal);
        let slope = slope.abs().max(LEAST_SLOPE).copysign(slope);
        let of_triangle = |&corner: &u32| {
            let corner = place(corner);
            let onward = normal.cross(along.cross(corner)).normalize_or_zero();
            let inward = corner - along * along.dot(corner);
            let onward = if onward.dot(inward) < 0.0 { -onward } else { onward };
            onward - normal * (2.0 * along.dot(onward) / slope)
        };
        self.opposite.get(&crossing.edge).into_iter().flatten().map(of_triangle).sum::<DVec3>().as_vec3()
    }
}
