use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;

const FRAME: f32 = 1.0 / 60.0;

fn floor(world: &mut World, turned: Quat, mu: f32) {
    world
        .add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).turned(turned).friction(Friction::new(mu)))
        .unwrap();
}

fn block(world: &mut World, pose: Pose, half: Vec3, mass: f32, mu: f32) -> BodyHandle {
    let body = world.add_body(Body::dynamic(pose, Mass::cuboid(mass, half))).unwrap();
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    world.add_collider(Collider::new(shape).on(body).friction(Friction::new(mu))).unwrap();
    body
}

#[test]
fn experiment_stack() {
    for (substeps, top) in [(4, 1.0), (10, 1.0), (20, 1.0), (20, 100.0), (20, 1000.0)] {
        let mut world = World::new(Settings { substeps, ..Settings::default() }).unwrap();
        floor(&mut world, Quat::IDENTITY, 0.5);
        let boxes: Vec<_> = (0..10)
            .map(|k| {
                block(
                    &mut world,
                    Pose::translation(0.0, 0.5 + k as f32, 0.0),
                    Vec3::splat(0.5),
                    if k == 9 { top } else { 1.0 },
                    0.5,
                )
            })
            .collect();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        for frame in 0..600 {
            let report = world.step(&mut cpu, FRAME).unwrap();
            if [0, 10, 60, 120, 300, 599].contains(&frame) {
                let top = world.body(boxes[9]).unwrap();
                let low = world.body(boxes[0]).unwrap();
                let speed = boxes.iter().map(|&b| world.body(b).unwrap().velocity.length()).fold(0.0, f32::max);
                println!(
                    "{substeps} {frame}: top {} low {} speed {speed} contacts {}",
                    top.pose.translation,
                    low.pose.translation.y - 0.5,
                    report.body_contacts
                );
            }
        }
    }
}

#[test]
fn experiment_incline() {
    let angle = 0.4f32;
    for ratio in [0.8, 1.2] {
        let mut world = World::new(Settings::default()).unwrap();
        let turned = Quat::from_rotation_z(-angle);
        let mu = angle.tan() / ratio;
        floor(&mut world, turned, mu);
        let body = block(
            &mut world,
            Pose::from_parts(turned * Vec3::new(0.0, 0.25, 0.0), turned),
            Vec3::new(0.5, 0.25, 0.5),
            1.0,
            mu,
        );
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        let start = world.body(body).unwrap().pose.translation;
        let mut early = start;
        for frame in 0..600 {
            world.step(&mut cpu, FRAME).unwrap();
            if frame == 60 {
                early = world.body(body).unwrap().pose.translation;
            }
        }
        let end = world.body(body).unwrap();
        let a = 9.81 * (angle.sin() - mu * angle.cos());
        println!(
            "{ratio}: moved {} since 1 s {}; expected {} speed {}",
            (end.pose.translation - start).length(),
            (end.pose.translation - early).length(),
            0.5 * a * 100.0,
            end.velocity.length()
        );
    }
}

#[test]
fn experiment_bounce_and_roll() {
    for e in [0.5, 1.0] {
        let mut world = World::new(Settings::default()).unwrap();
        floor(&mut world, Quat::IDENTITY, 0.5);
        let body = world.add_body(Body::dynamic(Pose::translation(0.0, 1.1, 0.0), Mass::ball(1.0, 0.1))).unwrap();
        world.add_collider(Collider::new(SharedShape::ball(0.1)).on(body).restitution(e)).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        let (mut highest, mut bounced) = (0.0f32, 0);
        let mut was = 0.0;
        for _ in 0..600 {
            world.step(&mut cpu, FRAME).unwrap();
            let b = world.body(body).unwrap();
            if was < 0.0 && b.velocity.y > 0.0 {
                println!("e {e} bounce {bounced} highest before {highest}");
                bounced += 1;
                highest = 0.0;
            }
            was = b.velocity.y;
            highest = highest.max(b.pose.translation.y - 0.1);
        }
    }
    let angle = 0.3f32;
    let mut world = World::new(Settings::default()).unwrap();
    let turned = Quat::from_rotation_z(-angle);
    floor(&mut world, turned, 0.5);
    let body = world
        .add_body(Body::dynamic(Pose::from_translation(turned * Vec3::new(0.0, 0.1, 0.0)), Mass::ball(1.0, 0.1)))
        .unwrap();
    world.add_collider(Collider::new(SharedShape::ball(0.1)).on(body).friction(Friction::new(0.5))).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..60).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let v = world.body(body).unwrap().velocity.length();
    println!("roll {v} expected {}", 5.0 / 7.0 * 9.81 * angle.sin());
}
