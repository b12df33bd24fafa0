//! What is allowed and hard: extreme numbers, empty and degenerate things, edits in contact.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::collide::{Collider, ContactPartner, ContactPhase};
use xpbd_core::world::{Integrator, Object, Settings, World};

use super::contact_shapes::shapes;
use super::support::{Distance, FRAME, Lcg, assert_finite, chain, cpu, links, one_particle, sheet, step, weightless};

fn floor() -> Collider {
    Collider::new(SharedShape::halfspace(Vec3::Y))
}

#[test]
fn nothing_one_and_no_constraints() {
    let mut world = World::new(Settings::default()).unwrap();
    step(&mut world, 2);
    let empty = world.add(Object::new("empty", Vec::new(), 1.0).with(links(&[], &[], 0.0))).unwrap();
    let one = world.add(Object::new("one", vec![Vec3::Y], 1.0).with(links(&[], &[], 0.0))).unwrap();
    world.add_collider(floor()).unwrap();
    step(&mut world, 60);
    assert_eq!(world.positions(empty).unwrap().len(), 0);
    assert!(!world.is_frozen(empty).unwrap());
    assert!(world.position(one, 0).unwrap().y < 0.5);
    let saved = world.snapshot().unwrap();
    world.remove(one).unwrap();
    step(&mut world, 1);
    world.restore(&saved).unwrap();
    step(&mut world, 1);
    world.remove(empty).unwrap();
    assert_eq!(world.objects(), [one]);
}

#[test]
fn two_particles_at_one_point() {
    // A distance has no gradient there, so that constraint does nothing; a contact pushes along y.
    let mut world = World::new(weightless()).unwrap();
    let linked = links(&[Vec3::ZERO, Vec3::X], &[[0, 1]], 0.0);
    let linked = world.add(Object::new("linked", vec![Vec3::ONE; 2], 1.0).with(linked)).unwrap();
    let mut loose = Object::new("loose", vec![Vec3::ZERO; 2], 1.0);
    loose.rest_positions = vec![Vec3::ZERO, Vec3::X];
    loose.collision_layers.self_collision = true;
    let loose = world.add(loose).unwrap();
    step(&mut world, 30);
    assert!(world.positions(linked).unwrap().all(|x| x == Vec3::ONE));
    let apart = world.position(loose, 0).unwrap() - world.position(loose, 1).unwrap();
    assert!((0.02 - 1e-5..0.6).contains(&apart.length()), "{apart}");
    assert!(apart.normalize().y.abs() > 0.999);
}

#[test]
fn rotations_that_are_not_unit_are_normalized() {
    let mut world = World::new(Settings::default()).unwrap();
    let thrice = Quat::from_xyzw(0.0, 0.0, 3.0 * 0.5_f32.sqrt(), 3.0 * 0.5_f32.sqrt());
    let body = world.add_body(Body::kinematic(Pose::from_parts(Vec3::ZERO, thrice))).unwrap();
    assert!((world.body_pose(body).unwrap().rotation.length() - 1.0).abs() < 1e-6);
    world.move_body(body, Pose::from_parts(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 1e-3))).unwrap();
    // A box 2 m long along x, turned upright: its top is 1 m high.
    let tall = Collider::new(SharedShape::cuboid(1.0, 0.1, 0.1)).rotation(thrice);
    world.add_collider(tall).unwrap();
    let object = world.add(Object::new("one", vec![Vec3::Y * 1.05], 1.0)).unwrap();
    step(&mut world, 60);
    assert!((world.body_pose(body).unwrap().rotation.w - 1.0).abs() < 1e-6);
    let y = world.position(object, 0).unwrap().y;
    assert!((y - 1.01).abs() < 1e-3, "{y}");
}

