//! Coarse levels of cloth.

use glam::Vec3;
use xpbd_cloth::{Bending, Cloth, ClothError, Stretch, TearSettings};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::scalar::trig;
use xpbd_core::world::{ObjectHandle, Settings, World};

use crate::support::{ensure_same_bits, strains};

const FRAME: f32 = 1.0 / 60.0;

/// Returns a square metre of light cotton with `side`² vertices, which does not stretch.
fn sheet(side: u32) -> Cloth {
    let rigid = Stretch::Edges { stiffness: f32::INFINITY };
    Cloth::grid(side, side, 1.0, 1.0).density(0.2).stretch(rigid).bending(Bending::Isometric { stiffness: 1e-5 })
}

fn world(cloth: &Cloth, substeps: u32) -> (World, ObjectHandle) {
    let mut world = World::new(Settings { substeps, ..Settings::default() }).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    let object = world.add(cloth.build().unwrap()).unwrap();
    (world, object)
}

/// Returns the largest strains of 99 % of the edges on the way, and the last ones of 99 % and of all.
fn hang(cloth: &Cloth, frames: u32) -> [f64; 3] {
    let (mut world, object) = world(cloth, 10);
    let mut backend = CpuBackend::default();
    let (mut worst, mut last) = (0.0, [0.0; 2]);
    for _ in 0..frames {
        world.step(&mut backend, FRAME).unwrap();
        last = strains(&world, object);
        worst = f64::max(worst, last[0]);
    }
    [worst, last[0], last[1]]
}

/// A sweep over the mesh alone passes a pull on by some edges a substep: it needs about eight times the substeps.
#[test]
fn a_swinging_sheet_of_ten_thousand_vertices_stays_together_at_ten_substeps() {
    let cloth = sheet(100).linear_damping(1.0).pin([0, 99]);
    let [worst, p99, largest] = hang(&cloth.clone().coarse_levels(true), 150);
    assert!(worst < 0.025 && p99 < 0.008 && largest < 0.03, "{worst} on the way, {p99}, {largest}");
    let [plain, ..] = hang(&cloth, 60);
    assert!(plain > 0.1, "{plain} without levels");
}

#[test]
fn a_mesh_without_rows_has_levels_too() {
    let mut cloth = sheet(60).linear_damping(1.0);
    let shift = |k: usize| 0.004 * Vec3::new(trig::sin(7.3 * k as f32), 0.0, trig::cos(5.1 * k as f32));
    cloth.rest_positions.iter_mut().enumerate().for_each(|(k, x)| *x += shift(k));
    // Vertices in the order of another list.
    let count = cloth.rest_positions.len() as u32;
    let place = |k: u32| k * 1789 % count;
    let mut positions = vec![Vec3::ZERO; count as usize];
    (0..count).for_each(|k| positions[place(k) as usize] = cloth.rest_positions[k as usize]);
    let indices: Vec<u32> = cloth.indices.iter().map(|&k| place(k)).collect();
    let irregular = Cloth { columns: None, rest_positions: positions, indices, ..cloth }.pin([place(0), place(59)]);
    let [worst, ..] = hang(&irregular.clone().coarse_levels(true), 60);
    let [plain, ..] = hang(&irregular, 60);
    assert!(worst < 0.5 * plain, "{worst}, {plain} without levels");
}

#[test]
fn a_free_sheet_keeps_its_momentum() {
    let drift = |levels: bool| {
        let cloth = sheet(40).coarse_levels(levels);
        let mut world = World::new(Settings { substeps: 10, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
        let throw = |k: usize| Vec3::new(trig::sin(0.3 * k as f32), 2.0, trig::cos(0.01 * k as f32)) * 2.0;
        let mut thrown = cloth.build().unwrap();
        thrown.velocities = (0..1600).map(throw).collect();
        world.add(thrown).unwrap();
        let before = world.momentum();
        let mut backend = CpuBackend::default();
        (0..60).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
        let after = world.momentum();
        let linear = (after.linear - before.linear).length() / before.linear.length();
        (linear, (after.angular - before.angular).length())
    };
    let ((linear, angular), (_, plain)) = (drift(true), drift(false));
    assert!(linear < 1e-5, "{linear}");
    assert!(angular < 0.02, "{angular}, {plain} without levels");
}

#[test]
fn it_has_the_same_bits_on_any_number_of_threads_and_from_a_snapshot() {
    let cloth = sheet(40).pin([0, 39]).coarse_levels(true);
    ensure_same_bits(|| world(&cloth, 6).0, 10);
}

#[test]
fn saved_levels_that_are_damaged_are_refused() {
    let (mut world, object) = world(&sheet(20).coarse_levels(true), 1);
    let levels = world.batches_of(object)[0];
    let restore = world.registry_mut().restore_batch("multilevel").unwrap();
    let batch = world.batch(levels).unwrap();
    assert_eq!(batch.name(), "multilevel");
    let bytes = batch.save();
    let whole = restore(&bytes).unwrap();
    assert_eq!((whole.save(), whole.len()), (bytes.clone(), batch.len()));
    assert!(restore(&bytes[..bytes.len() - 4]).is_err() && restore(&[]).is_err());
    let counts = xpbd_core::batch::NodeCounts { particles: 400, bodies: 0 };
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x90;
        // Some damage gives other numbers; none may give a batch that reads what is not there.
        if let Ok(batch) = restore(&damaged)
            && batch.validate(counts).is_ok()
        {
            (0..batch.len()).for_each(|k| assert!(batch.nodes(k).len() == 2));
        }
    }
}

#[test]
fn a_small_sheet_has_no_levels_and_one_that_tears_may_not() {
    let names = |cloth: Cloth| -> Vec<_> {
        cloth.coarse_levels(true).build().unwrap().batches.iter().map(|batch| batch.name().to_string()).collect()
    };
    assert!(!names(sheet(6)).contains(&"multilevel".to_string()));
    assert_eq!(names(sheet(24).pin([0]))[..2], ["multilevel", "tether"]);
    let torn = sheet(24)
        .tearable(TearSettings { max_strain: 0.3, max_force: f32::INFINITY, capacity: 10 })
        .coarse_levels(true)
        .build();
    assert!(matches!(torn, Err(ClothError::Incompatible(reason)) if reason.contains("coarse_levels")), "{torn:?}");
}
