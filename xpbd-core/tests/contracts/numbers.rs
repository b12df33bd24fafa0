//! Numbers of constraints and pins change every frame, without a new plan.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::{Constraint, Points};
use xpbd_core::scalar::Real;
use xpbd_core::world::{BatchHandle, Friction, Object, ObjectHandle, Settings, UpdateOutcome, World};

use crate::support::{FRAME, cpu, refused, sheet, step, weightless};

xpbd_core::parameters! {
    struct SpringParameters<S> {
        /// Length at rest [m].
        rest_length: S,
    }
}

struct Spring;

impl Constraint<2, 1> for Spring {
    type Parameters<S: Copy> = SpringParameters<S>;

    const NAME: &'static str = "test-spring";

    fn value<S: Real>(x: &Points<S, 2>, spring: SpringParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - spring.rest_length]
    }
}

/// Returns a sheet of 64 particles with springs across it.
fn world() -> (World, ObjectHandle, BatchHandle) {
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
    let links: Vec<_> = (0..32).map(|k| [k, 63 - k]).collect();
    let springs = vec![SpringParameters { rest_length: 0.5 }; links.len()];
    let springs = Batch::new(Spring, &links, &springs).unwrap().compliance(1e-3);
    let object = world.add(sheet("sheet", Vec3::ZERO, 8, 0.1).pin([0, 7]).with(springs)).unwrap();
    let batch = world.batches_of(object)[1];
    (world, object, batch)
}

/// Changes every number of the springs to what it is in this frame.
fn change(world: &mut World, batch: BatchHandle, frame: usize) {
    let part = frame as f32 / 30.0;
    world
        .edit_parameters(batch, |springs| {
            for k in 0..springs.len() {
                springs.set_parameters(k, SpringParameters { rest_length: 0.5 + 0.2 * part }).unwrap();
                springs.set_compliance(k, 1e-3 * (1.0 - 0.5 * part));
                springs.set_damping(k, if frame.is_multiple_of(2) { 0.0 } else { 5.0 + k as f32 });
                springs.set_break_limits(k, [1e6 + frame as f32, f32::INFINITY]);
            }
        })
        .unwrap();
}

#[test]
fn numbers_that_change_every_frame_make_no_plan() {
    let (mut world, _, batch) = world();
    step(&mut world, 1);
    let plans = world.plan_generation();
    for frame in 0..20 {
        change(&mut world, batch, frame);
        step(&mut world, 1);
    }
    assert_eq!(world.plan_generation(), plans);
    world.edit_batch(batch, |_| {}).unwrap();
    step(&mut world, 1);
    assert_eq!(world.plan_generation(), plans + 1, "an edit of topology makes one");
}

#[test]
fn numbers_written_to_a_plan_give_the_bits_of_a_new_plan() {
    let ((mut kept, _, batch), (mut replanned, ..)) = (world(), world());
    for frame in 0..20 {
        for world in [&mut kept, &mut replanned] {
            change(world, batch, frame);
        }
        // A plan made anew reads all numbers from the batches.
        let saved = replanned.snapshot().unwrap();
        replanned.restore(&saved).unwrap();
        step(&mut kept, 1);
        step(&mut replanned, 1);
        assert_eq!(kept.state_hash(), replanned.state_hash(), "frame {frame}");
    }
    assert!(kept.snapshot().unwrap() == replanned.snapshot().unwrap());
}

#[test]
fn pins_of_particles_that_were_free_make_no_plan_and_keep_the_bits_of_a_snapshot() {
    let ((mut kept, object, _), (mut restored, ..)) = (world(), world());
    step(&mut kept, 1);
    step(&mut restored, 1);
    let plans = kept.plan_generation();
    for frame in 0..20 {
        for world in [&mut kept, &mut restored] {
            world.set_pinned(object, 20 + frame % 3, frame % 4 < 2).unwrap();
        }
        let saved = restored.snapshot().unwrap();
        restored.restore(&saved).unwrap();
        step(&mut kept, 1);
        step(&mut restored, 1);
        assert_eq!(kept.state_hash(), restored.state_hash(), "frame {frame}");
    }
    assert_eq!(kept.plan_generation(), plans);
    kept.set_pinned(object, 0, false).unwrap();
    step(&mut kept, 1);
    assert_eq!(kept.plan_generation(), plans + 1, "a particle that was never free");
}

