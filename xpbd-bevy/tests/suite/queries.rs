//! Rays and closest points against closed forms.

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_bevy::physics::PhysicsHandle;
use xpbd_bevy::prelude::*;
use xpbd_bevy::query::{Hit, QueryFilter, SpatialQuery};
use xpbd_core::collide::Collider;
use xpbd_core::prelude::{Body, Mass, Object};

const RADIUS: f32 = 0.1;

fn physics() -> Physics {
    Physics::new(Settings { particle_radius: RADIUS, ..Settings::default() }).unwrap()
}

fn near(a: Vec3, b: Vec3) -> bool {
    a.distance(b) < 1e-5
}

fn cast(physics: &Physics, origin: Vec3, direction: Vec3) -> Option<Hit> {
    let direction = Dir3::new(direction).unwrap();
    physics.cast_ray(Ray3d { origin, direction }, 100.0, &QueryFilter::default())
}

#[test]
fn rays_hit_balls_boxes_and_particles() {
    let mut physics = physics();
    let world = physics.world_mut();
    let ball = world.add_collider(Collider::new(SharedShape::ball(0.5)).at(Vec3::X * 2.0)).unwrap();
    let turned = Quat::from_axis_angle(Vec3::Y, std::f32::consts::FRAC_PI_4);
    let body = world.add_body(Body::dynamic(Pose::from_parts(Vec3::Z * 3.0, turned), Mass::ball(1.0, 1.0))).unwrap();
    let cube = world.add_collider(Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body)).unwrap();
    let grains = Object::new("grains", vec![Vec3::Y * 4.0, Vec3::Y * 2.0], 1.0).capacity(5, 1.0);
    let grains = world.add(grains).unwrap();
    let entity = Entity::from_raw_u32(7).unwrap();
    physics.set_owner(PhysicsHandle::Body(body), entity);

    let hit = cast(&physics, Vec3::new(0.0, 0.3, 0.0), Vec3::X).unwrap();
    assert_eq!((hit.handle, hit.entity, hit.particle, hit.body), (PhysicsHandle::Collider(ball), None, None, None));
    assert!((hit.distance - 1.6).abs() < 1e-5 && near(hit.point, Vec3::new(1.6, 0.3, 0.0)));
    assert!(near(hit.normal, Vec3::new(-0.8, 0.6, 0.0)), "{hit:?}");

    // The box shows an edge; beside it a face at 45°.
    let hit = cast(&physics, Vec3::X * 0.2, Vec3::Z).unwrap();
    assert_eq!((hit.handle, hit.entity, hit.body), (PhysicsHandle::Collider(cube), Some(entity), Some(body)));
    let front = 3.0 - 0.5_f32.sqrt() + 0.2;
    assert!((hit.distance - front).abs() < 1e-5, "{hit:?}");
    assert!(near(hit.normal, Vec3::new(1.0, 0.0, -1.0).normalize()), "{hit:?}");

    // The nearer particle, though it is the second; absent ones lie where the first is and are none.
    let hit = cast(&physics, Vec3::X * 0.06, Vec3::Y).unwrap();
    assert_eq!((hit.handle, hit.particle), (PhysicsHandle::Object(grains), Some(1)));
    assert!((hit.distance - 1.92).abs() < 1e-5 && near(hit.normal, Vec3::new(0.6, -0.8, 0.0)), "{hit:?}");
    physics.world_mut().deactivate(grains, &[1]).unwrap();
    let hit = cast(&physics, Vec3::ZERO, Vec3::Y).unwrap();
    assert_eq!(hit.particle, Some(0));
    assert!((hit.distance - 3.9).abs() < 1e-5);
    physics.world_mut().deactivate(grains, &[0]).unwrap();
    assert!(cast(&physics, Vec3::ZERO, Vec3::Y).is_none());
    assert!(cast(&physics, Vec3::ZERO, Vec3::NEG_X).is_none());
}

#[test]
fn limits_filters_and_ties() {
    let mut physics = physics();
    let one = Object {
        collision_layers: xpbd_core::world::CollisionLayers { memberships: 2, ..Default::default() },
        ..Object::new("a", vec![Vec3::X; 3], 1.0)
    };
    let first = physics.world_mut().add(one).unwrap();
    let second = physics.world_mut().add(Object::new("b", vec![Vec3::X], 1.0)).unwrap();
    let ball = physics.world_mut().add_collider(Collider::new(SharedShape::ball(0.1)).at(Vec3::X)).unwrap();
    let entities = [3, 4, 5].map(|k| Entity::from_raw_u32(k).unwrap());
    for (thing, entity) in [PhysicsHandle::Object(first), PhysicsHandle::Object(second), PhysicsHandle::Collider(ball)]
        .into_iter()
        .zip(entities)
    {
        physics.set_owner(thing, entity);
    }
    let ray = Ray3d { origin: Vec3::ZERO, direction: Dir3::X };
    let thing = |filter: &QueryFilter| physics.cast_ray(ray, 10.0, filter).map(|hit| (hit.handle, hit.particle));
    assert_eq!(thing(&QueryFilter::default()), Some((PhysicsHandle::Object(first), Some(0))));
    assert_eq!(thing(&QueryFilter::default().excluding(entities[0])), Some((PhysicsHandle::Object(second), Some(0))));
    assert_eq!(thing(&QueryFilter::colliders()), Some((PhysicsHandle::Collider(ball), None)));
    assert_eq!(thing(&QueryFilter::particles().excluding(entities[0]).excluding(entities[1])), None);
    let groups = CollisionLayers { memberships: 1, filters: 1 };
    assert_eq!(thing(&QueryFilter::default().layers(groups)), Some((PhysicsHandle::Object(second), Some(0))));
    // At the limit, not beyond it.
    assert!(physics.cast_ray(ray, 0.9, &QueryFilter::default()).is_some());
    assert!(physics.cast_ray(ray, 0.89, &QueryFilter::default()).is_none());
    let inside = physics.cast_ray(Ray3d { origin: Vec3::X, ..ray }, 1.0, &QueryFilter::colliders()).unwrap();
    assert_eq!((inside.distance, inside.normal), (0.0, Vec3::ZERO));
}

