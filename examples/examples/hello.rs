//! A cloth falls over a ball.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Settings, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(Settings::default())?;
    world.add_collider(Collider::new(SharedShape::ball(0.3)))?;
    let cloth = Cloth::grid(60, 60, 1.2, 1.2).at(Vec3::Y * 0.4).self_collision(true);
    let cloth = world.add(cloth.build()?)?;
    let mut backend = CpuBackend::default();
    for _ in 0..120 {
        world.step(&mut backend, 1.0 / 60.0)?;
    }
    println!("a corner hangs at {}", world.position(cloth, 0)?);
    Ok(())
}
