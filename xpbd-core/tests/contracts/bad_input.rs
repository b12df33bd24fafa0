//! What building refuses: every wrong number, length and index, with nothing left behind.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::settings::ScheduleSettings;
use xpbd_core::world::{BodyHandle, Friction, Object, ObjectHandle, Settings, World, WorldError};

use super::support::{Coincide, Distance, chain, refused, step};

const NOT_FINITE: [f32; 3] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];

/// Returns a world in motion, to see that nothing of it changes.
fn world() -> (World, ObjectHandle, BodyHandle) {
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(chain("chain", Vec3::Y * 0.05, 4, 0.1).pin([0])).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    step(&mut world, 10);
    (world, object, body)
}

fn pair() -> Object {
    Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0)
}

fn link() -> Batch {
    Batch::new(Distance, &[[0, 1]], &[[1.0]]).unwrap()
}

/// Refuses the pair once it is spoilt, with this in the message.
#[track_caller]
fn refuse_object(spoil: impl FnOnce(&mut Object), named: &str) {
    let mut object = pair();
    spoil(&mut object);
    let error = refused(&mut world().0, |world| world.add(object)).to_string();
    assert!(error.contains(named), "`{named}` is not named in: {error}");
}

#[test]
fn masses() {
    for mass in NOT_FINITE.into_iter().chain([0.0, -0.0, -1.0, 1e-40]) {
        refuse_object(|object| object.masses[1] = mass, "the mass of particle 1");
    }
}

#[test]
fn positions_velocities_and_rest_positions() {
    for number in NOT_FINITE {
        refuse_object(|object| object.positions[1].y = number, "the position of particle 1");
        refuse_object(|object| object.velocities = vec![Vec3::ZERO, Vec3::X * number], "the velocity of particle 1");
        refuse_object(
            |object| object.rest_positions = vec![Vec3::splat(number), Vec3::X],
            "the rest position of particle 0",
        );
    }
}

#[test]
fn numbers_of_a_whole_object() {
    for number in NOT_FINITE {
        refuse_object(|object| object.gravity_scale = number, "gravity scale");
        refuse_object(|object| object.linear_damping = number, "linear damping");
    }
    refuse_object(|object| object.linear_damping = -1.0, "linear damping");
    refuse_object(|object| object.friction = Friction::new(-0.1), "friction");
}

#[test]
fn lists_of_different_lengths() {
    refuse_object(|object| object.masses = vec![1.0], "1 masses for 2 particles");
    refuse_object(|object| object.masses = Vec::new(), "0 masses for 2 particles");
    refuse_object(|object| object.velocities = vec![Vec3::ZERO; 3], "3 velocities for 2 particles");
    refuse_object(|object| object.rest_positions = vec![Vec3::ZERO], "1 rest positions for 2 particles");
}

#[test]
fn indices() {
    refuse_object(|object| object.pins = vec![0, 2], "no particle 2");
    let indices = |a, b| Batch::new(Distance, &[[0, 1], [a, b]], &[[1.0]; 2]).unwrap();
    refuse_object(|object| object.batches.push(Box::new(indices(0, 2))), "constraint 1 names particle 2");
    refuse_object(
        |object| object.batches.push(Box::new(indices(u32::MAX, 0))),
        "constraint 1 names particle 4294967295",
    );
    refuse_object(|object| object.batches.push(Box::new(indices(1, 1))), "names particle 1 twice");

    let (mut world, object, body) = world();
    let error = refused(&mut world, |world| world.add_batch(&[object], &[], indices(3, 4)));
    assert!(matches!(error, WorldError::Batch(BatchError::Index { index: 4, count: 4, .. })), "{error}");
    let connectors = Connectors::new(&[Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }]).unwrap();
    let on_body = |node, local| {
        let kind = ConstraintType::of(Coincide).unwrap();
        Batch::from_parts(kind, connectors.clone(), vec![0, node], vec![local], Vec::new()).unwrap()
    };
    let error = refused(&mut world, |world| world.add_batch(&[object], &[body], on_body(1, Vec3::ZERO)));
    assert!(error.to_string().contains("body 1"), "{error}");
    let error = refused(&mut world, |world| world.add_batch(&[object], &[body], on_body(0, Vec3::NAN)));
    assert!(error.to_string().contains("local vector"), "{error}");
    for particle in [4, usize::MAX] {
        let missing = WorldError::NoParticle { object: "chain".into(), index: particle, count: 4 };
        assert_eq!(refused(&mut world, |world| world.set_pinned(object, particle, true)), missing);
        assert_eq!(refused(&mut world, |world| world.move_pinned(object, particle, Vec3::ZERO)), missing);
        assert_eq!(refused(&mut world, |world| world.set_position(object, particle, Vec3::ZERO, Vec3::ZERO)), missing);
        assert_eq!(refused(&mut world, |world| world.add_force(object, particle, Vec3::ZERO)), missing);
        assert_eq!(refused(&mut world, |world| world.add_impulse(object, particle, Vec3::ZERO)), missing);
        assert_eq!(world.position(object, particle).unwrap_err(), missing);
        assert_eq!(world.velocity(object, particle).unwrap_err(), missing);
        assert!(world.row_forces(world.batches_of(object)[0], particle).is_err());
    }
}

