//! Cloth that collides as a surface, thinner than its particles.

use glam::{Affine3A, DVec3, Quat, Vec3};
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::bodies::Body;
use xpbd_core::collide::{Collider, ContactPartner};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::object::Surface;
use xpbd_core::scalar::trig;
use xpbd_core::world::{Friction, Object, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
/// Thickness of a cloth in edges.
const THICKNESS: f32 = 0.25;

/// Returns a square cloth with `side` × `side` particles that collides as a surface.
fn cloth(side: u32, size: f32) -> Cloth {
    let thickness = THICKNESS * size / (side - 1) as f32;
    Cloth::grid(side, side, size, size).surface_collision(thickness).tethers(false).friction(Friction::new(0.2))
}

/// Returns a world for cloth with edges of this length \[m\].
fn world(edge: f32) -> World {
    World::new(Settings { particle_radius: 0.45 * edge, contact_margin: THICKNESS * edge, ..Settings::default() })
        .unwrap()
}

fn step(world: &mut World, threads: usize, frames: u32) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    (0..frames).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// Returns how many edges run through triangles that they share no vertex with: all of these objects against all.
pub fn crossings(world: &World, objects: &[ObjectHandle]) -> usize {
    let (mut x, mut triangles): (Vec<DVec3>, Vec<[usize; 3]>) = Default::default();
    for &object in objects {
        let first = x.len();
        let surface = world.state().objects.get(object).unwrap().surface.clone().unwrap();
        triangles.extend(surface.triangles.iter().map(|t| t.map(|k| first + k as usize)));
        x.extend(world.positions(object).unwrap().map(|x| x.as_dvec3()));
    }
    let mut edges: Vec<_> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.retain(|[a, b]| a < b || !triangles.iter().any(|t| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [*b, *a])));
    let volume = |a: usize, b: usize, c: usize, d: usize| (x[b] - x[a]).cross(x[c] - x[a]).dot(x[d] - x[a]);
    let runs_through = |[p, q]: [usize; 2], [a, b, c]: [usize; 3]| {
        let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
        volume(a, b, c, p) * volume(a, b, c, q) < 0.0
            && (around.iter().all(|&v| v > 0.0) || around.iter().all(|&v| v < 0.0))
    };
    let of = |edge: &[usize; 2]| {
        let apart = |t: &&[usize; 3]| !t.iter().any(|corner| edge.contains(corner));
        triangles.iter().filter(apart).filter(|&&triangle| runs_through(*edge, triangle)).count()
    };
    edges.iter().map(of).sum()
}

#[test]
fn two_layers_rest_on_each_other() {
    let (side, size) = (17, 0.6);
    let edge = size / (side - 1) as f32;
    let mut world = world(edge);
    let table = Collider::new(SharedShape::cuboid(0.15, 0.2, 0.15));
    world.add_collider(Collider { pose: Pose::from_translation(Vec3::Y * 0.2), ..table }).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y))).unwrap();
    let turn = Affine3A::from_quat(Quat::from_xyzw(0.0, trig::sin(0.3), 0.0, trig::cos(0.3)));
    let sheet =
        |height: f32, turn| cloth(side, size).transform(turn).at(Vec3::Y * (0.4 + edge * height)).linear_damping(0.5);
    let sheets =
        [sheet(0.5, Affine3A::IDENTITY), sheet(1.5, turn)].map(|sheet| world.add(sheet.build().unwrap()).unwrap());
    let mut most = 0;
    for _ in 0..20 {
        step(&mut world, 1, 30);
        most = most.max(crossings(&world, &sheets));
    }
    assert_eq!(most, 0);
    // They lie still, also where they bend over the edges of the table.
    let speeds = sheets.iter().flat_map(|&sheet| world.velocities(sheet).unwrap());
    let squares = speeds.map(|v| v.length_squared()).sum::<f32>();
    assert!((squares / (2 * side * side) as f32).sqrt() < 2e-3, "{squares}");
    // Over the middle of the table one lies on the other.
    let height = |sheet: ObjectHandle| world.position(sheet, (side * side / 2) as usize).unwrap().y;
    let [low, high] = sheets.map(height);
    assert!((high - low) / (THICKNESS * edge) > 0.9 && high - low < edge, "{low} {high}");
}

