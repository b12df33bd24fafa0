//! The targets share a bound on memory, the reading of a mesh from bytes, and worlds that know every constraint.

use std::alloc::System;
use std::path::Path;
use std::sync::Once;

use cap::Cap;
use xpbd_core::world::{Settings, World};

/// Counts what is allocated, and refuses what is above its limit: the process then aborts, which a fuzzer reports.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Bytes that a reader may allocate for an input of no length.
const BASE: usize = 1 << 20;

/// Bytes at the beginning of a snapshot that name its format.
const HEADER: usize = 8;

/// Lets a panic print where it was, which takes more memory than a reader may have.
static ON_PANIC: Once = Once::new();

/// Runs a reader of an input of `length` bytes, which may allocate `factor` bytes for each of them.
pub fn bounded<R>(length: usize, factor: usize, read: impl FnOnce() -> R) -> R {
    ON_PANIC.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            ALLOCATOR.set_limit(usize::MAX).ok();
            report(panic);
        }));
    });
    let limit = ALLOCATOR.allocated() + BASE + factor * length;
    ALLOCATOR.set_limit(limit).expect("it is above what is allocated");
    let outcome = read();
    ALLOCATOR.set_limit(usize::MAX).expect("there is none");
    outcome
}

/// Writes an input to a file in memory with this extension, and loads the mesh in it.
///
/// # Panics
/// The file cannot be written.
pub fn load_mesh(input: &[u8], extension: &str) {
    let path = format!("/dev/shm/xpbd-fuzz-{}.{extension}", std::process::id());
    std::fs::write(&path, input).expect("there is a file system in memory");
    bounded(input.len(), 200, || examples::mesh::load(Path::new(&path)).ok());
}

/// Returns the snapshot that holds these bytes, with their checksum, so that what is wrong in it is not told by that.
///
/// # Panics
/// An empty world cannot be saved.
pub fn with_checksum(payload: &[u8]) -> Vec<u8> {
    let mut snapshot = World::default().snapshot().expect("an empty world can be saved");
    snapshot.truncate(HEADER);
    snapshot.extend(crc32fast::hash(payload).to_le_bytes());
    snapshot.extend(payload);
    snapshot
}

/// Returns the bytes of a snapshot after its checksum.
pub fn payload(snapshot: &[u8]) -> &[u8] {
    &snapshot[HEADER + size_of::<u32>()..]
}

/// Returns an empty world that knows the constraints of all crates.
///
/// # Panics
/// Two crates use one name.
pub fn empty_world() -> World {
    let mut world = World::new(Settings { substeps: 2, ..Settings::default() }).expect("settings are valid");
    let registry = world.registry_mut();
    xpbd_cloth::register(registry).expect("names are free");
    xpbd_rigid::register(registry).expect("names are free");
    xpbd_fluid::register(registry).expect("names are free");
    world
}
