//! Joints in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, steps};

fn bob(app: &mut App, place: Vec3) -> Entity {
    let parts = (RigidBody::Dynamic, Collider::ball(0.1), Transform::from_translation(place), SleepingDisabled);
    app.world_mut().spawn(parts).id()
}

fn handle(app: &App, joint: Entity) -> xpbd_rigid::joint::JointHandle {
    app.world().get::<JointId>(joint).expect("it has been made").handle().clone()
}

#[test]
fn a_pendulum_swings_in_its_period() {
    let mut app = app();
    let (angle, sin, cos) = (0.1f32, 0.099_833_4, 0.995_004_2);
    let entity = bob(&mut app, Vec3::new(sin, -cos, 0.0));
    app.world_mut().spawn(Joint::new(entity, HingeJoint::new(Vec3::ZERO, Vec3::Z)));
    // T = 2π √((l² + 2/5 r²) / (g l)) (1 + θ²/16)
    let period = std::f32::consts::TAU * (1.004f32 / 9.81).sqrt() * (1.0 + angle * angle / 16.0);
    let mut crossings = Vec::new();
    let mut before = sin;
    for step in 0..300 {
        app.update();
        let pose = body(&app, entity).pose;
        assert!((pose.translation.length() - 1.0).abs() < 1e-3);
        let x = pose.translation.x;
        if before > 0.0 && x <= 0.0 {
            crossings.push((step as f32 + before / (before - x)) / 60.0);
        }
        before = x;
    }
    let measured = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f32;
    assert!((measured / period - 1.0).abs() < 0.01, "{measured} {period}");
}

#[test]
fn a_joint_runs_with_its_motor_and_bears_weight() {
    let mut app = app();
    let entity = bob(&mut app, Vec3::ZERO);
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Y).motor(JointMotor::velocity(0.0));
    let joint = app.world_mut().spawn(Joint::new(entity, hinge)).id();
    steps(&mut app, 10);
    let handle = handle(&app, joint);
    let weight = body(&app, entity).mass.mass * 9.81;
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let force = handle.reaction(physics.world()).unwrap().force;
    assert!((force.y / weight - 1.0).abs() < 0.01, "{force} {weight}");
    handle.set_motor(physics.world_mut(), JointAxis::Angular, JointMotor::velocity(2.0)).unwrap();
    steps(&mut app, 30);
    assert!((body(&app, entity).angular_velocity.y - 2.0).abs() < 0.02);
}

#[test]
fn a_joint_waits_for_its_bodies_and_goes_with_them() {
    let mut app = app();
    let [a, b] = [Vec3::ZERO, Vec3::X].map(|place| bob(&mut app, place));
    app.world_mut().entity_mut(a).remove::<RigidBody>();
    let joint = app.world_mut().spawn(Joint::between(a, b, BallJoint::new(Vec3::X * 0.5))).id();
    steps(&mut app, 2);
    assert!(app.world().get::<JointId>(joint).is_none());
    app.world_mut().entity_mut(a).insert(RigidBody::Dynamic);
    steps(&mut app, 2);
    assert_eq!(handle(&app, joint).bodies().len(), 2);
    let before = handle(&app, joint);
    app.world_mut().get_mut::<Joint>(joint).unwrap().kind = JointKind::fixed(Vec3::X * 0.5);
    steps(&mut app, 2);
    assert_ne!(handle(&app, joint), before);
    app.world_mut().despawn(b);
    steps(&mut app, 2);
    assert!(app.world().get::<JointId>(joint).is_none());
    // To the world: the body that holds it goes, too.
    app.world_mut()
        .entity_mut(joint)
        .insert(Joint::new(a, SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 1.0).stiffness(10.0)));
    steps(&mut app, 2);
    assert_eq!(app.world().resource::<Physics>().world().state().bodies.len(), 2);
    app.world_mut().despawn(joint);
    assert_eq!(app.world().resource::<Physics>().world().state().bodies.len(), 1);
}

