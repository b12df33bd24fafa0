//! Counts and order of edges and flaps.

use glam::Vec3;
use xpbd_cloth::{Cloth, Mesh};

/// Returns the mesh of a grid of a × b squares.
fn grid(a: u32, b: u32) -> Mesh {
    let n = a + 1;
    let positions: Vec<_> = (0..=b).flat_map(|row| (0..n).map(move |k| Vec3::new(k as f32, 0.0, row as f32))).collect();
    let square = |row: u32, k: u32| {
        let v = row * n + k;
        [v, v + n, v + n + 1, v, v + n + 1, v + 1]
    };
    let indices: Vec<_> = (0..b).flat_map(|row| (0..a).flat_map(move |k| square(row, k))).collect();
    Mesh::new(&positions, &indices).unwrap()
}

#[test]
fn counts_on_grids() {
    for (a, b) in [(1, 1), (4, 3), (17, 9)] {
        let mesh = grid(a, b);
        let (v, e, f) = (mesh.positions().len(), mesh.edges().len(), mesh.triangles().len());
        assert_eq!(e as u32, 3 * a * b + a + b);
        assert_eq!(f as u32, 2 * a * b);
        assert_eq!(v + f, e + 1, "Euler characteristic of a disc");
        assert_eq!(mesh.flaps().count() as u32, 3 * a * b - a - b);
        assert!((mesh.area() - (a * b) as f32).abs() < 1e-4);
    }
}

#[test]
fn a_closed_surface_has_only_flaps() {
    let corners = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
    let indices = [0, 1, 2, 1, 3, 2, 3, 4, 2, 4, 0, 2, 1, 0, 5, 3, 1, 5, 4, 3, 5, 0, 4, 5];
    let mesh = Mesh::new(&corners, &indices).unwrap();
    assert_eq!((mesh.edges().len(), mesh.flaps().count()), (12, 12));
    let areas = mesh.vertex_areas();
    assert!(areas.iter().all(|area| (area / mesh.area() * 6.0 - 1.0).abs() < 1e-6));
}

#[test]
fn edges_follow_the_triangles() {
    let mesh = grid(1, 1);
    let edges: Vec<_> = mesh.edges().iter().map(|edge| edge.vertices).collect();
    assert_eq!(edges, [[0, 2], [2, 3], [3, 0], [3, 1], [1, 0]]);
    let flaps: Vec<_> = mesh.flaps().collect();
    assert_eq!(flaps.len(), 1);
    assert_eq!(flaps[0].vertices, [3, 0, 2, 1]);
    assert_eq!(flaps[0].triangles, [0, 1]);
}

#[test]
fn the_grid_of_cloth_faces_up_and_alternates() {
    let object = Cloth::grid(4, 3, 3.0, 2.0).build().unwrap();
    assert_eq!(object.positions[0], Vec3::new(-1.5, 0.0, -1.0));
    assert_eq!(object.positions[11], Vec3::new(1.5, 0.0, 1.0));
    let edges = crate::measurement::batch(&object, "distance");
    let up = (0..2)
        .map(|k| edges.node_indices(k))
        .map(|ends| object.rest_positions[ends[1] as usize] - object.rest_positions[ends[0] as usize]);
    let [first, second]: [Vec3; 2] = up.collect::<Vec<_>>().try_into().unwrap();
    assert!(first.cross(second).y > 0.0);
}
