//! What leaves an opening is where it should be, at whatever frame rate.

use glam::{Quat, Vec2, Vec3};
use parry3d::math::Pose;
use xpbd_fluid::emitter::{Nozzle, NozzleShape, Packing};

use super::support::{D, basin, cpu, down, nearest, present};

/// Returns where the particles are after a time \[s\] of frames of `dt` \[s\], the last of which has only been emitted.
fn after(nozzle: &Nozzle, gravity: bool, dt: f32, frames: usize) -> Vec<Vec3> {
    let (mut world, water) = basin(gravity, 20_000);
    let mut emitter = nozzle.clone().emitter(&world, water).unwrap();
    let mut cpu = cpu();
    for frame in 0..=frames {
        let emission = emitter.step(&mut world, dt).unwrap();
        assert_eq!(emission.rejected, 0);
        if frame < frames {
            world.step(&mut cpu, dt).unwrap();
        }
    }
    assert_eq!(world.active_count(water).unwrap() as u64, emitter.emitted());
    present(&world, water)
}

#[test]
fn layers_leave_one_spacing_apart_at_any_frame_rate() {
    // 0.9 s at 1.3 m/s: layers at 1.17, 1.15, … 0.01 m, 59 of them.
    let opening = NozzleShape::Rectangle { half_extents: Vec2::new(0.03, 0.02) };
    let nozzle = Nozzle::new(opening, 1.3).at(Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.3)));
    let along = Quat::from_rotation_y(0.3) * Vec3::Z;
    let mut all = Vec::new();
    for (dt, frames) in [(0.9, 1), (1.0 / 30.0, 27), (1.0 / 50.0, 45), (0.9 / 131.0, 131)] {
        let mut points = after(&nozzle, false, dt, frames);
        assert_eq!(points.len(), 59 * 6, "{dt}");
        let way = |x: &Vec3| (*x - Vec3::new(1.0, 2.0, 3.0)).dot(along);
        points.sort_by(|a, b| way(b).total_cmp(&way(a)));
        for (k, layer) in points.chunks(6).enumerate() {
            let expected = 0.9 * 1.3 - D * k as f32;
            assert!(layer.iter().all(|x| (way(x) - expected).abs() < 5e-6), "{dt}: layer {k}, {expected}");
        }
        assert!((nearest(&points) - D).abs() < 5e-6);
        all.push(points);
    }
}

#[test]
fn a_free_jet_falls_alike_at_any_frame_rate() {
    let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.011 }, 0.8).at(Pose::IDENTITY);
    let [slow, fast] = [(1.0 / 30.0, 18), (1.0 / 145.0, 87)].map(|(dt, n)| after(&nozzle, true, dt, n));
    assert_eq!((slow.len(), fast.len()), (25, 25));
    for (a, b) in slow.iter().zip(&fast) {
        // Substeps of h let what falls for a time t fall by g h t/2 too far, h = 1/120 and 1/580.
        let t = a.z / 0.8;
        assert!((a.z - b.z).abs() < 1e-5, "{a} {b}");
        let [of_slow, of_fast] = [1.0 / 120.0, 1.0 / 580.0].map(|h: f32| 0.5 * 9.81 * h * t);
        assert!((b.y - a.y) < of_slow - of_fast + 1e-3 && b.y - a.y > -1e-3, "{a} {b}");
        assert!((a.y + 0.5 * 9.81 * t * t).abs() < of_slow + 1e-4, "{a} after {t} s");
    }
}