#[test]
fn one_particle_twice_in_a_constraint_by_way_of_two_lists() {
    // Numbered through, particles 0 and 4 are the same one.
    let (mut world, object, body) = world();
    let batch = Batch::new(Distance, &[[0, 4]], &[[1.0]]).unwrap();
    refused(&mut world, |world| world.add_batch(&[object, object], &[], batch));
    let points = [Connector::BodyPoint { node: 0 }, Connector::BodyPoint { node: 1 }];
    let kind = ConstraintType::of(Coincide).unwrap();
    let connectors = Connectors::new(&points).unwrap();
    let batch = Batch::from_parts(kind, connectors, vec![0, 1], vec![Vec3::ZERO; 2], Vec::new()).unwrap();
    refused(&mut world, |world| world.add_batch(&[], &[body, body], batch));
}

#[test]
fn numbers_of_constraints() {
    for number in NOT_FINITE.into_iter().chain([-1.0]) {
        refuse_object(
            |object| object.batches.push(Box::new(link().compliance(number))),
            "the compliance of constraint 0",
        );
        refuse_object(|object| object.batches.push(Box::new(link().damping(number))), "the damping");
    }
    for number in NOT_FINITE {
        let batch = Batch::new(Distance, &[[0, 1]; 2], &[[1.0], [number]]).unwrap();
        refuse_object(|object| object.batches.push(Box::new(batch)), "parameter `[0]` of constraint 1");
    }
}

#[test]
fn edits_of_constraints() {
    let (mut world, object, _) = world();
    let batch = world.batches_of(object)[0];
    for number in NOT_FINITE {
        refused(&mut world, |world| world.edit_batch(batch, |batch| batch.parameters_mut(1)[0] = number));
        refused(&mut world, |world| world.edit_batch(batch, |batch| *batch = batch.clone().compliance(number)));
    }
    let foreign = Batch::new(Distance, &[[0, 7]], &[[1.0]]).unwrap();
    refused(&mut world, |world| world.edit_batch(batch, |batch| *batch = foreign));
    world.edit_batch(batch, |batch| batch.parameters_mut(0)[0] = 0.15).unwrap();
    step(&mut world, 60);
    let length = world.position(object, 0).unwrap().distance(world.position(object, 1).unwrap());
    assert!((length - 0.15).abs() < 1e-3, "an edit that is valid takes effect: {length}");
}

#[test]
fn vectors_of_edits() {
    let (mut world, object, body) = world();
    for number in NOT_FINITE {
        let vector = Vec3::new(0.0, number, 0.0);
        refused(&mut world, |world| world.move_pinned(object, 0, vector));
        refused(&mut world, |world| world.set_position(object, 1, vector, Vec3::ZERO));
        refused(&mut world, |world| world.set_position(object, 1, Vec3::ZERO, vector));
        refused(&mut world, |world| world.add_force(object, 1, vector));
        refused(&mut world, |world| world.add_impulse(object, 1, vector));
        let pose = Pose::from_parts(vector, Quat::IDENTITY);
        refused(&mut world, |world| world.add_body(Body::kinematic(pose)));
        refused(&mut world, |world| world.move_body(body, pose));
        refused(&mut world, |world| world.set_body_pose(body, pose));
    }
    world.add_force(object, 1, Vec3::X * 3e38).unwrap();
    refused(&mut world, |world| world.add_force(object, 1, Vec3::X * 3e38));
    refused(&mut world, |world| world.add_impulse(object, 1, Vec3::X * 1e37));
}

