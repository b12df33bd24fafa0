// Returns the first word of the partners in the lists of `pair_search.rs`.

fn partners_begin() -> u32 {
    // Two words a particle follow the starts, which are one more than the particles.
    return FIRST + 3u * substep.particles + 1u;
}