#[test]
fn numbers_that_are_not_valid_leave_the_batch_as_it_was() {
    let (mut world, _, batch) = world();
    step(&mut world, 1);
    for wrong in [f32::NAN, f32::INFINITY] {
        let error = refused(&mut world, |world| {
            world.edit_parameters(batch, |springs| {
                springs.set_compliance(0, 1.0);
                springs.parameters_mut(3)[0] = 0.1;
                springs.parameters_mut(4)[0] = wrong;
            })
        });
        assert!(error.to_string().contains("parameter `rest_length` of constraint 4"), "{error}");
    }
    for wrong in [-1.0, f32::NAN] {
        refused(&mut world, |world| world.edit_parameters(batch, |springs| springs.set_compliance(1, wrong)));
        refused(&mut world, |world| world.edit_parameters(batch, |springs| springs.set_damping(1, wrong)));
        refused(&mut world, |world| world.edit_parameters(batch, |springs| springs.set_break_limits(1, [wrong, 1.0])));
    }
    let springs = world.batch(batch).unwrap().traced().unwrap();
    assert_eq!((springs.parameters(3), springs.compliance_of(0)), (&[0.5][..], 1e-3));
    assert_eq!(springs.break_limits_of(1), None);
}

#[test]
fn parameters_of_another_type_are_refused() {
    let (mut world, _, batch) = world();
    let mut refused = false;
    world.edit_parameters(batch, |springs| refused = springs.set_parameters(0, [1.0, 2.0]).is_err()).unwrap();
    assert!(refused);
}

/// A mass on a spring that is damped from the tenth frame on comes to rest where it would hang.
#[test]
fn damping_that_becomes_positive_damps() {
    let mut world = World::new(weightless()).unwrap();
    let spring = Batch::new(Spring, &[[0, 1]], &[SpringParameters { rest_length: 1.0 }]).unwrap().compliance(1e-2);
    let object = Object::new("mass", vec![Vec3::ZERO, Vec3::X * 1.5], 1.0).pin([0]).with(spring);
    let object = world.add(object).unwrap();
    let batch = world.batches_of(object)[0];
    let swing = |world: &World| (world.position(object, 1).unwrap().x - 1.0).abs();
    let mut largest = 0.0_f32;
    for _ in 0..60 {
        world.step(&mut cpu(), FRAME).unwrap();
        largest = largest.max(swing(&world));
    }
    assert!(largest > 0.3, "{largest}");
    world.edit_parameters(batch, |spring| spring.set_damping(0, 20.0)).unwrap();
    step(&mut world, 120);
    assert!(swing(&world) < 1e-3, "{}", swing(&world));
}

/// Returns the description of a sheet whose springs have this compliance.
fn described(compliance: f32) -> Object {
    let links: Vec<_> = (0..32).map(|k| [k, 63 - k]).collect();
    let springs = vec![SpringParameters { rest_length: 0.5 }; links.len()];
    let springs = Batch::new(Spring, &links, &springs).unwrap().compliance(compliance);
    sheet("sheet", Vec3::ZERO, 8, 0.1).pin([0, 7]).with(springs)
}

#[test]
fn an_updated_object_keeps_its_motion_and_makes_no_plan() {
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(described(1e-3)).unwrap();
    step(&mut world, 10);
    let positions = |world: &World| world.positions(object).unwrap().collect::<Vec<_>>();
    let (plans, before) = (world.plan_generation(), positions(&world));
    let mut after = described(1e-4).pin([30]);
    after.friction = Friction::new(0.9);
    after.linear_damping = 2.0;
    assert_eq!(world.update_object(object, &described(1e-3), &after).unwrap(), UpdateOutcome::Updated);
    assert_eq!(positions(&world), before);
    let springs = world.batches_of(object)[1];
    assert_eq!(world.batch(springs).unwrap().traced().unwrap().compliance_of(31), 1e-4);
    let state = &world.state().objects.get(object).unwrap();
    assert_eq!((state.friction, state.linear_damping), (Friction::new(0.9), 2.0));
    let held = world.position(object, 30).unwrap();
    step(&mut world, 10);
    assert_eq!(world.plan_generation(), plans);
    assert_eq!(world.position(object, 30).unwrap(), held, "it is pinned");
    assert!(world.position(object, 31).unwrap() != before[31]);
}

#[test]
fn an_update_leaves_numbers_that_both_descriptions_share() {
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(described(1e-3)).unwrap();
    let springs = world.batches_of(object)[1];
    world.edit_parameters(springs, |springs| springs.parameters_mut(4)[0] = 0.7).unwrap();
    world.update_object(object, &described(1e-3), &described(1e-4)).unwrap();
    assert_eq!(world.batch(springs).unwrap().traced().unwrap().parameters(4), [0.7]);
}

#[test]
fn an_update_to_another_topology_changes_nothing() {
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(described(1e-3)).unwrap();
    let saved = world.snapshot().unwrap();
    let larger = sheet("sheet", Vec3::ZERO, 9, 0.1);
    let fewer = sheet("sheet", Vec3::ZERO, 8, 0.1);
    for after in [larger, fewer] {
        let update = world.update_object(object, &described(1e-3), &after).unwrap();
        assert_eq!(update, UpdateOutcome::TopologyDiffers);
    }
    let mut wrong = described(1e-3);
    wrong.linear_damping = -1.0;
    refused(&mut world, |world| world.update_object(object, &described(1e-3), &wrong));
    assert!(world.snapshot().unwrap() == saved);
}
