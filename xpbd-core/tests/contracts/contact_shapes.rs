//! Every shape holds what is dropped on it, and no wall is too thin.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Shape, SharedShape};
use parry3d::utils::Array2;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::collide::{Collider, open_mesh, solid_mesh};
use xpbd_core::world::{Friction, Object, Settings, World};

use super::support::{Distance, FRAME, Lcg, cpu, weightless};

const RADIUS: f32 = 0.01;

/// Returns the corners and faces of a box with half extents `h`, faces counter-clockwise from outside.
pub fn box_mesh(h: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corners = (0..8).map(|k| h * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let faces = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (corners, faces)
}

/// Returns every shape that a collider may have, about half a metre in size, its top in the middle.
pub fn shapes() -> Vec<(&'static str, SharedShape)> {
    let (corners, faces) = box_mesh(Vec3::new(0.4, 0.3, 0.4));
    let slab = || SharedShape::cuboid(0.2, 0.3, 0.4);
    let parts = vec![(Pose::translation(-0.2, 0.0, 0.0), slab()), (Pose::translation(0.2, 0.0, 0.0), slab())];
    let mut hills = Array2::zeros(9, 9);
    for i in 0..9 {
        for j in 0..9 {
            let from_middle = (i as f32 - 4.0).abs() + (j as f32 - 4.0).abs();
            hills[(i, j)] = 0.04 * (8.0 - from_middle);
        }
    }
    vec![
        ("ball", SharedShape::ball(0.4)),
        ("cuboid", SharedShape::cuboid(0.4, 0.3, 0.4)),
        ("capsule", SharedShape::capsule_y(0.2, 0.3)),
        ("cylinder", SharedShape::cylinder(0.3, 0.4)),
        ("cone", SharedShape::cone(0.3, 0.4)),
        ("convex polyhedron", SharedShape::convex_hull(&corners).unwrap()),
        ("solid mesh", solid_mesh(&corners, &faces).unwrap()),
        ("open mesh", open_mesh(&corners, &faces).unwrap()),
        ("height field", SharedShape::heightfield(hills, Vec3::new(1.0, 1.0, 1.0))),
        ("compound", SharedShape::compound(parts)),
        ("half-space", SharedShape::halfspace(Vec3::Y)),
    ]
}

/// Returns the height of the surface above the middle, as the shapes above are made.
fn top(name: &str) -> f32 {
    match name {
        "ball" => 0.4,
        "capsule" => 0.5,
        "height field" => 0.32,
        "half-space" => 0.0,
        _ => 0.3,
    }
}

/// Returns the distance from the surface [m]; negative inside. A height field has no inside; that of the open
/// mesh is the box that its faces enclose.
fn distance(name: &str, shape: &dyn Shape, x: Vec3) -> f32 {
    if name == "open mesh" {
        return distance("cuboid", SharedShape::cuboid(0.4, 0.3, 0.4).as_ref(), x);
    }
    let nearest = shape.project_local_point(x, false);
    let inside = nearest.is_inside && name != "height field";
    (nearest.point - x).length() * if inside { -1.0 } else { 1.0 }
}

#[test]
fn every_shape_holds_what_is_dropped_on_its_top() {
    for (name, shape) in shapes() {
        let mut world = World::new(Settings { particle_radius: RADIUS, ..Settings::default() }).unwrap();
        let rough = Friction::new(1.0);
        let turn = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
        let place = Vec3::new(3.0, -1.0, 2.0);
        world.add_collider(Collider::new(shape).at(place).rotation(turn).friction(rough)).unwrap();
        let above = place + Vec3::Y * (top(name) + 0.3);
        let mut object = Object::new("one", vec![above], 1.0);
        object.friction = rough;
        let object = world.add(object).unwrap();
        let mut cpu = cpu();
        for _ in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
        }
        let rest = world.position(object, 0).unwrap() - place;
        // Within the rounding of positions of 3 m, and what g h² = 7 µm sinks in.
        let error = rest - Vec3::Y * (top(name) + RADIUS);
        assert!(error.length() < 1e-4, "{name}: {rest} is off by {error}");
        assert!(world.velocity(object, 0).unwrap().length() < 1e-2, "{name}");
    }
}

