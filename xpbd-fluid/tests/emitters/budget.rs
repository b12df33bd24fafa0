//! Lifetimes, a budget that is spent, and books that balance.

use glam::{Vec2, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::WorldError;
use xpbd_fluid::emitter::{Nozzle, NozzleShape, WhenFull};
use xpbd_fluid::{Region, Sink, SpawnError};

use super::support::{D, MASS, basin, cpu, down, present};

/// 4 sites: 4 particles every 0.02 s.
fn square() -> Nozzle {
    Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::splat(D) }, 1.0)
}

#[test]
fn a_lifetime_is_counted_from_leaving() {
    for (dt, frames) in [(0.05, 40), (0.0125, 160)] {
        let (mut world, water) = basin(false, 1000);
        let mut emitter = square().lifetime(0.31).emitter(&world, water).unwrap();
        let mut cpu = cpu();
        for frame in 0..frames {
            emitter.step(&mut world, dt).unwrap();
            // Those that left in the last 0.31 s: 0.31 m behind the first of them.
            let way = present(&world, water).iter().fold(0.0_f32, |way, x| way.max(x.z));
            let now = dt * frame as f32;
            assert!(way < 0.31 && way > now.min(0.31) - D - 1e-4, "{way} after {now} s");
            let books = emitter.emitted() - emitter.deactivated();
            assert_eq!(world.active_count(water).unwrap() as u64, books);
            world.step(&mut cpu, dt).unwrap();
        }
        // Layers that left every 0.02 s, in the 0.31 s before the last frame.
        let last = f64::from(dt) * f64::from(frames - 1);
        let layers = (last / 0.02).floor() - ((last - 0.31) / 0.02).floor();
        assert_eq!(world.active_count(water).unwrap(), 4 * layers as usize);
    }
}

#[test]
fn after_a_long_frame_those_come_that_would_still_be_there() {
    for speed in [1.0, 1e-6] {
        let (mut world, water) = basin(false, 1000);
        let ball = Nozzle::new(NozzleShape::Ball { radius: D }, speed).lifetime(0.31);
        let mut emitter = ball.emitter(&world, water).unwrap();
        assert_eq!(emitter.step(&mut world, 1e3).unwrap().spawned.len(), emitter.particles_per_layer(), "{speed}");
    }
    let (mut world, water) = basin(false, 1000);
    let mut emitter = square().lifetime(0.31).emitter(&world, water).unwrap();
    emitter.step(&mut world, 1e3).unwrap();
    let emission = emitter.step(&mut world, 0.01).unwrap();
    assert_eq!((emission.expired.len(), emission.rejected), (4, 0));
    assert!([60, 64].contains(&emission.spawned.len()), "{}", emission.spawned.len());
    assert!(present(&world, water).iter().all(|x| x.z < 0.31));
}

#[test]
fn without_room_they_do_not_come() {
    let (mut world, water) = basin(false, 10);
    let mut emitter = square().emitter(&world, water).unwrap();
    let reports: Vec<_> = (0..5).map(|_| emitter.step(&mut world, 0.02).unwrap()).collect();
    let came: Vec<_> = reports.iter().map(|emission| (emission.spawned.len(), emission.rejected)).collect();
    assert_eq!(came, [(4, 0), (4, 0), (2, 2), (0, 4), (0, 4)]);
    world.deactivate(water, &[3, 7]).unwrap();
    let emission = emitter.step(&mut world, 0.02).unwrap();
    assert_eq!((emission.spawned, emission.rejected), (vec![3, 7], 2));
    assert_eq!(emitter.emitted(), 12);
    // A second without a frame: 50 layers are due, none finds room.
    emitter.step(&mut world, 1.0).unwrap();
    assert_eq!(emitter.step(&mut world, 0.0).unwrap().rejected, 200);
}

