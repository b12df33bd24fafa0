//! What cannot be is refused by name.

use glam::{Quat, Vec2, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{Object, WorldError};
use xpbd_fluid::convert::{SlotSelection, TemperatureRegion};
use xpbd_fluid::emitter::{Nozzle, NozzleShape, WhenFull};
use xpbd_fluid::{Conversion, PhaseChange, Region, Sink, SpawnError};

use super::support::{MASS, basin, ice};

const BAD: [f32; 3] = [-1.0, f32::NAN, f32::INFINITY];

#[test]
fn nozzles() {
    let (world, water) = basin(false, 4);
    let disc = Nozzle::new(NozzleShape::Disc { radius: 0.1 }, 1.0);
    let refused = |nozzle: Nozzle, what: &str| {
        let error = nozzle.emitter(&world, water).unwrap_err().to_string();
        assert!(error.contains(what), "{error}: no {what}");
    };
    for bad in BAD {
        refused(Nozzle::new(NozzleShape::Disc { radius: bad }, 1.0), "extent");
        refused(Nozzle::new(NozzleShape::Ball { radius: bad }, 1.0), "extent");
        refused(Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::new(0.1, bad) }, 1.0), "extent");
        refused(Nozzle::new(NozzleShape::Cuboid { half_extents: Vec3::new(0.1, 0.1, bad) }, 1.0), "extent");
        refused(Nozzle::new(NozzleShape::Disc { radius: 0.1 }, bad), "speed");
        refused(Nozzle::new(NozzleShape::Ball { radius: 0.1 }, bad), "speed");
        refused(disc.clone().spacing(bad), "spacing");
        refused(disc.clone().jitter(bad), "jitter");
        refused(disc.clone().rate(bad), "rate");
        refused(disc.clone().lifetime(bad), "lifetime");
    }
    refused(Nozzle::new(NozzleShape::Disc { radius: 0.1 }, 0.0), "speed");
    refused(disc.clone().rate(0.0), "rate");
    refused(disc.clone().spacing(0.0), "spacing");
    refused(disc.clone().at(Pose::from_parts(Vec3::NAN, Quat::IDENTITY)), "pose");
    refused(disc.clone().at(Pose::from_parts(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0))), "pose");
    for opening in
        [NozzleShape::Disc { radius: 1e3 }, NozzleShape::Ball { radius: 10.0 }, NozzleShape::Disc { radius: f32::MAX }]
    {
        refused(Nozzle::new(opening, 1.0), "sites");
    }
    let mut emitter = disc.emitter(&world, water).unwrap();
    assert!(
        emitter.move_to(Pose::from_parts(Vec3::INFINITY, Quat::IDENTITY)).is_err() && emitter.set_speed(0.0).is_err()
    );
}

#[test]
fn openings_without_room_have_one_site() {
    for opening in [
        NozzleShape::Disc { radius: 0.0 },
        NozzleShape::Ball { radius: 0.0 },
        NozzleShape::Rectangle { half_extents: Vec2::ZERO },
        NozzleShape::Cuboid { half_extents: Vec3::ZERO },
    ] {
        let (mut world, water) = basin(false, 4);
        let mut emitter = Nozzle::new(opening, 1.0).emitter(&world, water).unwrap();
        assert_eq!(emitter.particles_per_layer(), 1, "{opening:?}");
        assert_eq!(emitter.step(&mut world, 0.1).unwrap().spawned, [0]);
    }
}

#[test]
fn frames() {
    let (mut world, objects @ [ice, water]) = ice(false);
    let mut emitter = Nozzle::new(NozzleShape::Disc { radius: 0.1 }, 1.0).emitter(&world, water).unwrap();
    let mut heat = PhaseChange::new(&world, objects, [0.0, 1.0]).unwrap();
    for bad in BAD {
        let before = (emitter.clone(), heat.clone(), world.state_hash());
        assert!(matches!(emitter.step(&mut world, bad), Err(SpawnError::Number { .. })));
        assert!(matches!(heat.step(&mut world, bad, SlotSelection::Lowest), Err(SpawnError::Number { .. })));
        assert_eq!((emitter.clone(), heat.clone(), world.state_hash()), before);
    }
    // Frames of any length, and speeds of any size, end.
    for when_full in [WhenFull::Wait, WhenFull::RecycleOldest] {
        for speed in [1e-30, 1.0, 1e30] {
            let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.05 }, speed).when_full(when_full).lifetime(1e-3);
            for nozzle in [nozzle.clone(), nozzle.rate(1e20)] {
                let mut emitter = nozzle.emitter(&world, water).unwrap();
                for dt in [0.0, 1e-30, 1.0, 1e30, 0.01] {
                    emitter.step(&mut world, dt).unwrap();
                }
            }
        }
    }
    assert_eq!(world.active_count(ice).unwrap(), 128);
}

