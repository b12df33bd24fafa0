//! Same inputs, same bits: for any number of threads, and whatever else is in the world.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Integrator, Object, Settings, StepError, World, WorldError};

use super::support::{FRAME, bits, chain, cpu, refused, sheet, step};

/// What a run has met, and the bits at its end.
#[derive(Debug, PartialEq)]
struct Run {
    hash: u64,
    shape_contacts: usize,
    self_contacts: usize,
}

/// Returns a sheet of 48 × 48 particles, slightly rolled, that falls over a turning box and onto itself.
fn drape(settings: Settings, threads: Threads, frames: usize) -> Run {
    let mut world = World::new(Settings { substeps: 8, particle_radius: 0.011, ..settings }).unwrap();
    let mut cloth = sheet("cloth", Vec3::new(-0.6, 0.0, -0.6), 48, 0.025);
    cloth.collision_layers.self_collision = true;
    cloth.rest_positions = cloth.positions.clone();
    // Rolled up to three layers, 3 cm apart.
    for x in &mut cloth.positions {
        let along = x.x + 0.6;
        let layer = (along / 0.4).floor();
        let way = along - 0.4 * layer;
        let way = if layer as i32 % 2 == 0 { way } else { 0.4 - way };
        *x = Vec3::new(way - 0.2, 0.35 + 0.03 * layer, x.z);
    }
    world.add(cloth).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(0.1, 0.3, 0.2)).attached_to(body)).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let mut cpu = CpuBackend::new(threads);
    let mut run = Run { hash: 0, shape_contacts: 0, self_contacts: 0 };
    let turn = Quat::from_xyzw(0.0, 0.1, 0.0, 0.995).normalize();
    let mut rotation = Quat::IDENTITY;
    for _ in 0..frames {
        rotation = turn * rotation;
        world.move_body(body, Pose::from_parts(Vec3::ZERO, rotation)).unwrap();
        let report = world.step(&mut cpu, FRAME).unwrap();
        assert!(report.frozen.is_empty());
        run.shape_contacts = run.shape_contacts.max(report.shape_contacts);
        run.self_contacts = run.self_contacts.max(report.particle_contacts_active);
    }
    run.hash = world.state_hash();
    run
}

fn same_for_threads(settings: Settings) {
    let one = drape(settings.clone(), Threads::Exactly(1), 25);
    assert!(one.shape_contacts > 200 && one.self_contacts > 200, "the scene shows too little: {one:?}");
    for threads in [Threads::Exactly(2), Threads::Exactly(7), Threads::UpTo(3)] {
        assert_eq!(drape(settings.clone(), threads, 25), one, "{threads:?}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    same_for_threads(Settings::default());
}

#[test]
fn same_bits_for_any_number_of_threads_with_a_jacobi_remainder_and_second_order() {
    let schedule = ScheduleSettings { max_colours: 2, ..ScheduleSettings::default() };
    same_for_threads(Settings { integrator: Integrator::SecondOrder, iterations: 2, schedule, ..Settings::default() });
}

#[test]
fn same_bits_for_any_number_of_threads_in_sequential_order() {
    let schedule = ScheduleSettings { order: ScheduleOrder::Sequential, ..ScheduleSettings::default() };
    same_for_threads(Settings { schedule, ..Settings::default() });
}

#[test]
fn one_back_end_may_serve_several_worlds() {
    let build = |height: f32| {
        let mut world = World::new(Settings::default()).unwrap();
        world.add(chain("chain", Vec3::Y * height, 20, 0.05).pin([0])).unwrap();
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
        world
    };
    let (mut a, mut b) = (build(0.1), build(0.3));
    step(&mut a, 20);
    step(&mut b, 20);
    let (mut c, mut d, mut shared) = (build(0.1), build(0.3), cpu());
    for _ in 0..20 {
        c.step(&mut shared, FRAME).unwrap();
        d.step(&mut shared, FRAME).unwrap();
    }
    assert_eq!((a.state_hash(), b.state_hash()), (c.state_hash(), d.state_hash()));
}

#[test]
fn handles_survive_the_removal_of_another_object() {
    let mut world = World::new(Settings::default()).unwrap();
    let [a, b, c] = [0.0, 1.0, 2.0].map(|z| world.add(chain("chain", Vec3::Z * z, 5, 0.1).pin([0])).unwrap());
    step(&mut world, 5);
    let (before_a, before_c, links_c) = (bits(&world, a), bits(&world, c), world.batches_of(c));
    world.remove(b).unwrap();
    assert_eq!((bits(&world, a), bits(&world, c)), (before_a, before_c));
    assert_eq!(world.batches_of(c), links_c);
    assert_eq!(world.objects(), [a, c]);
    world.add_force(c, 4, Vec3::Z * 0.1).unwrap();
    step(&mut world, 5);
    assert!(world.velocity(c, 4).unwrap().z > world.velocity(a, 4).unwrap().z + 0.1);
    // A new object may take the place of the removed one, but not its name.
    let d = world.add(chain("new", Vec3::ZERO, 2, 0.1)).unwrap();
    assert_ne!(d, b);
    assert_eq!(refused(&mut world, |world| world.add_force(b, 0, Vec3::X)), WorldError::StaleHandle("object"));
}

#[test]
fn an_object_far_away_changes_no_bit_of_the_others() {
    let run = |guest: Option<u8>| {
        let mut world = World::new(Settings::default()).unwrap();
        let far = || sheet("guest", Vec3::new(50.0, 0.02, 0.0), 6, 0.05);
        let mut visitor = (guest == Some(0)).then(|| world.add(far()).unwrap());
        let cloth = world.add(sheet("host", Vec3::new(0.0, 0.05, 0.0), 8, 0.05).pin([0])).unwrap();
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
        if guest == Some(1) {
            visitor = Some(world.add(far()).unwrap());
        }
        step(&mut world, 20);
        let midway = bits(&world, cloth);
        if let Some(visitor) = visitor {
            world.remove(visitor).unwrap();
        }
        step(&mut world, 20);
        (midway, bits(&world, cloth))
    };
    let alone = run(None);
    assert!(run(Some(0)) == alone, "an object added before");
    assert!(run(Some(1)) == alone, "an object added after");
}

#[test]
fn an_impossible_length_of_frame_changes_nothing() {
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(chain("chain", Vec3::Y, 5, 0.1).pin([0])).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    step(&mut world, 3);
    world.move_pinned(object, 0, Vec3::Y * 1.2).unwrap();
    world.add_force(object, 4, Vec3::X).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    world.move_body(body, Pose::translation(1.0, 0.0, 0.0)).unwrap();
    let (before, hash) = (world.snapshot().unwrap(), world.state_hash());
    for dt in [-FRAME, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(world.step(&mut cpu(), dt), Err(StepError::Dt(_))), "{dt}");
    }
    for dt in [0.0, -0.0] {
        world.step(&mut cpu(), dt).unwrap();
    }
    assert_eq!(world.state_hash(), hash);
    assert!(world.snapshot().unwrap() == before);
    assert_eq!(world.contacts().len(), 0);
}

#[test]
fn particles_keep_their_order_and_number() {
    let mut world = World::new(Settings::default()).unwrap();
    let points: Vec<_> = (0..5).map(|k| Vec3::X * k as f32).collect();
    let object = world.add(Object::new("row", points.clone(), 1.0)).unwrap();
    assert_eq!(world.positions(object).unwrap().collect::<Vec<_>>(), points);
    assert_eq!(world.packed_positions(object).unwrap().len(), 5);
}
