//! The same bits for any number of threads, in every profile, and after a restored snapshot: one
//! golden hash a scene.
//!
//! A change of the solver or of a scene changes the hashes on purpose; the test then prints the
//! new ones, to be put into `GOLDEN`.

use examples::scene::{Options, Recipe, Scene};
use xpbd_core::cpu::{CpuBackend, Threads};

/// A scene, its `n` if it has one, its frames, and the hash of its state after them.
const GOLDEN: [(&str, Option<u32>, u32, u64); 32] = [
    ("drape", Some(40), 90, 0xa24f_30a1_c734_7ab3),
    ("hang", Some(32), 60, 0xbd3c_ecf8_fe13_4868),
    ("pile", Some(120), 150, 0x8986_e28a_bc31_8664),
    ("pendulum", None, 60, 0x7612_95b5_922c_bac0),
    ("top", None, 60, 0x0ed1_13fb_16a4_ecad),
    ("stack", Some(5), 90, 0x677d_1c7c_d863_fe8a),
    ("boxes", Some(40), 90, 0x012d_a178_0381_f18b),
    ("chain-rigid", Some(12), 60, 0x9cde_f186_9ef2_a87f),
    ("bridge", Some(6), 90, 0xb72e_4aa1_75cc_a8eb),
    ("ragdolls", Some(2), 120, 0x772d_035e_5608_9be8),
    ("clusters", Some(8), 60, 0x1d9b_84a1_f7b8_720a),
    ("crate-cloth", Some(16), 60, 0xfde8_ac95_1e52_1799),
    ("mixer", Some(100), 60, 0x05b5_d3b3_f6cd_b083),
    ("dam-break", Some(1000), 60, 0x54e7_e332_7cbd_5d14),
    ("column", None, 30, 0x547a_79d5_353b_4ead),
    ("float", Some(4), 60, 0xb72a_5f50_1607_9039),
    ("pour", Some(1000), 120, 0x5744_4a67_33db_c6ec),
    ("melt", Some(600), 90, 0x1560_5c2e_63b4_7966),
    ("crumple", Some(24), 90, 0xafbc_7616_2db3_2dc4),
    ("tear", Some(24), 60, 0x3806_cc77_a521_0c26),
    ("cantilever", None, 60, 0xb39f_d1d9_4378_5c8a),
    ("twist", None, 60, 0xec52_8115_b04f_7bf7),
    ("helix", None, 60, 0xb693_1305_a000_b4db),
    ("winch", None, 60, 0x4cd4_eaef_976b_2f16),
    ("flag", Some(13), 60, 0xd117_2c5a_f2a9_9aac),
    ("plane", None, 60, 0xbe64_b592_789a_a643),
    ("balloon", None, 60, 0x827b_25d6_7e91_bda5),
    ("sew", None, 60, 0x2f2c_42bd_f2f7_74f9),
    ("jelly", Some(600), 60, 0x927c_7ca1_e3e3_5fd1),
    ("squash", Some(432), 60, 0xf9e3_f9c7_29f2_1e3e),
    ("tablecloths", Some(11), 60, 0x7e4a_9ee7_1009_6319),
    ("ring", Some(13), 60, 0x76b2_f608_0041_d91c),
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

#[test]
fn the_final_state_has_the_golden_hash() {
    let found = GOLDEN.map(|(name, n, frames, _)| (name, n, frames, hash(&mut build(name, n, frames), 1)));
    let list: Vec<_> =
        found.iter().map(|(name, n, frames, hash)| format!("(\"{name}\", {n:?}, {frames}, {hash:#018x})")).collect();
    assert_eq!(found, GOLDEN, "the hashes are now [{}]", list.join(", "));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (name, n, frames, _) in GOLDEN {
        let [one, two, seven] = [1, 2, 7].map(|threads| hash(&mut build(name, n, frames), threads));
        assert_eq!((one, one), (two, seven), "{name}");
    }
}

#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits() {
    for (name, n, frames, _) in GOLDEN {
        let mut first = build(name, n, frames / 2);
        hash(&mut first, 1);
        let snapshot = first.world.snapshot().expect("the world can be saved");
        let mut second = build(name, n, frames - frames / 2);
        second.world.restore(&snapshot).expect("its types are known");
        assert_eq!(hash(&mut second, 2), hash(&mut build(name, n, frames), 1), "{name}");
    }
}
