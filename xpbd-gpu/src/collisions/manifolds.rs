//! Manifolds of bodies.

use glam::Vec3;
use xpbd_core::collide::body_contact::{MANIFOLD_POINTS, SLIDING_SLIP, SLIDING_TOLERANCE, UNUSED_POINT_GAP};
use xpbd_core::collide::body_contacts::{MIN_IMPULSE_RATIO, ManifoldCandidate, ManifoldColumns, ManifoldSet};
use xpbd_core::schedule::TracedPass;

use super::{CollisionContext, Collisions, column, read, vector};
use crate::layout::{PassRange, wgsl_constants};
use crate::pipelines::Family;
use crate::wgsl;

/// The vectors of the first side in a record.
const SIDES: usize = 3;
/// Vectors of a side: its centre and body, then its points.
const SIDE: usize = 1 + MANIFOLD_POINTS;
/// The vector with the foot and the impulse.
const FOOT: usize = SIDES + 2 * SIDE;
/// Vectors of a record.
const RECORD: usize = FOOT + 1;
/// The body of a side that is on none.
const NOBODY: u32 = u32::MAX;

/// Pipelines of manifolds of one type.
#[derive(Debug, Clone)]
pub(super) struct ManifoldKernels {
    refresh: wgpu::ComputePipeline,
    count_touching: wgpu::ComputePipeline,
    accumulate: wgpu::ComputePipeline,
}

impl ManifoldKernels {
    fn new(pass: &TracedPass, columns: &[u16], context: &mut CollisionContext<'_>) -> Result<Self, String> {
        let text = text(pass, columns)?;
        let mut get = |entry| context.pipelines.get(context.device, Family::Collisions, &text, entry);
        Ok(Self {
            refresh: get("update_manifolds")?,
            count_touching: get("count_touching")?,
            accumulate: get("accumulate_manifolds")?,
        })
    }
}

impl Collisions {
    /// Lays out manifolds: of pairs with index 0, of the ground with index 1.
    pub(super) fn add_manifolds(
        &mut self,
        place: usize,
        set: &ManifoldSet,
        context: &mut CollisionContext<'_>,
    ) -> Result<(), String> {
        let Some(pass) = set.pass.as_ref().filter(|pass| !pass.is_empty()) else { return Ok(()) };
        self.passes.add(pass, context.settings.iterations, context.device, context.pipelines)?;
        let number = self.passes.table.bases.len() - 1;
        let first = self.words.len() as u32;
        let starts = (0..pass.len()).map(|slot| set.start_of(slot));
        set.candidates().iter().zip(starts).for_each(|(found, start)| self.words.extend(record(found, start)));
        let range = PassRange { first, count: pass.len() as u32, ..self.passes.table.bases[number] };
        let kernels = match self.manifold_kernels[place].take() {
            Some(kernels) => kernels,
            None => ManifoldKernels::new(pass, &self.passes.columns[number], context)?,
        };
        self.refresh_predicted.push(self.passes.table.dispatch(range, &kernels.refresh, pass.len()));
        self.accumulate.push(self.passes.table.dispatch(range, &kernels.count_touching, pass.len()));
        self.accumulate_bodies.push(self.passes.table.dispatch(range, &kernels.accumulate, pass.len()));
        self.manifold_kernels[place] = Some(kernels);
        self.pass_indices[1 + place] = Some(number);
        self.record_starts.push(first as usize);
        Ok(())
    }
}

/// Prints the kernels that update manifolds; `columns` are those that follow the node columns.
///
/// # Errors
/// The kernel of the pass does not read a column that is to be written.
pub fn text(pass: &TracedPass, columns: &[u16]) -> Result<String, String> {
    let (places, width) = (ManifoldColumns::of(pass), pass.nodes.len());
    let sides = if places.pair { 2 } else { 1 };
    let mut constants = format!("const PAIR = {};\n", places.pair);
    constants += &wgsl_constants!(
        RECORD = RECORD,
        SIDES = SIDES,
        SIDE = SIDE,
        FOOT = FOOT,
        NOBODY = NOBODY,
        SLIDING_SLIP = SLIDING_SLIP,
        SLIDING_TOLERANCE = SLIDING_TOLERANCE,
        UNUSED_POINT_GAP = UNUSED_POINT_GAP,
        MIN_IMPULSE_RATIO = MIN_IMPULSE_RATIO,
        ROWS = pass.kind.row_count(),
    );
    for (name, first, count) in [
        ("POINTS", 0, 3 * MANIFOLD_POINTS * sides),
        ("AXIS_A", places.axes[0], 3),
        ("AXIS_B", places.axes[1], 3),
        ("WAY", places.displacement, if places.pair { 2 } else { 3 }),
        ("GAPS", places.manifold.gaps[0], MANIFOLD_POINTS),
        ("FALL", places.manifold.acceleration, 1),
        ("SURFACE_VELOCITY", places.manifold.surface_velocity.x, 3),
    ] {
        constants += &format!("const {name} = {}u;\n", column(columns, width, first, count)?);
    }
    let own = [include_str!("../wgsl/manifold_data.wgsl"), include_str!("../wgsl/manifolds.wgsl")];
    Ok(wgsl::kernel(&[wgsl::RANGE, wgsl::VECTOR, &constants, wgsl::COLLISION_DATA, own[0], own[1]]))
}

/// Returns the record of a manifold, as `manifold_data.wgsl` reads it; `is_fresh` and `foot` are what the frame starts with.
fn record(found: &ManifoldCandidate, (is_fresh, foot): (bool, Vec3)) -> [[u32; 4]; RECORD] {
    let mut words = [[0; 4]; RECORD];
    words[0] = vector(found.normal, found.restitution.to_bits());
    words[1] = vector(found.slip, found.twist.to_bits());
    words[2] =
        [found.friction.dynamic_coefficient.to_bits(), found.arm.to_bits(), found.count as u32, u32::from(is_fresh)];
    words[FOOT] = vector(foot, 0);
    for (side, words) in found.sides.iter().zip(words[SIDES..FOOT].chunks_exact_mut(SIDE)) {
        words[0] = vector(side.center, side.body.unwrap_or(NOBODY));
        for (word, (&core, round)) in words[1..].iter_mut().zip(side.cores.iter().zip(side.round)) {
            *word = vector(core, round.to_bits());
        }
    }
    words
}

/// Applies columns, multipliers and records that came back.
pub(super) fn take(set: &mut ManifoldSet, range: PassRange, columns: &[u16], [data, lambda, records]: [&[u32]; 3]) {
    let count = range.stride as usize;
    if let Some(pass) = &mut set.pass {
        let numbers = &data[range.base as usize + pass.nodes.len() * count..];
        for (&column, numbers) in columns.iter().zip(numbers.chunks_exact(count)) {
            let column = pass.columns[usize::from(column)].iter_mut();
            column.zip(numbers).for_each(|(number, &bits)| *number = f32::from_bits(bits));
        }
        for (row, numbers) in pass.lambda.iter_mut().zip(lambda[range.lambda as usize..].chunks_exact(count)) {
            row.iter_mut().zip(numbers).for_each(|(number, &bits)| *number = f32::from_bits(bits));
        }
    }
    for (slot, words) in records.chunks_exact(4 * RECORD).take(count).enumerate() {
        let (foot, impulse) = read(words, FOOT);
        set.store_device_result(slot, impulse, foot);
    }
}