/// Without a sweep over velocities they leave each other at the speed at which the overlap is resolved.
#[test]
fn sheets_that_overlap_part_and_stay() {
    let (side, size) = (9, 0.4);
    let edge = size / (side - 1) as f32;
    let mut world = world(edge);
    world.set_settings(Settings { gravity: Vec3::ZERO, ..world.settings().clone() }).unwrap();
    let overlap = 0.5 * THICKNESS * edge;
    let sheets = [0.0, overlap].map(|y| world.add(cloth(side, size).at(Vec3::Y * y).build().unwrap()).unwrap());
    step(&mut world, 1, 60);
    let height = |sheet| world.positions(sheet).unwrap().map(|x| x.y).sum::<f32>() / (side * side) as f32;
    let apart = (height(sheets[1]) - height(sheets[0])) / (THICKNESS * edge);
    assert!((0.99..1.15).contains(&apart), "they are {apart} thicknesses apart");
    let speeds = sheets.iter().flat_map(|&sheet| world.velocities(sheet).unwrap()).map(Vec3::length);
    let fastest = speeds.fold(0.0, f32::max);
    assert!(fastest < 5e-3, "{fastest}");
}

/// The corner of a box touches it between its vertices.
#[test]
fn a_sheet_goes_as_fast_as_the_corner_that_pushes_it() {
    let (side, size, speed) = (9, 0.4, 0.05);
    let edge = size / (side - 1) as f32;
    let mut world = world(edge);
    world.set_settings(Settings { gravity: Vec3::ZERO, ..world.settings().clone() }).unwrap();
    let half = Vec3::splat(0.05);
    let up = Quat::from_rotation_arc(half.normalize(), Vec3::Y);
    let pose = |frame: u32| {
        let height = speed * FRAME * frame as f32 - half.length();
        Pose::from_parts(Vec3::new(0.2 * edge, height, 0.1 * edge), up)
    };
    let body = world.add_body(Body::kinematic(pose(0))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body)).unwrap();
    let sheet = world.add(cloth(side, size).at(Vec3::Y * 0.4 * edge).build().unwrap()).unwrap();
    for frame in 1..=90 {
        world.move_body(body, pose(frame)).unwrap();
        step(&mut world, 1, 1);
    }
    let mean = world.velocities(sheet).unwrap().map(|v| v.y).sum::<f32>() / (side * side) as f32;
    assert!((0.9..1.02).contains(&(mean / speed)), "{mean}");
}

/// Returns a cloth above a ring of capsules, held by its middle.
fn ring(side: u32, round: f32) -> (World, ObjectHandle, Vec3) {
    let (size, tube) = (0.6, 0.03);
    let mut world = world(size / (side - 1) as f32);
    let at = |k: u32| {
        let angle = std::f32::consts::TAU * k as f32 / 32.0;
        Vec3::new(round * trig::cos(angle), 0.0, round * trig::sin(angle))
    };
    let part = |k: u32| (Pose::IDENTITY, SharedShape::capsule(at(k), at(k + 1), tube));
    world
        .add_collider(Collider::new(SharedShape::compound((0..32).map(part).collect())).friction(Friction::new(0.2)))
        .unwrap();
    let start = Vec3::Y * (tube + world.settings().particle_radius);
    let sheet = cloth(side, size).at(start).pin([side * side / 2]).linear_damping(0.5).build().unwrap();
    let sheet = world.add(sheet).unwrap();
    (world, sheet, start)
}

