//! Bodies that roll, slide and spin on a ground of any kind and size stay on it.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, open_mesh};
use xpbd_core::cpu::CpuBackend;
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
    on: Support,
}

/// What the shapes of a ground are on.
#[derive(Clone, Copy)]
enum Support {
    Nothing,
    /// Bodies that move with this velocity \[m/s\].
    Moving(Vec3),
}

/// A world with a ground.
struct Stage {
    world: World,
    cpu: CpuBackend,
    /// The bodies that move with this velocity \[m/s\].
    moving: Vec<BodyHandle>,
    velocity: Vec3,
    /// The place of what was at the origin \[m\].
    origin: Vec3,
}

impl Ground {
    fn stage(&self) -> Stage {
        let velocity = if let Support::Moving(velocity) = self.on { velocity } else { Vec3::ZERO };
        let (mut world, mut moving) = (world_with([]), Vec::new());
        for &place in &self.places {
            let (pose, collider) = (Pose::from_translation(place), rough(&self.shape));
            let body = match self.on {
                Support::Nothing => {
                    world.add_collider(collider.at(place)).unwrap();
                    continue;
                }
                Support::Moving(_) => Body::kinematic(pose),
            };
            let body = world.add_body(body).unwrap();
            world.add_collider(collider.attached_to(body)).unwrap();
            if let Support::Moving(_) = self.on {
                moving.push(body);
            }
        }
        Stage { world, cpu: cpu(), moving, velocity, origin: Vec3::ZERO }
    }
}

impl Stage {
    /// Adds a body of a shape that moves like this on the ground.
    fn add(&mut self, shape: &SharedShape, pose: Pose, [velocity, about]: [Vec3; 2]) -> BodyHandle {
        add(&mut self.world, shape, pose, [self.velocity + velocity, about])
    }

    fn step(&mut self) {
        let way = self.velocity * FRAME;
        for &body in &self.moving {
            let pose = self.world.body_pose(body).unwrap();
            self.world.move_body(body, Pose::from_translation(way) * pose).unwrap();
        }
        self.world.step(&mut self.cpu, FRAME).unwrap();
        self.origin += way;
    }

    /// Returns the pose of a body as seen from the ground.
    fn pose(&self, body: BodyHandle) -> Pose {
        Pose::from_translation(-self.origin) * self.world.body_pose(body).unwrap()
    }

    /// Returns the velocity of a body as seen from the ground \[m/s\], and its angular velocity \[rad/s\].
    fn motion(&self, body: BodyHandle) -> [Vec3; 2] {
        let body = self.world.body(body).unwrap();
        [body.velocity - self.velocity, body.angular_velocity]
    }
}

fn grounds() -> Vec<Ground> {
    let ground = |name, shape, center, bump| Ground { name, shape, places: vec![center], bump, on: Support::Nothing };
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
        Ground {
            on: Support::Moving(Vec3::new(0.7, 0.5, -0.4)),
            ..ground("a platform", SharedShape::cuboid(30.0, 1.0, 30.0), Vec3::new(20.0, -1.0, 0.0), 2e-5)
        },
        Ground { name: "tiles", shape: tile.clone(), places: tiles.clone(), bump: 3e-3, on: Support::Nothing },
        Ground {
            name: "tiles of a platform",
            shape: tile,
            places: tiles,
            bump: 3e-3,
            on: Support::Moving(Vec3::new(0.7, 0.5, -0.4)),
        },
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
                let mut stage = ground.stage();
                let body = stage.add(wheel, pose, [velocity, about]);
                for frame in 0..120 {
                    stage.step();
                    let place = stage.pose(body).translation;
                    if place.x > 38.0 {
                        break;
                    }
                    let height = place.y - radius;
                    assert!((-1e-4..=ground.bump).contains(&height), "{name}: {height} m in frame {frame}");
                }
                let [now, turning] = stage.motion(body);
                assert!((now.x / velocity.x - 1.0).abs() < 0.01, "{name}: {now} m/s");
                assert!((turning.z / about.z - 1.0).abs() < 0.01, "{name}: {turning} rad/s");
            }
        }
    }
}

/// A ball that slides at v is braked until it rolls, at 5/7 v.
#[test]
fn a_ball_that_slides_comes_to_roll_on_every_ground() {
    let (radius, speed) = (0.3, 7.0);
    for ground in &grounds() {
        let mut stage = ground.stage();
        let place = Pose::from_translation(Vec3::Y * radius);
        let body = stage.add(&SharedShape::ball(radius), place, [Vec3::X * speed, Vec3::ZERO]);
        (0..120).for_each(|_| stage.step());
        let ([velocity, turning], expected) = (stage.motion(body), speed * 5.0 / 7.0);
        assert!((velocity.x / expected - 1.0).abs() < 0.01, "{}: {velocity} m/s", ground.name);
        assert!((turning.z * radius / -expected - 1.0).abs() < 0.01, "{}: {turning} rad/s", ground.name);
    }
}

/// On a turntable boxes stay where friction holds them against ω² r, and slide off where it does not.
#[test]
fn boxes_ride_on_a_turntable() {
    let (spin, friction) = (1.5_f32, 0.8);
    let mut world = world_with([]);
    let table = world.add_body(Body::kinematic(Pose::from_translation(Vec3::NEG_Y * 0.1))).unwrap();
    world.add_collider(rough(&SharedShape::cylinder(0.1, 5.0)).attached_to(table)).unwrap();
    let shape = SharedShape::cuboid(0.1, 0.1, 0.1);
    let largest = friction * 9.81 / (spin * spin);
    let places = [0.0, 0.1, 0.5, 0.95, 1.1].map(|part| part * largest);
    let boxes = (0..).zip(places).map(|(k, radius)| {
        let turn = Quat::from_rotation_y(k as f32);
        let pose = Pose::from_parts(turn * Vec3::X * radius + Vec3::Y * 0.1, turn);
        add(&mut world, &shape, pose, [Vec3::ZERO; 2])
    });
    let (boxes, mut cpu) = (boxes.collect::<Vec<_>>(), cpu());
    let mut angle = 0.0;
    for frame in 0..1200_u16 {
        angle += spin * (f32::from(frame) / 240.0).min(1.0) * FRAME;
        let pose = Pose::from_parts(Vec3::NEG_Y * 0.1, Quat::from_rotation_y(angle));
        world.move_body(table, pose).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
    }
    for (k, (&body, start)) in boxes.iter().zip(places).enumerate() {
        let place = world.body_pose(body).unwrap().translation;
        let (radius, turn) = (place.with_y(0.0).length(), Quat::from_rotation_y(angle + k as f32));
        if start > largest {
            assert!(radius > 5.0, "{start} m: {radius} m");
        } else {
            let expected = turn * Vec3::X * start + Vec3::Y * 0.1;
            assert!(place.distance(expected) < 1e-3, "{start} m: {place} in place of {expected}");
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
                let mut stage = ground.stage();
                let body = stage.add(shape, pose, [Vec3::ZERO, Vec3::Y * spin]);
                for frame in 0..120 {
                    stage.step();
                    let pose = stage.pose(body);
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
