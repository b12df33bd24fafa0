//! What the builder of ropes hands over.

use glam::Vec3;
use xpbd_cloth::Rope;
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::settings::ConstraintSolver;

use crate::measurement::batch;

#[test]
fn mass_length_and_links() {
    let rope = Rope::between(Vec3::ZERO, Vec3::X * 1.5, 64, 2.0).density(0.25).stretch(5e3).build().unwrap();
    assert_eq!((rope.positions.len(), rope.masses.len(), rope.rest_positions.len()), (65, 65, 65));
    let mass: f32 = rope.masses.iter().sum();
    assert!((mass - 0.5).abs() < 1e-5, "{mass}");
    let links = batch(&rope, "distance");
    assert_eq!(links.len(), 64);
    assert_eq!(links.parameters(7), [2.0 / 64.0]);
    assert!((links.compliance_of(7) * 5e3 * 32.0 - 1.0).abs() < 1e-5);
    assert_eq!(rope.positions[64], Vec3::X * 1.5);
    for pair in rope.positions.windows(2) {
        assert!((pair[0].distance(pair[1]) - 2.0 / 64.0).abs() < 1e-6);
    }
}

#[test]
fn bending_couples_three_points() {
    let points: Vec<_> = (0..6).map(|k| Vec3::Z * (k as f32 * 0.1)).collect();
    let rope = Rope::from_points(&points).bending(2e-3).build().unwrap();
    let bends = batch(&rope, "rope-bending");
    assert_eq!(bends.len(), 4);
    assert_eq!(bends.node_indices(2), [2, 3, 4]);
    assert!((bends.compliance_of(2) / (1e-3 / (4.0 * 2e-3)) - 1.0).abs() < 1e-5);
    assert!((bends.parameters(2)[0] - 0.5).abs() < 1e-6);
}

#[test]
fn tethers_reach_to_the_next_pin_on_each_side() {
    let points: Vec<_> = (0..7).map(|k| Vec3::Z * (k as f32 * 0.5)).collect();
    let rope = Rope::from_points(&points).pin([1, 4]).solver(ConstraintSolver::Sweep);
    let swept = rope.build().unwrap();
    let tethers = batch(&swept, "tether");
    let all: Vec<_> =
        (0..tethers.len()).map(|k| (tethers.node_indices(k).to_vec(), tethers.parameters(k)[0])).collect();
    let pair = |a, b, length| (vec![a, b], length);
    let expected = [
        pair(0, 1, 0.5),
        pair(2, 1, 0.5),
        pair(2, 4, 1.0),
        pair(3, 1, 1.0),
        pair(3, 4, 0.5),
        pair(5, 4, 0.5),
        pair(6, 4, 1.0),
    ];
    assert_eq!(all, expected);
    assert_eq!(rope.clone().tethers(false).build().unwrap().batches.len(), 1);
    assert_eq!(rope.solver(ConstraintSolver::Automatic).build().unwrap().batches.len(), 1);
}
