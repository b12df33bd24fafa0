//! Meshes of tetrahedra: what is refused, and what comes out of boxes, files and surfaces.

use glam::{Quat, Vec3};
use xpbd_cloth::{LatticeError, Mesh, Skin, SkinError, SoftBody, TetgenError, TetraError, TetraMesh};

const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

fn refused(positions: &[Vec3], indices: &[u32]) -> TetraError {
    let error = TetraMesh::new(positions, indices).unwrap_err();
    let built = SoftBody::from_mesh(positions, indices).build().unwrap_err();
    assert_eq!(built.to_string(), error.to_string());
    error
}

#[test]
fn bad_meshes_are_refused_with_the_element() {
    assert_eq!(refused(&[], &[]), TetraError::Empty { vertices: 0, indices: 0 });
    assert_eq!(refused(&CORNER, &[0, 1, 2, 3, 1]), TetraError::IndexCount(5));
    let outside = TetraError::Index { tetrahedron: 1, index: 4, vertices: 4 };
    assert_eq!(refused(&CORNER, &[0, 1, 2, 3, 1, 2, 3, 4]), outside);
    assert_eq!(refused(&CORNER, &[0, 1, 2, 1]), TetraError::Repeated { tetrahedron: 0, vertex: 1 });
    let mut nowhere = CORNER;
    nowhere[2].y = f32::NAN;
    assert!(matches!(refused(&nowhere, &[0, 1, 2, 3]), TetraError::Position { vertex: 2, .. }));
    let doubled = [CORNER[0], CORNER[1], CORNER[2], CORNER[3], Vec3::new(1.0, -0.0, 0.0)];
    assert_eq!(refused(&doubled, &[0, 1, 2, 3, 0, 2, 4, 3]), TetraError::Duplicate { first: 1, second: 4 });
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.4, 1e-9)];
    assert_eq!(refused(&flat, &[0, 1, 2, 3]), TetraError::ZeroVolume { tetrahedron: 0, vertices: [0, 1, 2, 3] });
    let vertices = [0, 2, 1, 3];
    assert_eq!(refused(&CORNER, &vertices), TetraError::Inverted { tetrahedron: 0, vertices });
    let twice = [CORNER[0], CORNER[1], CORNER[2], CORNER[3], Vec3::new(0.1, 0.1, 2.0)];
    let face = TetraError::SharedFace { face: [0, 1, 2], tetrahedra: [0, 1] };
    assert_eq!(refused(&twice, &[0, 1, 2, 3, 0, 1, 2, 4]), face);
    let alone = [CORNER[0], CORNER[1], CORNER[2], CORNER[3], Vec3::ONE];
    assert_eq!(refused(&alone, &[0, 1, 2, 3]), TetraError::Isolated { vertex: 4 });
    let turned = refused(&CORNER, &[0, 2, 1, 3]).to_string();
    assert_eq!(turned, "tetrahedron 0 with vertices [0, 2, 1, 3] is inverted; swap two of its vertices");
}

/// Returns the volume inside a surface by the divergence theorem.
fn enclosed(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let six = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|vertex| positions[vertex as usize].as_dvec3());
        a.dot(b.cross(c))
    };
    triangles.iter().map(six).sum::<f64>() / 6.0
}

fn is_closed(triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<_> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges.windows(2).all(|pair| pair[0] != pair[1]) && edges.iter().all(|&[a, b]| edges.binary_search(&[b, a]).is_ok())
}

#[test]
fn a_box_fills_its_volume_and_its_surface_is_closed() {
    let size = Vec3::new(0.6, 0.3, 0.2);
    for cells in [[1, 1, 1], [3, 2, 1], [4, 5, 3]] {
        let mesh = TetraMesh::block(cells, size).unwrap();
        let expected = f64::from(size.x * size.y * size.z);
        assert!((f64::from(mesh.volume()) / expected - 1.0).abs() < 1e-6);
        assert!((f64::from(mesh.vertex_volumes().iter().sum::<f32>()) / expected - 1.0).abs() < 1e-5);
        assert!(is_closed(mesh.surface()), "{cells:?}");
        assert!((enclosed(mesh.positions(), mesh.surface()) / expected - 1.0).abs() < 1e-6, "{cells:?}");
        let [x, y, z] = cells.map(|n| n as usize);
        let border = x * y + y * z + z * x;
        assert_eq!(mesh.tetrahedra().len(), 12 * x * y * z - 4 * border + 8 * border, "{cells:?}");
    }
    assert!(matches!(TetraMesh::block([1000, 1000, 1000], Vec3::ONE), Err(TetraError::Cells(_))));
    assert!(TetraMesh::block([2, 2, 2], Vec3::new(1.0, -1.0, 1.0)).is_err());
    assert!(TetraMesh::block([0, 0, 0], Vec3::ONE).is_ok());
}

