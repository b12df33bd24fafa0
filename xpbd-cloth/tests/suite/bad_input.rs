//! Every bad input is refused with the element at fault.

use glam::Vec3;
use xpbd_cloth::{Bending, Cloth, ClothError, Mesh, MeshError, Plate, Rope, RopeError, Stretch};
use xpbd_core::number::NumberError;

const SQUARE: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0)];

fn refused(positions: &[Vec3], indices: &[u32]) -> MeshError {
    let error = Mesh::new(positions, indices).unwrap_err();
    let built = Cloth::from_mesh(positions, indices).build().unwrap_err();
    assert_eq!(built.to_string(), error.to_string());
    error
}

#[test]
fn empty_meshes() {
    assert_eq!(refused(&[], &[]), MeshError::Empty { vertices: 0, indices: 0 });
    assert_eq!(refused(&SQUARE, &[]), MeshError::Empty { vertices: 4, indices: 0 });
    assert_eq!(Mesh::new(&[Vec3::ZERO], &[]), Err(MeshError::Empty { vertices: 1, indices: 0 }));
    let line = Cloth::grid(5, 1, 1.0, 1.0).build().unwrap_err();
    assert_eq!(line, ClothError::Mesh(MeshError::Empty { vertices: 5, indices: 0 }));
}

#[test]
fn positions_that_are_not_finite() {
    let mut positions = SQUARE;
    positions[2].y = f32::INFINITY;
    assert_eq!(refused(&positions, &[0, 2, 1]), MeshError::Position { vertex: 2, position: positions[2] });
    positions[1].x = f32::NAN;
    assert!(matches!(refused(&positions, &[0, 2, 1]), MeshError::Position { vertex: 1, .. }));
    let nowhere = Cloth::grid(3, 3, f32::NAN, 1.0).build();
    assert!(matches!(nowhere, Err(ClothError::Mesh(MeshError::Position { vertex: 0, .. }))));
    let moved = Cloth::grid(3, 3, 1.0, 1.0).at(Vec3::new(0.0, f32::NAN, 0.0)).build();
    assert_eq!(moved.unwrap_err().to_string(), "the translation of the pose is NaN; it must be finite");
}

#[test]
fn indices() {
    assert_eq!(refused(&SQUARE, &[0, 2, 1, 3]), MeshError::IndexCount(4));
    let outside = MeshError::Index { triangle: 1, index: 4, vertices: 4 };
    assert_eq!(refused(&SQUARE, &[0, 2, 1, 1, 4, 3]), outside);
    assert_eq!(refused(&SQUARE, &[0, 2, 1, 3, 1, 3]), MeshError::Repeated { triangle: 1, vertex: 3 });
    assert_eq!(refused(&SQUARE, &[0, 2, 2]), MeshError::Repeated { triangle: 0, vertex: 2 });
}

#[test]
fn shapes() {
    let doubled = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, -0.0, 0.0)];
    assert_eq!(refused(&doubled, &[0, 2, 1, 1, 2, 3]), MeshError::Duplicate { first: 1, second: 3 });
    let in_line = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X * 2.0];
    let flat = MeshError::ZeroArea { triangle: 1, vertices: [0, 1, 3] };
    assert_eq!(refused(&in_line, &[0, 2, 1, 0, 1, 3]), flat);
    let alone = [SQUARE[0], SQUARE[1], SQUARE[2], SQUARE[3], Vec3::Y];
    assert_eq!(refused(&alone, &[0, 2, 1, 1, 2, 3]), MeshError::Isolated { vertex: 4 });
}

#[test]
fn edges() {
    let book = [Vec3::ZERO, Vec3::X, Vec3::Z, -Vec3::Z, Vec3::Y];
    let shared = MeshError::SharedEdge { edge: [0, 1], triangles: [0, 1, 2] };
    assert_eq!(refused(&book, &[0, 1, 2, 1, 0, 3, 0, 1, 4]), shared);
    assert_eq!(refused(&book, &[0, 1, 2, 0, 1, 3, 0, 1, 4]), shared);
    let flipped = MeshError::Winding { edge: [2, 1], triangles: [0, 1] };
    assert_eq!(refused(&SQUARE, &[0, 2, 1, 2, 1, 3]), flipped);
}

#[test]
fn meshes_without_a_mass() {
    let huge = SQUARE.map(|x| x * 1e30);
    let error = Cloth::from_mesh(&huge, &[0, 2, 1, 1, 2, 3]).build().unwrap_err();
    assert_eq!(error, ClothError::Mass { vertex: 0, mass: f32::INFINITY });
    let tiny = SQUARE.map(|x| x * 1e-25);
    let error = Cloth::from_mesh(&tiny, &[0, 2, 1, 1, 2, 3]).build().unwrap_err();
    assert_eq!(error, ClothError::Mass { vertex: 0, mass: 0.0 });
}

fn number(what: &'static str, value: f32, cloth: Cloth) {
    match cloth.build() {
        Err(ClothError::Number(NumberError { what: named, value: given, .. })) => {
            assert_eq!((named, given.to_bits()), (what, value.to_bits()));
        }
        other => panic!("{what} {value}: {other:?}"),
    }
}

