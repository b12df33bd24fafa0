//! Ways along a mesh.

use glam::Vec3;
use xpbd_cloth::Cloth;
use xpbd_cloth::mesh::{Mesh, geodesic};
use xpbd_core::world::Object;

use crate::measurement::batch;

/// Reach over straight distance, smallest and largest.
fn extremes(object: &Object) -> (f32, f32) {
    let tethers = batch(object, "tether");
    let ratio = |k: usize| {
        let ends = tethers.node_indices(k);
        tethers.parameters(k)[0]
            / object.rest_positions[ends[0] as usize].distance(object.rest_positions[ends[1] as usize])
    };
    (0..object.rest_positions.len() - object.pins.len())
        .map(ratio)
        .fold((f32::MAX, 0.0), |(a, b), r| (a.min(r), b.max(r)))
}

#[test]
fn on_a_flat_sheet_the_reach_is_the_straight_distance() {
    for (columns, rows, pin) in [(33, 33, 0), (40, 23, 39), (31, 31, 480)] {
        let object = Cloth::grid(columns, rows, 1.0, 1.3).pin([pin]).build().unwrap();
        let (smallest, largest) = extremes(&object);
        assert!(smallest >= 1.0 && largest < 1.0 + 1e-5, "{columns} {rows} {pin}: {smallest} {largest}");
    }
}

#[test]
fn few_pins_tether_every_particle_and_many_only_the_nearest() {
    let sheet = || Cloth::grid(10, 8, 0.9, 0.7);
    let two = sheet().pin([0, 9]).build().unwrap();
    let tethers = batch(&two, "tether");
    let ends: Vec<_> = (0..2).map(|k| tethers.node_indices(k).to_vec()).collect();
    assert_eq!(ends, [[1, 0], [1, 9]]);
    assert_eq!(count(&two), 2 * 78);
    assert_eq!(count(&sheet().pin(0..10).build().unwrap()), 70);
    assert_eq!(count(&sheet().pin(0..10).tethers_to_nearest(3).build().unwrap()), 210);
    let row = sheet().pin(0..10).build().unwrap();
    let straight_up = batch(&row, "tether");
    assert_eq!(straight_up.node_indices(13), [23, 3]);
}

fn count(object: &Object) -> usize {
    use xpbd_core::batch::ConstraintBatch;
    batch(object, "tether").len()
}

#[test]
fn no_pins_no_tethers() {
    let names =
        |cloth: Cloth| cloth.build().unwrap().batches.iter().map(|batch| batch.name().to_string()).collect::<Vec<_>>();
    assert_eq!(names(Cloth::grid(3, 3, 1.0, 1.0)), ["distance", "isometric-bending"]);
    assert_eq!(names(Cloth::grid(3, 3, 1.0, 1.0).pin([0]).tethers(false)), ["distance", "isometric-bending"]);
    assert_eq!(names(Cloth::grid(3, 3, 1.0, 1.0).pin([0])), ["tether", "distance", "isometric-bending"]);
}

#[test]
fn a_sheet_that_stretches_has_longer_tethers() {
    let sheet = Cloth::grid(11, 11, 1.0, 1.0).pin([0]);
    let stiff = extremes(&sheet.clone().stretch(xpbd_cloth::Stretch::Edges { stiffness: 1e7 }).build().unwrap());
    let soft = extremes(&sheet.stretch(xpbd_cloth::Stretch::Edges { stiffness: 100.0 }).build().unwrap());
    assert!(stiff.1 < 1.0 + 1e-5, "{stiff:?}");
    assert!(soft.0 > 1.1, "{soft:?}");
}

/// A half cylinder of radius 1 and length 3: unrolled, a rectangle of π × 3.
#[test]
fn round_a_cylinder_the_way_is_that_of_the_unrolled_sheet() {
    let (columns, rows) = (41, 31);
    let angle = |column: u32| std::f64::consts::PI * f64::from(column) / 40.0;
    let place = |row: u32, column: u32| {
        let (s, c) = crate::measurement::sin_cos(angle(column));
        Vec3::new(c as f32, s as f32, row as f32 * 0.1)
    };
    let positions: Vec<_> = (0..rows).flat_map(|row| (0..columns).map(move |column| place(row, column))).collect();
    let square = |row: u32, column: u32| {
        let v = row * columns + column;
        [v, v + columns, v + 1, v + 1, v + columns, v + columns + 1]
    };
    let indices: Vec<_> =
        (0..rows - 1).flat_map(|row| (0..columns - 1).flat_map(move |column| square(row, column))).collect();
    let mesh = Mesh::new(&positions, &indices).unwrap();
    let chord = f64::from(positions[0].distance(positions[1]));
    for (vertex, ways) in geodesic::nearest_sources(&mesh, &[0], 1).iter().enumerate() {
        let (row, column) = (vertex / columns as usize, vertex % columns as usize);
        let unrolled = (column as f64 * chord).hypot(row as f64 * 0.1);
        let error = (f64::from(ways[0].length) - unrolled).abs();
        assert!(error <= 1e-5 * (1.0 + unrolled), "{vertex}: {} {unrolled}", ways[0].length);
    }
}

#[test]
fn equally_near_pins_are_taken_in_their_order_and_separate_parts_have_none() {
    let sheet = Cloth::grid(5, 3, 1.0, 0.5).build().unwrap();
    let far: Vec<_> = sheet
        .rest_positions
        .iter()
        .chain(&sheet.rest_positions)
        .zip(0..)
        .map(|(&x, k)| if k < 15 { x } else { x + Vec3::Y })
        .collect();
    let one = [0, 5, 6, 0, 6, 1, 1, 6, 2, 2, 6, 7, 2, 7, 8, 2, 8, 3, 3, 8, 4, 4, 8, 9];
    let two = [5, 10, 6, 6, 10, 11, 6, 11, 12, 6, 12, 7, 7, 12, 8, 8, 12, 13, 8, 13, 14, 8, 14, 9];
    let sheet: Vec<u32> = one.into_iter().chain(two).collect();
    let indices: Vec<_> = sheet.iter().copied().chain(sheet.iter().map(|v| v + 15)).collect();
    let mesh = Mesh::new(&far, &indices).unwrap();
    let ways = geodesic::nearest_sources(&mesh, &[4, 0], 2);
    assert_eq!([ways[7][0].source, ways[7][1].source], [0, 4]);
    assert_eq!(geodesic::nearest_sources(&mesh, &[4, 0], 1)[7][0].source, 0);
    assert!(ways[15..].iter().all(Vec::is_empty));
}
