//! Numbers of running objects change without a new object and without a new plan.

use bevy::prelude::*;
use xpbd_bevy::constraint::BatchId;
use xpbd_bevy::object::rope::RopePath;
use xpbd_bevy::prelude::*;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::world::{BatchHandle, ObjectHandle};

use crate::support::{app, points, steps};

/// A sheet of 11 × 11 vertices that hangs by one side.
fn hang_cloth(app: &mut App) -> Entity {
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build();
    let mesh = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet));
    let cloth = Cloth(ClothSettings {
        stretch: Stretch::Edges { stiffness: 1e4 },
        bending: Bending::Dihedral { stiffness: 1e-4 },
        air: Some(Air::default()),
        ..default()
    });
    app.world_mut().spawn((cloth, mesh, Pinned::vertices(0..11), Friction::new(0.3))).id()
}

fn hang_rope(app: &mut App) -> Entity {
    let settings = RopeSettings { stretch: 1e4, bending: 1e-3, ..default() };
    let rope = Rope { settings, ..Rope::between(Vec3::ZERO, Vec3::X, 20, 1.1) };
    app.world_mut().spawn((rope, Pinned::vertices([0]))).id()
}

/// The object of an entity, and the number of plans made.
fn object_and_plans(app: &App, entity: Entity) -> (Option<ObjectHandle>, u64) {
    let physics = app.world().resource::<Physics>();
    (physics.object_of(entity), physics.world().plan_generation())
}

fn velocities(app: &App, entity: Entity) -> Vec<Vec3> {
    let physics = app.world().resource::<Physics>();
    let object = physics.object_of(entity).expect("it has been built");
    let count = physics.world().positions(object).expect("it is in the world").count();
    (0..count).map(|k| physics.world().velocity(object, k).expect("it is in the world")).collect()
}

/// Makes steps, each after a change, and asserts that no particle moves farther in a step than its velocity before or
/// after lets it, but for a part of the largest speed.
fn assert_continuous(app: &mut App, entity: Entity, count: usize, mut change: impl FnMut(&mut App, f32)) {
    for step in 0..count {
        let (before, start) = (points(app, entity), velocities(app, entity));
        change(app, step as f32 / count as f32);
        app.update();
        let end = velocities(app, entity);
        let fastest = start.iter().chain(&end).map(|velocity| velocity.length()).fold(0.0, f32::max);
        for (k, now) in points(app, entity).iter().enumerate() {
            let way = now.distance(before[k]);
            assert!(way < 2.0 * fastest / 60.0 + 1e-3, "particle {k} in step {step}: {way} m at {fastest} m/s");
        }
    }
}

#[test]
fn numbers_of_a_cloth_changed_every_frame_keep_its_motion_object_and_plan() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    steps(&mut app, 20);
    // Only the first release of vertices that have always been held makes a plan.
    *app.world_mut().get_mut::<Pinned>(cloth).unwrap() = Pinned::vertices([0]);
    steps(&mut app, 10);
    let before = object_and_plans(&app, cloth);
    assert_continuous(&mut app, cloth, 40, |app, part| {
        app.insert_resource(Wind::new(Vec3::X * part));
        let mut entity = app.world_mut().entity_mut(cloth);
        let mut described = entity.get_mut::<Cloth>().unwrap();
        described.stretch = Stretch::Edges { stiffness: 1e4 * (1.0 + part) };
        described.bending = Bending::Dihedral { stiffness: 1e-4 * (1.0 + part) };
        described.damping_time = 0.001 * (1.0 + part);
        *entity.get_mut::<Pinned>().unwrap() = Pinned::vertices(0..(1.0 + 10.0 * part) as u32);
        entity.insert((Friction::new(0.3 + 0.1 * part), LinearDamping(0.1 * part)));
        if part > 0.5 {
            entity.insert(SelfCollision);
        }
    });
    assert_eq!(object_and_plans(&app, cloth), before);
    let physics = app.world().resource::<Physics>();
    let object = physics.world().state().objects.get(before.0.unwrap()).unwrap();
    assert!(
        (object.friction.dynamic_coefficient - 0.3975).abs() < 1e-5 && (object.linear_damping - 0.0975).abs() < 1e-5
    );
    assert!(object.collision_layers.self_collision);
}

#[test]
fn numbers_of_a_rope_changed_every_frame_keep_its_motion_object_and_plan() {
    let mut app = app();
    let rope = hang_rope(&mut app);
    steps(&mut app, 20);
    let before = object_and_plans(&app, rope);
    assert_continuous(&mut app, rope, 40, |app, part| {
        let mut entity = app.world_mut().entity_mut(rope);
        let mut described = entity.get_mut::<Rope>().unwrap();
        (described.stretch, described.bending) = (1e4 * (1.0 + part), 1e-3 * (1.0 + part));
        described.damping_time = 0.001 * (1.0 + part);
        entity.insert(LinearDamping(0.1 * part));
    });
    assert_eq!(object_and_plans(&app, rope), before);
}

