//! Contact planes on the device against those of the CPU, bit by bit.

mod device;
mod questions;
mod scene;

use device::{Device, Question};
use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::{Shape, SharedShape};
use questions::{Random, question};
use std::time::Instant;
use xpbd_core::collide::particle_shape::{ContactPlane, ContactPlanes, contact_planes};
use xpbd_gpu::internals::Geometry;

use crate::{Test, ensure};

pub const TESTS: &[Test] = &[
    ("shapes::every_shape_gives_the_planes_of_the_cpu", same_bits),
    ("shapes::many_shapes_in_one_buffer_give_the_planes_of_the_cpu", many_shapes),
    ("shapes::a_shape_without_a_formula_is_refused", refused),
];

/// Questions about each shape.
const QUESTIONS: usize = 4000;

fn expected(shape: &dyn Shape, q: &Question) -> ContactPlanes {
    let mut out = ContactPlanes::new();
    contact_planes(shape, q.from, q.to, q.radius, q.margin, &mut out);
    out
}

fn bits(planes: &[ContactPlane]) -> Vec<[u32; 3]> {
    let vectors = planes.iter().flat_map(|t| [t.point, t.normal]);
    vectors.map(|v| v.to_array().map(f32::to_bits)).collect()
}

/// Returns the largest difference of a coordinate; infinite for another number of planes.
fn difference(a: &[ContactPlane], b: &[ContactPlane]) -> f32 {
    if a.len() != b.len() {
        return f32::INFINITY;
    }
    let apart = |(a, b): (&ContactPlane, &ContactPlane)| {
        (a.point - b.point).abs().max_element().max((a.normal - b.normal).abs().max_element())
    };
    a.iter().zip(b).map(apart).fold(0.0, f32::max)
}

/// Asks the device and the processor, prints how they compare, and gives how often they differ.
fn compare(name: &str, device: &Device, geometry: &Geometry, asked: &[(Question, SharedShape)]) -> usize {
    let questions: Vec<_> = asked.iter().map(|(q, _)| *q).collect();
    let started = Instant::now();
    let found = device.ask(geometry, &questions);
    let on_device = started.elapsed();
    let started = Instant::now();
    let wanted: Vec<_> = asked.iter().map(|(q, shape)| expected(&**shape, q)).collect();
    let on_processor = started.elapsed();
    let differ: Vec<_> = (0..asked.len()).filter(|&i| bits(&found[i]) != bits(&wanted[i])).collect();
    let worst = differ.iter().map(|&i| difference(&found[i], &wanted[i])).fold(0.0, f32::max);
    let planes: usize = wanted.iter().map(|w| w.len()).sum();
    println!(
        "{name:18} {:6} words, {planes:6} planes, {} of {} differ, by {worst:.1e}; {on_device:?}, processor {on_processor:?}",
        geometry.words().len(),
        differ.len(),
        asked.len(),
    );
    for &i in differ.iter().take(2) {
        println!("  {:?}\n  device    {:?}\n  processor {:?}", questions[i], found[i], wanted[i]);
    }
    differ.len()
}

fn same_bits() -> Result<(), Failed> {
    let device = Device::open()?;
    let mut wrong = 0;
    for (seed, (name, shape)) in (1..).zip(scene::shapes()) {
        let mut random = Random(seed);
        let mut geometry = Geometry::new();
        let place = geometry.add(&*shape)?;
        let surface = shape.as_trimesh().is_some() || shape.as_heightfield().is_some();
        let asked = (0..QUESTIONS).map(|_| (question(&mut random, place, &shape, surface), shape.clone()));
        wrong += compare(name, &device, &geometry, &asked.collect::<Vec<_>>());
    }
    ensure(wrong == 0, || format!("{wrong} questions answered differently"))
}

/// Shapes of all types in one buffer, asked by neighbouring invocations.
fn many_shapes() -> Result<(), Failed> {
    let device = Device::open()?;
    let mut geometry = Geometry::new();
    let mut placed = Vec::new();
    for (_, shape) in scene::shapes() {
        placed.push((geometry.add(&*shape)?, shape));
    }
    let mut random = Random(1000);
    let asked = (0..QUESTIONS).map(|i| {
        let (place, shape) = &placed[i * 7 % placed.len()];
        (question(&mut random, *place, shape, true), shape.clone())
    });
    let wrong = compare("all", &device, &geometry, &asked.collect::<Vec<_>>());
    ensure(wrong == 0, || format!("{wrong} questions answered differently"))
}

fn refused() -> Result<(), Failed> {
    let segment = SharedShape::segment(Vec3::ZERO, Vec3::X);
    let parts = [SharedShape::ball(1.0), segment].map(|shape| (Pose::IDENTITY, shape));
    let mut geometry = Geometry::new();
    geometry.add(&*parts[0].1)?;
    let before = geometry.clone();
    let error = geometry.add(&*SharedShape::compound(parts.into())).err().ok_or("a segment was accepted")?;
    ensure(error.to_string() == "a shape of type Segment cannot be used on the GPU", || error.to_string())?;
    ensure(geometry == before, || "the geometry has changed".into())
}
