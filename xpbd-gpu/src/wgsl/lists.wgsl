// Where the partners of a particle are in the lists of `pairs.rs`; `lists` is a buffer of either kernel.

const FIRST = 4u;

fn partners_begin() -> u32 {
    // After the starts, one more than there are particles, come two words a particle.
    return FIRST + 3u * substep.particles + 1u;
}
