//! A hand-written batch of variable arity: its kernel does what its CPU code does.

use std::sync::Arc;

use glam::Vec3;
use libtest_mimic::Failed;
use smallvec::SmallVec;
use xpbd_core::batch::kernel::{BatchKernel, KernelBuffer, KernelGrid, KernelHook, KernelStage};
use xpbd_core::batch::{Batch, BatchError, BatchNode, ConstraintBatch, NodeCounts, Nodes};
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Object, Settings, World};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("custom::a_batch_kernel_gives_the_results_of_the_cpu", parity),
    ("custom::buffers_that_a_kernel_writes_come_back", absorbed),
    ("custom::a_batch_without_a_kernel_is_refused", refused),
    ("custom::a_kernel_that_is_not_valid_is_refused", invalid),
    ("custom::constraints_from_text_give_the_results_of_the_cpu", text),
];

/// A chain of bounded lengths with bends of at most a right angle.
fn text() -> Result<(), Failed> {
    let build = || -> Result<World, Failed> {
        let link = ConstraintType::from_text("link(a, b; short, long): let l = distance(a, b); l <= long; l >= short")?;
        let bend = ConstraintType::from_text("bend(a, b, c): dot(normalize(b - a), normalize(c - b)) >= 0")?;
        let batch = |kind: Arc<ConstraintType>, numbers: &[f32]| {
            let points = kind.point_count() as u32;
            let nodes = (0..21 - points).flat_map(|first| first..first + points).collect();
            let parameters = numbers.repeat(21 - points as usize);
            Batch::from_parts(kind, Connectors::particles(points as usize), nodes, Vec::new(), parameters)
        };
        let places = (0..20).map(|k| Vec3::new(0.1 * k as f32, 0.02 * (k % 3) as f32, 0.0)).collect();
        let chain =
            Object::new("chain", places, 0.1).pin([0]).with(batch(link, &[0.08, 0.11])?).with(batch(bend, &[])?);
        let mut world = World::new(Settings { substeps: 5, ..Settings::default() })?;
        world.add(chain)?;
        Ok(world)
    };
    let [mut a, mut b] = [build()?, build()?];
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for _ in 0..30 {
        a.step(&mut cpu, 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
    }
    b.synchronize()?;
    ensure_equal(&gpu, &a, &b, 1e-4)
}

/// Draws the particles of each flock toward their centre, and slows them down. A particle in
/// several flocks takes the mean of what they ask.
#[derive(Debug, Clone)]
struct Flocks {
    /// Members of each flock.
    flocks: Arc<Vec<Vec<u32>>>,
    /// Flocks of each particle.
    of: Vec<Vec<u32>>,
    /// Centres in the last substep, relative to the first member \[m\].
    centres: Vec<Vec3>,
    source: Option<&'static str>,
}

/// Part of the way to the centre that a projection takes.
const PULL: f32 = 0.25;
/// Part of the velocity that is left after a substep.
const KEPT: f32 = 0.99;

/// The twin of the methods of [`Flocks`].
const SOURCE: &str = "
// For flock f the words begin[f] to begin[f + 1] of `lists` are its members; those of particles follow.
fn centre(f: u32) {
    let begin = lists[f];
    let end = lists[f + 1u];
    let first = lists[begin];
    var sum = vec3f();
    for (var k = begin; k < end; k++) {
        sum += between(first, lists[k]);
    }
    centres[f] = vec4f(sum / f32(end - begin), 0.0);
}

// What node n is to be moved by stands behind the centres: others still read where it is.
fn draw(node: u32) {
    centres[lists[0] - 1u + node] = vec4f();
    let begin = lists[particles[0] + node];
    let end = lists[particles[0] + node + 1u];
    if begin == end || inverse_mass(node) == 0.0 {
        return;
    }
    var sum = vec3f();
    for (var k = begin; k < end; k++) {
        let flock = lists[k];
        let first = lists[lists[flock]];
        sum += centres[flock].xyz - between(first, node);
    }
    centres[lists[0] - 1u + node] = vec4f(sum * (0.25 / f32(end - begin)), 0.0);
}

fn move_on(node: u32) {
    shift(node, centres[lists[0] - 1u + node].xyz);
}

fn slow(node: u32) {
    set_velocity(node, velocity(node) * 0.99);
}
";

impl Flocks {
    fn new(flocks: Vec<Vec<u32>>, particles: usize) -> Self {
        let mut of = vec![Vec::new(); particles];
        for (number, flock) in flocks.iter().enumerate() {
            flock.iter().for_each(|&node| of[node as usize].push(number as u32));
        }
        let centres = vec![Vec3::ZERO; flocks.len()];
        Self { flocks: Arc::new(flocks), of, centres, source: Some(SOURCE) }
    }
}

/// Lists one after the other, behind their starts.
fn packed<'a>(lists: impl Iterator<Item = &'a Vec<u32>> + Clone, base: usize) -> Vec<u32> {
    let mut end = base + lists.clone().count() + 1;
    let mut words = vec![end as u32];
    for list in lists.clone() {
        end += list.len();
        words.push(end as u32);
    }
    words.extend(lists.flatten());
    words
}

