//! Surfaces that are placed through each other or through themselves come apart.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use xpbd_cloth::{Cloth, SoftBody, TetraMesh};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::scalar::trig;
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

use crate::surface_collision::crossings;

const FRAME: f32 = 1.0 / 60.0;
/// Particles a side of a sheet of one metre, and around and along a tube.
const SIDE: u32 = 31;
const EDGE: f32 = 1.0 / (SIDE - 1) as f32;

/// Returns a world with this gravity \[m/s²\].
fn world(gravity: f32) -> World {
    let settings = Settings {
        particle_radius: 0.45 * EDGE,
        contact_margin: 0.25 * EDGE,
        gravity: Vec3::NEG_Y * gravity,
        ..Settings::default()
    };
    World::new(settings).expect("valid")
}

/// Adds a cloth of this rest shape that collides as a surface, and puts its particles elsewhere.
fn add(world: &mut World, rest: &[Vec3], placed: &[Vec3], triangles: &[[u32; 3]], pins: &[u32]) -> ObjectHandle {
    let cloth = Cloth::from_mesh(rest, triangles.as_flattened()).surface_collision(0.25 * EDGE).linear_damping(0.5);
    let cloth = world.add(cloth.pin(pins.iter().copied()).build().expect("valid")).expect("valid");
    for (k, &place) in placed.iter().enumerate() {
        world.set_position(cloth, k, place, Vec3::ZERO).expect("it exists");
    }
    cloth
}

/// Adds a sheet with its vertices at these places, which are functions of x and z from 0 to 1 m; `flat` if its rest shape
/// is a square.
fn sheet(world: &mut World, at: impl Fn(f32, f32) -> Vec3, flat: bool, pins: &[u32]) -> ObjectHandle {
    let grid = |at: &dyn Fn(f32, f32) -> Vec3| -> Vec<Vec3> {
        (0..SIDE * SIDE).map(|k| at((k % SIDE) as f32 * EDGE, (k / SIDE) as f32 * EDGE)).collect()
    };
    let placed = grid(&at);
    let rest = if flat { grid(&|x, z| Vec3::new(x, 0.0, z)) } else { placed.clone() };
    let corners = (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE + 1 < SIDE);
    let triangles: Vec<_> = corners.flat_map(|a| [[a, a + SIDE, a + 1], [a + 1, a + SIDE, a + SIDE + 1]]).collect();
    add(world, &rest, &placed, &triangles, pins)
}

/// Adds a level sheet that is pinned at its corners.
fn pinned(world: &mut World) -> ObjectHandle {
    sheet(world, |x, z| Vec3::new(x, 0.0, z), false, &[0, SIDE - 1, SIDE * SIDE - SIDE, SIDE * SIDE - 1])
}

/// A sheet a little above, of which the middle is pushed through the one below.
fn bump() -> (World, Vec<ObjectHandle>) {
    let mut world = world(0.0);
    let below = pinned(&mut world);
    let height = |x: f32, z: f32| 0.03 - 0.12 / (1.0 + 100.0 * Vec2::new(x - 0.5, z - 0.5).length_squared());
    let above = sheet(&mut world, |x, z| Vec3::new(x, height(x, z), z), true, &[]);
    (world, vec![below, above])
}

/// A sheet of which a corner is under the other.
fn corner(gravity: f32) -> (World, Vec<ObjectHandle>) {
    let mut world = world(gravity);
    let other = pinned(&mut world);
    let at = |x: f32, z: f32| Vec3::new(0.3 + 0.5 * (x - z), -0.15 + 0.5 * (x + z), 0.51 + 0.1 * x);
    let tilted = sheet(&mut world, at, false, &[]);
    (world, vec![other, tilted])
}

/// Two sheets of which each runs halfway through the other, from rim to rim.
fn slits() -> (World, Vec<ObjectHandle>) {
    let mut world = world(0.0);
    let level = pinned(&mut world);
    let upright = sheet(&mut world, |x, z| Vec3::new(x - 0.47, 0.48 - z, 0.51 + 0.05 * x), false, &[]);
    (world, vec![level, upright])
}

