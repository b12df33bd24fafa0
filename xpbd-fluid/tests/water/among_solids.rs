//! Water among solid particles, which fill its kernel and do not give way.

use glam::Vec3;
use xpbd_core::world::Object;
use xpbd_fluid::Fluid;

use super::support::{D, run, world};

/// One particle fills a hole of a solid and another is nearly out of its reach: what the solid takes up must not go
/// to the other, whose gradient is next to nothing.
#[test]
fn what_fills_a_hole_does_not_throw_what_is_far() {
    for distance in [1.5, 1.9, 1.999, 1.99999] {
        let mut world = world(false, 10);
        let place = |k: i32| Vec3::new((k % 5 - 2) as f32, (k / 5 % 5 - 2) as f32, (k / 25 - 2) as f32);
        let beside = Vec3::X * distance;
        let taken = |x: &Vec3| *x == Vec3::ZERO || x.distance(beside) < 0.99;
        // A little denser than at rest.
        let solid: Vec<Vec3> = (0..125).map(place).filter(|x| !taken(x)).map(|x| x * (0.98 * D)).collect();
        let count = solid.len() as u32;
        world.add(Object::new("solid", solid, 1.0).pin(0..count)).unwrap();
        let water = Fluid::particles(vec![Vec3::ZERO, beside * D]).add_to_world(&mut world).unwrap();
        let mut fastest = 0.0_f32;
        for _ in 0..10 {
            run(&mut world, 1);
            fastest = world.velocities(water).unwrap().map(Vec3::length).fold(fastest, f32::max);
        }
        // Contacts with the solid press it out at 1 m/s at most.
        assert!(fastest < 2.0, "{distance}: {fastest} m/s");
    }
}
