//! Corners and edges of shapes.

use glam::Vec3;
use parry3d::shape::{HeightField, SharedShape, TriMesh, TriMeshFlags};
use parry3d::utils::Array2;

use super::ShapeFeatures;

/// Returns the numbers of corners and of edges.
fn counts(shape: &SharedShape) -> (usize, usize) {
    let all = ShapeFeatures::of(shape.as_ref()).features;
    let corners = all.iter().filter(|[a, b]| a == b).count();
    (corners, all.len() - corners)
}

/// A box of twelve triangles whose corners each triangle has for itself, as files often have them.
fn split_box(flags: TriMeshFlags) -> SharedShape {
    let (points, triangles) = parry3d::shape::Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).to_trimesh();
    let split: Vec<Vec3> = triangles.as_flattened().iter().map(|&k| points[k as usize]).collect();
    let triangles = (0..split.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    SharedShape::new(TriMesh::with_flags(split, triangles, flags).unwrap())
}

#[test]
fn shapes_have_the_corners_and_edges_of_their_kind() {
    assert_eq!(counts(&SharedShape::ball(1.0)), (1, 0));
    assert_eq!(counts(&SharedShape::capsule_y(1.0, 0.5)), (2, 1));
    assert_eq!(counts(&SharedShape::cuboid(1.0, 2.0, 3.0)), (8, 12));
    assert_eq!(counts(&SharedShape::round_cuboid(1.0, 2.0, 3.0, 0.1)), (8, 12));
    assert_eq!(counts(&SharedShape::cone(1.0, 1.0)), (25, 48));
    assert_eq!(counts(&SharedShape::cylinder(1.0, 1.0)), (48, 72));
    assert_eq!(counts(&SharedShape::halfspace(Vec3::Y)), (0, 0));
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    assert_eq!(counts(&SharedShape::convex_hull(&corners).unwrap()), (4, 6));
}

/// Diagonals of flat faces are no edges.
#[test]
fn a_box_has_the_same_features_as_a_mesh_and_as_a_hull() {
    for flags in [TriMeshFlags::empty(), TriMeshFlags::ORIENTED | TriMeshFlags::MERGE_DUPLICATE_VERTICES] {
        assert_eq!(counts(&split_box(flags)), (8, 12));
    }
    let (points, _) = parry3d::shape::Cuboid::new(Vec3::ONE).to_trimesh();
    assert_eq!(counts(&SharedShape::convex_hull(&points).unwrap()), (8, 12));
}

/// A ridge and a valley between level ground: the ridge, and the two feet that lie higher than what is beside them.
#[test]
fn only_convex_edges_of_a_height_field_count() {
    let heights = [0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    let data = Array2::new(3, 8, (0..24).map(|k| heights[k / 3]).collect());
    let all = ShapeFeatures::of(&HeightField::new(data, Vec3::new(8.0, 1.0, 2.0)));
    let inner = |[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|&k| all.points[k as usize].position);
        (a.x == b.x && a.x.abs() < 3.9 && a.z != b.z).then_some((a.x, a.y))
    };
    let mut edges: Vec<(f32, f32)> = all.features.iter().filter_map(inner).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    edges.dedup();
    let levels: Vec<f32> = edges.iter().map(|edge| edge.1).collect();
    assert_eq!(levels, [1.0, 0.0, 0.0], "{edges:?}");
}

#[test]
fn groups_contain_every_feature_once() {
    let points: Vec<Vec3> = (0..400).map(|k| Vec3::new((k % 20) as f32, (k * k % 7) as f32, (k / 20) as f32)).collect();
    let cells = (0..380).filter(|k| k % 20 < 19);
    let triangles = cells.flat_map(|k| [[k, k + 20, k + 1], [k + 1, k + 20, k + 21]]).collect();
    let all = ShapeFeatures::of(&TriMesh::new(points, triangles).unwrap());
    let mut end = 0;
    for group in &all.groups {
        assert!(group.features.start == end && group.features.len() <= super::GROUP);
        end = group.features.end;
        for point in all.features[group.features.clone()].as_flattened() {
            let apart = all.points[*point as usize].position.distance(group.bounds.center);
            assert!(apart <= group.bounds.radius * 1.0001);
        }
    }
    assert!(end == all.features.len() && end > 1000);
}
