//! The kernels that find walls.

use xpbd_core::medium::{LEAST_FILL, ONE_WALL, coverage};

use crate::device::Device;
use crate::layout::{PARTICLE_BODY_RECORD, WALL_COUNTERS, wgsl_constants};
use crate::pass_kernel::shift_text;
use crate::wgsl::{self, KernelOptions};

/// The most walls of a particle, if there is memory.
const MOST: u64 = 6;
const WALL_RECORD: &str = include_str!("wall_record.wgsl");
const WALLS: &str = include_str!("walls.wgsl");
/// Bytes of a wall.
const WALL: u64 = 48;

/// Returns the number of walls for which a particle has room.
pub fn max_walls(particles: usize, device: &Device) -> u64 {
    let room = device.max_buffer_size().saturating_sub(WALL_COUNTERS) / (WALL * particles.max(1) as u64);
    room.clamp(1, MOST)
}

/// Returns the length of the buffer of walls \[bytes\].
pub fn bytes(particles: usize, most: u64) -> u64 {
    WALL_COUNTERS + WALL * most * particles as u64
}

/// Prints the kernel that finds the walls of colliders for the particles of a medium, by its index, with room for `most`
/// each.
pub fn collider_walls_text(medium: usize, most: u64, colliders: bool) -> String {
    of_colliders(include_str!("collider_walls.wgsl"), medium, most, colliders)
}

/// Prints the kernel that reports the impulses of walls to the contacts with colliders.
pub fn collider_pushes_text(medium: usize, most: u64, colliders: bool) -> String {
    of_colliders(include_str!("collider_pushes.wgsl"), medium, most, colliders)
}

fn of_colliders(own: &str, medium: usize, most: u64, colliders: bool) -> String {
    let constants = wgsl_constants!(MEDIUM = medium);
    let options = KernelOptions { colliders, ..KernelOptions::default() }.text();
    let (scene, contact) = (wgsl::scene(), wgsl::contact());
    wgsl::kernel(&[&options, wgsl::VECTOR, &scene, &contact, &constants, &walls_text(most), own])
}

/// Returns the text of the kernel that adds the walls of bodies.
pub fn body_walls_text(most: u64) -> String {
    wgsl::kernel(&[wgsl::RANGE, wgsl::VECTOR, &of_bodies(most), include_str!("body_walls.wgsl")])
}

/// Returns the text of the kernel that pushes bodies back.
pub fn body_pushes_text(most: u64) -> String {
    let own = include_str!("body_pushes.wgsl");
    wgsl::kernel(&[wgsl::RANGE, wgsl::VECTOR, &shift_text(false), &of_bodies(most), own])
}

fn of_bodies(most: u64) -> String {
    wgsl_constants!(RECORD = PARTICLE_BODY_RECORD) + &walls_text(most)
}

/// Prints the walls of a particle, and how they are merged.
fn walls_text(most: u64) -> String {
    let constants = wgsl_constants!(MAX_WALLS = most, ONE_WALL = ONE_WALL, LEAST_FILL = LEAST_FILL);
    [&constants, WALL_RECORD, &coverage::wgsl(), WALLS].concat()
}
