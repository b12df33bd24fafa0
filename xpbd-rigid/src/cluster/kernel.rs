//! The clusters of a batch on a GPU: what its kernel reads and writes, and its stages.

use glam::{Mat3, Quat, Vec3, Vec4};
use xpbd_core::batch::BatchKernel;
use xpbd_core::batch::kernel::{KernelBuffer, KernelGrid, KernelHook, KernelStage};
use xpbd_core::plasticity::Plasticity;
use xpbd_core::program::wgsl;

use super::batch::{ClusterBatch, MAX_SOFTNESS};
use super::plasticity;
use super::polar;
use super::project::{MAX_SEARCHED, STEPS};
use super::sums::CHUNK;

/// Returns the WGSL of all stages.
fn source() -> String {
    let written = concat!(
        include_str!("polar.wgsl"),
        include_str!("sums.wgsl"),
        include_str!("layout.wgsl"),
        include_str!("project.wgsl")
    );
    polar::wgsl() + &plasticity::wgsl() + &constants() + written
}

/// Returns the constants that the stages share with the CPU, as WGSL.
fn constants() -> String {
    let counts = [
        ("STEPS", STEPS as usize),
        ("CHUNK", CHUNK),
        ("MAX_SEARCHED", MAX_SEARCHED),
        ("FRAME", FRAME),
        ("PARTS", PARTS),
    ];
    let counts = counts.map(|(name, value)| format!("const {name} = {value}u;\n"));
    wgsl::constants(&[("MAX_SOFTNESS", MAX_SOFTNESS)]) + &counts.concat()
}

/// Vectors of a cluster in `frames`.
const FRAME: usize = 13;
/// Vectors of a chunk behind them.
const PARTS: usize = 8;
/// Words before the lists.
const HEADER: usize = 10;

/// Returns the kernel of a batch.
pub(super) fn kernel(batch: &ClusterBatch) -> BatchKernel {
    let members = &batch.members;
    let (chunk_begins, chunks) = chunks(batch);
    let stage = |hook, function, grid| KernelStage { hook, function, grid };
    let clusters = members.len();
    let mut stages = vec![stage(KernelHook::BeginSubstep, "begin_substep", KernelGrid::Threads(members.nodes.len()))];
    if !batch.distances.is_empty() {
        stages.push(stage(
            KernelHook::BeginSubstep,
            "write_signed_distance",
            KernelGrid::Threads(members.gathered.len()),
        ));
    }
    let project = |function, grid| stage(KernelHook::Project, function, grid);
    if chunks.len() == clusters {
        stages.push(project("match_shape", KernelGrid::Groups(clusters)));
    } else {
        let (groups, threads) = (KernelGrid::Groups(chunks.len()), KernelGrid::Threads(clusters));
        stages.extend([
            project("sum_centre", groups),
            project("set_centre", threads),
            project("sum_moments", groups),
            project("update_rotation", threads),
            project("sum_errors", groups),
            project("remove_residual", threads),
        ]);
    }
    stages.push(project("correct", KernelGrid::Threads(members.gathered.len())));
    let buffer = |name, element, words, written| KernelBuffer { name, element, words, written };
    BatchKernel {
        source: source().into(),
        buffers: vec![
            buffer("lists", "u32", lists(batch, &chunk_begins, &chunks), false),
            buffer("rest", "vec4f", words(&rest(batch)), false),
            buffer("frames", "vec4f", words(&frames(batch, chunks.len())), true),
        ],
        stages,
    }
}

/// Returns the first chunk of each cluster and behind the last, and the cluster of each chunk.
fn chunks(batch: &ClusterBatch) -> (Vec<u32>, Vec<u32>) {
    let (mut begins, mut chunks) = (vec![0], Vec::new());
    for cluster in 0..batch.members.len() {
        let count = batch.members.of(cluster).len().div_ceil(CHUNK);
        chunks.extend(std::iter::repeat_n(cluster as u32, count));
        begins.push(chunks.len() as u32);
    }
    (begins, chunks)
}

/// Returns the buffer `lists`: where each list begins, then the lists.
fn lists(batch: &ClusterBatch, chunk_begins: &[u32], chunks: &[u32]) -> Vec<u32> {
    let members = &batch.members;
    let lists: [&[u32]; 8] = [
        &members.begins,
        chunk_begins,
        chunks,
        &members.nodes,
        &members.cluster_of,
        &members.gathered,
        &members.gather_begins,
        &members.gathers,
    ];
    let frames = members.len() * FRAME + chunks.len() * PARTS;
    let mut words = vec![members.nodes.len() as u32, frames as u32];
    let mut begin = HEADER;
    for list in lists {
        words.push(begin as u32);
        begin += list.len();
    }
    words.extend(lists.concat());
    words
}

/// Returns the buffer `rest`: members, then numbers of each cluster, then how it yields, then distances.
fn rest(batch: &ClusterBatch) -> Vec<Vec4> {
    let members = &batch.members;
    let mut rest = members.rest.clone();
    let numbers = |(&mean, &pinned): (&f32, &f32)| Vec4::new(batch.compliance * mean, pinned, 0.0, 0.0);
    rest.extend(members.mean_mass.iter().zip(&members.pinned_mass).map(numbers));
    let Plasticity { yield_strain, creep, limit } = batch.plasticity.unwrap_or(plasticity::NONE);
    rest.push(Vec4::new(yield_strain, creep, limit, if batch.plasticity.is_some() { 1.0 } else { 0.0 }));
    rest.extend(&batch.distances);
    rest
}

/// Returns the buffer `frames`: clusters, sums of chunks, then e of each member, then u.
fn frames(batch: &ClusterBatch, chunks: usize) -> Vec<Vec4> {
    let mut all = Vec::new();
    for frame in &batch.states {
        let plastic = frame.plastic;
        all.push(Vec4::from(frame.rotation));
        all.extend([plastic.x_axis, plastic.y_axis, plastic.z_axis].map(|column| column.extend(0.0)));
        all.resize(all.len() + FRAME - 4, Vec4::ZERO);
    }
    all.resize((all.len() + chunks * PARTS + 2 * batch.goal_offsets.len()).max(1), Vec4::ZERO);
    all
}

fn words(vectors: &[Vec4]) -> Vec<u32> {
    vectors.iter().flat_map(|v| v.to_array().map(f32::to_bits)).collect()
}

/// Takes rotations, plastic deformations and multipliers back.
pub(super) fn absorb(batch: &mut ClusterBatch, buffers: &[Vec<u32>]) {
    let Some(words) = buffers.get(2) else { return };
    let vectors: Vec<_> =
        words.chunks_exact(4).map(|w| Vec4::from_array([w[0], w[1], w[2], w[3]].map(f32::from_bits))).collect();
    for (frame, v) in batch.states.iter_mut().zip(vectors.chunks_exact(FRAME)) {
        let column = |k: usize| v[k].truncate();
        frame.rotation = Quat::from_vec4(v[0]);
        frame.plastic = Mat3::from_cols(column(1), column(2), column(3));
    }
    let count = batch.corrections.len();
    let tail = vectors.len().saturating_sub(count);
    let pull = |v: &Vec4| -> Vec3 { v.truncate() };
    batch.corrections.iter_mut().zip(&vectors[tail..]).for_each(|(u, v)| *u = pull(v));
}
