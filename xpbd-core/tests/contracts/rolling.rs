//! Bodies that roll, slide and spin on a ground of any kind and size stay on it.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, open_mesh};
use xpbd_core::scalar::trig;
use xpbd_core::world::{BodyHandle, Friction, Settings, World};

use super::support::{FRAME, cpu};

/// A rough ground that reaches 40 m along x, its top at y = 0.
struct Ground {
    name: &'static str,
    shape: SharedShape,
    /// The place of the shape, or of each of several \[m\].
    places: Vec<Vec3>,
    /// The most by which its seams may throw a wheel up \[m\].
    bump: f32,
}

impl Ground {
    fn world(&self) -> World {
        world_with(self.places.iter().map(|&place| rough(&self.shape).at(place)))
    }
}

fn grounds() -> Vec<Ground> {
    let ground = |name, shape, center, bump| Ground { name, shape, places: vec![center], bump };
    let far = [
        Vec3::new(-60.0, 0.0, -50.0),
        Vec3::new(60.0, 0.0, -50.0),
        Vec3::new(60.0, 0.0, 50.0),
        Vec3::new(-60.0, 0.0, 50.0),
    ];
    let hull: Vec<Vec3> = far.iter().flat_map(|&corner| [corner, corner - 2.0 * Vec3::Y]).collect();
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..=50_u32 {
        corners.extend((0..=4).map(|j| Vec3::new(i as f32 - 4.5, 0.0, j as f32 - 1.7)));
        if i < 50 {
            let quads = (0..4).map(|j| [5 * i + j, 5 * i + j + 1, 5 * i + j + 6, 5 * i + j + 5]);
            triangles.extend(quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]));
        }
    }
    let field = SharedShape::heightfield(Array2::zeros(5, 101), Vec3::new(100.0, 1.0, 4.0));
    let tile = SharedShape::cuboid(0.5, 1.0, 2.0);
    let tiles: Vec<Vec3> = (-4..44).map(|k| Vec3::new(k as f32 + 0.3, -1.0, 0.0)).collect();
    let parts = tiles.iter().map(|&tile_place| (Pose::from_translation(tile_place), tile.clone())).collect();
    vec![
        ground("a box of 60 m", SharedShape::cuboid(30.0, 1.0, 30.0), Vec3::new(20.0, -1.0, 0.0), 2e-5),
        ground("a box of 4 km", SharedShape::cuboid(2000.0, 1.0, 2000.0), Vec3::new(10.0, -1.0, 0.0), 2e-5),
        ground("a hull", SharedShape::convex_hull(&hull).unwrap(), Vec3::ZERO, 2e-5),
        ground("two triangles", open_mesh(&far, &[[0, 2, 1], [0, 3, 2]]).unwrap(), Vec3::ZERO, 5e-5),
        ground("triangles of a metre", open_mesh(&corners, &triangles).unwrap(), Vec3::ZERO, 5e-5),
        ground("a height field", field, Vec3::new(20.0, 0.0, 0.0), 5e-5),
        ground("a compound of tiles", SharedShape::compound(parts), Vec3::ZERO, 3e-3),
        Ground { name: "tiles", shape: tile, places: tiles, bump: 3e-3 },
    ]
}

/// Returns a rough collider of a shape.
fn rough(shape: &SharedShape) -> Collider {
    Collider::new(shape.clone()).friction(Friction::new(0.8))
}

/// Returns a world with four substeps and colliders on no body.
fn world_with(colliders: impl IntoIterator<Item = Collider>) -> World {
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
    for collider in colliders {
        world.add_collider(collider).unwrap();
    }
    world
}

/// Adds a body of a shape that moves like this.
fn add(world: &mut World, shape: &SharedShape, pose: Pose, [velocity, about]: [Vec3; 2]) -> BodyHandle {
    let body = Body::dynamic(pose, Mass::from_shape(&**shape, 500.0).unwrap());
    let body = world.add_body(body.velocity(velocity).angular_velocity(about)).unwrap();
    world.add_collider(rough(shape).attached_to(body)).unwrap();
    body
}