/// Two sheets of which each halves the other.
fn cross() -> (World, Vec<ObjectHandle>) {
    let mut world = world(0.0);
    let level = pinned(&mut world);
    let tilted = sheet(&mut world, |x, z| Vec3::new(0.1 + 0.8 * x, 0.31 - 0.6 * x, 0.9 * z + 0.051), false, &[]);
    (world, vec![level, tilted])
}

/// A sleeve that is turned in at one end, and passes through itself there at three places.
fn sleeve() -> (World, Vec<ObjectHandle>) {
    let mut world = world(0.0);
    let at = |turn: f32, along: f32| Vec3::new(0.16 * trig::cos(TAU * turn), along, 0.16 * trig::sin(TAU * turn));
    let turned = |turn: f32, along: f32| {
        let (height, inner) = if along < 0.6 { (along, 0.0) } else { (1.2 - along, along - 0.6) };
        let radius = 1.0 - (8.0 * inner).min(0.15) + 0.9 * inner * trig::cos(3.0 * TAU * turn);
        at(turn, height) * Vec3::new(radius, 1.0, radius)
    };
    let tube = |at: &dyn Fn(f32, f32) -> Vec3| -> Vec<Vec3> {
        (0..SIDE * SIDE).map(|k| at((k % SIDE) as f32 / SIDE as f32, (k / SIDE) as f32 * EDGE)).collect()
    };
    let next = |k: u32| k / SIDE * SIDE + (k + 1) % SIDE;
    let squares = (0..SIDE * (SIDE - 1)).map(|k| (k, next(k)));
    let triangles: Vec<_> = squares.flat_map(|(a, b)| [[a, a + SIDE, b], [b, a + SIDE, b + SIDE]]).collect();
    let pins: Vec<u32> = (0..SIDE).collect();
    let sleeve = add(&mut world, &tube(&at), &tube(&turned), &triangles, &pins);
    (world, vec![sleeve])
}

/// Nothing crosses after two seconds, and what crossed at first was reported.
fn comes_apart((mut world, objects): (World, Vec<ObjectHandle>)) {
    let mut cpu = CpuBackend::default();
    let first = world.step(&mut cpu, FRAME).expect("it steps").surface_crossings;
    assert!(first > 20, "{first} crossings");
    for _ in 1..120 {
        world.step(&mut cpu, FRAME).expect("it steps");
    }
    assert_eq!(crossings(&world, &objects), 0);
    let last = (0..16).map(|_| world.step(&mut cpu, FRAME).expect("it steps").surface_crossings).max();
    assert_eq!(last, Some(0));
}

#[test]
fn a_bump_goes_back_through_a_sheet() {
    comes_apart(bump());
}

#[test]
fn a_corner_comes_out_from_under_a_sheet() {
    comes_apart(corner(0.0));
    comes_apart(corner(9.81));
}

#[test]
fn sheets_that_halve_each_other_come_apart() {
    comes_apart(cross());
}

#[test]
fn sheets_that_are_slit_into_each_other_come_apart() {
    comes_apart(slits());
}

#[test]
fn a_sleeve_that_is_turned_in_comes_out_of_itself() {
    comes_apart(sleeve());
}