#[test]
fn extreme_places_and_speeds_by_every_shape() {
    let mut random = Lcg::new(21);
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let mut world = World::new(Settings { substeps: 5, integrator, ..Settings::default() }).unwrap();
        for (k, (_, shape)) in shapes().into_iter().enumerate() {
            world.add_collider(Collider::new(shape).at(Vec3::X * (3.0 * k as f32))).unwrap();
        }
        let calm = world.add(sheet("calm", Vec3::new(0.0, 60.0, 0.0), 4, 0.05)).unwrap();
        for _ in 0..40 {
            let speed = [1e6, 1e12, 1e25, 1e38][random.below(4)];
            let place = [1.0, 1e3, 1e6, 1e30][random.below(4)];
            let points = (0..6).map(|_| random.vector(place)).collect::<Vec<_>>();
            let mut object = Object::new("wild", points.clone(), 1.0);
            object.velocities = (0..6).map(|_| random.vector(speed)).collect();
            object.collision_layers.self_collision = random.below(2) == 0;
            if random.below(2) == 0 {
                object = object.with(Batch::new(Distance, &[[0, 1], [1, 2], [3, 4]], &[[1.0]; 3]).unwrap());
            }
            world.add(object).unwrap();
        }
        let mut cpu = cpu();
        for _ in 0..20 {
            world.step(&mut cpu, FRAME).unwrap();
            assert_finite(&world);
        }
        assert!(!world.is_frozen(calm).unwrap());
        // 20 frames of free fall from 60 m.
        let fallen = 60.0 - world.position(calm, 5).unwrap().y;
        assert!((fallen - 0.5 * 9.81 / 9.0).abs() < 0.03, "{integrator:?}: {fallen}");
    }
}

#[test]
fn a_million_metres_a_second_is_kept() {
    let (mut world, object) = one_particle(weightless(), Vec3::ZERO);
    world.set_position(object, 0, Vec3::ZERO, Vec3::X * 1e6).unwrap();
    step(&mut world, 60);
    let x = world.position(object, 0).unwrap().x;
    assert!((x - 1e6).abs() < 2.0, "{x}");
}

#[test]
fn short_long_and_alternating_frames() {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let lengths: [&[f32]; 3] = [&[1e-9], &[10.0], &[1.0 / 30.0, 1.0 / 144.0]];
        for lengths in lengths {
            let mut world = World::new(Settings { integrator, ..Settings::default() }).unwrap();
            let hung = world.add(chain("hung", Vec3::Y, 10, 0.05).pin([0])).unwrap();
            let soft = links(&[Vec3::ZERO, Vec3::X], &[[0, 1]], 1e-3).damping(1.0);
            world.add(Object::new("soft", vec![Vec3::Y, Vec3::Y + Vec3::X], 1.0).with(soft)).unwrap();
            world.add(sheet("fallen", Vec3::new(1.0, 0.1, 0.0), 6, 0.05)).unwrap();
            world.add_collider(floor()).unwrap();
            let mut cpu = cpu();
            for k in 0..120 {
                let report = world.step(&mut cpu, lengths[k % lengths.len()]).unwrap();
                assert!(report.frozen.is_empty(), "{integrator:?} {lengths:?} frame {k}");
                assert_finite(&world);
            }
            let length = world.position(hung, 9).unwrap().distance(world.position(hung, 0).unwrap());
            // 9 links of 5 cm; the error of a sweep is about g h² n²/2.
            let longest = lengths.iter().fold(0.0_f32, |a, &b| a.max(b)) / 20.0;
            assert!(length < 0.45 + 1e-3 + 9.81 * longest * longest * 50.0, "{integrator:?} {lengths:?}: {length}");
        }
    }
}

#[test]
fn a_vanishing_frame_freezes_nothing() {
    for dt in [1e-12, 1e-20, 1e-30, f32::MIN_POSITIVE, 1e-45] {
        let mut world = World::new(Settings::default()).unwrap();
        let hung = world.add(chain("hung", Vec3::Y, 10, 0.05).pin([0])).unwrap();
        let report = world.step(&mut cpu(), dt).unwrap();
        assert!(report.frozen.is_empty(), "dt = {dt}");
        assert!(world.positions(hung).unwrap().all(|x| x.y == 1.0), "dt = {dt}");
    }
}

