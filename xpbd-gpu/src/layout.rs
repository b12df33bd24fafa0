//! What kernels and host agree on: uniforms, sections, sizes.

use bytemuck::{Pod, Zeroable};

/// Bytes between the entries of a uniform table, the largest alignment that a device may ask for.
pub const STRIDE: u64 = 256;

/// Marks of [`Substep::flags`], as in `state.wgsl`.
pub mod flag {
    /// Multipliers are read afterwards.
    pub const KEEP: u32 = 2;
    /// The history of the particles does not fit.
    pub const RESTART: u32 = 4;
    /// Forces act.
    pub const FORCES: u32 = 16;
    /// The last iteration of the substep.
    pub const LAST: u32 = 32;
}

/// Sections of the buffer `motion`, one vector a particle each.
pub mod motion {
    /// Velocity \[m/s\].
    pub const VELOCITY: u64 = 0;
    /// Displacement in the substep before \[m\].
    pub const PREVIOUS_MOVE: u64 = 2;
    /// Velocity one substep ago \[m/s\].
    pub const PREVIOUS_VELOCITY: u64 = 3;
    /// How many sections there are.
    pub const SECTIONS: u64 = 7;
}

/// Sections of the buffer `bodies`, one vector a body each, as in `state.wgsl`.
pub mod body {
    /// How many hold state: anchor, offset, rotation, velocity, spin, start, rotation at the start, turn.
    pub const STATE: u64 = 8;
    /// How many come back every frame: those, then anchor and offset before the offset was folded.
    pub const RETURNED: u64 = 10;
    /// Inverse inertia and locked axes.
    pub const INERTIA: u64 = 10;
    /// Acceleration and torque.
    pub const PUSHES: u64 = 11;
    /// How many sections there are.
    pub const SECTIONS: u64 = 13;
}

/// The uniform of a substep; see `state.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are explained in `state.wgsl`")]
pub struct Substep {
    pub h: f32,
    pub two_thirds_h: f32,
    pub rate: f32,
    pub second_rate: f32,
    pub compliance_scale: f32,
    pub per_force: f32,
    pub omega: f32,
    pub radius: f32,
    pub depenetration: f32,
    pub dt: f32,
    pub particles: u32,
    pub bodies: u32,
    pub colliders: u32,
    pub ranks: u32,
    pub index: u32,
    pub flags: u32,
    pub targets: u32,
    pub events: u32,
    pub objects: u32,
    pub collider_table: u32,
    pub object_count: u32,
    pub target_table: u32,
    pub followers: u32,
}

/// The uniform of a dispatch over a pass; see `range.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are explained in `range.wgsl`")]
pub struct Range {
    pub base: u32,
    pub stride: u32,
    pub lambda: u32,
    pub colours: u32,
    pub count: u32,
    pub first: u32,
    pub remainder: u32,
    pub gathers: u32,
    pub gather_table: u32,
    pub entries: u32,
    pub islands: u32,
    pub padding: u32,
}

/// Returns the entries of a uniform table as bytes, [`STRIDE`] apart.
pub fn table<T: Pod>(entries: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; entries.len() * STRIDE as usize];
    for (slot, entry) in bytes.chunks_exact_mut(STRIDE as usize).zip(entries) {
        slot[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(entry));
    }
    bytes
}
