//! Sinks take what is in their region and nothing else.

use glam::{Quat, Vec3};
use xpbd_core::world::{Object, ParticleSpawn};
use xpbd_fluid::{Region, Sink};

use super::support::{MASS, basin};

#[test]
fn every_region_takes_what_is_in_it() {
    let turned = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    // Whether (0,0,0), (1,0,0), (0.8,0.8,0), (0,-2,0), (5,5,5) are in it.
    let cases = [
        (Region::cuboid(Vec3::ZERO, Vec3::ONE), [true, true, true, false, false]),
        (Region::cuboid(Vec3::ZERO, Vec3::ONE).inverted(), [false, false, false, true, true]),
        (Region::cuboid(Vec3::ZERO, Vec3::ONE).rotated(turned), [true, true, false, false, false]),
        (Region::ball(Vec3::X, 1.0), [true, true, true, false, false]),
        (Region::ball(Vec3::X, 1.0).inverted(), [false, false, false, true, true]),
        (Region::half_space(Vec3::NEG_Y, Vec3::Y * 3.0), [false, false, false, true, false]),
        (Region::half_space(Vec3::X * 0.9, Vec3::Y).rotated(turned.inverse()), [true, false, false, true, false]),
    ];
    for (region, expected) in cases {
        let (mut world, water) = basin(false, 8);
        let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.8, 0.8, 0.0), Vec3::Y * -2.0, Vec3::splat(5.0)];
        let spawns = points.map(|position| ParticleSpawn { position, velocity: Vec3::ZERO });
        world.spawn(water, &spawns).unwrap();
        let other = world.add(Object::new("other", points.to_vec(), MASS)).unwrap();
        let gone = Sink::new(region).unwrap().step(&mut world, water).unwrap();
        let inside: Vec<u32> = (0..5).filter(|&k| expected[k as usize]).collect();
        assert_eq!(gone, inside, "{region:?}");
        assert_eq!(world.active_count(water).unwrap(), 5 - inside.len());
        assert_eq!(world.active_count(other).unwrap(), 5);
        // What is absent lies where it was, and does not go again.
        assert_eq!(Sink::new(region).unwrap().step(&mut world, water).unwrap(), []);
    }
}
