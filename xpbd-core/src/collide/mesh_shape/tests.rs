use super::{DecompositionSettings, MeshError, convex_decomposition, open_mesh, solid_mesh};
use glam::Vec3;

const CORNERS: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

#[test]
fn closed_tetrahedron_is_solid() {
    let shape = solid_mesh(&CORNERS, &FACES).unwrap();
    let mesh = shape.as_trimesh().unwrap();
    assert!(mesh.pseudo_normals_if_oriented().is_some());
    assert_eq!(mesh.num_triangles(), 4);
}

#[test]
fn vertices_at_a_seam_are_merged() {
    let corners: Vec<_> = FACES.iter().flatten().map(|&i| CORNERS[i as usize]).collect();
    let faces: Vec<_> = (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    assert!(solid_mesh(&corners, &faces).is_ok());
}

#[test]
fn errors_name_the_element_at_fault() {
    let error = |corners: &[Vec3], faces: &[[u32; 3]]| solid_mesh(corners, faces).unwrap_err();
    let mut bad = CORNERS;
    bad[2].y = f32::NAN;
    assert_eq!(error(&bad, &FACES), MeshError::Position { vertex: 2 });
    let mut faces = FACES;
    faces[3][1] = 9;
    let index = MeshError::Index { triangle: 3, vertex: 9 };
    assert_eq!(error(&CORNERS, &faces), index);
    assert!(matches!(error(&CORNERS, &FACES[1..]), MeshError::Open { .. }));
    assert_eq!(error(&CORNERS, &[]), MeshError::Empty);
    let turned: Vec<_> = FACES.iter().map(|t| [t[1], t[0], t[2]]).collect();
    assert!(matches!(error(&CORNERS, &turned), MeshError::InsideOut { .. }));
    let mut flipped = FACES;
    flipped[0].swap(0, 1);
    assert!(matches!(error(&CORNERS, &flipped), MeshError::Open { .. }));
}

#[test]
fn open_mesh_accepts_any_form() {
    assert!(open_mesh(&CORNERS, &FACES[..1]).is_ok());
    assert_eq!(open_mesh(&CORNERS, &[[1, 1, 2]]).unwrap_err(), MeshError::Empty);
    let message = open_mesh(&CORNERS, &[[0, 1, 7]]).unwrap_err().to_string();
    assert!(message.contains("triangle 0") && message.contains("vertex 7"));
}

/// A U of 1 m wide arms, 1 m deep: 5 m³, and nothing between its arms.
#[test]
fn a_concave_mesh_is_divided_into_convex_parts_that_fill_it() {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let positions: Vec<Vec3> = [0.0, 1.0].iter().flat_map(|&z| outline.map(|[x, y]| Vec3::new(x, y, z))).collect();
    let caps = [[1, 2, 3], [1, 3, 4], [0, 1, 4], [0, 4, 5], [0, 5, 6], [0, 6, 7]];
    let mut triangles: Vec<[u32; 3]> = caps.iter().map(|&[a, b, c]| [a, c, b]).collect();
    triangles.extend(caps.map(|cap| cap.map(|corner| corner + 8)));
    for k in 0..8 {
        let next = (k + 1) % 8;
        triangles.extend([[k, next, next + 8], [k, next + 8, k + 8]]);
    }
    let shape = convex_decomposition(&positions, &triangles, DecompositionSettings::default()).unwrap();
    let compound = shape.as_compound().unwrap();
    assert!((2..=8).contains(&compound.shapes().len()), "{} parts", compound.shapes().len());
    assert!((shape.mass_properties(1.0).mass() - 5.0).abs() < 0.25, "{} m³", shape.mass_properties(1.0).mass());
    let inside = |x: f32, y: f32| shape.contains_local_point(Vec3::new(x, y, 0.5));
    assert!(inside(0.5, 1.5) && inside(2.5, 1.5) && inside(1.5, 0.5) && !inside(1.5, 1.5));
    let again = convex_decomposition(&positions, &triangles, DecompositionSettings::default()).unwrap();
    assert_eq!(postcard::to_stdvec(&shape).unwrap(), postcard::to_stdvec(&again).unwrap());
}

#[test]
fn a_mesh_that_encloses_nothing_is_not_divided() {
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let divide = |positions: &[Vec3], triangles: &[[u32; 3]]| {
        convex_decomposition(positions, triangles, DecompositionSettings::default()).err()
    };
    assert_eq!(divide(&flat, &[[0, 1, 2]]), Some(MeshError::Empty));
    assert_eq!(divide(&flat, &[[0, 1, 3]]), Some(MeshError::Index { triangle: 0, vertex: 3 }));
}
