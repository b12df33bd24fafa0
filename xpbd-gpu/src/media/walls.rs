//! The kernels that find walls.

use crate::device::Device;
use crate::pass_kernel::RANGE_STRUCT;
use crate::pipelines::{STATE, sized};
use crate::rotation::turned;
use crate::world_kernels::{CONTACT, KernelOptions, SCENE, VECTOR};

/// The most walls of a particle, if there is memory.
const MOST: u64 = 6;
/// Bytes of a wall.
const WALL: u64 = 48;
/// Bytes of the counters before the walls.
pub const COUNTERS: u64 = 16;

/// Returns how many walls a particle has room for.
pub fn most(particles: usize, device: &Device) -> u64 {
    let room = device.max_buffer_size().saturating_sub(COUNTERS) / (WALL * particles.max(1) as u64);
    room.clamp(1, MOST)
}

/// Returns the length of the buffer of walls \[bytes\].
pub fn bytes(particles: usize, most: u64) -> u64 {
    COUNTERS + WALL * most * particles as u64
}

/// Returns the text of the kernel that takes the walls of colliders for the particles of a medium, by its place, with
/// room for `most` each.
pub fn collider_walls_text(medium: usize, most: u64, colliders: bool) -> String {
    of_colliders(include_str!("collider_walls.wgsl"), medium, most, colliders)
}

/// Returns the text of the kernel that tells contacts with colliders what their walls have pushed.
pub fn collider_pushes_text(medium: usize, most: u64, colliders: bool) -> String {
    of_colliders(include_str!("collider_pushes.wgsl"), medium, most, colliders)
}

fn of_colliders(own: &str, medium: usize, most: u64, colliders: bool) -> String {
    let constants = format!("const MEDIUM = {medium}u;\nconst MOST_WALLS = {most}u;\n");
    let needs = KernelOptions { colliders, ..KernelOptions::default() };
    let shared = [&needs.text(), VECTOR, SCENE, CONTACT, &constants].concat();
    let own = [include_str!("wall_record.wgsl"), include_str!("walls.wgsl"), own];
    sized(&[STATE, &shared, &own.concat()].concat())
}

/// Returns the text of the kernel that adds the walls of bodies.
pub fn body_walls_text(most: u64) -> String {
    let constants = format!("const MOST_WALLS = {most}u;\n");
    let own = [include_str!("wall_record.wgsl"), include_str!("walls.wgsl"), include_str!("body_walls.wgsl")];
    sized(&[STATE, RANGE_STRUCT, VECTOR, &constants, &own.concat()].concat())
}

/// Returns the text of the kernel that pushes bodies back.
pub fn body_pushes_text(most: u64) -> String {
    let constants = format!("const MOST_WALLS = {most}u;\n");
    let moves = [include_str!("../wgsl/axes.wgsl"), &turned(), include_str!("../wgsl/shift_body.wgsl")].concat();
    let own = [include_str!("wall_record.wgsl"), include_str!("walls.wgsl"), include_str!("body_pushes.wgsl")];
    sized(&[STATE, RANGE_STRUCT, VECTOR, &moves, &constants, &own.concat()].concat())
}
