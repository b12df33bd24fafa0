//! Random flights against the distance sampled along them.

use super::super::near::NearestPoint;
use super::super::{ContactPlane, MAX_CONTACT_PLANES};
use super::{MARGIN, R, mesh_box, query, random, sheet, star, v};
use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;

const SAMPLES: i32 = 2000;

/// One flight and the distance at each sample of it.
struct Flight {
    from: Vec3,
    to: Vec3,
    distances: Vec<f32>,
}

impl Flight {
    fn new(i: u32, size: f32, distance: impl Fn(Vec3) -> f32) -> Self {
        let (from, to) = (random(2 * i) * size, random(2 * i + 1) * size);
        let at = |k: i32| from.lerp(to, k as f32 / SAMPLES as f32);
        let distances = (0..=SAMPLES).map(|k| distance(at(k))).collect();
        Self { from, to, distances }
    }

    fn at(&self, k: usize) -> Vec3 {
        self.from.lerp(self.to, k as f32 / SAMPLES as f32)
    }

    fn least(&self) -> f32 {
        self.distances.iter().copied().fold(f32::MAX, f32::min)
    }

    /// Returns the first sample in reach of the particle, or one past the last.
    fn impact(&self) -> usize {
        let hit = self.distances.iter().position(|&d| d <= R);
        hit.unwrap_or(self.distances.len())
    }

    /// Returns the least height above a plane on the way to the impact.
    fn lowest(&self, plane: &ContactPlane) -> f32 {
        (0..self.impact()).map(|k| plane.height(self.at(k))).fold(f32::MAX, f32::min)
    }
}

/// For a convex shape the least distance decides between the plane at the impact, the separating
/// plane and none.
#[test]
fn least_distance_to_a_convex_shape_decides_its_plane() {
    let corners = super::box_triangles(v(0.5, 0.3, 0.2)).0;
    let shapes = [
        SharedShape::ball(0.4),
        SharedShape::cuboid(0.5, 0.3, 0.2),
        SharedShape::capsule_y(0.3, 0.2),
        SharedShape::cylinder(0.4, 0.3),
        SharedShape::cone(0.4, 0.3),
        SharedShape::convex_hull(&corners).unwrap(),
        SharedShape::round_cylinder(0.3, 0.2, 0.1),
    ];
    let mut seen = [0; 3];
    for (shape, i) in shapes.iter().flat_map(|s| (0..400).map(move |i| (s, i))) {
        let flight = Flight::new(i, 1.2, |x| shape.near(x).distance);
        if flight.distances[0] < R {
            continue;
        }
        let (out, least) = (query(&**shape, flight.from, flight.to), flight.least());
        let context = || format!("{:?} {i} {least} {out:?}", shape.shape_type());
        if least > R + MARGIN + 5e-4 {
            assert!(out.is_empty(), "{}", context());
            seen[0] += 1;
        } else if least < R + MARGIN - 5e-4 {
            assert_eq!(out.len(), 1, "{}", context());
            assert!(flight.lowest(&out[0]) > R - 1e-4, "{}", context());
            seen[if least < R { 1 } else { 2 }] += 1;
        }
    }
    assert!(seen.iter().all(|&n| n > 3), "{seen:?}");
}

/// For any shape no plane holds the particle before its impact, and one holds it there.
#[test]
fn shape_of_any_form_holds_from_the_impact_on() {
    let cube = SharedShape::cuboid(0.3, 0.2, 0.3);
    let part = |x, y| (Pose::translation(x, y, 0.1), cube.clone());
    let shapes = [
        mesh_box(Vec3::splat(0.4)),
        star(),
        sheet(9, 1.6, |x, z| (3.0 * x).fract() * 0.3 + z * z),
        SharedShape::compound(vec![part(0.0, 0.0), part(0.4, 0.3), part(-0.5, 0.2)]),
    ];
    let mut hits = 0;
    for (shape, i) in shapes.iter().flat_map(|s| (0..400).map(move |i| (s, i))) {
        let flight = Flight::new(i, 1.2, |x| shape.distance_to_local_point(x, false));
        if flight.distances[0] < R || shape.contains_local_point(flight.from) {
            continue;
        }
        let out = query(&**shape, flight.from, flight.to);
        let context = || format!("{:?} {i} {} {out:?}", shape.shape_type(), flight.least());
        assert!(out.len() <= MAX_CONTACT_PLANES);
        for plane in &out {
            assert!(flight.lowest(plane) > 0.97 * R, "{}", context());
        }
        let after = flight.impact() + 4;
        if flight.distances.get(after).is_some_and(|&d| d < R - 1e-4) {
            let held = out.iter().any(|p| p.height(flight.at(after)) < R);
            assert!(held, "{}", context());
            hits += 1;
        }
    }
    assert!(hits > 300, "{hits}");
}
