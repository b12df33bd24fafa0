//! Meshes of binary glTF files.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| xpbd_fuzz::load_mesh(input, "glb"));
