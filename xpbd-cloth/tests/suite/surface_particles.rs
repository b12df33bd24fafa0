//! Particles without triangles against cloth that collides as a surface.

use glam::{DVec3, Vec3};
use xpbd_cloth::Cloth;
use xpbd_core::collide::ContactPartner;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{CollisionLayers, Friction, Object, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
const RADIUS: f32 = 0.02;
const THICKNESS: f32 = 0.01;
/// Distance of a particle from a triangle that it touches \[m\].
const TOUCHING: f32 = RADIUS + 0.5 * THICKNESS;

fn world(gravity: f32) -> World {
    let gravity = Vec3::NEG_Y * gravity;
    World::new(Settings { gravity, particle_radius: RADIUS, contact_margin: RADIUS, ..Settings::default() }).unwrap()
}

fn step(world: &mut World, threads: usize, frames: u32) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    (0..frames).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// Returns a sheet of 1 m by 1 m with `side` × `side` particles, whose edges are many radii long.
fn sheet(side: u32) -> Cloth {
    Cloth::grid(side, side, 1.0, 1.0).surface_collision(THICKNESS).tethers(false)
}

/// Adds triangles that do not move.
fn add_fixed(world: &mut World, corners: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> ObjectHandle {
    let pins = 0..corners.len() as u32;
    world.add(Object::new("fixed", corners, 0.1).surface(triangles, THICKNESS).pin(pins)).unwrap()
}

fn add_grain(world: &mut World, place: Vec3, velocity: Vec3, friction: f32) -> ObjectHandle {
    let mut grain = Object::new("grain", vec![place], 0.3).velocity(velocity);
    grain.friction = Friction::new(friction);
    world.add(grain).unwrap()
}

/// On either side of a triangle with edges of fifty diameters, near the origin and far from it.
#[test]
fn a_particle_rests_inside_a_triangle_at_its_radius_and_half_the_thickness() {
    for (origin, side) in [(Vec3::ZERO, 1.0), (Vec3::ZERO, -1.0), (Vec3::new(1000.0, 0.0, -1000.0), 1.0)] {
        let mut world = world(9.81 * side);
        let corners = [Vec3::NEG_X - Vec3::Z, Vec3::X - Vec3::Z, Vec3::Z].map(|x| x + origin).to_vec();
        let fixed = add_fixed(&mut world, corners, vec![[0, 1, 2]]);
        let grain = add_grain(&mut world, origin + Vec3::new(0.1, 0.1 * side, -0.2), Vec3::ZERO, 0.3);
        step(&mut world, 1, 90);
        let height = side * world.position(grain, 0).unwrap().y;
        assert!((height - TOUCHING).abs() < 2e-4, "{height}");
        let contacts = world.contacts();
        assert!(
            contacts.iter().all(|contact| contact.object == grain && contact.other == ContactPartner::Object(fixed))
        );
        let push: f32 = contacts.iter().map(|contact| contact.impulse).sum();
        assert!((push / (0.3 * 9.81 * FRAME) - 1.0).abs() < 0.02, "{push}");
    }
}

/// The edge belongs to two triangles, which push once.
#[test]
fn a_particle_rests_on_the_ridge_of_a_roof() {
    let mut world = world(9.81);
    let ends = [Vec3::NEG_Z, Vec3::Z];
    let feet = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, -1.0, 0.0)];
    add_fixed(&mut world, [ends, feet].concat(), vec![[0, 1, 2], [0, 3, 1]]);
    let grain = add_grain(&mut world, Vec3::new(0.0, 0.05, 0.3), Vec3::ZERO, 1.0);
    step(&mut world, 1, 60);
    let x = world.position(grain, 0).unwrap();
    assert!((x - Vec3::new(0.0, TOUCHING, 0.3)).length() < 2e-4, "{x}");
    let push: f32 = world.contacts().iter().map(|contact| contact.impulse).sum();
    assert!((push / (0.3 * 9.81 * FRAME) - 1.0).abs() < 0.02, "{push}");
}

/// Without friction nothing but a bump at an edge could slow it or lift it.
#[test]
fn a_particle_slides_over_the_edges_within_a_flat_sheet_without_a_bump() {
    let mut world = world(9.81);
    let flat = sheet(21).friction(Friction::new(0.0)).pin_where(|_, _| true).build().unwrap();
    world.add(flat).unwrap();
    let start = Vec3::new(-0.37, TOUCHING, 0.013);
    let grain = add_grain(&mut world, start, Vec3::new(0.9, 0.0, 0.2), 0.0);
    for _ in 0..45 {
        step(&mut world, 1, 1);
        let height = world.position(grain, 0).unwrap().y;
        assert!((height - TOUCHING).abs() < 2e-4, "{height}");
    }
    let way = world.position(grain, 0).unwrap() - start;
    assert!((way.x - 0.9 * 0.75).abs() < 1e-3 && (way.z - 0.2 * 0.75).abs() < 1e-3, "{way}");
}