#[test]
fn without_room_the_oldest_go() {
    let (mut world, water) = basin(false, 10);
    let mut emitter = square().when_full(WhenFull::RecycleOldest).emitter(&world, water).unwrap();
    let mut cpu = cpu();
    for frame in 0..50 {
        let emission = emitter.step(&mut world, 0.02).unwrap();
        assert_eq!((emission.spawned.len(), emission.rejected), (4, 0));
        let recycled = [0, 0, 2].get(frame).copied().unwrap_or(4);
        assert_eq!(emission.recycled.len(), recycled);
        // The ten that left last.
        let oldest = present(&world, water).iter().fold(0.0_f32, |way, x| way.max(x.z));
        assert!((oldest - D * frame.min(2) as f32).abs() < 1e-4, "frame {frame}: {oldest}");
        world.step(&mut cpu, 0.02).unwrap();
    }
    assert_eq!((emitter.emitted(), emitter.deactivated()), (200, 190));
}

#[test]
fn a_number_that_another_has_taken_is_left_alone() {
    let (mut world, water) = basin(false, 8);
    let mut first = square().lifetime(0.1).emitter(&world, water).unwrap();
    let mut second = square().emitter(&world, water).unwrap();
    first.step(&mut world, 0.05).unwrap();
    world.deactivate(water, &[0, 1]).unwrap();
    assert_eq!(second.step(&mut world, 0.05).unwrap().spawned, [0, 1, 4, 5]);
    first.stop();
    first.step(&mut world, 0.1).unwrap();
    assert_eq!(first.step(&mut world, 0.1).unwrap().expired, [2, 3]);
    assert_eq!(world.active_particles(water).unwrap().collect::<Vec<_>>(), [0, 1, 4, 5]);
}

#[test]
fn what_has_come_is_there_or_has_gone() {
    for when_full in [WhenFull::Wait, WhenFull::RecycleOldest] {
        let (mut world, water) = basin(true, 400);
        let tap = square().at(Pose::from_parts(Vec3::Y, down())).jitter(0.1).lifetime(0.35).when_full(when_full);
        let mut tap = tap.emitter(&world, water).unwrap();
        let spray = Nozzle::new(NozzleShape::Disc { radius: 0.05 }, 3.0).rate(500.0).when_full(when_full);
        let mut spray = spray.emitter(&world, water).unwrap();
        let drain = Sink::new(Region::half_space(Vec3::NEG_Y, Vec3::Y)).unwrap();
        let bounds = Sink::new(Region::cuboid(Vec3::ZERO, Vec3::splat(1.5)).inverted()).unwrap();
        let (mut drained, mut cpu) = (0, cpu());
        for _ in 0..240 {
            tap.step(&mut world, 1.0 / 60.0).unwrap();
            spray.step(&mut world, 1.0 / 60.0).unwrap();
            world.step(&mut cpu, 1.0 / 60.0).unwrap();
            drained += drain.step(&mut world, water).unwrap().len() as u64;
            drained += bounds.step(&mut world, water).unwrap().len() as u64;
            let there = world.active_count(water).unwrap() as u64;
            assert_eq!(tap.emitted() + spray.emitted(), there + tap.deactivated() + spray.deactivated() + drained);
            let points = present(&world, water);
            assert!(points.iter().all(|x| x.y > -1.0 && x.abs().max_element() <= 1.5));
        }
        assert!(drained > 100 && tap.emitted() > 500 && tap.deactivated() > 100, "{drained} {}", tap.emitted());
        let mass: f32 = world.active_count(water).unwrap() as f32 * MASS;
        let moving = world.momentum().linear.length() as f32;
        assert!(moving > 0.0 && moving < 6.0 * mass);
    }
}

#[test]
fn an_object_that_has_been_removed_is_told() {
    let (mut world, water) = basin(false, 8);
    let mut emitter = square().lifetime(0.1).emitter(&world, water).unwrap();
    emitter.step(&mut world, 0.05).unwrap();
    world.remove(water).unwrap();
    let before = emitter.clone();
    let error = emitter.step(&mut world, 0.05).unwrap_err();
    assert!(matches!(error, SpawnError::World(WorldError::StaleHandle(_))), "{error}");
    assert_eq!(emitter, before);
    assert!(square().emitter(&world, water).is_err());
}
