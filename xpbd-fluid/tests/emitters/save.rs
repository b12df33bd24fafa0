//! Saved beside a snapshot and restored, everything goes on as if it had never stopped.

use glam::{Vec2, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{ObjectHandle, Settings, World};
use xpbd_fluid::convert::{PhaseChange, SlotSelection, TemperatureRegion};
use xpbd_fluid::emitter::{Nozzle, NozzleShape, WhenFull};
use xpbd_fluid::{Emitter, Region, Sink};

use super::support::{D, cpu, down, ice};

type Devices = (Emitter, Emitter, Sink, PhaseChange);

fn frame(world: &mut World, [ice, water]: [ObjectHandle; 2], devices: &mut Devices) {
    let (tap, spray, sink, heat) = devices;
    tap.step(world, 1.0 / 60.0).unwrap();
    spray.step(world, 1.0 / 60.0).unwrap();
    sink.step(world, water).unwrap();
    let goals = xpbd_rigid::cluster::goals(world, ice).unwrap();
    let slots = SlotSelection::Nearest { goals: &goals, max_distance: 3.0 * D, snap_to_goal: true };
    heat.step(world, 1.0 / 60.0, slots).unwrap();
    world.step(&mut cpu(), 1.0 / 60.0).unwrap();
}

#[test]
fn restored_midway_it_goes_on_with_the_same_bits() {
    let (mut world, objects @ [ice, water]) = ice(true);
    let tap = Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::splat(D) }, 1.5)
        .at(Pose::from_parts(Vec3::Y * 0.3, down()));
    let tap = tap.jitter(0.1).lifetime(0.5).when_full(WhenFull::RecycleOldest).emitter(&world, water).unwrap();
    let spray = Nozzle::new(NozzleShape::Disc { radius: 0.05 }, 1.0).rate(90.0).emitter(&world, water).unwrap();
    let sink = Sink::new(Region::half_space(Vec3::Y * -0.5, Vec3::Y)).unwrap();
    let heat = PhaseChange::new(&world, [ice, water], [-1.0, 1.0]).unwrap().initial_temperatures([-5.0, -2.0]).unwrap();
    let mut heat = heat.surroundings(-10.0, 3.0).unwrap();
    heat.set_regions(vec![TemperatureRegion {
        region: Region::ball(Vec3::X * 0.1, 0.1),
        temperature: 40.0,
        exchange_rate: 5.0,
    }])
    .unwrap();
    let mut devices = (tap, spray, sink, heat);
    (0..25).for_each(|_| frame(&mut world, objects, &mut devices));
    let saved = (world.snapshot().unwrap(), postcard::to_stdvec(&devices).unwrap());
    (0..25).for_each(|_| frame(&mut world, objects, &mut devices));
    let expected = (world.state_hash(), devices);
    assert!(expected.1.0.deactivated() > 0);
    let mut fresh = World::new(Settings::default()).unwrap();
    xpbd_rigid::register(fresh.registry_mut()).unwrap();
    for mut world in [fresh, world] {
        world.restore(&saved.0).unwrap();
        let mut devices: Devices = postcard::from_bytes(&saved.1).unwrap();
        (0..25).for_each(|_| frame(&mut world, objects, &mut devices));
        assert_eq!((world.state_hash(), devices), expected);
    }
}
