//! Uniforms, sections and constants that the host and the kernels have in common. Each number stands here once and is
//! printed for WGSL.

use bytemuck::{Pod, Zeroable};

/// A value that is printed as a constant of WGSL.
pub trait WgslLiteral {
    /// Returns the literal.
    fn literal(self) -> String;
}

impl WgslLiteral for u32 {
    fn literal(self) -> String {
        format!("{self}u")
    }
}

impl WgslLiteral for usize {
    fn literal(self) -> String {
        format!("{self}u")
    }
}

impl WgslLiteral for u64 {
    fn literal(self) -> String {
        format!("{self}u")
    }
}

impl WgslLiteral for f32 {
    fn literal(self) -> String {
        format!("{self:?}f")
    }
}

impl WgslLiteral for bool {
    fn literal(self) -> String {
        self.to_string()
    }
}

/// Prints values of Rust as constants of WGSL: `wgsl_constants!(NAME = value, …)`.
macro_rules! wgsl_constants {
    ($($name:ident = $value:expr),* $(,)?) => {
        [$(format!("const {} = {};\n", stringify!($name), $crate::layout::WgslLiteral::literal($value))),*].concat()
    };
}
pub(crate) use wgsl_constants;

/// Numbers the sections of a buffer, and prints them as constants of WGSL behind a prefix.
macro_rules! sections {
    ($(#[$meta:meta])* $module:ident, $prefix:literal: $($(#[$doc:meta])* $name:ident,)*) => {
        $(#[$meta])*
        pub mod $module {
            $crate::layout::sections!(@number 0; $($(#[$doc])* $name,)*);

            /// Returns the sections as constants of WGSL.
            pub fn wgsl() -> String {
                [$(format!(concat!("const ", $prefix, stringify!($name), " = {}u;\n"), $name)),*].concat()
            }
        }
    };
    (@number $number:expr; $(#[$doc:meta])* $name:ident, $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: u64 = $number;
        $crate::layout::sections!(@number $number + 1; $($rest)*);
    };
    (@number $number:expr;) => {
        /// Number of sections.
        pub const SECTIONS: u64 = $number;
    };
}
pub(crate) use sections;

/// Bytes between the entries of a uniform table, the largest alignment that a device may ask for.
pub const STRIDE: u64 = 256;

/// Returns the entry of a buffer in the layout of a bind group of kernels.
pub fn buffer_entry(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    }
}

/// Threads of a workgroup.
pub const WORKGROUP_SIZE: u32 = 128;
/// Threads of a workgroup that solves a patch: as many as every device has, for it is alone with its patch.
pub const PATCH_WORKGROUP_SIZE: u32 = 256;
/// Threads of a workgroup that solves a large patch, where a device has as many. More would leave each too few registers.
pub const LARGE_PATCH_WORKGROUP_SIZE: u32 = 512;

/// Largest number of workgroups of a dispatch; kernels go on with a stride beyond.
pub const MAX_WORKGROUPS: usize = 65_535;

/// Bytes of the counters before the walls of a medium.
pub const WALL_COUNTERS: u64 = 16;

/// Bit that marks a body in a list of nodes.
pub const BODY_BIT: u32 = 1 << 31;

/// Flags of [`SubstepUniform::flags`].
pub mod flag {
    /// This is the first substep of the frame.
    pub const FIRST_SUBSTEP: u32 = 1;
    /// The history of the particles does not fit the length of the substep.
    pub const RESTART_HISTORY: u32 = 2;
    /// This is the last iteration of the substep.
    pub const LAST_ITERATION: u32 = 4;

    /// Returns the flags as constants of WGSL.
    pub fn wgsl() -> String {
        super::wgsl_constants!(
            FIRST_SUBSTEP = FIRST_SUBSTEP,
            RESTART_HISTORY = RESTART_HISTORY,
            LAST_ITERATION = LAST_ITERATION,
        )
    }
}

sections! {
    /// Sections of the buffer `start`, one vector a particle each.
    start, "":
    /// Position at the start of the substep, relative to the anchor \[m\].
    SUBSTEP_START,
    /// Anchor at the start of the frame \[m\].
    FRAME_START,
    /// Start of the path along which contacts with colliders are known \[m\].
    SEARCHED_START,
    /// Displacement from there to its end \[m\]; `w` is 1 until contacts have been searched for in this frame.
    SEARCHED_WAY,
}

sections! {
    /// Sections of the buffer `motion`, one vector a particle each.
    motion, "":
    /// Velocity \[m/s\].
    VELOCITY,
    /// Acceleration \[m/s²\]; `w` is the linear damping \[1/s\], which is negative where a particle is inactive.
    ACCELERATION,
    /// Displacement in the previous substep \[m\].
    PREVIOUS_DISPLACEMENT,
    /// Velocity one substep ago \[m/s\]; `w` is 1 where a contact has pushed.
    PREVIOUS_VELOCITY,
    /// Offset with the corrections of particle pairs \[m\]; `w` is 1 where a pair has pushed.
    CORRECTED,
    /// Gradient \[1\] and signed distance \[m\] of the surface of the body that a particle is part of.
    SIGNED_DISTANCE,
    /// The sum of the normals along which colliders hold \[1\], where a direct solve follows; `w` is the friction coefficient
    /// while the particle sticks \[1\], or says that it is in an impact.
    HELD_ALONG,
    /// Displacement of the surface that holds a particle in the substep \[m\]; `w` is the friction coefficient while the
    /// particle slides \[1\].
    HELD_SURFACE,
}

sections! {
    /// Sections of the buffer `bodies`, one vector a body each.
    body, "BODY_":
    /// Position of the centre of mass \[m\], rounded, and inverse mass \[1/kg\].
    ANCHOR,
    /// Position minus anchor \[m\].
    OFFSET,
    /// Orientation of the principal axes.
    ROTATION,
    /// Velocity \[m/s\].
    VELOCITY,
    /// Angular velocity \[rad/s\].
    ANGULAR_VELOCITY,
    /// Position at the start of the substep, relative to the anchor \[m\].
    START,
    /// Orientation at the start of the substep.
    START_ROTATION,
    /// Rotation vector by which the constraints of the substep have rotated the body \[rad\].
    ROTATION_CORRECTION,
    /// Position at the start of the frame \[m\]; at its end the anchor before the offset was folded.
    FRAME_POSITION,
    /// Orientation at the start of the frame; at its end the offset before it was folded.
    FRAME_ROTATION,
    /// Inverse principal moments of inertia \[1/(kg m²)\] and locked axes.
    INERTIA,
    /// Acceleration of the frame \[m/s²\] and linear damping \[1/s\].
    ACCELERATION,
    /// Torque of the frame \[N m\] and angular damping \[1/s\].
    TORQUE,
}

/// Number of sections of `bodies` that hold state.
pub const BODY_STATE: u64 = body::ROTATION_CORRECTION + 1;
/// Number of sections of `bodies` that come back every frame: the state, then position and orientation of the frame.
pub const BODY_RETURNED: u64 = body::FRAME_ROTATION + 1;

/// The table of objects and colliders; see `scene.wgsl`.
pub mod scene {
    /// Vectors of an object.
    pub const OBJECT: usize = 4;
    /// Vectors of a collider.
    pub const COLLIDER: usize = 10;
    /// Flag of an object that is frozen.
    pub const FROZEN: u32 = 1;
    /// Body of a collider that does not move.
    pub const STATIC: u32 = u32::MAX;
    /// Flag on the owner of a particle that is inactive.
    pub const INACTIVE: u32 = 1 << 31;
    /// Medium of an object that belongs to none.
    pub const NO_MEDIUM: u32 = u32::MAX;

    /// Returns the constants for WGSL.
    pub fn wgsl() -> String {
        super::wgsl_constants!(
            OBJECT = OBJECT,
            COLLIDER = COLLIDER,
            FROZEN = FROZEN,
            STATIC = STATIC,
            INACTIVE = INACTIVE,
        )
    }
}

/// Contacts of particles with colliders; see `contact.wgsl`.
pub mod contact {
    /// Vectors of a contact.
    pub const RECORD: usize = 3;
    /// Counters before the contacts.
    pub const COUNTERS: usize = 16;
    /// Counter of the contacts found.
    pub const FOUND: usize = 0;
    /// Counter of the most contacts that a particle found.
    pub const MAX_FOUND: usize = 1;
    /// Counter of the contacts for which there was no room.
    pub const DROPPED: usize = 2;
    /// Counter of the particles whose search the device cut short.
    pub const CUT_SHORT: usize = 3;

    /// Returns the constants for WGSL.
    pub fn wgsl() -> String {
        super::wgsl_constants!(
            RECORD = RECORD,
            COUNTERS = COUNTERS,
            FOUND = FOUND,
            MAX_FOUND = MAX_FOUND,
            DROPPED = DROPPED,
            CUT_SHORT = CUT_SHORT,
        )
    }
}

/// Words that the host reads of every frame; see `outcome.wgsl`.
pub mod outcome {
    /// Word with the number of contacts that pushed.
    pub const EVENT_COUNT: usize = 0;
    /// Word with the number of pairs that touched in the last substep.
    pub const ACTIVE_PAIRS: usize = 1;
    /// First of the words that are not 0 for objects to be frozen; the contacts that pushed follow.
    pub const FROZEN_MARKS: usize = 4;
    /// Words of a contact that pushed.
    pub const EVENT: usize = 8;

    /// Returns the constants for WGSL.
    pub fn wgsl() -> String {
        super::wgsl_constants!(
            EVENT_COUNT = EVENT_COUNT,
            ACTIVE_PAIRS = ACTIVE_PAIRS,
            FROZEN_MARKS = FROZEN_MARKS,
            EVENT = EVENT,
        )
    }
}

/// Vectors of the record of a contact between a particle and a body that moves; see `particle_bodies.wgsl`.
pub const PARTICLE_BODY_RECORD: usize = 4;

/// The uniform of a substep.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are explained in `state.wgsl`")]
pub struct SubstepUniform {
    pub h: f32,
    pub two_thirds_h: f32,
    pub inverse_h: f32,
    pub inverse_two_thirds_h: f32,
    pub compliance_scale: f32,
    pub per_force: f32,
    pub omega: f32,
    pub radius: f32,
    pub max_depenetration_speed: f32,
    pub dt: f32,
    pub particles: u32,
    pub bodies: u32,
    pub colliders: u32,
    pub contact_capacity: u32,
    pub index: u32,
    pub flags: u32,
    pub targets: u32,
    pub event_capacity: u32,
    pub object_table: u32,
    pub collider_table: u32,
    pub object_count: u32,
    pub kept: u32,
    pub forces: u32,
    pub kinematic_bodies: u32,
    pub slowest_rebound: f32,
    pub multiplier_scale: f32,
    pub substeps_left: f32,
}

/// The uniform of a dispatch over a pass.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the fields are explained in `range.wgsl`")]
pub struct PassRange {
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

/// The most passes of which a stage is solved in one dispatch: as many as have their uniforms in one entry of a table.
pub const MAX_MERGED: usize = STRIDE as usize / size_of::<PassRange>();

/// Returns the entries of a uniform table as bytes, [`STRIDE`] apart.
pub fn uniform_table<T: Pod>(entries: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; entries.len() * STRIDE as usize];
    for (slot, entry) in bytes.chunks_exact_mut(STRIDE as usize).zip(entries) {
        slot[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(entry));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{motion, start};

    /// The buffers of the state of particles fit the bindings that every device of WebGPU has.
    #[test]
    fn a_million_particles_fit_the_bindings_of_every_device() {
        let most = wgpu::Limits::default().max_storage_buffer_binding_size;
        for sections in [start::SECTIONS, motion::SECTIONS] {
            assert!(16 * sections * 1_000_000 <= most, "{sections} sections are more than {most} bytes");
        }
    }
}
