//! A constraint of one's own, from its function, against the loop that one would write by hand.

use std::time::Instant;

use glam::{Vec3, Vec3A};
use serde::Serialize;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::constraint::{Constraint, Points};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::scalar::Real;
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

use crate::run::Times;
use crate::scene::FRAME;

type Failed = Box<dyn std::error::Error>;

/// Particles along a side of the sheet, and the distance of two \[m\].
const SIDE: u32 = 100;
const SPACING: f32 = 0.01;
/// Substeps of a frame.
const SUBSTEPS: u32 = 10;
/// Frames before any are measured, and frames measured.
const FRAMES: [u32; 2] = [20, 200];

/// Times of a sheet of rigid springs that swings from two corners, frame by frame in turn on one thread.
#[derive(Debug, Clone, Serialize)]
pub struct OwnMeasurement {
    /// Number of springs.
    pub springs: usize,
    /// Time of a frame where springs are one function in a world \[ms\].
    pub function: Times,
    /// Time of a frame of a loop that does the same to the same springs in the same order \[ms\].
    pub by_hand: Times,
    /// Median time of the function over that of the loop \[1\].
    pub ratio: f64,
    /// Largest distance of a particle in both after a frame \[m\].
    pub difference: f32,
}

/// A spring, as an application writes it.
struct Spring;

impl Constraint<2, 1> for Spring {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "own spring";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }
}

/// The sheet as arrays.
struct ByHand {
    positions: Vec<Vec3A>,
    before: Vec<Vec3A>,
    velocities: Vec<Vec3A>,
    inverse_masses: Vec<f32>,
    /// Particles and rest lengths \[m\], in the order in which the world solves them.
    springs: Vec<([u32; 2], f32)>,
}

impl ByHand {
    fn step(&mut self, gravity: Vec3A) {
        let h = FRAME / SUBSTEPS as f32;
        for _ in 0..SUBSTEPS {
            for (i, position) in self.positions.iter_mut().enumerate() {
                self.before[i] = *position;
                if self.inverse_masses[i] > 0.0 {
                    self.velocities[i] += gravity * h;
                    *position += self.velocities[i] * h;
                }
            }
            for &([a, b], rest) in &self.springs {
                let (a, b) = (a as usize, b as usize);
                let [one, other] = [a, b].map(|k| self.inverse_masses[k]);
                let apart = self.positions[a] - self.positions[b];
                let length = apart.length();
                let correction = apart * ((length - rest) / (length * (one + other)));
                self.positions[a] -= correction * one;
                self.positions[b] += correction * other;
            }
            for (i, velocity) in self.velocities.iter_mut().enumerate() {
                *velocity = (self.positions[i] - self.before[i]) / h;
            }
        }
    }
}

/// Measures them.
///
/// # Errors
/// The world refuses the sheet or a step.
pub fn measure_own() -> Result<OwnMeasurement, Failed> {
    let (mut world, sheet) = sheet()?;
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    // The first frame makes the plan.
    let start: Vec<Vec3A> = world.positions(sheet)?.map(Vec3A::from).collect();
    world.step(&mut cpu, FRAME)?;
    let mut by_hand = by_hand(&world, sheet, start)?;
    let gravity = Vec3A::from(world.settings().gravity);
    by_hand.step(gravity);
    let apart = world.positions(sheet)?.zip(&by_hand.positions).map(|(x, y)| Vec3A::from(x).distance(*y));
    let difference = apart.fold(0.0, f32::max);
    let mut times = [Vec::new(), Vec::new()];
    let [warm_up, measured] = FRAMES;
    for frame in 0..warm_up + measured {
        let start = Instant::now();
        world.step(&mut cpu, FRAME)?;
        let middle = Instant::now();
        by_hand.step(gravity);
        let end = Instant::now();
        if frame >= warm_up {
            times[0].push(1e3 * (middle - start).as_secs_f64());
            times[1].push(1e3 * (end - middle).as_secs_f64());
        }
    }
    let [function, loops] = times.map(Times::of);
    let ratio = function.median / loops.median;
    Ok(OwnMeasurement { springs: by_hand.springs.len(), function, by_hand: loops, ratio, difference })
}

/// Returns a world with a sheet of springs along, across, and over two particles, which hangs by two corners.
fn sheet() -> Result<(World, ObjectHandle), Failed> {
    let mut world = World::new(Settings { substeps: SUBSTEPS, ..Settings::default() })?;
    let place = |k: u32| Vec3::new((k % SIDE) as f32, 0.0, (k / SIDE) as f32) * SPACING;
    let positions: Vec<Vec3> = (0..SIDE * SIDE).map(place).collect();
    let reach = [(1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2)];
    let other = |k: u32, (right, down): (i32, i32)| {
        let (column, row) = ((k % SIDE) as i32 + down, (k / SIDE) as i32 + right);
        let is_in = |n: i32| (0..SIDE as i32).contains(&n);
        (is_in(column) && is_in(row)).then(|| (row * SIDE as i32 + column) as u32)
    };
    let springs: Vec<[u32; 2]> = reach
        .into_iter()
        .flat_map(|step| (0..SIDE * SIDE).filter_map(move |k| other(k, step).map(|other| [k, other])))
        .collect();
    let rests: Vec<[f32; 1]> =
        springs.iter().map(|&[a, b]| [positions[a as usize].distance(positions[b as usize])]).collect();
    let object = Object::new("sheet", positions, 1e-4).pin([0, SIDE - 1]).with(Batch::new(Spring, &springs, &rests)?);
    let sheet = world.add(object)?;
    Ok((world, sheet))
}

/// Returns the sheet as arrays, with the springs in the order of the plan.
fn by_hand(world: &World, sheet: ObjectHandle, positions: Vec<Vec3A>) -> Result<ByHand, Failed> {
    let particles = &world.state().particles;
    let inverse_masses = particles.anchor.iter().map(|anchor| anchor.w).collect();
    let batches = world.batches_of(sheet);
    let batch = world.batch(batches[0])?.traced().ok_or("the springs are no traced batch")?;
    let passes = world.plan().traced();
    let springs = passes.flat_map(|pass| {
        let slots = pass.slots.iter().map(|slot| slot.constraint as usize);
        slots.map(|k| ([0, 1].map(|end| batch.node_indices(k)[end]), batch.parameters(k)[0])).collect::<Vec<_>>()
    });
    let springs: Vec<_> = springs.collect();
    debug_assert_eq!(springs.len(), batch.len());
    let still = vec![Vec3A::ZERO; positions.len()];
    Ok(ByHand { before: positions.clone(), velocities: still, positions, inverse_masses, springs })
}
