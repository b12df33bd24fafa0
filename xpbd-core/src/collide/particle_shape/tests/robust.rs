//! Any input gives finite planes or none, and the same bits again.

use super::super::{ContactPlanes, MAX_CONTACT_PLANES, contact_planes};
use super::{mesh_box, sheet, v};
use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{HeightField, SharedShape};
use parry3d::utils::Array2;

fn shapes() -> Vec<SharedShape> {
    let cube = SharedShape::cuboid(0.5, 0.5, 0.5);
    vec![
        SharedShape::ball(0.5),
        cube.clone(),
        SharedShape::capsule_y(0.3, 0.2),
        SharedShape::cylinder(0.3, 0.2),
        SharedShape::cone(0.3, 0.2),
        SharedShape::convex_hull(&super::box_triangles(Vec3::splat(0.5)).0).unwrap(),
        SharedShape::halfspace(Vec3::Y),
        SharedShape::triangle(Vec3::ZERO, Vec3::X, Vec3::Z),
        SharedShape::triangle(Vec3::ZERO, Vec3::X, Vec3::X * 2.0),
        SharedShape::triangle(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO),
        SharedShape::segment(Vec3::ZERO, Vec3::X),
        SharedShape::round_cuboid(0.3, 0.3, 0.3, 0.1),
        mesh_box(Vec3::splat(0.5)),
        sheet(8, 2.0, |x, z| x * z),
        SharedShape::new(HeightField::new(Array2::zeros(4, 4), Vec3::ONE)),
        SharedShape::compound(vec![(Pose::translation(0.2, 0.0, 0.0), cube)]),
        SharedShape::voxels(Vec3::ONE, &[parry3d::math::IVector::ZERO]),
    ]
}

#[test]
fn extreme_input_gives_finite_planes() {
    let values = [0.0, -0.0, 1e-30, 0.25, 0.5, -0.500_000_06, 1e6, -1e12, 1e30, f32::MAX, f32::NAN, f32::INFINITY];
    let point = |i: usize| {
        let pick = |k: usize| values[i / k % values.len()];
        v(pick(1), pick(12), pick(144))
    };
    let mut out = ContactPlanes::new();
    for shape in shapes() {
        for i in (0..1728).step_by(7) {
            for j in (0..1728).step_by(61).chain([i]) {
                let sizes = [(0.01, 0.005), (0.0, 0.0), (1e30, 1e30), (-1.0, f32::NAN)];
                let (radius, margin) = sizes[(i + j) % 4];
                contact_planes(&*shape, point(i), point(j), radius, margin, &mut out);
                assert!(out.len() <= MAX_CONTACT_PLANES);
                for touch in &out {
                    let finite = touch.point.is_finite() && touch.normal.is_finite();
                    assert!(finite, "{} {} {touch:?}", point(i), point(j));
                }
            }
        }
    }
}

#[test]
fn same_input_gives_same_bits() {
    let bits = |t: &ContactPlanes| -> Vec<u32> {
        let all = t.iter().flat_map(|t| [t.point, t.normal]);
        all.flat_map(|p| p.to_array()).map(f32::to_bits).collect()
    };
    let (mut first, mut second) = (ContactPlanes::new(), ContactPlanes::new());
    for (a, b) in shapes().iter().zip(&shapes()) {
        for i in 0..200 {
            let from = v(0.01 * i as f32 - 1.0, 0.51, 0.003 * i as f32);
            let to = from - v(0.1, 0.05, 0.02);
            contact_planes(&**a, from, to, 0.01, 0.02, &mut first);
            contact_planes(&**b, from, to, 0.01, 0.02, &mut second);
            assert_eq!(bits(&first), bits(&second));
        }
    }
}

#[test]
fn degenerate_triangles_are_ignored() {
    let shape = crate::collide::mesh_shape::open_mesh(
        &[Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::ZERO],
        &[[0, 1, 2], [0, 3, 1]],
    )
    .unwrap();
    let from = v(0.5, 0.1, 0.0);
    let planes = super::query(&*shape, from, v(0.5, -0.1, 0.0));
    assert!(planes.iter().all(|p| p.normal.y > 0.99), "{planes:?}");
    assert!(!planes.is_empty());
}