/// The compliance of the first constraint of a batch.
fn compliance(app: &App, batch: BatchHandle) -> f32 {
    let world = app.world().resource::<Physics>().world();
    world.batch(batch).unwrap().traced().unwrap().compliance_of(0)
}

#[test]
fn numbers_of_a_clamped_rod_changed_every_frame_keep_its_motion_object_and_plan() {
    let mut app = app();
    let settings = RodSettings { youngs_modulus: 1e6, damping_time: 0.01, ..default() };
    let rod = Rod { settings, ..Rod::between(Vec3::ZERO, Vec3::X * 0.5, 8) };
    let rod = app.world_mut().spawn((rod, Clamped::first(), LinearDamping(0.1))).id();
    steps(&mut app, 20);
    let handle = app.world().get::<RodId>(rod).unwrap().handle().clone();
    let state = app.world().resource::<Physics>().world().state();
    let ties: Vec<_> = state.batches.iter().filter(|(_, batch)| batch.bodies.len() == 2).map(|(tie, _)| tie).collect();
    let [clamp] = ties[..] else { panic!("{ties:?}") };
    let (bend, before) = (handle.bend_batch().unwrap(), object_and_plans(&app, rod));
    let compliances = [bend, clamp].map(|batch| compliance(&app, batch));
    assert_continuous(&mut app, rod, 40, |app, part| {
        let mut entity = app.world_mut().entity_mut(rod);
        let mut described = entity.get_mut::<Rod>().unwrap();
        described.youngs_modulus = 1e6 * (1.0 + part);
        described.shear_modulus = Some(4e5 * (1.0 + part));
        described.damping_time = 0.01 * (1.0 + part);
        entity.insert(LinearDamping(0.1 + part));
    });
    assert_eq!(object_and_plans(&app, rod), before);
    for (batch, compliance_before) in [bend, clamp].into_iter().zip(compliances) {
        let ratio = compliance_before / compliance(&app, batch);
        assert!((ratio - 1.975).abs() < 1e-4, "{ratio}");
    }
    let world = app.world().resource::<Physics>().world();
    let damping = world.body(handle.segments()[3]).unwrap().angular_damping;
    assert!((damping - 1.075).abs() < 1e-5, "{damping}");
}

#[test]
fn numbers_of_a_joint_changed_every_frame_keep_its_motion_and_plan() {
    let mut app = app();
    let wheel = (RigidBody::Dynamic, Collider::ball(0.1), Transform::from_xyz(1.0, 0.0, 0.0), GravityScale(0.0));
    let wheel = app.world_mut().spawn((wheel, SleepingDisabled)).id();
    let hinge = |speed: f32| {
        let motor = JointMotor::velocity(speed).max_torque(500.0);
        HingeJoint::new(Vec3::ZERO, Vec3::Y).limits(-3.0, 2.0 + speed).motor(motor).compliance(1e-8 * speed)
    };
    let joint = app.world_mut().spawn(Joint::new(wheel, hinge(1.0).break_force(1e6))).id();
    steps(&mut app, 10);
    let handle = app.world().get::<JointId>(joint).unwrap().handle().clone();
    let plans = |app: &App| app.world().resource::<Physics>().world().plan_generation();
    let before = plans(&app);
    let mut angle = handle.coordinate(app.world().resource::<Physics>().world(), JointAxis::Angular).unwrap();
    for step in 1..=40 {
        let speed = 1.0 + step as f32 / 40.0;
        let changed = hinge(speed).break_force(1e6 * speed);
        app.world_mut().get_mut::<Joint>(joint).unwrap().kind = changed.into();
        app.update();
        let now = handle.coordinate(app.world().resource::<Physics>().world(), JointAxis::Angular).unwrap();
        assert!(((now - angle) * 60.0 - speed).abs() < 0.02 * speed, "step {step}: {angle} to {now} at {speed}");
        angle = now;
    }
    assert_eq!((app.world().get::<JointId>(joint).unwrap().handle(), plans(&app)), (&handle, before));
    // Numbers that are not valid change nothing; frames make another joint.
    app.world_mut().get_mut::<Joint>(joint).unwrap().kind = hinge(1.0).compliance(f32::NAN).into();
    steps(&mut app, 2);
    assert_eq!((app.world().get::<JointId>(joint).unwrap().handle(), plans(&app)), (&handle, before));
    app.world_mut().get_mut::<Joint>(joint).unwrap().kind = HingeJoint::new(Vec3::ZERO, Vec3::Z).into();
    steps(&mut app, 2);
    assert_ne!(app.world().get::<JointId>(joint).unwrap().handle(), &handle);
    assert!(app.world().resource::<Physics>().world().batch(handle.batches().0[0].batch).is_err());
}

#[test]
fn a_joint_without_numbers_that_break_it_breaks_after_a_change() {
    let mut app = app();
    let bob = (RigidBody::Dynamic, Collider::ball(0.1), Transform::from_xyz(0.0, -1.0, 0.0));
    let bob = app.world_mut().spawn(bob).id();
    let joint = app.world_mut().spawn(Joint::new(bob, BallJoint::new(Vec3::ZERO))).id();
    steps(&mut app, 10);
    app.world_mut().get_mut::<Joint>(joint).unwrap().kind = BallJoint::new(Vec3::ZERO).break_force(1.0).into();
    steps(&mut app, 2);
    let handle = app.world().get::<JointId>(joint).unwrap().handle();
    assert!(handle.is_broken(app.world().resource::<Physics>().world()).unwrap());
}

