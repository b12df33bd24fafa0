// Whether the particle of lower index keeps the pair.
fn kept(i: u32, j: u32, square: u32) -> bool {
    let cutoff = search.cutoffs + 2u * min(i, j);
    let farthest = lists[cutoff];
    return square < farthest || (square == farthest && max(i, j) <= lists[cutoff + 1u]);
}
