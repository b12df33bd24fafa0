//! Manifolds of bodies.

use xpbd_core::collide::body_contact::MANIFOLD_POINTS;
use xpbd_core::collide::body_contacts::{
    ManifoldCandidate, ManifoldColumns, ManifoldSet, RESTITUTION_THRESHOLD_FACTOR,
};
use xpbd_core::schedule::TracedPass;

use super::{CollisionContext, Collisions, column, read, vector};
use crate::layout::Range;
use crate::pass_kernel::RANGE_STRUCT;
use crate::pipelines::{Family, STATE, sized};
use crate::world_kernels::VECTOR;

/// Vectors of a record.
const RECORD: usize = 15;
/// The vector with the foot and the impulse.
const FOOT: usize = 14;
/// The body of a side that is on none.
const NOBODY: u32 = u32::MAX;

/// Pipelines of manifolds of one type.
#[derive(Debug, Clone)]
pub(super) struct ManifoldKernels {
    refresh: wgpu::ComputePipeline,
    accumulate: wgpu::ComputePipeline,
}

impl ManifoldKernels {
    fn new(pass: &TracedPass, columns: &[u16], maker: &mut CollisionContext<'_>) -> Result<Self, String> {
        let text = text(pass, columns)?;
        let mut get = |entry| maker.pipelines.get(maker.device, Family::Collisions, &text, entry);
        Ok(Self { refresh: get("refresh_manifolds")?, accumulate: get("accumulate_manifolds")? })
    }
}

impl Collisions {
    /// Lays out manifolds, of pairs in place 0 and of the ground in place 1.
    pub(super) fn add_manifolds(
        &mut self,
        place: usize,
        set: &ManifoldSet,
        maker: &mut CollisionContext<'_>,
    ) -> Result<(), String> {
        let Some(pass) = set.pass.as_ref().filter(|pass| !pass.is_empty()) else { return Ok(()) };
        self.passes.add(pass, maker.settings.iterations, maker.device, maker.pipelines)?;
        let number = self.passes.table.bases.len() - 1;
        let first = self.words.len() as u32;
        let slowest = RESTITUTION_THRESHOLD_FACTOR * maker.settings.gravity.length();
        set.candidates().iter().for_each(|found| self.words.extend(record(found, slowest)));
        let range = Range { first, count: pass.len() as u32, ..self.passes.table.bases[number] };
        let kernels = match self.manifold_kernels[place].take() {
            Some(kernels) => kernels,
            None => ManifoldKernels::new(pass, &self.passes.columns[number], maker)?,
        };
        self.refresh.push(self.passes.table.dispatch(range, &kernels.refresh, pass.len()));
        self.tally.push(self.passes.table.dispatch(range, &kernels.accumulate, pass.len()));
        self.manifold_kernels[place] = Some(kernels);
        self.made[1 + place] = Some(number);
        self.firsts.push(first as usize);
        Ok(())
    }
}

/// Returns the text of the kernels that bring manifolds up to date; `columns` are those that follow the node columns.
///
/// # Errors
/// The kernel of the pass does not read a column that is to be written.
pub fn text(pass: &TracedPass, columns: &[u16]) -> Result<String, String> {
    let (places, width) = (ManifoldColumns::of(pass), pass.nodes.len());
    let sides = if places.pair { 2 } else { 1 };
    let mut constants = format!("const PAIR = {};\nconst ROWS = {}u;\n", places.pair, pass.kind.row_count());
    for (name, first, count) in [
        ("POINTS", 0, 3 * MANIFOLD_POINTS * sides),
        ("AXIS_A", places.axis(0), 3),
        ("AXIS_B", places.axis(1), 3),
        ("WAY", places.params + 3, 3),
        ("SLACKS", places.slacks(), MANIFOLD_POINTS),
        ("SPEED", places.slacks() + MANIFOLD_POINTS + 3, 1),
    ] {
        constants += &format!("const {name} = {}u;\n", column(columns, width, first, count)?);
    }
    let data = [include_str!("../wgsl/collision_data.wgsl"), include_str!("../wgsl/manifold_data.wgsl")].concat();
    let own = include_str!("../wgsl/manifolds.wgsl");
    Ok(sized(&[STATE, RANGE_STRUCT, VECTOR, &constants, &data, own].concat()))
}

/// Returns a manifold as `manifold_data.wgsl` reads it.
fn record(found: &ManifoldCandidate, slowest: f32) -> [[u32; 4]; RECORD] {
    let mut words = [[0; 4]; RECORD];
    words[0] = vector(found.normal, found.restitution.to_bits());
    words[1] = vector(found.slip, found.twist.to_bits());
    words[2] = found.slacks.map(f32::to_bits);
    words[3] =
        [found.friction.dynamic_coefficient.to_bits(), found.arm.to_bits(), found.count as u32, slowest.to_bits()];
    for (side, words) in found.sides.iter().zip(words[4..FOOT].chunks_exact_mut(1 + MANIFOLD_POINTS)) {
        words[0] = vector(side.center, side.body.unwrap_or(NOBODY));
        for (word, &core) in words[1..].iter_mut().zip(&side.cores) {
            *word = vector(core, side.round.to_bits());
        }
    }
    words
}

/// Takes over what came back: columns, multipliers and records.
pub(super) fn take(set: &mut ManifoldSet, range: Range, columns: &[u16], [data, lambda, records]: [&[u32]; 3]) {
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
