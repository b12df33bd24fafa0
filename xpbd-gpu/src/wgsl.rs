//! WGSL that several kernels share.

use std::sync::LazyLock;

use xpbd_core::object::support::{HELD, LEVEL, MAX_SUPPORTS, ROUNDS, TAUT};

use crate::layout::{self, WORKGROUP_SIZE, wgsl_constants};

/// Returns the bindings of the state of a world, with its flags and sections.
pub fn state() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        [
            layout::flag::wgsl(),
            layout::start::wgsl(),
            layout::motion::wgsl(),
            layout::body::wgsl(),
            wgsl_constants!(BODY_BIT = layout::BODY_BIT),
            include_str!("wgsl/state.wgsl").into(),
        ]
        .concat()
    });
    &TEXT
}

/// Vectors and quaternions.
pub const VECTOR: &str = include_str!("wgsl/vector.wgsl");

/// The uniform of a pass.
pub const RANGE: &str = include_str!("wgsl/range.wgsl");

/// The constraints of a pass, as the kernels that solve it see them.
pub const PASS_DATA: &str = "
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> corrections: array<vec4f>;

";

/// The contacts in which bodies move, as the kernels that update them see them.
pub const COLLISION_DATA: &str = "
@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read_write> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> records: array<vec4u>;

";

/// Kernels that copy particles from the corrections of particle pairs to the contacts that are solved after them, and
/// back.
pub const PAIR_HANDOVER: &str = include_str!("wgsl/pair_handover.wgsl");

/// Prediction and velocities.
pub const INTEGRATE: &str = include_str!("wgsl/integrate.wgsl");

/// The axes along and about which bodies are free.
pub const AXES: &str = include_str!("wgsl/axes.wgsl");

/// Returns the table of objects and colliders.
pub fn scene() -> String {
    layout::scene::wgsl() + include_str!("wgsl/scene.wgsl")
}

/// Returns what the supports of particles leave of a push.
pub fn supports() -> String {
    wgsl_constants!(TAUT = TAUT, ROUNDS = ROUNDS, HELD = HELD, LEVEL = LEVEL, MAX_SUPPORTS = MAX_SUPPORTS)
        + include_str!("wgsl/supports.wgsl")
}

/// Returns the contacts of particles with colliders.
pub fn contact() -> String {
    layout::contact::wgsl() + include_str!("wgsl/contact.wgsl")
}

/// Returns the results of a frame for the host.
pub fn outcome() -> String {
    layout::outcome::wgsl() + include_str!("wgsl/outcome.wgsl")
}

/// Parts of the kernels between passes that a world uses. They are constants of the text instead of uniforms: a kernel
/// then has nothing in it that its world does not use, and some drivers build a kernel anew at every dispatch to fold in
/// the values of uniforms that decide much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelOptions {
    /// True if integration is of second order.
    pub second_order: bool,
    /// True if there are contacts with colliders.
    pub colliders: bool,
    /// True if there are contacts between particles.
    pub pairs: bool,
}

impl KernelOptions {
    /// Options of kernels that only run where there are colliders.
    pub const WITH_COLLIDERS: Self = Self { second_order: false, colliders: true, pairs: false };

    /// Returns the constants.
    pub fn text(self) -> String {
        let Self { second_order, colliders, pairs } = self;
        format!("const SECOND_ORDER = {second_order};\nconst COLLIDERS = {colliders};\nconst PAIRS = {pairs};\n")
    }
}

/// Joins the parts of a kernel behind the state, and fills in the number of threads of a workgroup.
pub fn kernel(parts: &[&str]) -> String {
    [&[state()], parts].concat().join("\n").replace("$group", &WORKGROUP_SIZE.to_string())
}