/// A wheel that rolls at v with ω = v/R keeps both, and its height.
#[test]
fn wheels_roll_on_level_on_every_ground() {
    let radius = 0.3;
    let wheels = [
        ("a ball", SharedShape::ball(radius)),
        ("a cylinder", SharedShape::cylinder(0.1, radius)),
        ("a round cylinder", SharedShape::round_cylinder(0.1, 0.25, 0.05)),
        ("a capsule", SharedShape::capsule_y(0.2, radius)),
    ];
    for ground in &grounds() {
        for (name, wheel) in &wheels {
            for spin in [3.0, 10.0, 30.0, 100.0] {
                let name = format!("{name} at {spin} rad/s on {}", ground.name);
                let pose = Pose::from_parts(Vec3::Y * radius, Quat::from_rotation_x(FRAC_PI_2));
                let (velocity, about) = (Vec3::X * (radius * spin), Vec3::NEG_Z * spin);
                let (mut world, mut cpu) = (ground.world(), cpu());
                let body = add(&mut world, wheel, pose, [velocity, about]);
                for frame in 0..120 {
                    world.step(&mut cpu, FRAME).unwrap();
                    let place = world.body_pose(body).unwrap().translation;
                    if place.x > 38.0 {
                        break;
                    }
                    let height = place.y - radius;
                    assert!((-5e-5..=ground.bump).contains(&height), "{name}: {height} m in frame {frame}");
                }
                let moving = world.body(body).unwrap();
                assert!((moving.velocity.x / velocity.x - 1.0).abs() < 0.01, "{name}: {} m/s", moving.velocity);
                assert!(
                    (moving.angular_velocity.z / about.z - 1.0).abs() < 0.01,
                    "{name}: {} rad/s",
                    moving.angular_velocity
                );
            }
        }
    }
}

/// Friction alone slows a body that lies flat and spins about the vertical: it neither hops nor tilts.
#[test]
fn what_spins_lies_flat_on_every_ground() {
    let corners: Vec<Vec3> =
        (0..8).map(|k| 0.2 * Vec3::from([0, 1, 2].map(|bit| if k >> bit & 1 == 1 { 1.0 } else { -1.0 }))).collect();
    let spinning = [
        ("a coin", SharedShape::cylinder(0.01, 0.3), 0.01),
        ("a can", SharedShape::cylinder(0.2, 0.1), 0.2),
        ("a cone", SharedShape::cone(0.2, 0.2), 0.2),
        ("a box", SharedShape::cuboid(0.2, 0.2, 0.2), 0.2),
        ("a hull", SharedShape::convex_hull(&corners).unwrap(), 0.2),
    ];
    for ground in &grounds() {
        for (name, shape, height) in &spinning {
            for spin in [3.0, 30.0, 100.0] {
                let name = format!("{name} at {spin} rad/s on {}", ground.name);
                let pose = Pose::from_translation(Vec3::Y * height);
                let (mut world, mut cpu) = (ground.world(), cpu());
                let body = add(&mut world, shape, pose, [Vec3::ZERO, Vec3::Y * spin]);
                for frame in 0..120 {
                    world.step(&mut cpu, FRAME).unwrap();
                    let pose = world.body_pose(body).unwrap();
                    let (above, up) = (pose.translation.y - height, (pose.rotation * Vec3::Y).y);
                    assert!(above.abs() < 5e-4 && up > 0.9999, "{name}: {above} m, {up} in frame {frame}");
                }
            }
        }
    }
}

