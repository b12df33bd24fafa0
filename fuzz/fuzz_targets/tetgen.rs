//! Meshes of TetGen: the texts of both files, one after the other with a zero between them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpbd_cloth::TetraMesh;

fuzz_target!(|input: &str| {
    let (node, ele) = input.split_once('\0').unwrap_or((input, ""));
    xpbd_fuzz::bounded(input.len(), 200, || TetraMesh::from_tetgen(node, ele).ok());
});
