//! The search for the tetrahedron that contains a point.

use glam::{DVec3, Vec3};

use super::super::TetraMesh;
use super::coordinates;

/// The largest number of boxes along an axis.
const MOST: f64 = 64.0;

/// The tetrahedra that overlap each box of a grid.
pub(super) struct TetraLocator<'a> {
    body: &'a TetraMesh,
    low: DVec3,
    scale: DVec3,
    count: [usize; 3],
    boxes: Vec<Vec<u32>>,
}

impl<'a> TetraLocator<'a> {
    pub fn new(body: &'a TetraMesh) -> Self {
        let bounds = |points: &mut dyn Iterator<Item = Vec3>| {
            let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            points.fold(start, |(low, high), x| (low.min(x.as_dvec3()), high.max(x.as_dvec3())))
        };
        let (low, high) = bounds(&mut body.positions().iter().copied());
        let size = high - low;
        // About as many boxes as tetrahedra.
        let edge = libm::cbrt(size.x * size.y * size.z / body.tetrahedra().len() as f64);
        let count = (size / edge).ceil().clamp(DVec3::ONE, DVec3::splat(MOST)).to_array().map(|n| n as usize);
        let scale = DVec3::from_array(count.map(|n| n as f64)) / size;
        let mut this = Self { body, low, scale, count, boxes: vec![Vec::new(); count.iter().product()] };
        for (&tetrahedron, number) in body.tetrahedra().iter().zip(0..) {
            let (low, high) = bounds(&mut body.at(tetrahedron).into_iter());
            let (from, to) = (this.cell(low), this.cell(high));
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        let index = this.index([x, y, z]);
                        this.boxes[index].push(number);
                    }
                }
            }
        }
        this
    }

    fn cell(&self, point: DVec3) -> [usize; 3] {
        let place = (point - self.low) * self.scale;
        std::array::from_fn(|k| (place[k].max(0.0) as usize).min(self.count[k] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Returns the tetrahedron that contains the point or is nearest to it, and the point's barycentric coordinates.
    pub fn find(&self, point: DVec3) -> (usize, [f64; 4]) {
        let near = &self.boxes[self.index(self.cell(point))];
        let best = self.best(near.iter().map(|&k| k as usize), point);
        match best {
            Some((k, weights)) if least(weights) >= -1e-6 => (k, weights),
            _ => self.best(0..self.body.tetrahedra().len(), point).unwrap_or((0, [1.0, 0.0, 0.0, 0.0])),
        }
    }

    /// Returns the tetrahedron whose smallest coordinate of the point is the largest.
    fn best(&self, among: impl Iterator<Item = usize>, point: DVec3) -> Option<(usize, [f64; 4])> {
        let with = |k: usize| {
            let corners = self.body.at(self.body.tetrahedra()[k]).map(Vec3::as_dvec3);
            (k, coordinates(corners, point))
        };
        among.map(with).reduce(|a, b| if least(b.1) > least(a.1) { b } else { a })
    }
}

fn least(weights: [f64; 4]) -> f64 {
    weights.into_iter().fold(f64::INFINITY, f64::min)
}
