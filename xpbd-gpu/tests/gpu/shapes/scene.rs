//! Shapes to ask about, by name.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, HeightField, HeightFieldCellStatus as Status, RoundShape, SharedShape, Triangle};
use parry3d::utils::Array2;
use xpbd_core::collide::{open_mesh, solid_mesh};

fn v(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Returns a grid of quads over the unit square, closed in both directions if `wraps`.
fn grid(n: u32, m: u32, wraps: bool, at: impl Fn(f32, f32) -> Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (across, along) = if wraps { (n, m) } else { (n + 1, m + 1) };
    let index = |i: u32, j: u32| (i % across) * along + j % along;
    let points = (0..across * along).map(|k| at((k / along) as f32 / n as f32, (k % along) as f32 / m as f32));
    let quad = |k: u32| {
        let (i, j) = (k / m, k % m);
        let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j), index(i + 1, j + 1)];
        [[a, b, d], [a, d, c]]
    };
    (points.collect(), (0..n * m).flat_map(quad).collect())
}

/// Returns a unit vector after a share of a turn; rational, so that it is the same on all machines.
fn turn(t: f32) -> (f32, f32) {
    let quarter = (t * 4.0).floor();
    let s = t * 4.0 - quarter;
    let (x, y) = ((1.0 - s * s) / (1.0 + s * s), 2.0 * s / (1.0 + s * s));
    match quarter as u32 % 4 {
        0 => (x, y),
        1 => (-y, x),
        2 => (-x, -y),
        _ => (y, -x),
    }
}

fn torus(n: u32, m: u32) -> SharedShape {
    let (points, triangles) = grid(n, m, true, |a, b| {
        let ((x, z), (rho, y)) = (turn(a), turn(b));
        let rho = 0.7 + 0.25 * rho;
        v(rho * x, 0.25 * y, rho * z)
    });
    let flipped: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    solid_mesh(&points, &triangles).or_else(|_| solid_mesh(&points, &flipped)).expect("a torus")
}

fn sphere_points(n: u32, m: u32) -> Vec<Vec3> {
    let ring = |k: u32| {
        let ((rho, y), (x, z)) =
            (turn((k / m + 1) as f32 / (2 * (n + 1)) as f32 - 0.25), turn((k % m) as f32 / m as f32));
        v(rho * x, y, rho * z) * 0.6
    };
    (0..n * m).map(ring).chain([v(0.0, 0.6, 0.0), v(0.0, -0.6, 0.0)]).collect()
}

fn sphere(n: u32, m: u32) -> SharedShape {
    let points = sphere_points(n, m);
    let (top, bottom) = (n * m, n * m + 1);
    let mut triangles = Vec::new();
    for j in 0..m {
        let next = (j + 1) % m;
        triangles.extend([[bottom, j, next], [top, (n - 1) * m + next, (n - 1) * m + j]]);
        for i in 1..n {
            let [a, b, c, d] = [(i - 1) * m + j, (i - 1) * m + next, i * m + j, i * m + next];
            triangles.extend([[a, c, d], [a, d, b]]);
        }
    }
    let flipped: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    solid_mesh(&points, &triangles).or_else(|_| solid_mesh(&points, &flipped)).expect("a sphere")
}

fn sheet(n: u32, height: impl Fn(f32, f32) -> f32) -> SharedShape {
    let (points, triangles) = grid(n, n, false, |a, b| v(2.0 * a - 1.0, height(a, b), 2.0 * b - 1.0));
    open_mesh(&points, &triangles).expect("a sheet")
}

fn bumps(a: f32, b: f32) -> f32 {
    let hill = |t: f32| t * (1.0 - t) * (0.5 - t);
    4.0 * hill(a) + 6.0 * hill(b) + 2.0 * a * b
}

fn wall() -> SharedShape {
    let corners = [v(0.0, -1.0, -1.0), v(0.0, 1.0, -1.0), v(0.0, 0.0, 1.0)];
    open_mesh(&corners, &[[0, 1, 2]]).expect("a wall")
}

fn ground(holes: bool) -> SharedShape {
    let heights = (0..9 * 12).map(|k| 0.3 * bumps((k % 9) as f32 / 8.0, (k / 9) as f32 / 11.0)).collect();
    let mut field = HeightField::new(Array2::new(9, 12, heights), v(2.0, 1.5, 1.8));
    for (k, i, j) in (0..8 * 11).map(|k| (k, k % 8, k / 8)).filter(|_| holes) {
        let status = [Status::empty(), Status::ZIGZAG_SUBDIVISION, Status::LEFT_TRIANGLE_REMOVED, Status::CELL_REMOVED];
        field.set_cell_status(i, j, status[[0, 1, 0, 1, 2, 1, 0, 3][k % 8]]);
    }
    SharedShape::new(field)
}

/// Returns a part with its pose: turned by a share of a turn around an axis.
fn part(at: Vec3, axis: Vec3, t: f32, shape: SharedShape) -> (Pose, SharedShape) {
    let (c, s) = turn(t);
    (Pose::from_parts(at, Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)), shape)
}

