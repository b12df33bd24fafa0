//! Sensors report what they overlap, and push nothing.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, ContactPhase, SensorOverlap};
use xpbd_core::world::{BodyHandle, ColliderHandle, CollisionLayers, Settings, World, WorldError};

use super::contact_shapes::shapes;
use super::support::{refused, step, weightless};

/// Adds a ball of radius 0.1 m on a body.
fn ball(world: &mut World, body: Body) -> (BodyHandle, ColliderHandle) {
    let body = world.add_body(body).unwrap();
    (body, world.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(body)).unwrap())
}

fn dynamic(position: Vec3) -> Body {
    Body::dynamic(Pose::from_translation(position), Mass::ball(1.0, 0.1))
}

/// Returns a cube of 1 m at a position.
fn cube(position: Vec3) -> Collider {
    Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).at(position)
}

#[test]
fn a_ball_that_falls_through_a_sensor_begins_stays_and_ends_and_is_not_slowed() {
    let fall = |sensor: bool| {
        let mut world = World::default();
        let (body, collider) = ball(&mut world, dynamic(Vec3::Y * 2.0));
        let sensor = sensor.then(|| world.add_sensor(cube(Vec3::ZERO)).unwrap());
        let mut phases = Vec::new();
        for _ in 0..60 {
            step(&mut world, 1);
            let inside = (world.body(body).unwrap().pose.translation.y).abs() < 0.6;
            for overlap in world.sensor_overlaps() {
                assert_eq!((Some(overlap.sensor), overlap.collider), (sensor, collider));
                assert_eq!(overlap.phase != ContactPhase::End, inside);
                phases.push(overlap.phase);
            }
        }
        phases.dedup();
        (phases, world.body(body).unwrap())
    };
    let (phases, with) = fall(true);
    assert_eq!(phases, [ContactPhase::Begin, ContactPhase::Stay, ContactPhase::End]);
    let (none, without) = fall(false);
    assert!(none.is_empty());
    assert_eq!(with, without);
}

#[test]
fn a_sensor_of_every_shape_reports_a_body_that_touches_it_and_none_beside_it() {
    for (name, shape) in shapes() {
        for (height, is_there) in [(0.0, true), (3.0, false)] {
            let mut world = World::new(weightless()).unwrap();
            world.add_sensor(Collider::new(shape.clone()).rotation(Quat::from_rotation_y(0.4))).unwrap();
            let block = world.add_body(dynamic(Vec3::new(0.05, height, 0.02))).unwrap();
            world.add_collider(Collider::new(SharedShape::cuboid(0.7, 0.35, 0.7)).attached_to(block)).unwrap();
            step(&mut world, 1);
            assert_eq!(world.sensor_overlaps().len(), usize::from(is_there), "{name} at {height} m");
        }
    }
}

#[test]
fn a_closed_mesh_reports_a_body_inside_it_that_touches_no_face() {
    let mut world = World::new(weightless()).unwrap();
    let (_, mesh) = shapes().swap_remove(6);
    world.add_sensor(Collider::new(mesh)).unwrap();
    let (_, inside) = ball(&mut world, dynamic(Vec3::new(0.1, 0.05, 0.0)));
    ball(&mut world, dynamic(Vec3::new(0.0, 0.5, 0.0)));
    step(&mut world, 1);
    let reported: Vec<_> = world.sensor_overlaps().iter().map(|overlap| overlap.collider).collect();
    assert_eq!(reported, [inside]);
}

#[test]
fn a_sensor_reports_by_layers_what_can_move_on_other_bodies_than_its_own() {
    let mut world = World::new(weightless()).unwrap();
    let at_origin = Pose::IDENTITY;
    let (_, kinematic) = ball(&mut world, Body::kinematic(at_origin));
    ball(&mut world, Body::fixed(at_origin));
    let (own, _) = ball(&mut world, Body::kinematic(Pose::translation(9.0, 0.0, 0.0)));
    world.add_collider(Collider::new(SharedShape::ball(0.1))).unwrap();
    let (_, hidden) = ball(&mut world, Body::kinematic(at_origin));
    let layer = CollisionLayers { memberships: 2, ..CollisionLayers::default() };
    world.edit_collider(hidden, |collider| collider.collision_layers = layer).unwrap();
    let layers = CollisionLayers { filters: 1, ..CollisionLayers::default() };
    let fixed = world.add_sensor(Collider { collision_layers: layers, ..cube(Vec3::ZERO) }).unwrap();
    let carried = world.add_sensor(cube(Vec3::ZERO).attached_to(own)).unwrap();
    step(&mut world, 1);
    let begun = |sensor, collider| SensorOverlap { sensor, collider, phase: ContactPhase::Begin };
    assert_eq!(world.sensor_overlaps(), [begun(fixed, kinematic)]);
    world.edit_sensor(carried, |sensor| sensor.pose.translation.x = -9.0).unwrap();
    step(&mut world, 1);
    let reported = world.sensor_overlaps().iter().filter(|overlap| overlap.sensor == carried).count();
    assert_eq!(reported, 4, "all but its own: {:?}", world.sensor_overlaps());
}

#[test]
fn a_body_that_falls_asleep_in_a_sensor_stays_in_it() {
    let mut world = World::new(Settings { sleep_time: 0.1, ..Settings::default() }).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    world.add_sensor(cube(Vec3::ZERO)).unwrap();
    let (body, _) = ball(&mut world, dynamic(Vec3::Y * 0.1));
    step(&mut world, 60);
    assert!(world.is_asleep(body).unwrap());
    assert_eq!(world.sensor_overlaps().iter().map(|overlap| overlap.phase).collect::<Vec<_>>(), [ContactPhase::Stay]);
}

#[test]
fn overlaps_are_part_of_a_snapshot() {
    let mut world = World::new(weightless()).unwrap();
    let sensor = world.add_sensor(cube(Vec3::ZERO)).unwrap();
    let (body, _) = ball(&mut world, dynamic(Vec3::ZERO));
    step(&mut world, 1);
    let mut restored = World::default();
    restored.restore(&world.snapshot().unwrap()).unwrap();
    assert_eq!(restored.sensor_overlaps(), world.sensor_overlaps());
    step(&mut restored, 1);
    assert_eq!(restored.sensor_overlaps()[0].phase, ContactPhase::Stay);
    restored.remove_body(body).unwrap();
    step(&mut restored, 1);
    assert_eq!(restored.sensor_overlaps()[0].phase, ContactPhase::End);
    restored.remove_sensor(sensor).unwrap();
    assert_eq!(restored.sensor_overlaps(), []);
}

#[test]
fn sensors_go_with_their_body_and_are_checked_as_colliders_are() {
    let mut world = World::default();
    let body = world.add_body(dynamic(Vec3::ZERO)).unwrap();
    let sensor = world.add_sensor(cube(Vec3::ZERO).attached_to(body)).unwrap();
    let voxels = SharedShape::voxels(Vec3::ONE, &[glam::IVec3::ZERO]);
    refused(&mut world, |world| world.add_sensor(Collider::new(voxels)));
    refused(&mut world, |world| world.edit_sensor(sensor, |sensor| sensor.pose.translation.x = f32::NAN));
    world.remove_body(body).unwrap();
    assert_eq!(world.edit_sensor(sensor, |_| ()), Err(WorldError::StaleHandle("sensor")));
    assert_eq!(world.remove_sensor(sensor), Err(WorldError::StaleHandle("sensor")));
    refused(&mut world, |world| world.add_sensor(cube(Vec3::ZERO).attached_to(body)));
}
