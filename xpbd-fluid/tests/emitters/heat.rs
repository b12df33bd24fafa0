//! Temperatures go where they should, and ice melts when they get there.

use glam::Vec3;
use xpbd_core::world::ParticleSpawn;
use xpbd_fluid::Region;
use xpbd_fluid::convert::{PhaseChange, SlotSelection, TemperatureRegion};
use xpbd_rigid::cluster;

use super::support::{D, cpu, ice};

#[test]
fn temperature_follows_newtons_law_at_any_frame_rate() {
    for (dt, frames) in [(0.1_f32, 20), (1.0 / 144.0, 288)] {
        let (mut world, [ice, water]) = ice(false);
        let heat = PhaseChange::new(&world, [ice, water], [0.0, 1e3]).unwrap();
        let mut heat = heat.initial_temperatures([-20.0, 5.0]).unwrap().surroundings(30.0, 0.7).unwrap();
        for _ in 0..frames {
            heat.step(&mut world, dt, SlotSelection::Lowest).unwrap();
        }
        // T = 30 − 50 exp(−0.7 · 2 s)
        let expected = 30.0 - 50.0 * libm_exp(-1.4);
        let found = heat.temperature(ice, 5).unwrap();
        assert!((found - expected).abs() < 2e-4, "{dt}: {found} instead of {expected}");
        assert_eq!(heat.temperature(water, 5), Some(5.0), "absent");
    }
}

/// exp by its series, for small numbers.
fn libm_exp(x: f32) -> f32 {
    let (mut sum, mut term) = (1.0_f64, 1.0_f64);
    for k in 1..40 {
        term *= f64::from(x) / f64::from(k);
        sum += term;
    }
    sum as f32
}

#[test]
fn ice_melts_where_it_is_warm_and_freezes_where_it_is_cold() {
    let (mut world, [ice, water]) = ice(false);
    world.set_settings(xpbd_core::world::Settings { substeps: 10, ..world.settings().clone() }).unwrap();
    for k in 0..128 {
        let x = world.position(ice, k).unwrap();
        world.set_position(ice, k, x, Vec3::ZERO).unwrap();
    }
    let warm = Region::half_space(Vec3::ZERO, Vec3::NEG_X);
    let mut heat = PhaseChange::new(&world, [ice, water], [-1.0, 1.0])
        .unwrap()
        .initial_temperatures([-5.0, 20.0])
        .unwrap()
        .surroundings(-5.0, 2.0)
        .unwrap();
    heat.set_regions(vec![TemperatureRegion { region: warm, temperature: 10.0, exchange_rate: 2.0 }]).unwrap();
    // T = 10 − 15 exp(−2 t) passes 1 after ½ ln(15/9) = 0.2554 s, the 16th frame.
    let mut cpu = cpu();
    let mut first = None;
    for frame in 1..=60 {
        let thawing = heat.step(&mut world, 1.0 / 60.0, SlotSelection::Lowest).unwrap();
        assert_eq!(thawing.frozen.from, []);
        if !thawing.melted.from.is_empty() {
            assert_eq!(first.replace(frame), None, "all of one half at once");
            assert_eq!(thawing.melted.from, (64..128).collect::<Vec<_>>());
        }
        world.step(&mut cpu, 1.0 / 60.0).unwrap();
    }
    assert_eq!(first, Some(16));
    assert_eq!(world.active_count(water).unwrap(), 64);
    assert!(heat.temperature(water, 0).unwrap() > 5.0, "it keeps its temperature");
    // Now it is cold everywhere: 64 drops where the ice was freeze back into it.
    heat.set_regions(Vec::new()).unwrap();
    let mut back = 0;
    for _ in 0..120 {
        let goals = cluster::goals(&world, ice).unwrap();
        let slots = SlotSelection::Nearest { goals: &goals, max_distance: D, snap_to_goal: false };
        let thawing = heat.step(&mut world, 1.0 / 60.0, slots).unwrap();
        assert_eq!(thawing.melted.from, []);
        back += thawing.frozen.from.len();
        world.step(&mut cpu, 1.0 / 60.0).unwrap();
    }
    assert_eq!((back, world.active_count(ice).unwrap()), (64, 128));
    assert!(heat.temperature(ice, 100).unwrap() < -1.0);
}

#[test]
fn who_comes_from_elsewhere_is_fresh() {
    let (mut world, [ice, water]) = ice(false);
    let mut heat =
        PhaseChange::new(&world, [ice, water], [0.0, 2.0]).unwrap().initial_temperatures([-3.0, 9.0]).unwrap();
    let drop = ParticleSpawn { position: Vec3::Y, velocity: Vec3::ZERO };
    world.spawn(water, &[drop; 2]).unwrap();
    heat.set_temperature(&world, water, 1, -4.0).unwrap();
    heat.set_temperature(&world, ice, 7, 3.0).unwrap();
    let thawing = heat.step(&mut world, 0.1, SlotSelection::Lowest).unwrap();
    // Number 7 melts into the third drop, and the second drop freezes into its place.
    assert_eq!((thawing.melted.from, thawing.melted.to), (vec![7], vec![2]));
    assert_eq!((thawing.frozen.from, thawing.frozen.to), (vec![1], vec![7]));
    assert_eq!([0, 2].map(|k| heat.temperature(water, k)), [Some(9.0), Some(3.0)]);
    assert_eq!(heat.temperature(ice, 7), Some(-4.0));
    world.deactivate(water, &[2]).unwrap();
    world.spawn(water, &[drop; 2]).unwrap();
    heat.step(&mut world, 0.1, SlotSelection::Lowest).unwrap();
    assert_eq!([1, 2].map(|k| heat.temperature(water, k)), [Some(9.0); 2]);
}