fn compound() -> SharedShape {
    SharedShape::compound(vec![
        part(v(0.0, 0.0, 0.0), Vec3::X, 0.0, SharedShape::cuboid(0.5, 0.2, 0.3)),
        part(v(0.5, 0.1, 0.0), Vec3::Z, 0.07, SharedShape::cuboid(0.3, 0.3, 0.3)),
        part(v(-0.5, 0.3, 0.1), Vec3::Y, 0.1, SharedShape::ball(0.3)),
        part(v(0.0, 0.4, 0.0), Vec3::X, 0.2, SharedShape::capsule_y(0.3, 0.1)),
        part(v(0.1, -0.4, 0.2), Vec3::Z, 0.3, SharedShape::cylinder(0.2, 0.2)),
        part(v(0.6, -0.4, -0.3), Vec3::Y, 0.4, SharedShape::cone(0.3, 0.2)),
        part(v(-0.5, -0.4, 0.0), Vec3::X, 0.03, SharedShape::convex_hull(&sphere_points(3, 7)).expect("a hull")),
        part(v(-0.9, 0.0, 0.5), Vec3::Z, 0.01, SharedShape::round_cuboid(0.2, 0.1, 0.2, 0.05)),
        part(v(0.9, 0.5, 0.5), Vec3::Z, 0.11, SharedShape::triangle(Vec3::ZERO, 0.5 * Vec3::X, 0.5 * Vec3::Z)),
        part(v(0.9, 0.0, 0.5), Vec3::Z, 0.31, SharedShape::round_cylinder(0.2, 0.1, 0.05)),
    ])
}

/// Parts with a border, and parts without bounds or without an inside.
fn odd_parts() -> SharedShape {
    let triangle = Triangle::new(v(-0.2, 0.0, -0.2), v(0.3, 0.1, -0.1), v(0.0, 0.1, 0.3));
    let hull = SharedShape::convex_hull(&sphere_points(2, 5)).expect("a hull");
    let inner_shape = hull.as_convex_polyhedron().expect("a hull").clone();
    SharedShape::compound(vec![
        part(v(0.0, -0.6, 0.0), Vec3::X, 0.01, SharedShape::halfspace(Vec3::Y)),
        part(v(0.4, -0.3, 0.1), Vec3::Y, 0.13, SharedShape::round_cone(0.2, 0.2, 0.05)),
        part(v(-0.4, 0.1, 0.1), Vec3::Z, 0.2, SharedShape::new(RoundShape { inner_shape, border_radius: 0.05 })),
        part(
            v(0.4, 0.3, 0.1),
            Vec3::X,
            0.3,
            SharedShape::new(RoundShape { inner_shape: triangle, border_radius: 0.08 }),
        ),
        part(v(0.1, 0.4, -0.5), Vec3::X, 0.12, SharedShape::new(triangle)),
        part(v(-0.1, -0.4, -0.4), Vec3::X, 0.2, SharedShape::round_cylinder(0.2, 0.2, 0.1)),
        part(v(-0.6, -0.5, 0.4), Vec3::Z, 0.04, SharedShape::round_cuboid(0.3, 0.1, 0.2, 0.1)),
        part(v(0.3, 0.3, -0.3), Vec3::Z, 0.04, SharedShape::cone(0.3, 0.3)),
    ])
}

/// Boxes that make up a wall, so that the nearest face of one leads into the next.
fn bricks() -> SharedShape {
    let brick = |k: i32| {
        let at = v(0.2 * (k % 5 - 2) as f32, 0.2 * (k / 5 % 3 - 1) as f32, 0.2 * (k / 15) as f32);
        (Pose::from_translation(at), SharedShape::cuboid(0.1, 0.1, 0.1))
    };
    SharedShape::compound((0..30).map(brick).collect())
}

/// Returns all shapes of the tests.
pub fn shapes() -> Vec<(&'static str, SharedShape)> {
    let triangle = Triangle::new(v(-0.5, 0.0, -0.4), v(0.6, 0.1, -0.3), v(0.0, 0.2, 0.7));
    let hull = SharedShape::convex_hull(&sphere_points(3, 7)).expect("a hull");
    let tetrahedron = [v(0.5, 0.0, 0.0), v(-0.3, 0.6, 0.1), v(-0.2, -0.4, 0.5), v(-0.3, -0.2, -0.6)];
    let inner_shape = hull.as_convex_polyhedron().expect("a hull").clone();
    vec![
        ("ball", SharedShape::new(Ball::new(0.5))),
        ("cuboid", SharedShape::cuboid(0.5, 0.25, 0.75)),
        ("capsule", SharedShape::capsule(v(-0.3, 0.1, 0.2), v(0.4, 0.3, -0.3), 0.2)),
        ("cylinder", SharedShape::cylinder(0.5, 0.3)),
        ("cone", SharedShape::cone(0.5, 0.4)),
        ("half-space", SharedShape::halfspace(v(1.0, 2.0, 2.0) / 3.0)),
        ("triangle", SharedShape::new(triangle)),
        ("thin wall", wall()),
        ("flat sheet", sheet(8, |_, _| 0.0)),
        ("sheet", sheet(24, bumps)),
        ("torus", torus(24, 16)),
        ("sphere mesh", sphere(15, 32)),
        ("coarse sphere", sphere(2, 4)),
        ("fine torus", torus(64, 48)),
        ("hull", hull),
        ("tetrahedron", SharedShape::convex_hull(&tetrahedron).expect("a hull")),
        ("height field", ground(false)),
        ("field with holes", ground(true)),
        ("compound", compound()),
        ("odd parts", odd_parts()),
        ("bricks", bricks()),
        ("round cuboid", SharedShape::round_cuboid(0.4, 0.2, 0.6, 0.1)),
        ("round cylinder", SharedShape::round_cylinder(0.4, 0.3, 0.1)),
        ("round cone", SharedShape::round_cone(0.4, 0.3, 0.1)),
        ("round triangle", SharedShape::new(RoundShape { inner_shape: triangle, border_radius: 0.1 })),
        ("round hull", SharedShape::new(RoundShape { inner_shape, border_radius: 0.1 })),
    ]
}