#[test]
fn regions() {
    for bad in BAD {
        for region in [Region::ball(Vec3::ZERO, bad), Region::cuboid(Vec3::ZERO, Vec3::new(1.0, bad, 1.0))] {
            assert!(Sink::new(region).is_err(), "{region:?}");
        }
    }
    for region in [
        Region::ball(Vec3::NAN, 1.0),
        Region::cuboid(Vec3::NAN, Vec3::ONE),
        Region::cuboid(Vec3::ZERO, Vec3::ONE).rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.5)),
        Region::cuboid(Vec3::ZERO, Vec3::ONE).rotated(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 0.5)),
        Region::half_space(Vec3::ZERO, Vec3::ZERO),
        Region::half_space(Vec3::ZERO, Vec3::NAN),
        Region::half_space(Vec3::INFINITY, Vec3::Y),
    ] {
        assert!(Sink::new(region).is_err(), "{region:?}");
    }
    assert!(!Region::ball(Vec3::ZERO, 1.0).inverted().contains(Vec3::NAN));
}

#[test]
fn conversions() {
    let (mut world, [ice, water]) = ice(false);
    let heavy = world.add(Object::new("heavy", vec![Vec3::ZERO], MASS).capacity(1, 2.0 * MASS)).unwrap();
    for pair in [[ice, heavy], [heavy, ice], [water, heavy]] {
        let error = Conversion::new(&world, pair[0], pair[1]).unwrap_err();
        assert!(matches!(error, SpawnError::Mass { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("`heavy`") && (text.contains("`ice`") || text.contains("`water`")), "{text}");
    }
    assert!(matches!(Conversion::new(&world, ice, ice), Err(SpawnError::SameObject(name)) if name == "ice"));
    let melting = Conversion::new(&world, ice, water).unwrap();
    melting.step(&mut world, SlotSelection::Lowest, |particle| particle.index < 4).unwrap();
    let hash = world.state_hash();
    let goals = vec![Vec3::ZERO; 128];
    let mut wrong = goals.clone();
    wrong[5] = Vec3::NAN;
    let nearest = |goals, reach| SlotSelection::Nearest { goals, max_distance: reach, snap_to_goal: false };
    for slots in [nearest(&goals[..7], 1.0), nearest(&wrong, 1.0), nearest(&goals, -1.0), nearest(&goals, f32::NAN)] {
        assert!(melting.reversed().step(&mut world, slots, |_| true).is_err(), "{slots:?}");
        assert_eq!(world.state_hash(), hash);
    }
    world.remove(ice).unwrap();
    let stale = |error: SpawnError| assert!(matches!(error, SpawnError::World(WorldError::StaleHandle(_))), "{error}");
    stale(melting.step(&mut world, SlotSelection::Lowest, |_| true).unwrap_err());
    stale(Sink::new(Region::ball(Vec3::ZERO, 1.0)).unwrap().step(&mut world, ice).unwrap_err());
}

#[test]
fn heat() {
    let (mut world, objects @ [ice, water]) = ice(false);
    let other = world.add(Object::new("other", vec![Vec3::ZERO], MASS)).unwrap();
    for bad in [[f32::NAN, 0.0], [0.0, f32::NAN], [1.0, 0.0], [f32::INFINITY; 2]] {
        assert!(PhaseChange::new(&world, objects, bad).is_err(), "{bad:?}");
    }
    let mut heat = PhaseChange::new(&world, objects, [0.0, 1.0]).unwrap();
    assert!(
        heat.clone().initial_temperatures([f32::NAN, 0.0]).is_err()
            && heat.clone().surroundings(f32::NAN, 0.0).is_err()
    );
    for rate in BAD {
        assert!(heat.clone().surroundings(0.0, rate).is_err());
        let region = Region::ball(Vec3::ZERO, 1.0);
        assert!(heat.set_regions(vec![TemperatureRegion { region, temperature: 0.0, exchange_rate: rate }]).is_err());
    }
    let region = Region::ball(Vec3::ZERO, f32::NAN);
    assert!(heat.set_regions(vec![TemperatureRegion { region, temperature: 0.0, exchange_rate: 1.0 }]).is_err());
    assert!(heat.set_temperature(&world, ice, 128, 0.0).is_err());
    assert!(heat.set_temperature(&world, water, 0, f32::NAN).is_err());
    assert!(heat.set_temperature(&world, water, 0, 5.0).is_ok());
    let error = heat.set_temperature(&world, other, 0, 5.0).unwrap_err();
    assert_eq!(error, SpawnError::OtherObject("other".into()));
    assert_eq!(heat.temperature(other, 0), None);
}
