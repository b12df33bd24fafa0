//! Loads on soft bodies that are far lighter, and collisions with them.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{FibreStrain, NeoHookean, TetraStrain, TetraVolume};
use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::constraint::Constraint;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::object::ParticleStiffness;
use xpbd_core::world::{Object, Settings, World, WorldError};

use crate::measurement::{batch, energy};

const FRAME: f32 = 1.0 / 60.0;
/// Edge of a cube, and its cells along an edge \[m, 1\].
const SIDE: f32 = 0.4;
const CELLS: u32 = 3;
/// Radius of a particle \[m\].
const RADIUS: f32 = 0.3 * SIDE / CELLS as f32;

fn cube(density: f32, elasticity: Elasticity) -> SoftBody {
    let mesh = TetraMesh::block([CELLS; 3], Vec3::splat(SIDE)).unwrap();
    SoftBody::new(&mesh).density(density).damping_time(2e-3).elasticity(elasticity)
}

const FOAM: Elasticity = Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio: 0.3 };

fn world(gravity: Vec3, substeps: u32) -> World {
    let settings =
        Settings { gravity, substeps, particle_radius: RADIUS, contact_margin: RADIUS, ..Settings::default() };
    World::new(settings).unwrap()
}

/// The energy of all constraints grows by ½ k |Δ|² where a vertex is displaced alone, with the mean of k over three axes.
#[test]
fn the_stiffness_of_a_vertex_is_the_second_derivative_of_the_energy() {
    let venant = Elasticity::StVenantKirchhoff { youngs_modulus: 2e5, poisson_ratio: 0.2 };
    let fibres = Elasticity::Orthotropic { youngs_moduli: [1e5, 3e5, 5e4], shear_moduli: [2e4, 4e4, 9e4] };
    for elasticity in [FOAM, venant, fibres] {
        let object = cube(10.0, elasticity).volume_bulk_modulus(5e4).build().unwrap();
        let material = |at: &[Vec3]| match elasticity {
            Elasticity::NeoHookean { .. } => energy(NeoHookean, batch(&object, NeoHookean::NAME), at),
            Elasticity::StVenantKirchhoff { .. } => energy(TetraStrain, batch(&object, TetraStrain::NAME), at),
            Elasticity::Orthotropic { .. } => energy(FibreStrain, batch(&object, FibreStrain::NAME), at),
        };
        let all = |at: &[Vec3]| material(at) + energy(TetraVolume, batch(&object, TetraVolume::NAME), at);
        for vertex in [0, 5, 21, 100] {
            let way = 1e-3 * SIDE;
            let displaced = |axis: Vec3| {
                let mut at = object.rest_positions.clone();
                at[vertex] += axis * way;
                all(&at)
            };
            let axes = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z];
            let sum: f64 = axes.map(displaced).into_iter().sum();
            let expected = sum / 3.0 / f64::from(way * way);
            let [stiffness, damping] = object.stiffness.get(vertex);
            let error = f64::from(stiffness) / expected - 1.0;
            assert!(error.abs() < 0.01, "{elasticity:?}, {vertex}: {stiffness}, not {expected}");
            assert_eq!(damping, stiffness * 2e-3);
        }
    }
    let rigid = Elasticity::NeoHookean { youngs_modulus: f32::INFINITY, poisson_ratio: 0.5 };
    let inextensible = Elasticity::Orthotropic { youngs_moduli: [f32::INFINITY; 3], shear_moduli: [1e4; 3] };
    for elasticity in [rigid, inextensible] {
        let stiffness = cube(10.0, elasticity).build().unwrap().stiffness;
        assert!((0..145).all(|vertex| stiffness.get(vertex).iter().all(|number| number.is_finite() && *number > 1e20)));
    }
}

/// A crate of 128 kg, 2000 times as heavy as the block of foam that it stands on. At rest the foam would be pressed together
/// by 8 % of its height if nothing held its ends; contacts err towards the stiff side.
#[test]
fn a_crate_stands_on_foam_that_is_2000_times_lighter() {
    for substeps in [10, 20, 40] {
        let mut world = world(Vec3::NEG_Y * 9.81, substeps);
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
        world.add(cube(1.0, FOAM).at(Vec3::Y * (RADIUS + 0.5 * SIDE)).build().unwrap()).unwrap();
        let half = Vec3::splat(0.5 * SIDE);
        let start = 2.0 * RADIUS + SIDE + half.y;
        let pose = Pose::from_parts(Vec3::Y * start, Quat::IDENTITY);
        let heavy = world.add_body(Body::dynamic(pose, Mass::cuboid(128.0, half)).can_sleep(false)).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(heavy)).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        (0..300).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        let pose = world.body_pose(heavy).unwrap();
        let pressed = (start - pose.translation.y) / SIDE;
        let speed = world.body(heavy).unwrap().velocity.length();
        assert!((0.015..0.1).contains(&pressed), "{substeps}: pressed together by {pressed}");
        assert!(speed < 0.03 && (pose.rotation * Vec3::Y).y > 0.9999, "{substeps}: {speed} m/s, {pose:?}");
    }
}