#[test]
fn the_closest_point_is_found() {
    let mut physics = physics();
    let grains = physics.world_mut().add(Object::new("grains", vec![Vec3::ZERO, Vec3::X], 1.0)).unwrap();
    let floor =
        physics.world_mut().add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::NEG_Y)).unwrap();
    let find = |point, max| physics.closest_point(point, max, &QueryFilter::default());
    let hit = find(Vec3::new(1.0, 0.5, 0.0), 10.0).unwrap();
    assert_eq!((hit.handle, hit.particle), (PhysicsHandle::Object(grains), Some(1)));
    assert!(
        (hit.distance - 0.4).abs() < 1e-6 && near(hit.point, Vec3::new(1.0, 0.1, 0.0)) && near(hit.normal, Vec3::Y)
    );
    let hit = find(Vec3::new(5.0, -0.7, 2.0), 10.0).unwrap();
    assert_eq!(hit.handle, PhysicsHandle::Collider(floor));
    assert!(
        (hit.distance - 0.3).abs() < 1e-6 && near(hit.point, Vec3::new(5.0, -1.0, 2.0)) && near(hit.normal, Vec3::Y)
    );
    assert!(find(Vec3::new(5.0, -0.7, 2.0), 0.2).is_none());
    let inside = find(Vec3::X * 0.05, 0.0).unwrap();
    assert_eq!((inside.particle, inside.distance, inside.point), (Some(0), 0.0, Vec3::X * 0.05));
}

#[test]
fn nothing_panics() {
    let mut physics = physics();
    let world = physics.world_mut();
    world.add(Object::new("grain", vec![Vec3::ZERO], 1.0)).unwrap();
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    for shape in [
        SharedShape::ball(0.0),
        SharedShape::cuboid(0.0, 0.0, 0.0),
        SharedShape::capsule_y(0.0, 0.0),
        SharedShape::cylinder(0.5, 0.1),
        SharedShape::cone(0.5, 0.1),
        SharedShape::halfspace(Vec3::Y),
        SharedShape::trimesh(vertices.clone(), triangles).unwrap(),
        SharedShape::convex_hull(&vertices).unwrap(),
        SharedShape::compound(vec![(Pose::IDENTITY, SharedShape::ball(0.5))]),
        SharedShape::heightfield(Array2::repeat(3, 4, 0.5), Vec3::ONE),
        SharedShape::round_cuboid(1e30, 0.0, 1e30, 0.0),
        SharedShape::round_triangle(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0),
    ] {
        world.add_collider(Collider::new(shape)).unwrap();
    }
    let numbers = [0.0, -0.0, 1e-38, 1.0, -2.5, 1e18, -3e38, f32::INFINITY, f32::NAN];
    for &x in &numbers {
        for &y in &numbers {
            for &max in &numbers {
                let point = Vec3::new(x, y, 0.1);
                for direction in [Dir3::X, Dir3::NEG_Y, Dir3::new_unchecked(Vec3::new(0.6, 0.0, 0.8))] {
                    let hit = physics.cast_ray(Ray3d { origin: point, direction }, max, &QueryFilter::default());
                    assert!(hit.is_none_or(|hit| hit.distance <= max && hit.point.is_finite()));
                }
                let hit = physics.closest_point(point, max, &QueryFilter::default());
                assert!(hit.is_none_or(|hit| hit.distance <= max && hit.point.is_finite()));
            }
        }
    }
}

#[test]
fn systems_ask() {
    let mut world = World::new();
    let mut physics = physics();
    physics.world_mut().add_collider(Collider::new(SharedShape::ball(0.5))).unwrap();
    world.insert_resource(physics);
    let ask = |space: SpatialQuery| {
        let filter = QueryFilter::default();
        let down = space.cast_ray(Vec3::Y, Dir3::NEG_Y, 5.0, &filter).map(|hit| hit.distance);
        (down, space.closest_point(Vec3::X * 2.0, 5.0, &filter).map(|hit| hit.distance))
    };
    assert_eq!(world.run_system_once(ask).unwrap(), (Some(0.5), Some(1.5)));
}
