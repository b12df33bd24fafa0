//! Sums, products, quotients and square roots have the bits of the CPU on a device that says so.

use libtest_mimic::Failed;
use xpbd_gpu::internals;

use crate::pairs::Random;
use crate::{Test, backend, ensure};

pub const TESTS: &[Test] = &[
    ("arithmetic::hard_pairs_have_the_bits_of_the_cpu", hard_pairs),
    ("arithmetic::any_numbers_have_the_bits_of_the_cpu", any_numbers),
    ("arithmetic::square_roots_of_all_significands_have_the_bits_of_the_cpu", all_roots),
    ("arithmetic::inverses_of_all_significands_have_the_bits_of_the_cpu", all_inverses),
];

fn compare(pairs: &[[f32; 2]]) -> Result<(), Failed> {
    let gpu = backend()?;
    let difference = gpu.device().probe()?.and_then(|probe| probe.first_difference(pairs));
    ensure(difference.is_none(), || difference.unwrap_or_default())
}

/// The pairs that a back end looks at when it is made.
fn hard_pairs() -> Result<(), Failed> {
    compare(&internals::hard_pairs())
}

/// Numbers with random bits, and with exponents near that of 1.
fn any_numbers() -> Result<(), Failed> {
    let mut random = Random(11);
    let mut pairs: Vec<[f32; 2]> = (0..1 << 19).map(|_| [0; 2].map(|_| f32::from_bits(random.bits()))).collect();
    let near_one = |bits: u32| f32::from_bits(0x3c00_0000 + (bits & 0x07ff_ffff));
    pairs.extend((0..1 << 21).map(|_| [0; 2].map(|_| near_one(random.bits()))));
    compare(&pairs)
}

/// The significands of 1 to 4, after which roots repeat with another exponent.
fn all_roots() -> Result<(), Failed> {
    compare(&(0x3f80_0000..0x4080_0000).map(|bits| [f32::from_bits(bits), 1.0]).collect::<Vec<_>>())
}

fn all_inverses() -> Result<(), Failed> {
    compare(&(0x3f80_0000..0x4000_0000).map(|bits| [1.0, f32::from_bits(bits)]).collect::<Vec<_>>())
}
