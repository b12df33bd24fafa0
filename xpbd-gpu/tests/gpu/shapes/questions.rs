//! Random questions: near, far, inside, fast, grazing, degenerate.

use super::device::Question;
use glam::Vec3;
use parry3d::shape::SharedShape;

/// A sequence of numbers that look random.
pub struct Random(pub u32);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(0x2C92_77B5).wrapping_add(0xAC56_4B05);
        let h = (self.0 ^ (self.0 >> 16)).wrapping_mul(0x85EB_CA6B);
        h ^ (h >> 13)
    }

    /// In −1..1.
    fn signed(&mut self) -> f32 {
        self.bits() as f32 / u32::MAX as f32 * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn pick<T: Copy, const N: usize>(&mut self, from: [T; N]) -> T {
        from[self.bits() as usize % N]
    }
}

/// Returns a question about a shape of about a metre. A surface is asked about small particles near it,
/// since llvmpipe leaves all loops of an invocation after 65 535 turns in sum.
pub fn question(random: &mut Random, place: u32, shape: &SharedShape, surface: bool) -> Question {
    let largest = if surface { 0.03 } else { 0.2 };
    let radius = random.pick([0.01, 0.02, 0.03, largest]);
    let margin = radius * random.pick([0.0, 0.1, 0.5, if surface { 0.2 } else { 2.0 }]);
    let (from, to) = match random.bits() % 12 {
        0 | 1 => near(random, radius),
        2 | 3 => grazing(random, shape, radius),
        4 => fast(random),
        5 => lattice(random),
        6 => still(random, shape, radius),
        7 => (0.4 * random.vector(), random.vector()),
        8 => around(random, shape),
        9 => (random.vector(), 3.0 * random.vector()),
        10 => far(random, surface),
        _ => broken(random, surface),
    };
    let margin = if random.bits().is_multiple_of(500) { f32::NAN } else { margin };
    let radius = if random.bits().is_multiple_of(500) { f32::INFINITY } else { radius };
    Question { shape: place, from, to, radius, margin }
}

fn near(random: &mut Random, radius: f32) -> (Vec3, Vec3) {
    let from = 1.2 * random.vector();
    (from, from + 3.0 * radius * random.vector())
}

/// Across the shape at 200 m/s and 60 frames a second.
fn fast(random: &mut Random) -> (Vec3, Vec3) {
    let from = 1.5 * random.vector();
    let through = 0.6 * random.vector();
    (from, from + (through - from).normalize_or_zero() * (200.0 / 60.0))
}

fn surface(random: &mut Random, shape: &SharedShape) -> (Vec3, Vec3) {
    let x = random.vector();
    let found = shape.project_local_point(x, false);
    let side = if found.is_inside { -1.0 } else { 1.0 };
    (found.point, (x - found.point).normalize_or(Vec3::Y) * side)
}

/// Along the surface, touching or nearly so.
fn grazing(random: &mut Random, shape: &SharedShape, radius: f32) -> (Vec3, Vec3) {
    let (point, normal) = surface(random, shape);
    let height = radius * random.pick([0.9, 1.0, 1.001, 1.1, 2.0]);
    let along = random.vector().cross(normal) * random.pick([0.01, 0.1, 1.0]);
    let drop = normal * radius * random.pick([0.0, 0.0, -0.5, 0.1]);
    (point + normal * height - along, point + normal * height + along + drop)
}

/// From points where coordinates are equal, zero, or those of corners.
fn lattice(random: &mut Random) -> (Vec3, Vec3) {
    let step = |random: &mut Random| random.pick([-1.0, -0.75, -0.5, -0.25, -0.1, 0.0, 0.1, 0.2, 0.25, 0.5, 0.75, 1.0]);
    let mut point = || Vec3::new(step(random), step(random), step(random));
    (point(), point())
}

fn still(random: &mut Random, shape: &SharedShape, radius: f32) -> (Vec3, Vec3) {
    let (point, normal) = surface(random, shape);
    let x = point + normal * radius * random.pick([-20.0, -1.0, 0.0, 0.5, 1.0, 1.2]);
    (x, x)
}

/// From one place of the surface to another.
fn around(random: &mut Random, shape: &SharedShape) -> (Vec3, Vec3) {
    let (a, n) = surface(random, shape);
    let (b, _) = surface(random, shape);
    (a + n * random.pick([0.0, 0.01, 0.1]), b)
}

fn far(random: &mut Random, surface: bool) -> (Vec3, Vec3) {
    let scale =
        if surface { random.pick([10.0, 100.0, 1e14]) } else { random.pick([10.0, 1e3, 1e6, 1e11, 1e14, 1e25]) };
    let end = random.pick([-1.0, 0.0, 1.0]) * scale;
    (scale * random.vector(), end * random.vector() + random.vector())
}

fn broken(random: &mut Random, surface: bool) -> (Vec3, Vec3) {
    let large = if surface { f32::NAN } else { f32::MAX };
    let odd = random.pick([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, large, 1e-20, -0.0]);
    let (mut from, mut to) = (random.vector(), random.vector());
    let axis = random.pick([0, 1, 2]);
    if random.bits().is_multiple_of(2) {
        from[axis] = odd
    } else {
        to[axis] = odd
    }
    (from, to)
}