#[test]
fn numbers_of_constraints_changed_every_frame_keep_the_motion_and_the_plan() {
    let mut app = app();
    let rope = hang_rope(&mut app);
    let spring = |part: f32| {
        let parameters = [DistanceParameters { rest_length: 0.8 + 0.1 * part }];
        Batch::new(Distance, &[[0, 20]], &parameters)
            .unwrap()
            .compliance(1e-2 * (1.0 + part))
            .damping(0.5 * (1.0 + part))
    };
    app.world_mut().entity_mut(rope).insert(Constraints::new(spring(0.0)));
    steps(&mut app, 20);
    let (id, before) = (*app.world().get::<BatchId>(rope).unwrap(), object_and_plans(&app, rope));
    assert_continuous(&mut app, rope, 40, |app, part| {
        app.world_mut().get_mut::<Constraints>(rope).unwrap().batch = spring(part);
    });
    assert_eq!((*app.world().get::<BatchId>(rope).unwrap(), object_and_plans(&app, rope)), (id, before));
    let now = compliance(&app, id.handle());
    assert!((now - 0.01975).abs() < 1e-7, "{now}");
    app.world_mut().get_mut::<Constraints>(rope).unwrap().batch = spring(0.0).compliance(-1.0);
    app.update();
    assert_eq!((*app.world().get::<BatchId>(rope).unwrap(), compliance(&app, id.handle())), (id, now));
    let [a, b] = [[0, 20], [0, 10]];
    let parameters = [DistanceParameters { rest_length: 0.8 }; 2];
    app.world_mut().get_mut::<Constraints>(rope).unwrap().batch = Batch::new(Distance, &[a, b], &parameters).unwrap();
    app.update();
    assert_ne!(*app.world().get::<BatchId>(rope).unwrap(), id);
}

#[test]
fn components_marked_as_changed_with_the_same_values_change_no_bits() {
    let run = |marks: bool| {
        let mut app = app();
        let cloth = hang_cloth(&mut app);
        for _ in 0..30 {
            app.update();
            if marks {
                let mut entity = app.world_mut().entity_mut(cloth);
                entity.get_mut::<Cloth>().unwrap().set_changed();
                entity.get_mut::<Pinned>().unwrap().set_changed();
                entity.get_mut::<Friction>().unwrap().set_changed();
            }
        }
        (points(&app, cloth), object_and_plans(&app, cloth).1)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn gravity_scale_of_a_running_cloth_acts_and_ends_with_its_component() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    app.world_mut().entity_mut(cloth).remove::<Pinned>();
    steps(&mut app, 2);
    let plans = object_and_plans(&app, cloth);
    app.world_mut().entity_mut(cloth).insert(GravityScale(-1.0));
    steps(&mut app, 30);
    let rise = |app: &App| velocities(app, cloth).iter().map(|velocity| velocity.y).sum::<f32>() / 121.0;
    assert!(rise(&app) > 1.0, "{} m/s, against the air", rise(&app));
    app.world_mut().entity_mut(cloth).remove::<GravityScale>();
    steps(&mut app, 60);
    assert!(rise(&app) < -1.0, "{} m/s", rise(&app));
    assert_eq!(object_and_plans(&app, cloth), plans);
}

#[test]
fn a_rope_with_more_links_goes_on_from_where_the_one_before_was() {
    let mut app = app();
    let rope = hang_rope(&mut app);
    steps(&mut app, 30);
    let (before, object) = (points(&app, rope), object_and_plans(&app, rope).0);
    // Links that are one percent longer than those of before: a rope this stiff would lash out at more.
    let path = |links: u8| RopePath::Points((0..=links).map(|k| Vec3::X * (0.0555 * f32::from(k))).collect());
    app.world_mut().get_mut::<Rope>(rope).unwrap().path = path(20);
    app.update();
    assert_eq!(object_and_plans(&app, rope).0, object, "only lengths differ");
    app.world_mut().get_mut::<Rope>(rope).unwrap().path = path(25);
    app.update();
    assert_ne!(object_and_plans(&app, rope).0, object);
    let after = points(&app, rope);
    assert_eq!(after.len(), 26);
    for (k, (now, before)) in after.iter().zip(&before).enumerate() {
        assert!(now.distance(*before) < 0.3, "point {k} at {now} was at {before}");
    }
}

#[test]
fn an_invalid_description_leaves_the_object_as_it_was() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    steps(&mut app, 5);
    let before = object_and_plans(&app, cloth);
    app.world_mut().get_mut::<Cloth>(cloth).unwrap().density = f32::NAN;
    steps(&mut app, 2);
    assert_eq!(object_and_plans(&app, cloth), before);
}
