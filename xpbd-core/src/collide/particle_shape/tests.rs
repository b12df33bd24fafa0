mod concave;
mod primitives;
mod recovery;
mod robust;
mod sliding;
mod sweeps;
mod walls;

use super::{ContactPlane, ContactPlanes, contact_planes};
use crate::collide::mesh_shape::{open_mesh, solid_mesh};
use glam::Vec3;
use parry3d::shape::{Shape, SharedShape};

const R: f32 = 0.01;
const MARGIN: f32 = 0.005;
const FRAME: f32 = 1.0 / 60.0;

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Returns the planes with the radius and the margin of these tests.
fn query(shape: &dyn Shape, from: Vec3, to: Vec3) -> ContactPlanes {
    let mut out = ContactPlanes::new();
    contact_planes(shape, from, to, R, MARGIN, &mut out);
    for touch in &out {
        assert!(touch.point.is_finite(), "{touch:?}");
        assert!((touch.normal.length() - 1.0).abs() < 1e-5, "{touch:?}");
    }
    out
}

/// Returns the only plane.
fn one(shape: &dyn Shape, from: Vec3, to: Vec3) -> ContactPlane {
    let out = query(shape, from, to);
    assert_eq!(out.len(), 1, "{out:?}");
    out[0]
}

fn near(a: Vec3, b: Vec3, tolerance: f32) {
    assert!(a.distance(b) <= tolerance, "{a} is not {b}");
}

/// A particle stepped with the planes of each frame as frictionless, inelastic contacts.
struct Ball {
    x: Vec3,
    v: Vec3,
}

impl Ball {
    /// Returns one frame of ten substeps; gives the planes back.
    fn step(&mut self, shape: &dyn Shape, gravity: Vec3) -> ContactPlanes {
        let to = self.x + self.v * FRAME + gravity * FRAME * FRAME;
        let planes = query(shape, self.x, to);
        let h = FRAME / 10.0;
        for _ in 0..10 {
            self.v += gravity * h;
            let before = self.x;
            self.x += self.v * h;
            for plane in planes.iter().chain(&planes) {
                self.x += plane.normal * (R - plane.height(self.x)).max(0.0);
            }
            self.v = (self.x - before) / h;
        }
        planes
    }
}

/// Returns the corners and triangles of a box, counter-clockwise seen from outside.
fn box_triangles(h: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corners = (0..8).map(|i| h * v(sign(i, 0), sign(i, 1), sign(i, 2)));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    (corners.collect(), triangles)
}

fn mesh_box(h: Vec3) -> SharedShape {
    let (corners, triangles) = box_triangles(h);
    solid_mesh(&corners, &triangles).expect("a closed box")
}

/// Returns a square sheet of `n × n` cells around the origin, `y = height(x, z)`.
fn sheet(n: u32, size: f32, height: impl Fn(f32, f32) -> f32) -> SharedShape {
    let at = |i: u32| size * (i as f32 / n as f32 - 0.5);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            positions.push(v(at(i), height(at(i), at(j)), at(j)));
            if i < n && j < n {
                let a = i * (n + 1) + j;
                let (b, c, d) = (a + 1, a + n + 1, a + n + 2);
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
    }
    open_mesh(&positions, &triangles).expect("a sheet")
}

/// Returns a box with a needle or a notch on each of its triangles.
fn star() -> SharedShape {
    let (corners, faces) = box_triangles(Vec3::splat(0.2));
    let mut positions = corners.clone();
    let mut triangles = Vec::new();
    for (k, face) in faces.iter().enumerate() {
        let [a, b, c] = face.map(|i| corners[i as usize]);
        let out = (b - a).cross(c - a).normalize();
        let length = if k % 2 == 0 { 0.6 } else { -0.05 };
        let tip = positions.len() as u32;
        positions.push((a + b + c) / 3.0 + out * length);
        for i in 0..3 {
            triangles.push([face[i], face[(i + 1) % 3], tip]);
        }
    }
    solid_mesh(&positions, &triangles).expect("a closed star")
}

/// Coordinates in −1..1.
fn random(i: u32) -> Vec3 {
    let part = |k: u32| {
        let h = (3 * i + k).wrapping_mul(0x9E37_79B1);
        let h = (h ^ (h >> 15)).wrapping_mul(0x85EB_CA77);
        (h ^ (h >> 13)) as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    v(part(0), part(1), part(2))
}
