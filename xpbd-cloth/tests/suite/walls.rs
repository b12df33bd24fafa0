//! Rods and ropes, which are solved directly, against colliders.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Rod, Rope};
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::scalar::trig;
use xpbd_core::world::{Settings, World};

const FRAME: f32 = 1.0 / 60.0;

/// A rod of hard rubber that hits a wall with its end, at a speed and a slope, in so many frames of as many substeps. Returns
/// how deep its surface has been in the wall \[m\], and the largest compression of a segment \[1\].
fn hit([frames, substeps]: [u16; 2], speed: f32, slope: f32) -> [f32; 2] {
    const RADIUS: f32 = 0.02;
    const SEGMENT: f32 = 0.6 / 14.0;
    let settings =
        Settings { particle_radius: RADIUS, substeps: substeps.into(), gravity: Vec3::ZERO, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::NEG_X))).unwrap();
    let (front, way) = (Vec3::NEG_X * 0.1, Vec3::new(1.0, slope, 0.0).normalize());
    let rod = Rod::between(front, front - way * (14.0 * SEGMENT), 14).velocity(Vec3::X * speed, Vec3::ZERO);
    let rod = rod.youngs_modulus(1e7).density(1100.0).add_to(&mut world).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let (mut deepest, mut compression) = (0.0_f32, 0.0_f32);
    for _ in 0..frames {
        world.step(&mut cpu, 40.0 * FRAME / f32::from(frames)).unwrap();
        let points: Vec<Vec3> = world.positions(rod.object()).unwrap().collect();
        deepest = points.iter().fold(deepest, |deepest, x| deepest.max(x.x + RADIUS));
        let lengths = points.windows(2).map(|ends| ends[0].distance(ends[1]));
        compression = lengths.fold(compression, |most, length| most.max(1.0 - length / SEGMENT));
    }
    [deepest, compression]
}

#[test]
fn the_end_of_a_rod_does_not_enter_the_wall_that_it_hits() {
    for substeps in [5, 10, 20] {
        for (speed, slope) in [(3.0, 0.0), (3.0, 0.3), (10.0, 0.0), (10.0, 0.3), (30.0, 0.1)] {
            let [deepest, _] = hit([40, substeps], speed, slope);
            assert!(deepest < 3e-4, "{substeps} substeps, {speed} m/s, slope {slope}: {deepest} m");
        }
    }
}

/// After a time t a wave of stress has come c t = √(E/ρ) t far from the end that is stopped, and the rest has gone on by v t:
/// what is behind the wave is compressed by v/c. Waves in 14 segments with 20 substeps a frame are that sharp within 6 %.
#[test]
fn a_rod_that_hits_a_wall_is_compressed_as_a_wave_of_stress_says() {
    for speed in [3.0, 10.0] {
        let [_, compression] = hit([200, 4], speed, 0.0);
        let expected = speed / (1e7_f32 / 1100.0).sqrt();
        assert!((compression / expected - 1.0).abs() < 0.06, "{speed} m/s: {compression}, not {expected}");
    }
}

/// The wall pushes the rod off its expected way, so that contacts are found anew within frames.
#[test]
fn a_wall_on_a_fixed_body_stops_a_rod_as_one_on_none_does() {
    let hit = |is_on_body: bool| {
        let settings = Settings { particle_radius: 0.02, gravity: Vec3::ZERO, ..Settings::default() };
        let (mut world, place) = (World::new(settings).unwrap(), Pose::translation(0.5, 0.2, 0.0));
        let wall = Collider::new(SharedShape::halfspace(Vec3::NEG_X));
        if is_on_body {
            let body = world.add_body(Body::fixed(place)).unwrap();
            world.add_collider(wall.attached_to(body)).unwrap();
        } else {
            world.add_collider(wall.at(place.translation)).unwrap();
        }
        let (front, way) = (Vec3::X * 0.4, Vec3::new(1.0, 0.3, 0.0).normalize());
        let rod = Rod::between(front, front - way * 0.6, 14).velocity(Vec3::X * 10.0, Vec3::ZERO);
        let rod = rod.youngs_modulus(1e7).density(1100.0).add_to(&mut world).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        (0..40).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        world.positions(rod.object()).unwrap().collect::<Vec<Vec3>>()
    };
    assert_eq!(hit(true), hit(false));
}

/// A rope from a pin over a cylinder, with a force of many times the weight of a link at its end. Returns how deep it has been
/// in the cylinder \[m\], the height of its end \[m\], and the largest speed on the cylinder in the
/// last second \[m/s\].
fn lie(substeps: u32, ratio: f32) -> [f32; 3] {
    const RADIUS: f32 = 0.01;
    const ROUND: f32 = 0.1;
    let settings = Settings { particle_radius: RADIUS, substeps, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let pose = Pose::rotation(Vec3::X * FRAC_PI_2);
    world.add_collider(Collider { pose, ..Collider::new(SharedShape::cylinder(1.0, ROUND)) }).unwrap();
    let around = 1.12 * ROUND;
    let corner = 0.4 + FRAC_PI_2 * around;
    let point = |k: u16| {
        let way = 0.025 * f32::from(k);
        let angle = (way - 0.4).clamp(0.0, corner - 0.4) / around;
        let on = Vec3::new(trig::sin(angle), trig::cos(angle), 0.0) * around;
        on + Vec3::X * (way - 0.4).min(0.0) + Vec3::NEG_Y * (way - corner).max(0.0)
    };
    let points: Vec<Vec3> = (0..=40).map(point).collect();
    let rope = world.add(Rope::from_points(&points).pin([0]).build().unwrap()).unwrap();
    let force = Vec3::NEG_Y * (9.81 * ratio * world.state().particles.mass[39]);
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let (mut deepest, mut fastest) = (0.0_f32, 0.0_f32);
    for frame in 0..600 {
        world.add_force(rope, 40, force).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        let heights = world.positions(rope).unwrap().map(|x| x.truncate().length() - ROUND - RADIUS);
        deepest = heights.fold(deepest, |deepest, height| deepest.max(-height));
        if frame >= 540 {
            let lying = world.velocities(rope).unwrap().skip(14).take(10);
            fastest = lying.fold(fastest, |most, velocity| most.max(velocity.length()));
        }
    }
    [deepest, world.position(rope, 40).unwrap().y, fastest]
}

/// The arc that the rope lies on is shorter than the quarter that it began around, at a larger radius; its links are chords.
/// Under a thousand times its weight it trembles where it leaves the cylinder, unless the substeps are small.
#[test]
fn a_rope_under_a_load_lies_on_a_cylinder_and_not_in_it() {
    for (substeps, ratio, rests) in
        [(10, 10.0, true), (10, 100.0, true), (20, 1000.0, true), (10, 1000.0, false), (4, 100.0, false)]
    {
        let [deepest, end, fastest] = lie(substeps, ratio);
        assert!(deepest < 1e-4, "{substeps} substeps, {ratio}: {deepest} m");
        assert!((end + 0.425).abs() < 5e-3, "{substeps} substeps, {ratio}: {end} m");
        assert!(!rests || fastest < 2e-3, "{substeps} substeps, {ratio}: {fastest} m/s");
    }
}
