//! Sheets without a rim, and what is inside of them, however they are folded.

use glam::Vec3;
use hashbrown::HashSet;
use parry3d::bounding_volume::Aabb;

use super::feature_geometry::Corners;
use crate::particles::Particles;

/// All sheets of a world by number, with those that are closed.
#[derive(Debug, Default)]
pub struct ClosedSheets(Vec<Option<ClosedSheet>>);

/// A sheet of which each edge is between two triangles.
#[derive(Debug)]
pub struct ClosedSheet {
    /// World indices of the corners of its triangles, each wound like the first one.
    triangles: Vec<[u32; 3]>,
    /// 1 if they point out of the rest shape, −1 if they point into it.
    orientation: f32,
}

impl ClosedSheets {
    /// Adds the sheets of one surface, whose triangles have these corners and [sheets](super::sheets::sheets). Returns whether one
    /// of them is closed.
    pub fn add(&mut self, corners: &[[u32; 3]], sheets: &[i32], particles: &Particles) -> bool {
        let first = self.0.len();
        let count = sheets.iter().map(|sheet| sheet.unsigned_abs() as usize).max().unwrap_or(first);
        let mut triangles = vec![Vec::new(); count - first];
        for (&[a, b, c], sheet) in corners.iter().zip(sheets) {
            let alike = if *sheet > 0 { [a, b, c] } else { [a, c, b] };
            triangles[sheet.unsigned_abs() as usize - 1 - first].push(alike);
        }
        self.0.extend(triangles.into_iter().map(|triangles| ClosedSheet::of(triangles, particles)));
        self.0[first..].iter().any(Option::is_some)
    }

    /// Returns the closed sheets with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &ClosedSheet)> {
        (1..).zip(&self.0).filter_map(|(number, sheet)| Some((number, sheet.as_ref()?)))
    }

    /// Returns the sheet of this number, if it is closed.
    pub fn get(&self, number: u32) -> Option<&ClosedSheet> {
        self.0.get((number as usize).checked_sub(1)?)?.as_ref()
    }
}

impl ClosedSheet {
    /// Returns the sheet of some triangles that are wound alike, unless it has a rim or its rest shape no volume.
    fn of(triangles: Vec<[u32; 3]>, particles: &Particles) -> Option<Self> {
        let directed = || triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let edges: HashSet<(u32, u32)> = directed().collect();
        if edges.len() != 3 * triangles.len() || directed().any(|(a, b)| !edges.contains(&(b, a))) {
            return None;
        }
        let place = |k: u32| particles.rest_positions[k as usize];
        let origin = place(triangles.first()?[0]);
        let (mut volume, mut bulk) = (0.0, 0.0);
        for corners in &triangles {
            let [a, b, c] = corners.map(|k| place(k) - origin);
            let part = a.dot(b.cross(c));
            volume += part;
            bulk += part.abs();
        }
        (volume.abs() > 1e-3 * bulk).then(|| Self { triangles, orientation: volume.signum() })
    }

    /// Returns the box around it.
    pub fn bounds(&self, particles: &Particles) -> Aabb {
        Aabb::from_points(self.triangles.iter().flatten().map(|&corner| particles.position(corner as usize)))
    }

    /// Returns whether a point is on the side to which the triangles point, given the vectors from there to the corners of a triangle
    /// \[m\].
    pub fn has_in_front(&self, point: u32, corners: impl Fn([u32; 4]) -> Corners) -> bool {
        self.encloses(point, corners) == self.points_inward()
    }

    /// Returns whether a point is inside: where a ray from there leaves the sheet more often than it enters it, however that is folded
    /// (the winding number), given the vectors from there to the corners of a triangle \[m\].
    pub fn encloses(&self, point: u32, corners: impl Fn([u32; 4]) -> Corners) -> bool {
        self.triangles.iter().map(|&[a, b, c]| self.turns_outward(corners([point, a, b, c]))).sum::<i32>() > 0
    }

