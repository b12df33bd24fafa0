//! The same bits for any number of threads, in every profile, and after a restored snapshot: one
//! golden hash a scene.
//!
//! A change of the solver or of a scene changes the hashes on purpose; the test then prints the
//! new ones, to be put into `GOLDEN`.

use std::sync::OnceLock;

use examples::scene::{Options, Recipe, Scene};
use xpbd_core::cpu::{CpuBackend, Threads};

/// A scene, its `n` if it has one, its frames, and the hash of its state after them.
const GOLDEN: [(&str, Option<u32>, u32, u64); 34] = [
    ("drape", Some(40), 90, 0xd43d_5ab9_87b0_ab9a),
    ("hang", Some(32), 60, 0x0b48_78dc_ccf0_743a),
    ("pile", Some(120), 150, 0x8986_e28a_bc31_8664),
    ("pendulum", None, 60, 0xee87_4a71_2bb9_ce45),
    ("top", None, 60, 0x106e_b4d1_1d52_c5c1),
    ("stack", Some(5), 90, 0xc46a_5f04_7124_ba05),
    ("boxes", Some(40), 90, 0x1be2_8f64_9cdf_dd64),
    ("chain-rigid", Some(12), 60, 0xe403_be23_bbbb_6bde),
    ("bridge", Some(6), 90, 0x39c2_d5a0_9b30_3a2c),
    ("ragdolls", Some(3), 120, 0x4459_5326_4ba7_d7aa),
    ("clusters", Some(8), 60, 0x1d9b_84a1_f7b8_720a),
    ("crate-cloth", Some(16), 60, 0xc0ee_37c3_9f41_13ee),
    ("mixer", Some(100), 60, 0xc2fb_abc5_24f7_0b9b),
    ("dam-break", Some(1000), 60, 0x01b2_eb99_006f_a801),
    ("column", None, 30, 0x9e7e_c7ea_7d8e_dca1),
    ("float", Some(4), 60, 0xd5eb_a10e_7d41_791f),
    ("pour", Some(1000), 120, 0x9571_85b5_0ef0_7913),
    ("melt", Some(600), 90, 0x257b_82f3_9114_a75e),
    ("crumple", Some(24), 90, 0xafbc_7616_2db3_2dc4),
    ("tear", Some(24), 60, 0x3806_cc77_a521_0c26),
    ("cantilever", None, 60, 0xbe8c_d46c_53bd_4f5a),
    ("twist", None, 60, 0xa05a_cd58_cc20_2f86),
    ("helix", None, 60, 0x7b7f_098b_2fbe_d4cc),
    ("winch", None, 60, 0xe751_361e_6cf6_101d),
    ("flag", Some(13), 60, 0xd117_2c5a_f2a9_9aac),
    ("plane", None, 60, 0xbe64_b592_789a_a643),
    ("balloon", None, 60, 0x4bba_29e0_7a2a_c5ab),
    ("sew", None, 60, 0xf9a7_f70b_24e2_574a),
    ("jelly", Some(600), 60, 0x72a8_bfdf_7500_0656),
    ("squash", Some(432), 60, 0xf9e3_f9c7_29f2_1e3e),
    ("tablecloths", Some(11), 60, 0xaa92_b9ae_93cb_20ed),
    ("loads", Some(17), 60, 0xa571_e04c_3be0_786c),
    ("funnel", Some(600), 30, 0xc6b7_a745_5f27_1b7b),
    ("ring", Some(13), 60, 0xf858_49d2_808b_7c54),
];

fn build(name: &str, n: Option<u32>, frames: u32) -> Scene {
    let recipe = Recipe::find(name).expect("the scene exists");
    let options = n.map_or(Options::default(), |n| Options::default().with("n", n));
    recipe.build(&options.frames(frames)).expect("its options are valid")
}

fn hash(scene: &mut Scene, threads: usize) -> u64 {
    scene.run(&mut CpuBackend::new(Threads::Exactly(threads))).expect("the scene runs");
    scene.world.state_hash()
}

/// The hashes of all scenes on one thread, found once for all tests.
fn found() -> &'static [u64; GOLDEN.len()] {
    static FOUND: OnceLock<[u64; GOLDEN.len()]> = OnceLock::new();
    FOUND.get_or_init(|| GOLDEN.map(|(name, n, frames, _)| hash(&mut build(name, n, frames), 1)))
}

#[test]
fn the_final_state_has_the_golden_hash() {
    let list = GOLDEN
        .iter()
        .zip(found())
        .map(|((name, n, frames, _), hash)| format!("(\"{name}\", {n:?}, {frames}, {hash:#018x})"));
    let golden = GOLDEN.map(|row| row.3);
    assert!(*found() == golden, "the hashes are now [{}]", list.collect::<Vec<_>>().join(", "));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for ((name, n, frames, _), one) in GOLDEN.into_iter().zip(found()) {
        let [two, seven] = [2, 7].map(|threads| hash(&mut build(name, n, frames), threads));
        assert_eq!([two, seven], [*one; 2], "{name}");
    }
}

#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits() {
    for ((name, n, frames, _), whole) in GOLDEN.into_iter().zip(found()) {
        let mut first = build(name, n, frames / 2);
        hash(&mut first, 1);
        let snapshot = first.world.snapshot().expect("the world can be saved");
        let mut second = build(name, n, frames - frames / 2);
        second.world.restore(&snapshot).expect("its types are known");
        assert_eq!(hash(&mut second, 2), *whole, "{name}");
    }
}