/// Returns the faces of a closed octahedron around all points with |x| + |y| + |z| ≤ 1, each divided into sixteen.
fn octahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (mut places, mut triangles) = (Vec::new(), Vec::new());
    let mut vertex = |place: Vec3| {
        let known = places.iter().position(|&other: &Vec3| other.distance(place) < 1e-5);
        known.unwrap_or_else(|| {
            places.push(place);
            places.len() - 1
        }) as u32
    };
    for octant in 0..8 {
        let sign = |axis: u32| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
        let way = Vec3::new(sign(0), sign(1), sign(2));
        let mut at = |i: u32, j: u32| vertex(Vec3::new(i as f32, j as f32, (4 - i - j) as f32) / 4.0 * way);
        for (i, j) in (0..4).flat_map(|i| (0..4 - i).map(move |j| (i, j))) {
            let mut face = vec![[at(i, j), at(i + 1, j), at(i, j + 1)]];
            if i + j < 3 {
                face.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
            let is_outward = way.element_product() > 0.0;
            triangles.extend(face.into_iter().map(|[a, b, c]| if is_outward { [a, b, c] } else { [a, c, b] }));
        }
    }
    (places, triangles)
}

/// More than half of it is on the wrong side, but it is known where it was when the plan was made, also after a snapshot.
#[test]
fn a_soft_body_goes_back_to_its_side_of_a_closed_surface() {
    let along = Vec3::ONE.normalize();
    // Distances of its middle from that of the octahedron, of which the faces are 0.577 m away [m].
    for (from, to, is_inside) in [(0.2, 0.65, true), (1.0, 0.5, false)] {
        let mut world = world(0.0);
        let (places, triangles) = octahedron();
        let bag =
            Cloth::from_mesh(&places, triangles.as_flattened()).surface_collision(0.01).pin(0..places.len() as u32);
        world.add(bag.build().expect("valid")).expect("valid");
        let mesh = TetraMesh::block([3; 3], Vec3::splat(0.2)).expect("valid");
        let body = SoftBody::new(&mesh).surface_collision(0.01).linear_damping(2.0).at(along * from);
        let body = world.add(body.build().expect("valid")).expect("valid");
        let mut cpu = CpuBackend::default();
        world.step(&mut cpu, FRAME).expect("it steps");
        let moved: Vec<Vec3> = world.positions(body).expect("it exists").map(|x| x + along * (to - from)).collect();
        for (k, &place) in moved.iter().enumerate() {
            world.set_position(body, k, place, Vec3::ZERO).expect("it exists");
        }
        let is_beyond = |x: &Vec3| (x.abs().element_sum() > 1.0) == is_inside;
        assert!(2 * moved.iter().filter(|x| is_beyond(x)).count() > moved.len());
        let saved = world.snapshot().expect("it can be saved");
        let run = |world: &mut World| {
            let mut cpu = CpuBackend::default();
            (0..120).for_each(|_| drop(world.step(&mut cpu, FRAME).expect("it steps")));
            world.state_hash()
        };
        let hash = run(&mut world);
        let left = world.positions(body).expect("it exists").filter(is_beyond).count();
        assert_eq!(left, 0, "inside: {is_inside}");
        world.restore(&saved).expect("it can be restored");
        assert_eq!(run(&mut world), hash);
    }
}

/// A world that is saved in the middle of it goes on with the same bits, also if the next step makes a new plan.
#[test]
fn a_saved_tangle_comes_apart_in_the_same_way() {
    for has_stale_plan in [false, true] {
        saved_in_the_middle(has_stale_plan);
    }
}

fn saved_in_the_middle(has_stale_plan: bool) {
    let (mut world, _) = corner(0.0);
    let mut cpu = CpuBackend::default();
    for _ in 0..3 {
        world.step(&mut cpu, FRAME).expect("it steps");
    }
    if has_stale_plan {
        world.add(Object::new("speck", vec![Vec3::X * 100.0], 1.0)).expect("it can be added");
    }
    let saved = world.snapshot().expect("it can be saved");
    let run = |world: &mut World| -> Vec<u64> {
        let mut cpu = CpuBackend::default();
        let hash = |_| {
            world.step(&mut cpu, FRAME).expect("it steps");
            world.state_hash()
        };
        (0..25).map(hash).collect()
    };
    let expected = run(&mut world);
    world.restore(&saved).expect("it can be restored");
    assert_eq!(run(&mut world), expected);
}