#[test]
fn no_shape_lets_in_what_rains_on_it() {
    let mut random = Lcg::new(31);
    for (name, shape) in shapes() {
        let mut world = World::new(Settings { particle_radius: RADIUS, ..Settings::default() }).unwrap();
        let turn = Quat::from_xyzw(0.0, 0.3, 0.0, 0.9).normalize();
        world.add_collider(Collider::new(shape.clone()).rotation(turn)).unwrap();
        let pose = Pose::from_parts(Vec3::ZERO, turn);
        let drops: Vec<_> = (0..150).map(|_| random.vector(0.45) + Vec3::Y * 1.2).collect();
        let mut object = Object::new("rain", drops, 1.0);
        object.velocities = (0..150).map(|_| random.vector(2.0) - Vec3::Y * 5.0).collect();
        let object = world.add(object).unwrap();
        let (mut cpu, mut deepest, mut met) = (cpu(), f32::INFINITY, 0);
        for frame in 0..90 {
            let report = world.step(&mut cpu, FRAME).unwrap();
            met += report.shape_contacts;
            for (k, x) in world.positions(object).unwrap().enumerate() {
                let local = pose.inverse_transform_point(x);
                let gap = distance(name, shape.as_ref(), local) - RADIUS;
                deepest = deepest.min(gap);
                assert!(gap > -1e-3, "{name}: particle {k} is {gap} m deep in frame {frame}, at {local}");
            }
        }
        assert!(met > 100 && deepest < 1e-3, "{name}: the rain has missed it ({met}, {deepest})");
    }
}

