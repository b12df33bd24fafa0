//! A cone that opens upward, its triangles of about one size.

use core::f32::consts::FRAC_PI_4;

use glam::Vec3;

use crate::mesh::Mesh;

/// Edges from the middle to the rim.
const RINGS: i32 = 20;
/// Radius of the rim, and depth of the whole cone below it \[m\].
const RIM: f32 = 0.4;
const DEPTH: f32 = 0.45;

/// A cone about the y axis whose rim is at height 0, with or without an opening in its middle.
#[derive(Debug, Clone)]
pub struct Cone {
    /// Ring of the opening, 0 if there is none.
    first: i32,
    /// Rings of a square of points, which become circles, and their places in it.
    points: Vec<[i32; 2]>,
}

/// Returns the number of the ring of a point.
fn ring([i, j]: [i32; 2]) -> i32 {
    i.abs().max(j.abs())
}

impl Cone {
    /// Creates a cone with an opening at so many edges from its middle.
    pub fn new(first: i32) -> Self {
        let all = (-RINGS..=RINGS).flat_map(|j| (-RINGS..=RINGS).map(move |i| [i, j]));
        Self { first, points: all.filter(|&point| ring(point) >= first).collect() }
    }

    /// Returns the height of the rim above the opening \[m\].
    pub fn depth(&self) -> f32 {
        DEPTH * (1.0 - self.first as f32 / RINGS as f32)
    }

    /// Returns whether a vertex is at the rim or at the opening.
    pub fn is_border(&self, vertex: usize) -> bool {
        self.points
            .get(vertex)
            .is_some_and(|&point| ring(point) == RINGS || (self.first > 0 && ring(point) == self.first))
    }

    /// Returns the vertices of the rim.
    pub fn rim(&self) -> impl Iterator<Item = u32> {
        (0..self.points.len() as u32).filter(|&k| ring(self.points[k as usize]) == RINGS)
    }

    /// Returns the vertices and two triangles for each four of them.
    pub fn mesh(&self) -> Mesh {
        let position = |&point: &[i32; 2]| {
            let [i, j] = point;
            let k = ring(point).max(1) as f32;
            let (side, along) = match (i.abs() >= j.abs(), i >= 0, j >= 0) {
                (true, true, _) => (0.0, j),
                (false, _, true) => (2.0, -i),
                (true, false, _) => (4.0, -j),
                (false, _, false) => (6.0, i),
            };
            let angle = FRAC_PI_4 * (side + along as f32 / k);
            let part = ring(point) as f32 / RINGS as f32;
            let (x, z) = (libm::cosf(angle) * RIM * part, libm::sinf(angle) * RIM * part);
            Vec3::new(x, DEPTH * (part - 1.0), z)
        };
        let number = |point: [i32; 2]| self.points.binary_search_by_key(&[point[1], point[0]], |&[i, j]| [j, i]).ok();
        let square = |&[i, j]: &[i32; 2]| {
            let [a, b, c, d] = [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(number);
            let [a, b, c, d] = [a?, b?, c?, d?].map(|k| k as u32);
            // Diagonals lead from the middle outward.
            Some(if (i >= 0) == (j >= 0) { [[a, d, b], [a, c, d]] } else { [[a, c, b], [b, c, d]] })
        };
        let triangles = self.points.iter().filter_map(square).flatten().collect();
        Mesh { positions: self.points.iter().map(position).collect(), triangles }
    }

    /// Returns the points of a lattice from the opening up, no nearer to the cone than a distance \[m\].
    pub fn fill(&self, spacing: f32, apart: f32) -> impl Iterator<Item = Vec3> {
        let slope = RIM / DEPTH;
        let inward = apart * (1.0 + slope * slope).sqrt();
        let depth = self.depth();
        let most = (RIM / spacing) as i32 + 1;
        (0..).flat_map(move |layer| {
            let y = layer as f32 * spacing - depth;
            let free = RIM * (1.0 + y / DEPTH).min(1.0) - inward;
            let row = move |j: i32| (-most..=most).map(move |i| Vec3::new(i as f32 * spacing, y, j as f32 * spacing));
            (-most..=most).flat_map(row).filter(move |x| free > 0.0 && x.with_y(0.0).length() < free)
        })
    }
}
