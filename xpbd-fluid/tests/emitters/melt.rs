//! Ice melts to water and water freezes to ice, with their mass and their momentum.

use glam::{DVec3, Vec3};
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::Conversion;
use xpbd_fluid::convert::SlotSelection;
use xpbd_rigid::cluster;

use super::support::{D, MASS, cpu, ice};

fn total(world: &World, objects: [ObjectHandle; 2]) -> (usize, DVec3, DVec3) {
    let momentum = world.momentum();
    let count = objects.iter().map(|&object| world.active_count(object).unwrap()).sum();
    (count, momentum.linear, momentum.angular)
}

#[track_caller]
fn same(a: (usize, DVec3, DVec3), b: (usize, DVec3, DVec3), tolerance: f64) {
    assert_eq!(a.0, b.0);
    // 128 particles at about 1 m/s.
    let scale = 128.0 * f64::from(MASS);
    assert!((a.1 - b.1).length() < tolerance * scale, "{:?} {:?}", a.1, b.1);
    assert!((a.2 - b.2).length() < tolerance * scale, "{:?} {:?}", a.2, b.2);
}

#[test]
fn what_melts_goes_on_as_water() {
    let (mut world, objects @ [ice, water]) = ice(false);
    let melting = Conversion::new(&world, ice, water).unwrap();
    let mut cpu = cpu();
    for frame in 0..16 {
        let before = total(&world, objects);
        let lives: Vec<_> = world.active_particles(ice).unwrap().take(8).collect();
        let was: Vec<_> =
            lives.iter().map(|&k| (world.position(ice, k as usize), world.velocity(ice, k as usize))).collect();
        let report =
            melting.step(&mut world, SlotSelection::Lowest, |particle| lives.contains(&particle.index)).unwrap();
        assert_eq!((report.from.clone(), report.rejected), (lives, 0));
        assert_eq!(report.to, (8 * frame..8 * frame + 8).collect::<Vec<_>>());
        let now: Vec<_> =
            report.to.iter().map(|&k| (world.position(water, k as usize), world.velocity(water, k as usize))).collect();
        assert_eq!(was, now);
        same(total(&world, objects), before, 1e-6);
        world.step(&mut cpu, 1.0 / 60.0).unwrap();
        let after = total(&world, objects);
        assert_eq!(after.0, 128);
        // Linear momentum alone: first-order integration slows what spins.
        assert!((after.1 - before.1).length() < 1e-5 * 128.0 * f64::from(MASS));
        assert!(!world.is_frozen(ice).unwrap());
    }
    assert_eq!(world.active_count(ice).unwrap(), 0);
    world.step(&mut cpu, 1.0 / 60.0).unwrap();
}

#[test]
fn what_freezes_finds_the_place_that_is_nearest() {
    let (mut world, objects @ [ice, water]) = ice(false);
    let melting = Conversion::new(&world, ice, water).unwrap();
    let mut cpu = cpu();
    melting.step(&mut world, SlotSelection::Lowest, |particle| particle.index % 3 == 0).unwrap();
    // FluidMaterial keeps its velocity and drifts off its place in the ice that spins.
    (0..3).for_each(|_| _ = world.step(&mut cpu, 1.0 / 60.0).unwrap());
    for snap in [false, true] {
        let goals = cluster::goals(&world, ice).unwrap();
        let before = total(&world, objects);
        let slots = SlotSelection::Nearest { goals: &goals, max_distance: 0.5 * D, snap_to_goal: snap };
        let count = world.active_count(water).unwrap() / (2 - usize::from(snap));
        let mut wanted = 0;
        let report = melting
            .reversed()
            .step(&mut world, slots, |_| {
                wanted += 1;
                wanted <= count
            })
            .unwrap();
        assert_eq!(report.from.len() + report.rejected, count);
        assert!(report.from.len() > 10);
        let after = total(&world, objects);
        assert_eq!(after.0, 128);
        assert!((after.1 - before.1).length() < 1e-6 * 128.0 * f64::from(MASS));
        for (&from, &to) in report.from.iter().zip(&report.to) {
            let (was, now) = (world.position(water, from as usize).unwrap(), world.position(ice, to as usize).unwrap());
            assert_eq!(now, if snap { goals[to as usize] } else { was });
            assert!(was.distance(goals[to as usize]) <= 0.5 * D);
        }
    }
    let before = total(&world, objects);
    (0..30).for_each(|_| _ = world.step(&mut cpu, 1.0 / 60.0).unwrap());
    let after = total(&world, objects);
    assert!((after.1 - before.1).length() < 2e-5 * 128.0 * f64::from(MASS), "{before:?} {after:?}");
    let goals = cluster::goals(&world, ice).unwrap();
    for k in world.active_particles(ice).unwrap() {
        assert!(world.position(ice, k as usize).unwrap().distance(goals[k as usize]) < 1e-4);
    }
}

#[test]
fn ice_that_melts_and_freezes_again_is_whole() {
    let (mut world, objects @ [ice, water]) = ice(true);
    let melting = Conversion::new(&world, ice, water).unwrap();
    let mut cpu = cpu();
    let goals: Vec<Vec3> = cluster::goals(&world, ice).unwrap();
    melting.step(&mut world, SlotSelection::Lowest, |_| true).unwrap();
    assert_eq!(world.active_count(ice).unwrap(), 0);
    let all = SlotSelection::Nearest { goals: &goals, max_distance: f32::INFINITY, snap_to_goal: false };
    let report = melting.reversed().step(&mut world, all, |_| true).unwrap();
    assert_eq!((report.from.len(), report.rejected), (128, 0));
    assert_eq!(report.to, (0..128).collect::<Vec<_>>(), "each has its own place");
    world.step(&mut cpu, 1.0 / 60.0).unwrap();
    assert_eq!(total(&world, objects).0, 128);
    assert_eq!(world.active_count(water).unwrap(), 0);
}

#[test]
fn those_without_room_stay() {
    let (mut world, [ice, water]) = ice(false);
    let full: Vec<_> =
        (0..120).map(|_| xpbd_core::world::ParticleSpawn { position: Vec3::ONE, velocity: Vec3::ZERO }).collect();
    world.spawn(water, &full).unwrap();
    let report =
        Conversion::new(&world, ice, water).unwrap().step(&mut world, SlotSelection::Lowest, |_| true).unwrap();
    assert_eq!((report.from, report.rejected), ((0..8).collect(), 120));
    assert_eq!(world.active_count(ice).unwrap(), 120);
}
