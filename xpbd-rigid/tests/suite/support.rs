//! Worlds with clusters, and sums over their particles in double precision.

use glam::{DVec3, Vec3};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

pub const FRAME: f32 = 1.0 / 60.0;

/// Settings without gravity.
pub fn floating() -> Settings {
    Settings { gravity: Vec3::ZERO, ..Settings::default() }
}

/// Returns a world that knows clusters, with one object.
pub fn world(settings: Settings, object: Object) -> (World, ObjectHandle) {
    let mut world = World::new(settings).unwrap();
    xpbd_rigid::register(world.registry_mut()).unwrap();
    let handle = world.add(object).unwrap();
    (world, handle)
}

/// Steps frames of 1/60 s on one thread.
pub fn run(world: &mut World, frames: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..frames {
        world.step(&mut cpu, FRAME).unwrap();
    }
}

/// Mass, centre, linear momentum and angular momentum about the centre.
pub struct Sums {
    pub mass: f64,
    pub centre: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
}

pub fn sums(world: &World, object: ObjectHandle) -> Sums {
    let x: Vec<DVec3> = world.positions(object).unwrap().map(Vec3::as_dvec3).collect();
    let v: Vec<DVec3> = world.velocities(object).unwrap().map(Vec3::as_dvec3).collect();
    let range = world.state().objects.get(object).unwrap().range.clone();
    let m: Vec<f64> = world.state().particles.mass[range].iter().map(|&m| f64::from(m)).collect();
    let mass: f64 = m.iter().sum();
    let centre = x.iter().zip(&m).map(|(x, m)| *x * *m).sum::<DVec3>() / mass;
    let linear = v.iter().zip(&m).map(|(v, m)| *v * *m).sum::<DVec3>();
    let angular = x.iter().zip(&v).zip(&m).map(|((x, v), m)| (*x - centre).cross(*v) * *m).sum();
    Sums { mass, centre, linear, angular }
}
