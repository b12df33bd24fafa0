// Results of a frame for the host: counters; then a mark for each object that is to be frozen; then the contacts that
// pushed. `layout.rs` prints where they begin.

@group(1) @binding(2) var<storage, read_write> outcome: array<atomic<u32>>;