#[test]
fn numbers_of_cloth() {
    let sheet = || Cloth::grid(3, 3, 1.0, 1.0);
    let strain = |youngs_modulus, poisson_ratio| Stretch::Strain { youngs_modulus, poisson_ratio };
    for bad in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        number("density", bad, sheet().density(bad));
        number("thickness", bad, sheet().thickness(bad));
    }
    for bad in [f32::NAN, -1.0, 0.0, f32::NEG_INFINITY] {
        number("stretch stiffness", bad, sheet().stretch(Stretch::Edges { stiffness: bad }));
        number("Young's modulus", bad, sheet().stretch(strain(bad, 0.3)));
        number("bending stiffness", bad, sheet().bending(Bending::Isometric { stiffness: bad }));
        number("bending stiffness", bad, sheet().bending(Bending::Dihedral { stiffness: bad }));
        number("bending stiffness", bad, sheet().bending(Bending::Distance { stiffness: bad }));
    }
    for bad in [f32::NAN, -1.0, 0.51] {
        number("Poisson ratio", bad, sheet().stretch(strain(1e6, bad)));
    }
    for bad in [f32::NAN, -1.0, f32::INFINITY] {
        number("damping time", bad, sheet().damping_time(bad));
        number("linear damping", bad, sheet().linear_damping(bad));
    }
}

#[test]
fn numbers_of_plates() {
    let plate = |youngs_modulus, poisson_ratio, thickness| {
        Cloth::grid(3, 3, 1.0, 1.0).plate(Plate { youngs_modulus, poisson_ratio, thickness })
    };
    for bad in [f32::NAN, f32::NEG_INFINITY, -1.0, 0.0] {
        number("Young's modulus", bad, plate(bad, 0.3, 1e-3));
        number("thickness", bad, plate(1e6, 0.3, bad));
    }
    for bad in [f32::NAN, -1.0, 0.51] {
        number("Poisson ratio", bad, plate(1e6, bad, 1e-3));
    }
    number("bending stiffness", 0.0, plate(1e6, 0.3, 1e-20));
    assert!(plate(f32::INFINITY, 0.3, 1e-3).build().is_ok());
}

#[test]
fn pins_and_bent_sheets() {
    let pinned = Cloth::grid(3, 3, 1.0, 1.0).pin([8, 9]).build().unwrap_err();
    assert_eq!(pinned, ClothError::Pin { index: 9, vertices: 9 });
    let mut bent = SQUARE;
    bent[3].y = 0.5;
    let error = Cloth::from_mesh(&bent, &[0, 2, 1, 1, 2, 3]).bending(Bending::Isometric { stiffness: 1.0 }).build();
    assert!(matches!(error, Err(ClothError::NotFlat { edge: [2, 1], .. })), "{error:?}");
    let names: Vec<_> = Cloth::from_mesh(&bent, &[0, 2, 1, 1, 2, 3])
        .build()
        .unwrap()
        .batches
        .iter()
        .map(|batch| batch.name().to_string())
        .collect();
    assert_eq!(names, ["distance", "dihedral"]);
}

#[test]
fn ropes() {
    let error = |rope: Rope| rope.build().unwrap_err();
    assert_eq!(error(Rope::from_points(&[])), RopeError::TooFewPoints(0));
    assert_eq!(error(Rope::from_points(&[Vec3::X])), RopeError::TooFewPoints(1));
    let doubled = [Vec3::ZERO, Vec3::X, Vec3::X, Vec3::Y];
    assert_eq!(error(Rope::from_points(&doubled)), RopeError::Coincident { first: 1, second: 2 });
    let nowhere = [Vec3::ZERO, Vec3::X, Vec3::NAN];
    assert!(matches!(error(Rope::from_points(&nowhere)), RopeError::Position { point: 2, .. }));
    let line = || Rope::from_points(&[Vec3::ZERO, Vec3::X]);
    assert_eq!(error(line().pin([2])), RopeError::Pin { index: 2, points: 2 });
    for bad in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        for rope in [
            line().density(bad),
            line().stretch(bad),
            line().bending(bad),
            line().damping_time(bad),
            line().linear_damping(bad),
        ] {
            assert!(matches!(error(rope), RopeError::Number(_)));
        }
    }
    assert!(matches!(error(line().density(0.0)), RopeError::Number(NumberError { what: "density", .. })));
}

#[test]
fn ropes_between_two_points() {
    let error = |b: Vec3, segments, length| Rope::between(Vec3::Y, b, segments, length).pin_ends().build().unwrap_err();
    assert_eq!(error(Vec3::Y * 3.0, 10, 1.5), RopeError::TooShort { length: 1.5, distance: 2.0 });
    assert_eq!(error(Vec3::Y * 3.0, 1, 2.5), RopeError::OneLink { length: 2.5, distance: 2.0 });
    assert_eq!(error(Vec3::Y, 10, 1.0), RopeError::Coincident { first: 0, second: 10 });
    assert_eq!(error(Vec3::X, 0, 1.0), RopeError::TooFewPoints(1));
    assert!(matches!(error(Vec3::X, 4, f32::NAN), RopeError::Number(NumberError { what: "length", .. })));
    assert!(matches!(error(Vec3::NAN, 4, 1.0), RopeError::Position { point: 4, .. }));
}