    /// Returns 1 if a ray along x from the origin leaves the sheet through a triangle with these corners \[m\], wound like the first one,
    /// −1 if it enters it there, else 0.
    pub fn turns_outward(&self, corners: Corners) -> i32 {
        turns(corners) * self.orientation as i32
    }

    /// Returns whether its first triangle points to the inside.
    pub fn points_inward(&self) -> bool {
        self.orientation < 0.0
    }
}

/// Returns 1 if a ray along x from the origin leaves through a triangle, to the side to which that points, −1 if it enters, else 0.
///
/// An edge is on the same side of the ray in both of its triangles, to the last bit: no ray slips between two triangles.
fn turns(corners @ [a, b, c]: Corners) -> i32 {
    let is_below = corners.map(|corner| corner.y < 0.0);
    if is_below == [true; 3] || is_below == [false; 3] {
        return 0;
    }
    let edge = |from: Vec3, to: Vec3| {
        let is_up = from.y < 0.0;
        let (low, high) = if is_up { (from, to) } else { (to, from) };
        let is_beside = is_up != (to.y < 0.0) && low.z * high.y > high.z * low.y;
        if is_beside { if is_up { 1 } else { -1 } } else { 0 }
    };
    let turns = edge(a, b) + edge(b, c) + edge(c, a);
    let normal = (b - a).cross(c - a);
    let is_ahead = (normal.dot(a) > 0.0) == (normal.x > 0.0);
    if is_ahead { -turns } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::feature_points::FeaturePoints;
    use super::super::sheets::sheets;
    use super::*;

    /// The faces of a cube around the origin with an edge of 2 m, all pointing outwards.
    const CUBE: [[u32; 3]; 12] = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];

    /// Returns the corners of the cube, and a particle at a position after them.
    fn particles(position: Vec3) -> Particles {
        let mut particles = Particles::default();
        let corner = |k: u32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32) * 2.0 - Vec3::ONE;
        for place in (0..8).map(corner).chain([position]) {
            particles.push(place, Vec3::ZERO, 1.0, place);
        }
        particles
    }

    fn closed(triangles: &[[u32; 3]]) -> ClosedSheets {
        let mut closed = ClosedSheets::default();
        closed.add(triangles, &sheets(triangles, 1), &particles(Vec3::ZERO));
        closed
    }

    /// However single triangles are wound: all follow the first one.
    #[test]
    fn a_cube_tells_what_is_inside() {
        let flipped = |flips: fn(usize) -> bool| {
            let wound = |(k, [a, b, c]): (usize, [u32; 3])| if flips(k) { [a, c, b] } else { [a, b, c] };
            CUBE.into_iter().enumerate().map(wound).collect::<Vec<_>>()
        };
        let inside = [Vec3::ZERO, Vec3::new(0.9, -0.99, 0.95)];
        let outside = [Vec3::new(1.1, 0.0, 0.0), Vec3::new(0.99, 1.01, 0.99), Vec3::splat(100.0)];
        for (triangles, first_is_outward) in
            [(flipped(|_| false), true), (flipped(|_| true), false), (flipped(|k| k % 2 == 0), false)]
        {
            let closed = closed(&triangles);
            let sheet = closed.get(1).expect("a cube is closed");
            for (position, is_inside) in inside.map(|x| (x, true)).into_iter().chain(outside.map(|x| (x, false))) {
                let particles = particles(position);
                let points = FeaturePoints::new(&particles, &[]);
                assert_eq!(sheet.encloses(8, |nodes| points.corners(nodes)), is_inside, "{position}");
                let is_in_front = sheet.has_in_front(8, |nodes| points.corners(nodes));
                assert_eq!(is_in_front, is_inside != first_is_outward, "{position}");
            }
        }
    }

    #[test]
    fn sheets_with_a_rim_or_three_triangles_at_an_edge_are_not_closed() {
        assert!(closed(&CUBE[1..]).get(1).is_none());
        let with_a_fin = [&CUBE[..], &[[0, 1, 7]]].concat();
        assert!(closed(&with_a_fin).get(1).is_none());
        assert!(closed(&CUBE).get(2).is_none());
    }
}
