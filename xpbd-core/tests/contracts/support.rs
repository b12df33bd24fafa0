//! What the tests share: constraints, a random generator, worlds and back ends.

use std::fmt::Debug;

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::{Constraint, Points};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::scalar::Real;
use xpbd_core::world::{Object, ObjectHandle, Settings, World, WorldError};

/// Length of a frame [s].
pub const FRAME: f32 = 1.0 / 60.0;

/// C = |x₀ − x₁| − rest.
pub struct Distance;

impl Constraint<2, 1> for Distance {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-distance";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }
}

/// C = (x₁ − x₀) · ((x₂ − x₀) × (x₃ − x₀)) / 6 − rest.
pub struct Volume;

impl Constraint<4, 1> for Volume {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-volume";

    fn value<S: Real>(x: &Points<S, 4>, [rest]: [S; 1]) -> [S; 1] {
        let [a, b, c] = [1, 2, 3].map(|k| x.now[k] - x.now[0]);
        [a.dot(b.cross(c)) / 6.0 - rest]
    }
}

/// C = x₀ − x₁, three rows: a particle held at a point, or a ball joint.
pub struct Coincide;

impl Constraint<2, 3> for Coincide {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-coincide";

    fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 3] {
        (x.now[0] - x.now[1]).to_array()
    }
}

/// Numbers that look random and are the same in every run.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        let mut this = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            this.next();
        }
        this
    }

    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Returns a whole number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next() as usize % bound.max(1)
    }

    /// Returns a number in [low, high).
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 7) as f32 / (1 << 24) as f32)
    }

    /// Returns a vector with components in [−size, size).
    pub fn vector(&mut self, size: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.range(-size, size)))
    }

    pub fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.vector(1.0);
            if (0.1..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }
}

/// Returns one thread.
pub fn cpu() -> CpuBackend {
    CpuBackend::new(Threads::Exactly(1))
}

/// Returns the default settings without gravity.
pub fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..Settings::default() }
}

pub fn step(world: &mut World, frames: usize) {
    let mut cpu = cpu();
    (0..frames).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// Returns the distance constraints along these edges, at rest where the points are.
pub fn links(points: &[Vec3], edges: &[[u32; 2]], compliance: f32) -> Batch {
    let rest = |&[a, b]: &[u32; 2]| [points[a as usize].distance(points[b as usize])];
    let params: Vec<_> = edges.iter().map(rest).collect();
    Batch::new(Distance, edges, &params).unwrap().compliance(compliance)
}

/// Returns a chain along x from `start`, `spacing` [m] between neighbours of 1 g.
pub fn chain(name: &str, start: Vec3, count: u32, spacing: f32) -> Object {
    let points: Vec<_> = (0..count).map(|k| start + Vec3::X * (spacing * k as f32)).collect();
    let edges: Vec<_> = (1..count).map(|k| [k - 1, k]).collect();
    let batch = links(&points, &edges, 0.0);
    Object::new(name, points, 0.001).with(batch)
}

/// Returns a square sheet in the xz plane, `n` particles of 1 g a side, linked along edges and diagonals.
pub fn sheet(name: &str, corner: Vec3, n: u32, spacing: f32) -> Object {
    let at = |k: u32| corner + Vec3::new((k % n) as f32, 0.0, (k / n) as f32) * spacing;
    let points: Vec<_> = (0..n * n).map(at).collect();
    let mut edges = Vec::new();
    for k in 0..n * n {
        let (right, down) = (k % n + 1 < n, k / n + 1 < n);
        if right {
            edges.push([k, k + 1]);
        }
        if down {
            edges.push([k, k + n]);
        }
        if right && down {
            edges.push([k, k + n + 1]);
            edges.push([k + 1, k + n]);
        }
    }
    let batch = links(&points, &edges, 0.0);
    Object::new(name, points, 0.001).with(batch)
}

/// Returns a world holding one particle of 1 kg.
pub fn one_particle(settings: Settings, position: Vec3) -> (World, ObjectHandle) {
    let mut world = World::new(settings).unwrap();
    let object = world.add(Object::new("particle", vec![position], 1.0)).unwrap();
    (world, object)
}

/// Returns the positions of an object as bits.
pub fn bits(world: &World, object: ObjectHandle) -> Vec<[u32; 6]> {
    let (x, v) = (world.positions(object).unwrap(), world.velocities(object).unwrap());
    x.zip(v).map(|(x, v)| [x.x, x.y, x.z, v.x, v.y, v.z].map(f32::to_bits)).collect()
}

/// Everything that an edit could change: the saved bytes, the events and the known types.
fn whole(world: &mut World) -> (Vec<u8>, u64, Vec<String>) {
    (world.snapshot().unwrap(), world.state_hash(), world.registry_mut().names().map(str::to_string).collect())
}

/// Returns the error of an edit that must be refused and leave the world as it was.
#[track_caller]
pub fn refused<T: Debug>(world: &mut World, edit: impl FnOnce(&mut World) -> Result<T, WorldError>) -> WorldError {
    let before = whole(world);
    let error = edit(world).expect_err("this has to be refused");
    assert!(whole(world) == before, "refused with `{error}`, but the world has changed");
    error
}

/// Whether all live objects have finite positions and velocities.
#[track_caller]
pub fn assert_finite(world: &World) {
    for &object in world.objects() {
        let finite = world.positions(object).unwrap().chain(world.velocities(object).unwrap()).all(Vec3::is_finite);
        assert!(finite || world.is_frozen(object).unwrap(), "object {object:?} is not finite");
    }
}