#[test]
fn every_opening_is_filled_at_rest_density() {
    // Number of particles in a volume, times that of one: near 1 for openings of many spacings.
    let cases = [
        (NozzleShape::Rectangle { half_extents: Vec2::splat(0.2) }, Packing::Cubic, 0.4 * 0.4, 1e-3),
        (NozzleShape::Rectangle { half_extents: Vec2::splat(0.2) }, Packing::Close, 0.4 * 0.4, 0.15),
        (NozzleShape::Disc { radius: 0.2 }, Packing::Cubic, std::f32::consts::PI * 0.04, 0.15),
        (NozzleShape::Disc { radius: 0.2 }, Packing::Close, std::f32::consts::PI * 0.04, 0.15),
    ];
    for (opening, packing, area, tolerance) in cases {
        let (world, water) = basin(false, 10);
        let emitter = Nozzle::new(opening, 2.0).packing(packing).emitter(&world, water).unwrap();
        let filled = emitter.particles_per_second() * f64::from(D * D * D) / f64::from(2.0 * area);
        assert!(filled <= 1.0 + 1e-3 && filled > 1.0 - tolerance, "{opening:?} {packing:?}: {filled}");
    }
    let volumes = [
        (NozzleShape::Cuboid { half_extents: Vec3::new(0.1, 0.2, 0.15) }, Packing::Cubic, 0.2 * 0.4 * 0.3, 1e-3),
        (NozzleShape::Cuboid { half_extents: Vec3::new(0.1, 0.2, 0.15) }, Packing::Close, 0.2 * 0.4 * 0.3, 0.2),
        (NozzleShape::Ball { radius: 0.15 }, Packing::Cubic, 4.188_79 * 0.15 * 0.15 * 0.15, 0.25),
        (NozzleShape::Ball { radius: 0.15 }, Packing::Close, 4.188_79 * 0.15 * 0.15 * 0.15, 0.25),
    ];
    for (opening, packing, volume, tolerance) in volumes {
        let (mut world, water) = basin(false, 10_000);
        let mut emitter = Nozzle::new(opening, 0.0).packing(packing).emitter(&world, water).unwrap();
        for _ in 0..5 {
            emitter.step(&mut world, 1.0).unwrap();
        }
        let points = present(&world, water);
        assert_eq!(points.len(), emitter.particles_per_layer());
        let filled = points.len() as f32 * D * D * D / volume;
        assert!(filled <= 1.0 + 1e-3 && filled > 1.0 - tolerance, "{opening:?} {packing:?}: {filled}");
        let apart = if packing == Packing::Close { 1.122_462 * D } else { D };
        assert!((nearest(&points) - apart).abs() < 1e-5, "{opening:?} {packing:?}: {}", nearest(&points));
    }
}

#[test]
fn layers_of_closest_packing_lie_over_the_gaps() {
    let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.06 }, 1.0).packing(Packing::Close);
    let points = after(&nozzle, false, 0.05, 6);
    assert!(points.len() > 100);
    assert!((nearest(&points) - 1.122_462 * D).abs() < 1e-5, "{}", nearest(&points));
    // Each inside has 12 neighbours.
    let crowd = |x: &Vec3| points.iter().filter(|y| (x.distance(**y) - 1.122_462 * D).abs() < 1e-4).count();
    assert_eq!(points.iter().map(crowd).max(), Some(12));
}

#[test]
fn a_cap_on_the_rate_scatters_them_one_by_one() {
    let nozzle = Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::splat(0.05) }, 1.0).rate(200.0);
    for (dt, frames) in [(1.0 / 30.0, 30), (1.0 / 144.0, 144)] {
        let points = after(&nozzle, false, dt, frames);
        assert!((200..=201).contains(&points.len()), "{}", points.len());
        // Never nearer than at rest density, and 5 mm from one to the next along the way.
        assert!(nearest(&points) > D - 1e-5);
        let mut ways: Vec<f32> = points.iter().map(|x| x.z).collect();
        ways.sort_by(f32::total_cmp);
        assert!(ways.windows(2).all(|pair| (pair[1] - pair[0] - 0.005).abs() < 1e-5));
        // All 25 sites have their turn.
        let mut sites: Vec<_> = points.iter().map(|x| ((x.x / D).round() as i32, (x.y / D).round() as i32)).collect();
        sites.sort_unstable();
        sites.dedup();
        assert_eq!(sites.len(), 25);
    }
    // A cap above what leaves at rest density changes nothing: 25 every 0.02 s.
    let (world, water) = basin(false, 10);
    let emitter = nozzle.rate(1e6).emitter(&world, water).unwrap();
    assert!((emitter.particles_per_second() - 1250.0).abs() < 1e-3);
}