/// Returns a wall of two triangles in the plane z = 0, 4 m wide.
fn wall() -> SharedShape {
    let corners = [[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    open_mesh(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap()
}

#[test]
fn nothing_passes_a_wall_one_triangle_thin() {
    for (speed, substeps) in [(200.0, 20), (200.0, 1), (30.0, 4), (2.0, 2)] {
        let mut random = Lcg::new(41);
        let mut world = World::new(Settings { substeps, particle_radius: RADIUS, ..weightless() }).unwrap();
        let turn = Quat::from_xyzw(0.2, 0.3, -0.1, 0.8).normalize();
        let pose = Pose::from_parts(Vec3::new(5.0, -7.0, 3.0), turn);
        world.add_collider(Collider::new(wall()).at(pose.translation).rotation(turn)).unwrap();
        let (mut starts, mut velocities, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..500 {
            // Aimed at a place on the wall, from a random distance, up to 80° off the normal.
            let aim = Vec3::new(random.range(-1.8, 1.8), random.range(-1.8, 1.8), 0.0);
            let mut from = random.unit();
            while from.z.abs() < 0.17 {
                from = random.unit();
            }
            let far = random.range(0.02, 4.0) / from.z.abs();
            starts.push(pose.transform_point(aim + from * far));
            velocities.push(turn * (from * -speed));
            sides.push(from.z.signum());
        }
        let mut object = Object::new("bullets", starts, 0.01);
        object.velocities = velocities;
        let object = world.add(object).unwrap();
        let locals = |world: &World| -> Vec<Vec3> {
            world.positions(object).unwrap().map(|x| pose.inverse_transform_point(x)).collect()
        };
        let mut cpu = cpu();
        let (mut touched, mut before) = (0, locals(&world));
        for frame in 0..(4.0 * 8.0 * 60.0 / speed) as u32 + 4 {
            touched += world.step(&mut cpu, FRAME).unwrap().shape_contacts;
            let now = locals(&world);
            for (k, (a, b)) in before.iter().zip(&now).enumerate() {
                if a.z * sides[k] > 0.0 && b.z * sides[k] <= 0.0 {
                    // Once beside the wall it is free to cross its plane.
                    let cross = a.lerp(*b, a.z / (a.z - b.z));
                    let beside = cross.x.abs().max(cross.y.abs()) > 2.0;
                    assert!(beside, "{speed} m/s, {substeps} substeps: {k} passes at {cross} in frame {frame}");
                }
            }
            before = now;
        }
        assert!(touched >= 500, "{touched}");
    }
}

#[test]
fn a_fast_wall_takes_along_what_is_in_its_way() {
    for substeps in [1, 20] {
        let mut random = Lcg::new(43);
        let mut world = World::new(Settings { substeps, particle_radius: RADIUS, ..weightless() }).unwrap();
        let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
        world.add_collider(Collider::new(wall()).attached_to(body)).unwrap();
        let still: Vec<_> = (0..200).map(|_| random.vector(1.5) + Vec3::Z * 1.6).collect();
        let object = world.add(Object::new("still", still, 0.01)).unwrap();
        let mut cpu = cpu();
        for frame in 1..=3 {
            // 200 m/s, 3.33 m a frame.
            let z = 200.0 * FRAME * frame as f32;
            world.move_body(body, Pose::translation(0.0, 0.0, z)).unwrap();
            world.step(&mut cpu, FRAME).unwrap();
            for (k, x) in world.positions(object).unwrap().enumerate() {
                assert!(x.z > z, "{substeps} substeps: {k} is {} m behind the wall in frame {frame}", z - x.z);
            }
        }
    }
}

/// Particles at rest that a pinned partner behind a wall pulls across it within one substep: they are expected to stay where
/// they are, so that the wall is not among the contacts of the frame.
#[test]
fn what_is_pulled_off_its_way_does_not_pass_a_wall() {
    for (substeps, kinematic) in [(1, false), (10, false), (10, true)] {
        let mut random = Lcg::new(45);
        let mut world = World::new(Settings { substeps, particle_radius: RADIUS, ..weightless() }).unwrap();
        let turn = Quat::from_xyzw(0.2, 0.3, -0.1, 0.8).normalize();
        let pose = Pose::from_parts(Vec3::new(5.0, -7.0, 3.0), turn);
        let body = world.add_body(Body::kinematic(pose)).unwrap();
        let collider = Collider::new(wall());
        let collider =
            if kinematic { collider.attached_to(body) } else { collider.at(pose.translation).rotation(turn) };
        world.add_collider(collider).unwrap();
        let (mut positions, mut sides) = (Vec::new(), Vec::new());
        for k in 0..200 {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            let start = Vec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), side * random.range(0.05, 1.0));
            let end = Vec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), side * random.range(-1.0, -0.2));
            positions.extend([start, end].map(|x| pose.transform_point(x)));
            sides.push(side);
        }
        let pairs: Vec<[u32; 2]> = (0..200).map(|k| [2 * k, 2 * k + 1]).collect();
        let strings = Batch::new(Distance, &pairs, &[[0.1]; 200]).unwrap();
        let pins: Vec<u32> = (0..200).map(|k| 2 * k + 1).collect();
        let object = world.add(Object::new("pulled", positions, 0.01).pin(pins).with(strings)).unwrap();
        let mut cpu = cpu();
        for frame in 1..=30 {
            // A wall that moves goes along itself.
            let slide = if kinematic { 0.002 * frame as f32 } else { 0.0 };
            world.move_body(body, pose * Pose::translation(slide, 0.0, 0.0)).unwrap();
            world.step(&mut cpu, FRAME).unwrap();
            let pulled = world.positions(object).unwrap().step_by(2);
            for (k, (x, side)) in pulled.zip(&sides).enumerate() {
                let height = pose.inverse_transform_point(x).z * side;
                assert!(height > 0.99 * RADIUS, "{substeps} substeps: {k} is at {height} m in frame {frame}");
            }
        }
    }
}

/// A particle that a wall without loss sends back leaves the way on which the wall was found within the frame; the impulse is
/// reported all the same.
#[test]
fn impulses_of_walls_that_a_particle_leaves_are_reported() {
    let (speed, mass) = (30.0, 0.2);
    let mut world = World::new(Settings { substeps: 20, particle_radius: RADIUS, ..weightless() }).unwrap();
    world.add_collider(Collider::new(wall()).restitution(1.0)).unwrap();
    let mut ball = Object::new("ball", vec![Vec3::new(0.1, 0.2, 0.2)], mass);
    ball.restitution = 1.0;
    ball.velocities = vec![Vec3::new(0.0, 3.0, -speed)];
    let ball = world.add(ball).unwrap();
    world.step(&mut cpu(), FRAME).unwrap();
    let x = world.positions(ball).unwrap().next().unwrap();
    assert!(x.z > 0.2, "it has come back: {x}");
    let contacts = world.contacts();
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    let expected = 2.0 * mass * speed;
    assert!((contacts[0].impulse / expected - 1.0).abs() < 1e-3, "{} N s instead of {expected}", contacts[0].impulse);
}