#[test]
fn removing_an_object_or_a_collider_in_contact() {
    let mut world = World::new(Settings::default()).unwrap();
    let ground = world.add_collider(floor()).unwrap();
    let below = world.add(Object::new("below", vec![Vec3::Y * 0.01], 1.0)).unwrap();
    let above = world.add(Object::new("above", vec![Vec3::Y * 0.03], 1.0)).unwrap();
    step(&mut world, 20);
    assert_eq!(world.contacts().len(), 2, "{:?}", world.contacts());
    world.remove(below).unwrap();
    step(&mut world, 1);
    let ended = world
        .contacts()
        .iter()
        .filter(|contact| contact.object == below || contact.other == ContactPartner::Object(below));
    assert!(ended.clone().count() > 0 && ended.clone().all(|contact| contact.phase == ContactPhase::End));
    step(&mut world, 60);
    assert!((world.position(above, 0).unwrap().y - 0.01).abs() < 1e-3, "it now rests on the floor");
    world.remove_collider(ground).unwrap();
    step(&mut world, 30);
    assert!(world.position(above, 0).unwrap().y < -0.5, "it falls");
    assert!(world.contacts().is_empty());
}

#[test]
fn a_crowd_at_one_point_fills_its_buffers_and_says_so() {
    let count = 5000;
    let mut world = World::new(Settings { substeps: 4, particle_radius: 0.005, ..weightless() }).unwrap();
    let mut crowd = Object::new("crowd", vec![Vec3::ONE; count], 0.001);
    crowd.rest_positions = (0..count).map(|k| Vec3::X * k as f32).collect();
    crowd.collision_layers.self_collision = true;
    let crowd = world.add(crowd).unwrap();
    let mut cpu = cpu();
    for frame in 0..3 {
        let report = world.step(&mut cpu, FRAME).unwrap();
        assert!(frame > 0 || report.dropped_contacts > 1_000_000, "{}", report.dropped_contacts);
        assert!(report.frozen.is_empty());
    }
    assert_finite(&world);
    let fastest = world.velocities(crowd).unwrap().map(Vec3::length).fold(0.0, f32::max);
    assert!(fastest < 60.0, "{fastest} m/s out of nothing");
}

#[test]
fn a_teleported_collider_throws_nothing() {
    let v_max = Settings::default().max_depenetration_speed;
    for on_body in [false, true] {
        let mut world = World::new(Settings::default()).unwrap();
        let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
        let slab = Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0));
        let slab = world.add_collider(if on_body { slab.attached_to(body) } else { slab }).unwrap();
        let object = world.add(Object::new("one", vec![Vec3::Y * 0.11], 1.0)).unwrap();
        step(&mut world, 10);
        // A jump of 6 cm into the particle, and one of 50 m sideways, in one frame each.
        for jump in [Vec3::new(0.0, 0.06, 0.0), Vec3::new(50.0, 0.06, 0.0)] {
            if on_body {
                world.set_body_pose(body, Pose::from_parts(jump, Quat::IDENTITY)).unwrap();
            } else {
                world.edit_collider(slab, |collider| collider.pose.translation = jump).unwrap();
            }
            step(&mut world, 1);
            let v = world.velocity(object, 0).unwrap();
            assert!(v.x.abs() < 1e-3 && v.z.abs() < 1e-3, "{v}");
            assert!(v.y < v_max * 1.001, "{v}");
        }
    }
}

#[test]
fn contacts_far_away_and_hard_have_a_point_and_a_normal() {
    // Two particles on the floor, so far and so heavy that place × impulse leaves the numbers.
    let far = 1e11;
    let mut world = World::new(Settings::default()).unwrap();
    world.add_collider(floor()).unwrap();
    let points = vec![Vec3::new(far, 0.01, 0.0), Vec3::new(far, 0.01, far)];
    let mut object = Object::new("heavy", points, 1e19);
    object.velocities = vec![Vec3::NEG_Y * 1e9; 2];
    world.add(object).unwrap();
    step(&mut world, 1);
    let [contact] = world.contacts() else { panic!("{:?}", world.contacts()) };
    assert!((contact.normal - Vec3::Y).length() < 1e-6, "{contact:?}");
    let middle = Vec3::new(1.0, 0.0, 0.5);
    assert!((contact.point / far - middle).length() < 1e-3, "{contact:?}");
}