#[test]
fn bodies_touch_again_when_the_last_joint_between_them_goes() {
    let mut app = app();
    let [a, b] = [0.0, 0.15].map(|x| bob(&mut app, Vec3::X * x));
    for entity in [a, b] {
        app.world_mut().entity_mut(entity).insert(GravityScale(0.0));
    }
    let joints = [0, 1].map(|_| app.world_mut().spawn(Joint::between(a, b, BallJoint::new(Vec3::ZERO))).id());
    steps(&mut app, 5);
    let apart = |app: &App| body(app, b).pose.translation.distance(body(app, a).pose.translation);
    assert!((apart(&app) - 0.15).abs() < 1e-4);
    app.world_mut().despawn(joints[0]);
    steps(&mut app, 5);
    assert!((apart(&app) - 0.15).abs() < 1e-4);
    app.world_mut().despawn(joints[1]);
    steps(&mut app, 60);
    assert!(apart(&app) > 0.19, "{}", apart(&app));
}

#[test]
fn a_joint_that_cannot_be_is_refused_until_it_changes() {
    let mut app = app();
    let entity = bob(&mut app, Vec3::ZERO);
    let joint = app.world_mut().spawn(Joint::new(entity, HingeJoint::new(Vec3::ZERO, Vec3::ZERO))).id();
    steps(&mut app, 3);
    assert!(app.world().get::<JointId>(joint).is_none());
    assert_eq!(app.world().resource::<Physics>().world().state().bodies.len(), 1);
    app.world_mut().entity_mut(joint).insert(Joint::new(entity, HingeJoint::new(Vec3::ZERO, Vec3::Z)));
    steps(&mut app, 1);
    assert!(app.world().get::<JointId>(joint).is_some());
}

#[test]
fn what_hangs_by_a_joint_that_breaks_lands() {
    let mut app = app();
    floor(&mut app);
    let entity = bob(&mut app, Vec3::Y);
    let joint = app.world_mut().spawn(Joint::new(entity, BallJoint::new(Vec3::Y))).id();
    steps(&mut app, 30);
    assert!((body(&app, entity).pose.translation.y - 1.0).abs() < 1e-3);
    let handle = handle(&app, joint);
    handle.set_broken(app.world_mut().resource_mut::<Physics>().world_mut(), true).unwrap();
    steps(&mut app, 60);
    assert!((body(&app, entity).pose.translation.y - 0.1).abs() < 0.01);
}

#[test]
fn coupled_joints_turn_by_their_teeth_and_go_with_their_component() {
    let mut app = app();
    let wheels = [Vec3::ZERO, Vec3::X].map(|place| bob(&mut app, place));
    let motors = [JointMotor::velocity(4.0), JointMotor::off()];
    let joints: [Entity; 2] = std::array::from_fn(|k| {
        let hinge = HingeJoint::new(Vec3::X * k as f32, Vec3::Y).motor(motors[k]);
        app.world_mut().spawn(Joint::new(wheels[k], hinge)).id()
    });
    let gear = app.world_mut().spawn(Coupling::new(joints, JointCoupling::gear(10, 20))).id();
    steps(&mut app, 30);
    let spin = |app: &App| body(app, wheels[1]).angular_velocity.y;
    assert!((spin(&app) + 2.0).abs() < 0.02, "{}", spin(&app));
    let made = app.world().get::<CouplingId>(gear).unwrap().clone();
    app.world_mut().get_mut::<Coupling>(gear).unwrap().coupling = JointCoupling::belt(10, 40);
    steps(&mut app, 30);
    assert_eq!(app.world().get::<CouplingId>(gear), Some(&made));
    assert!((spin(&app) - 1.0).abs() < 0.02, "{}", spin(&app));
    app.world_mut().get_mut::<Coupling>(gear).unwrap().coupling = JointCoupling::rack(0.1);
    steps(&mut app, 2);
    assert_ne!(app.world().get::<CouplingId>(gear), Some(&made), "a hinge does not slide, but the rack is another one");
    app.world_mut().entity_mut(gear).remove::<Coupling>();
    steps(&mut app, 2);
    let physics = app.world().resource::<Physics>();
    assert_eq!(physics.world().plan().traced().map(|pass| pass.len()).sum::<usize>(), 2);
    assert!(app.world().get::<CouplingId>(gear).is_none());
}

