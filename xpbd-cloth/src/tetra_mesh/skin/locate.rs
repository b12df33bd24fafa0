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
            this.indices(this.cell(low), this.cell(high)).for_each(|index| this.boxes[index].push(number));
        }
        this
    }

    fn cell(&self, point: DVec3) -> [usize; 3] {
        let place = (point - self.low) * self.scale;
        std::array::from_fn(|k| (place[k].max(0.0) as usize).min(self.count[k] - 1))
    }

    /// Returns the indices of the boxes from one to another, the last ones included.
    fn indices(&self, from: [usize; 3], to: [usize; 3]) -> impl Iterator<Item = usize> + use<> {
        let [width, height, _] = self.count;
        let rows = (from[2]..=to[2]).flat_map(move |z| (from[1]..=to[1]).map(move |y| (z * height + y) * width));
        rows.flat_map(move |row| row + from[0]..=row + to[0])
    }

    /// Returns the tetrahedron that contains the point, or one beside it, and the point's barycentric coordinates.
    pub fn find(&self, point: DVec3) -> (usize, [f64; 4]) {
        let contains = |found: &(usize, [f64; 4])| least(found.1) >= -1e-6;
        let near = self.best(self.near(point, 0), point).filter(contains);
        // Beside the body, those in a box of the grid next to that of the point; far away, any.
        let beside = near.or_else(|| self.best(self.near(point, 1), point));
        let any = beside.or_else(|| self.best(0..self.body.tetrahedra().len(), point));
        any.unwrap_or((0, [1.0, 0.0, 0.0, 0.0]))
    }

    /// Returns the tetrahedra in the boxes up to this many beside that of a point.
    fn near(&self, point: DVec3, reach: usize) -> impl Iterator<Item = usize> + '_ {
        let middle = self.cell(point);
        let from = middle.map(|x| x.saturating_sub(reach));
        let to = std::array::from_fn(|k| (middle[k] + reach).min(self.count[k] - 1));
        self.indices(from, to).flat_map(|index| self.boxes[index].iter().map(|&k| k as usize))
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
