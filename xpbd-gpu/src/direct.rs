//! Direct solves on the device: the elimination that the plan lists, laid out as words that kernels follow.
//!
//! A round of a solution is a few dispatches, with one thread for each node, constraint or component. Lists that are
//! followed one after another are divided among dispatches, because some devices end loops that are too long.

mod layout;
mod recorder;

use xpbd_core::constraint::update::linearization::{LEAST_COMPLIANCE, NO_BOUND};
use xpbd_core::schedule::direct::{
    BEYOND_BOUND, HELD_MASS, IS_IMPACT, LARGEST_DRAG, LARGEST_ROTATION, LEAST_NORMAL_SQUARED, MAX_NODES, NEAR_STOP,
    SMALL_ROTATION, SMALLEST_PIVOT, STICKING, STICKING_MARGIN, UNSTOPPABLE,
};
use xpbd_core::schedule::{Plan, TracedPass};

use crate::device::Device;
use crate::layout::{PassRange, wgsl_constants};
use crate::pass_kernel::shift_text;
use crate::passes::{Dispatch, PassTable};
use crate::pipelines::Pipelines;
use crate::wgsl;
use layout::{Layout, NO_ROW};
use recorder::Recorder;

/// The dispatches of direct solves.
#[derive(Debug)]
pub struct DirectSolve {
    /// Dispatches that solve from predicted positions.
    pub cold: Vec<Dispatch>,
    /// Dispatches that solve again what has been moved since.
    pub warm: Vec<Dispatch>,
    /// Dispatches that solve for friction under the loads of the solves before.
    pub friction: Vec<Dispatch>,
    /// Dispatches that keep velocities before contacts change them.
    pub keep_velocities: Vec<Dispatch>,
    /// Dispatches that solve for velocities which have changed since.
    pub velocities: Vec<Dispatch>,
    /// Dispatches that scale the multipliers to another length of a substep.
    pub rescale: Vec<Dispatch>,
    /// Dispatches that add the multipliers of a substep to their sums.
    pub sums: Vec<Dispatch>,
}

/// The purpose of a solution. Kernels have it as constants: where a branch depends on nothing but uniforms, Mesa's software
/// device compiles the kernel anew whenever it runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Aim {
    /// True for a solution for velocities, false for one for positions.
    pub of_velocities: bool,
    /// True if no other solution follows, so that this one is not refused.
    pub is_last: bool,
    /// True if particles that colliders push stay where contacts have put them.
    pub holds: bool,
    /// True if friction drags particles.
    pub drags: bool,
}

/// Prints the kernels that follow the elimination.
pub fn direct_text(aim: Aim) -> String {
    let constants = wgsl_constants!(
        OF_VELOCITIES = aim.of_velocities,
        IS_LAST = aim.is_last,
        HOLDS = aim.holds,
        DRAGS = aim.drags,
        HELD_MASS = HELD_MASS,
        LARGEST_DRAG = LARGEST_DRAG,
        IS_IMPACT = IS_IMPACT,
        STICKING = STICKING,
        STICKING_MARGIN = STICKING_MARGIN,
        UNSTOPPABLE = UNSTOPPABLE,
        LEAST_NORMAL_SQUARED = LEAST_NORMAL_SQUARED,
        LARGEST_SQUARE = LARGEST_ROTATION * LARGEST_ROTATION,
        SMALL_SQUARE = SMALL_ROTATION * SMALL_ROTATION,
        SMALLEST_PIVOT = SMALLEST_PIVOT,
        NO_ROW = u32::from(NO_ROW),
        NO_BOUND = NO_BOUND,
        NEAR_STOP = NEAR_STOP,
        BEYOND_BOUND = BEYOND_BOUND,
        LEAST_COMPLIANCE = LEAST_COMPLIANCE,
    );
    wgsl::kernel(&[
        &constants,
        wgsl::VECTOR,
        &shift_text(false),
        include_str!("wgsl/direct/tables.wgsl"),
        include_str!("wgsl/direct/bounds.wgsl"),
        include_str!("wgsl/direct/assembly.wgsl"),
        include_str!("wgsl/direct/elimination.wgsl"),
        include_str!("wgsl/direct/solution.wgsl"),
        include_str!("wgsl/direct/velocities.wgsl"),
        include_str!("wgsl/direct/friction.wgsl"),
    ])
}

/// Prints the kernels that change the multipliers of a pass.
pub fn multipliers_text() -> String {
    wgsl::kernel(&[wgsl::RANGE, include_str!("wgsl/direct/multipliers.wgsl")])
}

impl DirectSolve {
    /// Lays out the systems of a plan, behind its passes with their columns; none if nothing is solved directly.
    ///
    /// # Errors
    /// The device refuses a kernel, or a component has too many nodes.
    pub fn new(
        plan: &Plan,
        columns: &[Vec<u16>],
        table: &mut PassTable,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<Option<Self>, String> {
        if plan.direct.is_empty() {
            return Ok(None);
        }
        let longest = plan.direct.structures.iter().map(|structure| structure.nodes.len()).max().unwrap_or(0);
        if longest > MAX_NODES {
            return Err(format!(
                "{longest} connected nodes are solved directly, of which a device takes {MAX_NODES}; take \
                 `ConstraintSolver::Sweep`, or the CPU"
            ));
        }
        let passes = direct_passes(plan, columns, table);
        let layout = Layout::new(plan, &passes, table);
        let mut recorder = Recorder { plan, passes: &passes, layout, table, device, pipelines };
        recorder.record().map(Some)
    }
}

/// A direct pass, its columns, and its range among all passes.
struct DirectPass<'a> {
    pass: &'a TracedPass,
    columns: &'a [u16],
    range: PassRange,
}

/// Returns the direct passes of a plan.
fn direct_passes<'a>(plan: &'a Plan, columns: &'a [Vec<u16>], table: &PassTable) -> Vec<DirectPass<'a>> {
    let traced = plan.traced().zip(columns).zip(&table.bases);
    let direct = traced.filter(|((pass, _), _)| pass.linearization.is_some());
    direct.map(|((pass, columns), &range)| DirectPass { pass, columns, range }).collect()
}