/// Returns a unit sphere of so many rings, its poles on y; every triangle faces outward.
fn sphere(rings: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let around = 2 * rings;
    let mut positions = vec![Vec3::Y];
    let turn = |part: f32| {
        let (sine, cosine) = crate::measurement::sin_cos(f64::from(part) * std::f64::consts::TAU);
        (sine as f32, cosine as f32)
    };
    for ring in 1..rings {
        let (radius, height) = turn(0.5 * ring as f32 / rings as f32);
        for k in 0..around {
            let (s, c) = turn(k as f32 / around as f32);
            positions.push(Vec3::new(radius * s, height, radius * c));
        }
    }
    positions.push(Vec3::NEG_Y);
    let last = positions.len() as u32 - 1;
    let at = |ring: u32, k: u32| 1 + (ring - 1) * around + k % around;
    let mut triangles = Vec::new();
    for k in 0..around {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        for ring in 1..rings - 1 {
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1));
            triangles.extend([[a, c, d], [a, d, b]]);
        }
        triangles.push([at(rings - 1, k + 1), at(rings - 1, k), last]);
    }
    (positions, triangles)
}

/// Returns the vertices on the border of a mesh.
fn border(mesh: &TetraMesh) -> Vec<Vec3> {
    let mut on_border: Vec<u32> = mesh.surface().as_flattened().to_vec();
    on_border.sort_unstable();
    on_border.dedup();
    on_border.into_iter().map(|vertex| mesh.positions()[vertex as usize]).collect()
}

#[test]
fn a_lattice_fits_a_ball_and_its_skin_follows_every_affine_motion() {
    let (positions, triangles) = sphere(12);
    let ball = enclosed(&positions, &triangles);
    assert!(ball > 0.0);
    let surface = Mesh::from_triangles(&positions, &triangles).unwrap();
    for cell in [0.15, 0.4, 5.0] {
        let (mesh, skin) = TetraMesh::lattice(&surface, cell).unwrap();
        assert!(is_closed(mesh.surface()));
        let tetrahedron = cell * cell * cell / 12.0;
        assert!(mesh.volumes().all(|volume| volume > 0.299 * tetrahedron), "{cell}");
        let least = skin.bindings().flat_map(|(_, weights)| weights).fold(f32::INFINITY, f32::min);
        if cell < 1.0 {
            // Chords of a sphere lose a part, and the sphere has chords itself.
            let part = f64::from(mesh.volume()) / ball;
            assert!(part < 1.0 && part > 1.0 - 0.2 * f64::from(cell * cell), "{cell}: {part}");
            let heights = border(&mesh).into_iter().map(|x| (x.length() - 1.0) / cell);
            let highest = heights.fold(0.0_f32, |most, height| most.max(height.abs()));
            assert!(highest < 0.12, "{cell}: {highest}");
            assert!(least > -0.2, "{cell}: {least}");
        } else {
            // Smaller than a cell, it is in the middle of one.
            assert!(least > -1e-5 && f64::from(mesh.volume()) > ball, "{cell}: {least}");
        }
        let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        let moved = |x: &Vec3| turn * (*x * Vec3::new(1.5, 0.7, 1.0)) + Vec3::new(10.0, 0.0, 3.0);
        let body: Vec<_> = mesh.positions().iter().map(moved).collect();
        let skinned = skin.positions(&body).unwrap();
        let apart = skinned.iter().zip(&positions).map(|(now, rest)| now.distance(moved(rest))).fold(0.0, f32::max);
        assert!(apart < 1e-5 * (1.0 + cell), "{cell}: {apart}");
        let normals = skin.normals(&skin.positions(mesh.positions()).unwrap()).unwrap();
        let worst = normals.iter().zip(&positions).map(|(n, x)| n.dot(*x)).fold(1.0, f32::min);
        assert!(worst > 0.98, "{worst}");
        assert_eq!(skin.positions(&body[1..]), Err(SkinError::Length { found: body.len() - 1, expected: body.len() }));
    }
}