/// A hinge about the vertical is driven at 2 rad/s, then stopped by its limits.
#[test]
fn motors_and_limits_are_components_that_change_live() {
    let mut app = app();
    let wing = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.2, 0.02), SleepingDisabled, NoTransformEasing);
    let wing = app.world_mut().spawn(wing).id();
    let hinge = Joint::new(wing, HingeJoint::new(Vec3::NEG_X * 0.5, Vec3::Y));
    let hinge = app.world_mut().spawn((hinge, AxisMotor(JointMotor::velocity(2.0)), AxisLimits::new(-3.0, 3.0))).id();
    steps(&mut app, 30);
    let (spin, turn) = (body(&app, wing).angular_velocity.y, body(&app, wing).pose.rotation.to_scaled_axis().y);
    assert!((spin - 2.0).abs() < 0.02 && (turn - 1.0).abs() < 0.05, "{spin} rad/s, {turn} rad");
    app.world_mut().get_mut::<AxisLimits>(hinge).unwrap().max = 1.5;
    steps(&mut app, 60);
    let turn = body(&app, wing).pose.rotation.to_scaled_axis().y;
    assert!((turn - 1.5).abs() < 0.01, "{turn}");
    // Without its component the motor is off, and the limits are gone.
    app.world_mut().entity_mut(hinge).remove::<(AxisMotor, AxisLimits)>();
    app.world_mut().get_mut::<AngularVelocity>(wing).unwrap().0 = Vec3::Y * 1.0;
    app.world_mut().get_mut::<LinearVelocity>(wing).unwrap().0 =
        Vec3::Y.cross(body(&app, wing).pose.rotation * Vec3::X * 0.5);
    steps(&mut app, 30);
    let turn = body(&app, wing).pose.rotation.to_scaled_axis().y;
    assert!((turn - 2.0).abs() < 0.05, "{turn}");
    // A joint without a free axis refuses them with a message, and stays.
    let late = app.world_mut().spawn(Joint::new(wing, BallJoint::new(Vec3::NEG_X * 0.5))).id();
    steps(&mut app, 1);
    app.world_mut().entity_mut(late).insert(AxisMotor(JointMotor::velocity(1.0)));
    steps(&mut app, 2);
    let told: Vec<_> = app.world_mut().resource_mut::<Messages<PhysicsError>>().drain().collect();
    assert!(told.len() == 1 && told[0].entity == late && told[0].message.contains("hinge"), "{told:?}");
    assert!(app.world().get::<JointId>(late).is_some());
}

/// A motor and limits that come when the hinge has turned already count from where it was made, and lose nothing of its motion:
/// to the world and between two bodies.
#[test]
fn motors_and_limits_that_are_added_later_count_from_where_the_joint_was_made() {
    let mut app = app();
    for (place, has_ground) in [(0.0, false), (10.0, true)] {
        let at = Transform::from_xyz(0.0, place, 0.0);
        let shape = Collider::cuboid(0.5, 0.2, 0.02);
        let wing = (RigidBody::Dynamic, shape, SleepingDisabled, NoTransformEasing, GravityScale(0.0), at);
        let turns = (AngularVelocity(Vec3::Y), LinearVelocity(Vec3::Y.cross(Vec3::X * 0.5)));
        let wing = app.world_mut().spawn((wing, turns)).id();
        let ground = app.world_mut().spawn((RigidBody::Fixed, at)).id();
        let hinge = HingeJoint::new(Vec3::new(-0.5, place, 0.0), Vec3::Y);
        let joint = if has_ground { Joint::between(ground, wing, hinge) } else { Joint::new(wing, hinge) };
        let joint = app.world_mut().spawn(joint).id();
        let turn = |app: &App| body(app, wing).pose.rotation.to_scaled_axis().y;
        steps(&mut app, 36);
        let before = turn(&app);
        assert!((before - 0.6).abs() < 0.03, "{before}");
        let made = app.world().get::<JointId>(joint).unwrap().clone();
        app.world_mut().entity_mut(joint).insert(AxisLimits::new(-3.0, 1.5));
        steps(&mut app, 1);
        assert!(app.world().get::<JointId>(joint) != Some(&made));
        assert!((turn(&app) - before - 1.0 / 60.0).abs() < 1e-3, "{}", turn(&app));
        steps(&mut app, 90);
        assert!((turn(&app) - 1.5).abs() < 0.01, "{}", turn(&app));
        app.world_mut().entity_mut(joint).insert(AxisMotor(JointMotor::velocity(-2.0)));
        steps(&mut app, 30);
        assert!((turn(&app) - 0.5).abs() < 0.05, "{}", turn(&app));
        // The old constraints have gone, and nothing was told.
        let physics = app.world().resource::<Physics>();
        let batches = physics.world().state().batches.iter().count();
        assert!(batches <= if has_ground { 4 } else { 2 }, "{batches}");
    }
    assert!(app.world_mut().resource_mut::<Messages<PhysicsError>>().drain().next().is_none());
}
