// What the host learns of a frame: how many contacts pushed, how many pairs touched in the last
// substep; then a mark for each object that is to be frozen; then the contacts that pushed.

@group(1) @binding(2) var<storage, read_write> outcome: array<atomic<u32>>;

const PUSHED = 0u;
const ACTIVE = 1u;
const MARKS = 4u;