/// Rays go exactly through vertices and edges, and walls are thinner than a cell.
#[test]
fn a_lattice_of_a_box_on_the_grid_has_no_holes_and_no_tails() {
    let block = TetraMesh::block([4, 4, 4], Vec3::ONE).unwrap();
    let mut number = vec![u32::MAX; block.positions().len()];
    let mut positions = Vec::new();
    for &vertex in block.surface().as_flattened() {
        if number[vertex as usize] == u32::MAX {
            number[vertex as usize] = positions.len() as u32;
            positions.push(block.positions()[vertex as usize]);
        }
    }
    let triangles: Vec<_> = block.surface().iter().map(|t| t.map(|vertex| number[vertex as usize])).collect();
    let surface = Mesh::from_triangles(&positions, &triangles).unwrap();
    for cell in [0.25, 0.5, 0.125, 0.1] {
        let (mesh, _) = TetraMesh::lattice(&surface, cell).unwrap();
        let far = border(&mesh).iter().map(|x| x.abs().max_element()).fold(0.0, f32::max);
        assert!(far < 0.5 + 1e-6, "{cell}: {far}");
        assert!((mesh.volume() - 1.0).abs() < 1e-5 && is_closed(mesh.surface()), "{cell}: {}", mesh.volume());
        let cells = (1.0 / cell).round() as u32;
        assert_eq!(mesh.tetrahedra().len(), TetraMesh::block([cells; 3], Vec3::ONE).unwrap().tetrahedra().len());
    }
    // Thinner than a cell, in a plane of the lattice and beside it, and much thinner than rounding.
    for thickness in [0.125, 0.01, 1e-5] {
        let thin: Vec<_> = positions.iter().map(|x| *x * Vec3::new(1.0, thickness, 1.0)).collect();
        let surface = Mesh::from_triangles(&thin, &triangles).unwrap();
        for cell in [0.25, 0.3] {
            let (mesh, skin) = TetraMesh::lattice(&surface, cell).unwrap();
            let least = skin.bindings().flat_map(|(_, weights)| weights).fold(f32::INFINITY, f32::min);
            // The border may cut off its corners.
            assert!(least > -0.1 && mesh.volume() > thickness, "{cell} {thickness}: {least} {}", mesh.volume());
        }
    }
}

#[test]
fn open_surfaces_and_bad_cells_are_refused() {
    let (positions, mut triangles) = sphere(4);
    let closed = Mesh::from_triangles(&positions, &triangles).unwrap();
    for cell in [0.0, -1.0, f32::NAN, 1e-6] {
        assert!(matches!(TetraMesh::lattice(&closed, cell), Err(LatticeError::CellSize { .. })), "{cell}");
    }
    let gone = triangles.remove(3);
    let error = TetraMesh::lattice(&Mesh::from_triangles(&positions, &triangles).unwrap(), 0.3).unwrap_err();
    let LatticeError::OpenSurface { edge, .. } = error else { panic!("{error}") };
    assert!(edge.iter().all(|vertex| gone.contains(vertex)), "{edge:?} {gone:?}");
}

const NODE: &str = "# a comment\n5 3 1 0 # five\n1 0 0 0 7\n2 1 0 0 7\n\n3 0 1 0 7\n4 0 0 1.0e0 7\n5 9 9 9 7\n";

#[test]
fn files_of_tetgen() {
    let ele = "1 4 0\n1 1 2 3 4\n# end";
    let mesh = TetraMesh::from_tetgen(NODE, ele).unwrap();
    assert_eq!((mesh.positions(), mesh.tetrahedra()), (&CORNER[..], &[[0, 1, 2, 3]][..]));
    // From 0, turned the other way, quadratic.
    let node = "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    let turned = TetraMesh::from_tetgen(node, "1 10\n0 0 2 1 3 0 0 0 0 0 0").unwrap();
    assert!(turned.volume() > 0.16);
    let bound = Mesh::from_triangles(&CORNER, mesh.surface()).unwrap();
    assert_eq!(Skin::bind(&mesh, &bound).positions(&CORNER).unwrap(), CORNER);
}

#[test]
fn bad_files_of_tetgen_are_refused_with_the_line() {
    let line = |node: &str, ele: &str| match TetraMesh::from_tetgen(node, ele).unwrap_err() {
        TetgenError::Line { file, line, .. } => (file, line),
        other => panic!("{other}"),
    };
    let ele = "1 4 0\n1 1 2 3 4\n";
    assert_eq!(line(&NODE.replace("3 0 1 0 7", "3 0 x 0 7"), ele), (".node", 6));
    assert_eq!(line(&NODE.replace("3 0 1 0 7", "3 0 1"), ele), (".node", 6));
    assert_eq!(line(&NODE.replace("3 0 1 0 7", "4 0 1 0 7"), ele), (".node", 6));
    assert_eq!(line(&NODE.replace("5 3 1 0", "5 2 1 0"), ele), (".node", 2));
    assert_eq!(line(NODE, "1 5 0\n1 1 2 3 4\n"), (".ele", 1));
    assert_eq!(line(NODE, "1 4 0\n\n1 1 2 3 6\n"), (".ele", 3));
    assert_eq!(line(NODE, "1 4 0\n1 0 2 3 4\n"), (".ele", 2));
    let short = TetraMesh::from_tetgen(NODE, "2 4 0\n1 1 2 3 4\n").unwrap_err();
    assert_eq!(short.to_string(), "the .ele file ends after 1 of 2 tetrahedra");
    assert!(matches!(TetraMesh::from_tetgen("", ele), Err(TetgenError::Truncated { .. })));
    let nowhere = TetraMesh::from_tetgen(&NODE.replace("4 0 0 1.0e0", "4 0 0 nan"), ele);
    assert!(matches!(nowhere, Err(TetgenError::Mesh(TetraError::Position { vertex: 3, .. }))));
}