/// Returns the part of its momentum that a cube of foam keeps together with a lighter one that it hits with 1 m/s in free
/// flight.
fn momentum_kept(ratio: f32) -> f64 {
    let mut world = world(Vec3::ZERO, 20);
    world.add(cube(10.0, FOAM).build().unwrap()).unwrap();
    let heavy = cube(10.0 * ratio, FOAM).at(Vec3::Y * (SIDE + 2.0 * RADIUS + 0.01)).build().unwrap();
    world.add(heavy.velocity(Vec3::NEG_Y)).unwrap();
    let before = world.momentum().linear;
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..30).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    world.momentum().linear.length() / before.length()
}

#[test]
fn soft_bodies_of_similar_weight_keep_their_momentum_when_they_collide() {
    for ratio in [1.0, 3.0, 9.9] {
        let kept = momentum_kept(ratio);
        assert!((kept - 1.0).abs() < 1e-4, "{ratio}: {kept}");
    }
    // What is far heavier loses as much as it would against a tenth of its mass, at most.
    for ratio in [30.0, 100.0, 2000.0] {
        let kept = momentum_kept(ratio);
        assert!(kept > 0.9 && kept < 1.0001, "{ratio}: {kept}");
    }
}

#[test]
fn a_stiffness_that_is_not_valid_is_refused_by_name() {
    let object = || cube(10.0, FOAM).build().unwrap();
    let mut world = world(Vec3::ZERO, 20);
    let stiffness = |stiffness: Vec<f32>, damping_time| ParticleStiffness { stiffness, damping_time };
    let handle = world.add(object()).unwrap();
    let count = world.positions(handle).unwrap().len();
    let mut refused = |wrong: ParticleStiffness| {
        let added = world.add(Object { stiffness: wrong.clone(), ..object() }).unwrap_err();
        assert_eq!(world.set_stiffness(handle, wrong).unwrap_err().to_string(), added.to_string());
        added
    };
    let negative = refused(stiffness(vec![1.0, -2.0], 0.0)).to_string();
    assert!(negative.contains("stiffness") && negative.contains("particle 1") && negative.contains("-2"), "{negative}");
    let time = refused(stiffness(vec![1.0], f32::NAN)).to_string();
    assert!(time.contains("damping time"), "{time}");
    assert!(matches!(refused(stiffness(vec![1.0; count + 1], 0.0)), WorldError::NoParticle { .. }));
    world.set_stiffness(handle, stiffness(vec![f32::INFINITY], 0.0)).unwrap();
}

/// A plate of four hundred times its mass falls on a soft cube, whose tetrahedra are crushed. Those that may not be end with their
/// least volume, but for what is left of a sweep; where nothing limits it some turn inside out.
#[test]
fn a_crushed_cube_keeps_its_least_volume() {
    let soft = Elasticity::NeoHookean { youngs_modulus: 1e3, poisson_ratio: 0.3 };
    let mesh = TetraMesh::block([CELLS; 3], Vec3::splat(SIDE)).unwrap();
    let crushed = |least: Option<f32>| {
        let mut world = world(9.81 * Vec3::NEG_Y, 10);
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
        let at = Vec3::Y * (0.5 * SIDE + RADIUS);
        let mut cube = cube(100.0, soft).at(at);
        cube.settings.least_volume = least;
        let cube = world.add(cube.build().unwrap()).unwrap();
        let plate = SharedShape::cuboid(SIDE, 0.05, SIDE);
        let mass = Mass::from_shape(&*plate, 40_000.0).unwrap();
        let pose = Pose::from_translation(Vec3::Y * (SIDE + 2.0 * RADIUS + 0.06));
        let body = world.add_body(Body::dynamic(pose, mass)).unwrap();
        world.add_collider(Collider::new(plate).attached_to(body)).unwrap();
        let mut smallest = f32::INFINITY;
        for _ in 0..60 {
            world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).unwrap();
            let places: Vec<Vec3> = world.positions(cube).unwrap().collect();
            let volume = |[a, b, c, d]: [Vec3; 4]| (b - a).cross(c - a).dot(d - a);
            let ratio = |&t: &[u32; 4]| volume(t.map(|k| places[k as usize])) / volume(mesh.at(t));
            smallest = mesh.tetrahedra().iter().map(ratio).fold(smallest, f32::min);
        }
        smallest
    };
    let (free, limited) = (crushed(None), crushed(Some(0.4)));
    println!("{free} without, {limited} with a least volume");
    assert!(free < 0.0 && limited > 0.15, "{free} without, {limited} with a least volume");
}