/// A barrel that rolls along two rails, boxes or pipes, touches them at a point each.
#[test]
fn a_barrel_rolls_along_rails() {
    let (radius, spin) = (0.3, 20.0);
    let rails = [
        ("boxes", SharedShape::cuboid(20.0, 0.1, 0.03), Quat::IDENTITY, 0.1),
        ("pipes", SharedShape::cylinder(20.0, 0.05), Quat::from_rotation_z(FRAC_PI_2), 0.05),
    ];
    for (name, rail, turn, height) in rails {
        let barrel = SharedShape::cylinder(0.5, radius);
        let pose = |z: f32| Pose::from_parts(Vec3::new(18.0, -height, z), turn);
        let mut world = world_with([-0.4, 0.4].map(|z| Collider { pose: pose(z), ..rough(&rail) }));
        let pose = Pose::from_parts(Vec3::Y * radius, Quat::from_rotation_x(FRAC_PI_2));
        let body = add(&mut world, &barrel, pose, [Vec3::X * (radius * spin), Vec3::NEG_Z * spin]);
        let mut cpu = cpu();
        for frame in 0..240 {
            world.step(&mut cpu, FRAME).unwrap();
            let place = world.body_pose(body).unwrap().translation;
            assert!((place.y - radius).abs() < 5e-5, "{name}: {} m in frame {frame}", place.y);
            assert!(place.z.abs() < 0.1, "{name}: {} m aside in frame {frame}", place.z);
        }
        let velocity = world.body(body).unwrap().velocity;
        assert!((velocity.x / (radius * spin) - 1.0).abs() < 1e-3, "{name}: {velocity} m/s");
    }
}

/// A barrel that lies between the edges of two boxes, along its axis, comes to rest where both touch its side.
#[test]
fn a_barrel_rests_between_two_edges() {
    let (radius, half_gap) = (0.3_f32, 0.2_f32);
    let barrel = SharedShape::cylinder(0.5, radius);
    let block = SharedShape::cuboid(0.1, 0.5, 2.0);
    let place = |side: f32| Vec3::new(side * (half_gap + 0.1), -0.5, 0.0);
    let mut world = world_with([-1.0, 1.0].map(|side| rough(&block).at(place(side))));
    world.set_settings(Settings { substeps: 10, ..Settings::default() }).unwrap();
    let pose = Pose::from_parts(Vec3::Y * 0.25, Quat::from_rotation_x(FRAC_PI_2));
    let body = add(&mut world, &barrel, pose, [Vec3::ZERO; 2]);
    let mut cpu = cpu();
    (0..180).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let (place, expected) = (world.body_pose(body).unwrap(), (radius * radius - half_gap * half_gap).sqrt());
    assert!(place.translation.distance(Vec3::Y * expected) < 5e-4, "{place:?} in place of {expected} m");
    assert!((place.rotation * Vec3::Y).z.abs() > 0.99999, "{place:?}");
    assert!(world.body(body).unwrap().velocity.length() < 1e-3);
}

/// A ball in a valley of two boxes at a small angle lies on both, also where its points on one hardly rise above the other.
#[test]
fn a_ball_lies_in_a_shallow_valley() {
    for angle in [0.02, 0.1, 0.5] {
        let radius = 0.3;
        let slope = SharedShape::cuboid(2.0, 0.5, 2.0);
        let mut world = world_with([-1.0, 1.0].map(|side| {
            let turn = Quat::from_rotation_z(side * angle);
            let pose = Pose::from_parts(turn * Vec3::new(side * 2.0, -0.5, 0.0), turn);
            Collider { pose, ..rough(&slope) }
        }));
        let ball = SharedShape::ball(radius);
        let height = radius / trig::cos(angle);
        let body = add(&mut world, &ball, Pose::from_translation(Vec3::Y * height), [Vec3::ZERO; 2]);
        let mut cpu = cpu();
        for frame in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
            let place = world.body_pose(body).unwrap().translation;
            // It swings a little, since one of both bears it first.
            let is_held = (place.y - height).abs() < 2e-4 && place.with_y(0.0).length() < 5e-3;
            assert!(is_held, "{angle} rad: {place} in place of {height} m in frame {frame}");
        }
    }
}
