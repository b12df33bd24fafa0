//! The same bits on any number of threads, in every profile, and after a restored snapshot: one
//! golden hash a scene.
//!
//! A change of the solver or of a scene changes the hashes on purpose; the test then prints the
//! new ones, to be put into `GOLDEN`.

use examples::scene::{Options, Recipe, Scene};
use xpbd_core::cpu::{CpuBackend, Threads};

/// A scene, its `n`, its frames, and the hash of its state after them.
const GOLDEN: [(&str, u32, u32, u64); 3] = [
    ("drape", 40, 90, 0xa24f_30a1_c734_7ab3),
    ("hang", 32, 60, 0xbd3c_ecf8_fe13_4868),
    ("pile", 120, 150, 0x8986_e28a_bc31_8664),
];

fn build(name: &str, n: u32, frames: u32) -> Scene {
    let recipe = Recipe::find(name).expect("the scene exists");
    recipe.build(&Options::default().with("n", n).frames(frames)).expect("its options are valid")
}

fn hash(scene: &mut Scene, threads: usize) -> u64 {
    scene.run(&mut CpuBackend::new(Threads::Exactly(threads))).expect("the scene runs");
    scene.world.state_hash()
}

#[test]
fn the_final_state_is_the_pinned_one() {
    let found = GOLDEN.map(|(name, n, frames, _)| (name, n, frames, hash(&mut build(name, n, frames), 1)));
    let list: Vec<_> =
        found.iter().map(|(name, n, frames, hash)| format!("(\"{name}\", {n}, {frames}, {hash:#018x})")).collect();
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