#[test]
fn jitter_stays_within_its_bound_and_is_the_same_every_time() {
    let nozzle = Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::splat(0.06) }, 1.0);
    let [plain, shaken] = [nozzle.clone(), nozzle.jitter(0.2)].map(|nozzle| after(&nozzle, false, 0.1, 5));
    assert_eq!(plain.len(), shaken.len());
    let off: Vec<Vec3> = plain.iter().zip(&shaken).map(|(a, b)| (*b - *a) / D).collect();
    assert!(off.iter().all(|x| x.abs().max_element() <= 0.2 + 1e-4));
    assert!(off.iter().any(|x| x.x > 0.15) && off.iter().any(|x| x.z < -0.15));
    assert_eq!(
        after(&Nozzle::new(NozzleShape::Rectangle { half_extents: Vec2::splat(0.06) }, 1.0).jitter(0.2), false, 0.1, 5),
        shaken
    );
}

#[test]
fn a_nozzle_that_moves_leaves_a_straight_trail() {
    // Across at 0.6 m/s, out at 1 m/s: particles lie on a line of that slope, evenly.
    for (dt, frames) in [(0.1, 5), (0.02, 25)] {
        let (mut world, water) = basin(false, 1000);
        let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.01 }, 1.0).at(Pose::from_parts(Vec3::ZERO, down()));
        let mut emitter = nozzle.emitter(&world, water).unwrap();
        let mut cpu = cpu();
        for frame in 0..=frames {
            emitter.move_to(Pose::from_parts(Vec3::X * (0.6 * dt * frame as f32), down())).unwrap();
            emitter.step(&mut world, dt).unwrap();
            if frame < frames {
                world.step(&mut cpu, dt).unwrap();
            }
        }
        let mut points = present(&world, water);
        points.sort_by(|a, b| b.y.total_cmp(&a.y));
        assert_eq!(points.len(), 26);
        for (k, x) in points.iter().enumerate() {
            let expected = Vec3::new(0.3 - 0.6 * 0.02 * k as f32, -0.02 * k as f32, 0.0);
            assert!(x.distance(expected) < 1e-5, "{dt}: {x} instead of {expected}");
        }
    }
}

#[test]
fn stopping_and_changing_speed_leave_gaps_and_no_overlaps() {
    let (mut world, water) = basin(false, 1000);
    let mut emitter = Nozzle::new(NozzleShape::Disc { radius: 0.01 }, 1.0).emitter(&world, water).unwrap();
    let mut cpu = cpu();
    let mut run = |emitter: &mut xpbd_fluid::Emitter, world: &mut xpbd_core::world::World, frames: usize| {
        let mut came = 0;
        for _ in 0..frames {
            came += emitter.step(world, 0.01).unwrap().spawned.len();
            world.step(&mut cpu, 0.01).unwrap();
        }
        came
    };
    assert_eq!(run(&mut emitter, &mut world, 10), 5);
    emitter.stop();
    assert_eq!(run(&mut emitter, &mut world, 10), 0);
    emitter.start();
    assert_eq!(run(&mut emitter, &mut world, 1), 1);
    // Half of the way to the next layer has passed; from now on they leave every frame.
    emitter.set_speed(2.0).unwrap();
    assert_eq!(run(&mut emitter, &mut world, 10), 9);
    let fast: Vec<_> = (6..15).map(|k| world.position(water, k).unwrap().z).collect();
    for (k, z) in fast.iter().enumerate() {
        assert!((z - (0.19 - 0.02 * k as f32)).abs() < 1e-5, "{fast:?}");
    }
    let (mut world, water) = basin(false, 1000);
    let counted = Nozzle::new(NozzleShape::Disc { radius: 0.03 }, 1.0).max_particles(17);
    let mut emitter = counted.emitter(&world, water).unwrap();
    assert_eq!(run(&mut emitter, &mut world, 100), 17);
    assert!(!emitter.is_running());
}