#[test]
fn rotations_and_friction() {
    let (mut world, _, body) = world();
    let ball = || Collider::new(SharedShape::ball(0.1));
    let collider = world.add_collider(ball()).unwrap();
    let nan = Quat::from_xyzw(0.0, 0.0, 0.0, f32::NAN);
    for rotation in [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), nan, Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 1.0)] {
        let pose = Pose::from_parts(Vec3::ZERO, rotation);
        refused(&mut world, |world| world.add_body(Body::kinematic(pose)));
        refused(&mut world, |world| world.move_body(body, pose));
        refused(&mut world, |world| world.set_body_pose(body, pose));
        refused(&mut world, |world| world.add_collider(ball().rotation(rotation)));
        refused(&mut world, |world| world.edit_collider(collider, |collider| collider.pose = pose));
    }
    let wrong = [
        SharedShape::ball(f32::NAN),
        SharedShape::ball(-0.1),
        SharedShape::cuboid(0.1, f32::NAN, 0.1),
        SharedShape::capsule_y(f32::INFINITY, 0.1),
        SharedShape::round_cuboid(0.1, 0.1, 0.1, f32::NAN),
        SharedShape::compound(vec![
            (Pose::IDENTITY, SharedShape::ball(0.1)),
            (Pose::IDENTITY, SharedShape::ball(-0.1)),
        ]),
        SharedShape::capsule_y(0.1, -0.1),
        SharedShape::halfspace(2.0 * Vec3::Y),
    ];
    for shape in wrong {
        refused(&mut world, |world| world.add_collider(Collider::new(shape.clone())));
        refused(&mut world, |world| world.add_collider(Collider::new(shape.clone()).attached_to(body)));
        refused(&mut world, |world| world.add_sensor(Collider::new(shape.clone())));
        refused(&mut world, |world| world.edit_collider(collider, |collider| collider.shape = shape.clone()));
    }
    let weaker = Friction { static_coefficient: 0.1, dynamic_coefficient: 0.2 };
    for friction in [Friction::new(-1.0), Friction::new(f32::NAN), Friction::new(f32::INFINITY), weaker] {
        refused(&mut world, |world| world.add_collider(ball().friction(friction)));
        refused(&mut world, |world| world.edit_collider(collider, |collider| collider.friction = friction));
        let object = world.objects()[0];
        refused(&mut world, |world| world.set_friction(object, friction));
    }
    refused(&mut world, |world| world.add_collider(ball().at(Vec3::NAN)));
}

#[test]
fn settings() {
    let base = Settings::default;
    let omega = |omega| ScheduleSettings { omega, ..ScheduleSettings::default() };
    let mut wrong = vec![
        (Settings { substeps: 0, ..base() }, "substeps"),
        (Settings { iterations: 0, ..base() }, "iterations"),
        (Settings { particle_radius: 0.0, ..base() }, "particle radius"),
        (Settings { max_depenetration_speed: 0.0, ..base() }, "largest depenetration speed"),
        (Settings { schedule: omega(0.0), ..base() }, "over-relaxation"),
        (Settings { schedule: omega(2.0), ..base() }, "over-relaxation"),
    ];
    for number in NOT_FINITE.into_iter().chain([-0.1]) {
        wrong.push((Settings { particle_radius: number, ..base() }, "particle radius"));
        wrong.push((Settings { contact_margin: number, ..base() }, "contact margin"));
        wrong.push((Settings { max_depenetration_speed: number, ..base() }, "largest depenetration speed"));
        wrong.push((Settings { schedule: omega(number), ..base() }, "over-relaxation"));
    }
    for number in NOT_FINITE {
        wrong.push((Settings { gravity: Vec3::Y * number, ..base() }, "gravity"));
    }
    let (mut world, ..) = world();
    for (settings, named) in wrong {
        assert!(World::new(settings.clone()).is_err());
        let error = refused(&mut world, |world| world.set_settings(settings)).to_string();
        assert!(error.contains(named), "`{named}` is not named in: {error}");
    }
    world.set_settings(Settings { contact_margin: 0.0, ..base() }).unwrap();
    step(&mut world, 5);
}