/// Returns numbers from 0 to 1.
fn random() -> impl FnMut() -> f32 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

/// From both sides, with up to 50 m/s, which is 16 edges in a substep.
#[test]
fn fast_particles_do_not_pass_a_sheet() {
    let mut world = world(0.0);
    let rim = |_, x: Vec3| x.x.abs().max(x.z.abs()) > 0.49;
    world.add(sheet(21).pin_where(rim).build().unwrap()).unwrap();
    let mut random = random();
    let (mut places, mut velocities) = (Vec::new(), Vec::new());
    for k in 0..300 {
        let aim = Vec3::new(random() - 0.5, 0.0, random() - 0.5) * 0.7;
        let aside = Vec3::new(random() - 0.5, 0.0, random() - 0.5) * 0.02;
        let from = aim + aside + Vec3::Y * (0.1 + 0.4 * random()) * (1.0 - 2.0 * (k % 2) as f32);
        places.push(from);
        velocities.push((aim - from).normalize() * (5.0 + 45.0 * random()));
    }
    let mut grains = Object::new("grains", places.clone(), 5e-5);
    grains.velocities = velocities.clone();
    let grains = world.add(grains).unwrap();
    step(&mut world, 2, 12);
    let over = |x: &Vec3| x.x.abs().max(x.z.abs()) < 0.45;
    let mut stopped = 0;
    for (k, x) in world.positions(grains).unwrap().enumerate() {
        let goes_on = (x - places[k]).dot(velocities[k]) > 0.99 * velocities[k].length_squared() * 12.0 * FRAME;
        assert!(!goes_on, "particle {k} has met nothing on its way to {x}");
        stopped += usize::from(over(&x));
        assert!(!over(&x) || x.y * places[k].y > 0.0, "particle {k} is at {x} and came from {}", places[k]);
    }
    assert!(stopped > 100, "{stopped}");
}

/// The particle hits the inside of a triangle. Nothing external acts.
#[test]
fn what_a_particle_loses_of_momentum_a_free_sheet_has() {
    let mut world = world(0.0);
    let free = world.add(sheet(9).build().unwrap()).unwrap();
    let grain = add_grain(&mut world, Vec3::new(0.04, 0.2, 0.09), Vec3::new(1.0, -4.0, 0.0), 0.5);
    let momentum = |world: &World, object: ObjectHandle| {
        let range = world.state().objects.get(object).unwrap().range.clone();
        let masses = &world.state().particles.mass[range];
        let all = world.velocities(object).unwrap().zip(masses);
        all.map(|(v, &mass)| v.as_dvec3() * f64::from(mass)).sum::<DVec3>()
    };
    let start = momentum(&world, grain);
    step(&mut world, 1, 20);
    let (kept, given) = (momentum(&world, grain), momentum(&world, free));
    assert!((kept + given - start).length() < 1e-4 * start.length(), "{start} {kept} {given}");
    assert!(given.length() > 0.1 * start.length(), "{given}");
}

#[test]
fn layers_let_particles_through() {
    let mut world = world(9.81);
    let mut fixed = sheet(3).pin_where(|_, _| true).build().unwrap();
    fixed.collision_layers = CollisionLayers { memberships: 2, ..CollisionLayers::default() };
    world.add(fixed).unwrap();
    let mut grain = Object::new("grain", vec![Vec3::Y * 0.1], 0.3);
    grain.collision_layers.filters = 1;
    let grain = world.add(grain).unwrap();
    step(&mut world, 1, 30);
    assert!(world.position(grain, 0).unwrap().y < -0.5);
}

/// Grains that touch each other fall on a sheet that is held by its rim.
#[test]
fn bits_of_particles_on_a_sheet_depend_neither_on_threads_nor_on_a_snapshot() {
    let run = |threads: usize, stops: bool| {
        let mut world = world(9.81);
        let rim = |_, x: Vec3| x.x.abs().max(x.z.abs()) > 0.49;
        world.add(sheet(13).density(2.0).pin_where(rim).build().unwrap()).unwrap();
        let grid = |k: u32| Vec3::new((k % 6) as f32, (k / 36) as f32, (k / 6 % 6) as f32) * 0.041;
        let mut grains = Object::new("grains", (0..180).map(|k| grid(k) + Vec3::Y * 0.05).collect(), 0.01);
        grains.collision_layers.self_collision = true;
        world.add(grains).unwrap();
        step(&mut world, threads, 15);
        if stops {
            let snapshot = world.snapshot().unwrap();
            world = World::default();
            xpbd_cloth::register(world.registry_mut()).unwrap();
            world.restore(&snapshot).unwrap();
        }
        step(&mut world, threads, 15);
        world.state_hash()
    };
    let hashes = [run(1, false), run(2, false), run(7, false), run(2, true)];
    assert_eq!(hashes, [hashes[0]; 4]);
}