/// Pulls the middle down for some frames.
fn pull(world: &mut World, sheet: ObjectHandle, start: Vec3, frames: u32, threads: usize) {
    let middle = world.positions(sheet).unwrap().len() / 2;
    for _ in 0..frames {
        let come = (0.01 * (world.state().frames + 1) as f32).min(0.8);
        world.move_pinned(sheet, middle, start - Vec3::Y * come).unwrap();
        step(world, threads, 1);
    }
}

#[test]
fn a_cloth_pulled_through_a_ring_comes_out_untangled() {
    let (mut world, sheet, start) = ring(21, 0.15);
    pull(&mut world, sheet, start, 30, 2);
    assert!(world.positions(sheet).unwrap().any(|x| x.y > 0.0), "it is in the ring");
    pull(&mut world, sheet, start, 120, 2);
    assert!(world.positions(sheet).unwrap().all(|x| x.y < -0.05), "it is through");
    assert_eq!(crossings(&world, &[sheet]), 0);
}

#[test]
fn bits_depend_neither_on_threads_nor_on_a_snapshot() {
    let run = |threads: usize, stops: bool| {
        let (mut world, sheet, start) = ring(15, 0.15);
        pull(&mut world, sheet, start, 18, threads);
        if stops {
            let snapshot = world.snapshot().unwrap();
            let mut other = World::default();
            xpbd_cloth::register(other.registry_mut()).unwrap();
            other.restore(&snapshot).unwrap();
            world = other;
        }
        pull(&mut world, sheet, start, 18, threads);
        world.state_hash()
    };
    let hashes = [run(1, false), run(2, false), run(5, false), run(2, true)];
    assert_eq!(hashes, [hashes[0]; 4]);
}

/// Three times its thickness in a substep.
#[test]
fn a_fast_cloth_does_not_pass_another() {
    let (side, size) = (13, 0.3);
    let edge = size / (side - 1) as f32;
    let mut world = world(edge);
    let rim = |_, x: Vec3| x.x.abs().max(x.z.abs()) > 0.149;
    let target = world.add(cloth(side, size).pin_where(rim).build().unwrap()).unwrap();
    let turn = Affine3A::from_quat(Quat::from_xyzw(0.0, trig::sin(0.2), 0.0, trig::cos(0.2)));
    let mut thrown = cloth(side, 0.15).transform(turn).at(Vec3::Y * 0.1).build().unwrap();
    thrown.surface.as_mut().unwrap().thickness = THICKNESS * edge;
    let thrown = world.add(thrown.velocity(Vec3::NEG_Y * 20.0)).unwrap();
    step(&mut world, 2, 30);
    assert_eq!(crossings(&world, &[target, thrown]), 0);
    assert!(world.positions(thrown).unwrap().all(|x| x.y > -0.1), "it is on its side");
}

/// A triangle falls on one that is held, and lies where its thickness keeps it, near the origin and far from it:
/// surfaces, not balls, hold it up. Both are told of.
#[test]
fn a_triangle_rests_at_its_thickness() {
    for origin in [Vec3::ZERO, Vec3::new(1000.0, 0.0, -1000.0)] {
        let mut world =
            World::new(Settings { particle_radius: 0.1, contact_margin: 0.01, ..Settings::default() }).unwrap();
        let flat = [Vec3::NEG_X - Vec3::Z, Vec3::X - Vec3::Z, Vec3::Z];
        let held = Object::new("held", flat.map(|x| x + origin).to_vec(), 0.1).surface(vec![[0, 1, 2]], 0.03);
        let held = world.add(held.pin([0, 1, 2])).unwrap();
        let small = flat.map(|x| 0.2 * x + Vec3::Y * 0.05 + origin).to_vec();
        let lying = world.add(Object::new("lying", small, 0.1).surface(vec![[0, 1, 2]], 0.01)).unwrap();
        step(&mut world, 1, 120);
        for x in world.positions(lying).unwrap() {
            assert!((x.y - 0.02).abs() < 2e-4, "{x}");
        }
        let contacts: Vec<_> = world.contacts().iter().map(|contact| (contact.object, contact.other)).collect();
        assert!(
            contacts.contains(&(lying, ContactPartner::Object(held)))
                || contacts.contains(&(held, ContactPartner::Object(lying)))
        );
        let push: f32 = world.contacts().iter().map(|contact| contact.impulse).sum();
        assert!((push / (0.3 * 9.81 * FRAME) - 1.0).abs() < 0.05, "{push}");
    }
}