impl ConstraintBatch for Flocks {
    fn name(&self) -> &'static str {
        "flocks"
    }

    fn len(&self) -> usize {
        self.flocks.len()
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        self.flocks[constraint].iter().map(|&node| BatchNode::Particle(node)).collect()
    }

    fn validate(&self, _: NodeCounts) -> Result<(), BatchError> {
        Ok(())
    }

    fn project(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        for (centre, flock) in self.centres.iter_mut().zip(self.flocks.iter()) {
            let sum = flock.iter().fold(Vec3::ZERO, |sum, &k| sum + nodes.between(flock[0] as usize, k as usize));
            *centre = sum / flock.len() as f32;
        }
        let mut shifts = Vec::new();
        for (node, flocks) in self.of.iter().enumerate() {
            let way = |&flock: &u32| {
                let first = self.flocks[flock as usize][0] as usize;
                self.centres[flock as usize] - nodes.between(first, node)
            };
            let sum = flocks.iter().fold(Vec3::ZERO, |sum, flock| sum + way(flock));
            shifts.push(sum * (PULL / flocks.len().max(1) as f32));
        }
        for (node, shift) in shifts.into_iter().enumerate().filter(|(node, _)| !self.of[*node].is_empty()) {
            if nodes.inverse_mass(node) > 0.0 {
                nodes.shift(node, shift);
            }
        }
    }

    fn velocity_pass(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        for node in 0..nodes.len() {
            nodes.set_velocity(node, nodes.velocity(node) * KEPT);
        }
    }

    fn kernel(&self) -> Option<BatchKernel> {
        let flocks = packed(self.flocks.iter(), 0);
        let base = flocks.len();
        let particles = packed(self.of.iter(), base);
        let buffer = |name, element, words, written| KernelBuffer { name, element, words, written };
        let stage = |hook, function, threads| KernelStage { hook, function, grid: KernelGrid::Threads(threads) };
        Some(BatchKernel {
            source: self.source?.into(),
            buffers: vec![
                buffer("lists", "u32", [flocks, particles].concat(), false),
                buffer("particles", "u32", vec![base as u32], false),
                buffer("centres", "vec4f", vec![0; 4 * (self.flocks.len() + self.of.len())], true),
            ],
            stages: vec![
                stage(KernelHook::Project, "centre", self.flocks.len()),
                stage(KernelHook::Project, "draw", self.of.len()),
                stage(KernelHook::Project, "move_on", self.of.len()),
                stage(KernelHook::VelocityPass, "slow", self.of.len()),
            ],
        })
    }

    fn read_back(&mut self, buffers: &[Vec<u32>]) {
        let vectors = buffers[2].chunks_exact(4).map(|v| Vec3::from_array([v[0], v[1], v[2]].map(f32::from_bits)));
        self.centres = vectors.take(self.flocks.len()).collect();
    }

    fn residual(&self, _: &Nodes<'_>, constraint: usize) -> f32 {
        self.centres[constraint].length()
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Returns two objects of 200 particles, and flocks of 2 to 30 particles in either or both.
fn world(change: impl FnOnce(&mut Flocks)) -> Result<(World, xpbd_core::world::BatchHandle), Failed> {
    let mut world = World::new(Settings { substeps: 4, iterations: 2, ..Settings::default() })?;
    let place = |k: usize| Vec3::new((k % 10) as f32, (k / 10 % 10) as f32, (k / 100) as f32 + 0.3 * (k % 7) as f32);
    let object = |first: usize| Object::new("flock", (first..first + 200).map(place).collect(), 1.0).pin([3]);
    let objects = [world.add(object(0))?, world.add(object(200))?];
    let flock = |k: usize| (0..2 + k % 29).map(|n| ((k * 37 + n * 11) % 400) as u32).collect();
    let mut flocks = Flocks::new((0..60).map(flock).collect(), 400);
    change(&mut flocks);
    let batch = world.add_batch(&objects, &[], flocks)?;
    Ok((world, batch))
}

fn parity() -> Result<(), Failed> {
    let (mut a, _) = world(|_| ())?;
    let (mut b, _) = world(|_| ())?;
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for _ in 0..5 {
        a.step(&mut cpu, 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
    }
    b.synchronize()?;
    ensure_equal(&gpu, &a, &b, 1e-4)
}

fn absorbed() -> Result<(), Failed> {
    let (mut a, batch) = world(|_| ())?;
    let (mut b, other) = world(|_| ())?;
    a.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
    b.step(&mut backend()?, 1.0 / 60.0)?;
    b.synchronize()?;
    let (on_cpu, on_gpu) = (a.residual(batch)?, b.residual(other)?);
    ensure(on_cpu > 0.1 && (on_cpu - on_gpu).abs() < 1e-5 * on_cpu, || format!("{on_cpu} and {on_gpu}"))
}

fn refused() -> Result<(), Failed> {
    let (mut world, _) = world(|flocks| flocks.source = None)?;
    let before = world.state_hash();
    let error = world.step(&mut backend()?, 1.0 / 60.0).err().ok_or("it should be refused")?.to_string();
    ensure(error.contains("`flocks`") && error.contains("no kernel"), || error)?;
    ensure(world.state_hash() == before, || "the world has changed".into())?;
    world.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
    Ok(())
}

fn invalid() -> Result<(), Failed> {
    let (mut world, _) = world(|flocks| flocks.source = Some("fn centre(f: u32) { lenght(1.0); }"))?;
    let error = world.step(&mut backend()?, 1.0 / 60.0).err().ok_or("it should be refused")?.to_string();
    ensure(error.contains("`flocks`") && error.contains("lenght"), || error)
}
