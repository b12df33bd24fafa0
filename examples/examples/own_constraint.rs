//! A custom constraint: a leash, which pulls its two ends together and never pushes. With the
//! argument `gpu` it runs on a graphics adapter.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::prelude::*;
use xpbd_core::world::{Backend, Object, Settings, World};
use xpbd_gpu::GpuBackend;

xpbd_core::parameters! {
    struct LeashParameters<S> {
        /// Length of the slack leash \[m\].
        length: S,
    }
}

struct Leash;

impl Constraint<2, 1> for Leash {
    type Parameters<S: Copy> = LeashParameters<S>;

    const NAME: &'static str = "leash";

    fn value<S: Real>(x: &Points<S, 2>, leash: LeashParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - leash.length]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: LeashParameters<S>, _: S) -> [S; 1] {
        [lambda.min(S::zero())]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("gpu") => walk(&mut GpuBackend::new()?),
        _ => walk(&mut CpuBackend::default()),
    }
}

fn walk(backend: &mut impl Backend) -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    world.register(Leash)?;
    let dog = Object::new("dog", vec![Vec3::ZERO, Vec3::NEG_Y], 5.0).pin([0]);
    let leash = Batch::new(Leash, &[[0, 1]], &[LeashParameters { length: 1.5 }])?.compliance(1e-4).damping(500.0);
    let dog = world.add(dog.with(leash))?;
    let leash = world.batches_of(dog)[0];
    for frame in 0..120 {
        world.step(backend, 1.0 / 60.0)?;
        if frame % 20 == 19 {
            world.synchronize()?;
            println!(
                "at {:.3} m the leash pulls with {:.2} N",
                world.position(dog, 1)?.y,
                -world.row_forces(leash, 0)?[0]
            );
        }
    }
    Ok(())
}