#[test]
fn a_surface_that_is_not_one_is_refused() {
    let object = |triangle, thickness| {
        Object::new("thing", vec![Vec3::ZERO, Vec3::X, Vec3::Y], 0.1).surface(vec![triangle], thickness)
    };
    let mut world = World::default();
    for (triangle, thickness, told) in [
        ([0, 1, 3], 0.1, "triangle 0 of the surface is [0, 1, 3]; it must be of particles that the object has"),
        ([0, 1, 1], 0.1, "triangle 0 of the surface is [0, 1, 1]; it must be of three particles"),
        ([0, 1, 2], 0.0, "the thickness of a surface is 0; it must be finite and positive"),
        ([0, 1, 2], f32::NAN, "the thickness of a surface is NaN"),
    ] {
        let refused = world.add(object(triangle, thickness)).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
    let thing = world.add(object([0, 1, 2], 0.1)).unwrap();
    let twice = Surface { triangles: vec![[2, 0, 2]], thickness: 0.1, permeability: 0.0 };
    assert!(world.set_surface(thing, Some(twice)).is_err());
    assert!(world.state().objects.get(thing).unwrap().surface.as_ref().unwrap().triangles == [[0, 1, 2]]);
    let wrong = Surface { triangles: vec![[0, 1, 2]], thickness: 0.1, permeability: -1.0 };
    let refused = world.set_surface(thing, Some(wrong)).unwrap_err().to_string();
    assert!(refused.contains("permeability of a surface is -1; it must be finite and not negative"), "{refused}");
    world.set_surface(thing, None).unwrap();
    world.remove(thing).unwrap();
    assert!(world.set_surface(thing, None).is_err());
}

#[test]
fn a_thickness_has_to_be_positive() {
    for thickness in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let refused = Cloth::grid(3, 3, 1.0, 1.0).surface_collision(thickness).build().unwrap_err().to_string();
        assert!(refused.contains("thickness of the surface"), "{refused}");
    }
}

#[test]
fn what_has_no_surface_has_no_permeability() {
    let refused = Cloth::grid(3, 3, 1.0, 1.0).permeability(0.5).build().unwrap_err().to_string();
    assert!(refused.contains("permeability is 0.5; it must be 0 without surface_collision"), "{refused}");
    assert!(Cloth::grid(3, 3, 1.0, 1.0).permeability(f32::NAN).surface_collision(0.1).build().is_err());
}

/// In a sheet as thick as its edges or their diagonals are long, neighbours are where contacts begin. It sags a little between its
/// pins, and stays as it is.
#[test]
fn a_sheet_as_thick_as_its_edges_does_not_touch_itself() {
    let edge = 0.02;
    for thickness in [0.69, 0.7, 0.9, 0.995, 1.0, 1.2].map(|edges| edges * edge) {
        let mut world = World::new(Settings { particle_radius: 0.0125, substeps: 10, ..Settings::default() }).unwrap();
        let sheet = Cloth::grid(21, 21, 0.4, 0.4).surface_collision(thickness);
        let sheet = world.add(sheet.pin_where(|_, x| x.x.abs().max(x.z.abs()) > 0.19).build().unwrap()).unwrap();
        step(&mut world, 1, 30);
        let lowest = world.positions(sheet).unwrap().map(|x| x.y).fold(0.0, f32::min);
        assert!((-0.02..0.0).contains(&lowest), "{thickness}: {lowest}");
    }
}
