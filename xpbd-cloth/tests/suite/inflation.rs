//! Gas in closed cloth.

use glam::Vec3;
use xpbd_cloth::{Bending, Cloth, ClothError, Inflation, Stretch, mesh, set_gas_volume, set_gas_volume_ratio};
use xpbd_core::batch::{ConstraintBatch, NodeCounts};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, ObjectHandle, Settings, World, WorldError};

const FRAME: f32 = 1.0 / 60.0;
const CORNERS: [Vec3; 6] = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
const FACES: [[u32; 3]; 8] = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];

/// Returns an octahedron of a volume of 4/3 m³, of soft rubber.
fn octahedron() -> Cloth {
    let soft = Stretch::Edges { stiffness: 10.0 };
    Cloth::from_mesh(&CORNERS, FACES.as_flattened()).stretch(soft).bending(Bending::None)
}

fn world() -> World {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    world
}

fn volume(world: &World, object: ObjectHandle) -> f64 {
    mesh::volume(&world.positions(object).unwrap().collect::<Vec<_>>(), &FACES)
}

fn run(world: &mut World, frames: u32) {
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    (0..frames).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
}

#[test]
fn it_takes_the_volume_asked_for_and_adds_no_momentum() {
    assert!((mesh::volume(&CORNERS, &FACES) - 4.0 / 3.0).abs() < 1e-6);
    let inwards = FACES.map(|[a, b, c]| [a, c, b]);
    let turned = Cloth::from_mesh(&CORNERS, inwards.as_flattened()).stretch(Stretch::Edges { stiffness: 10.0 });
    for (cloth, sign) in [(octahedron(), 1.0), (turned.bending(Bending::None), -1.0)] {
        for (cloth, expected) in [(cloth.clone().inflated(1.5, 0.0), 2.0), (cloth.filled(1.0, 0.0), 1.0)] {
            let mut world = world();
            let object = world.add(cloth.linear_damping(5.0).build().unwrap()).unwrap();
            run(&mut world, 60);
            let found = volume(&world, object);
            assert!((found / expected - 1.0).abs() < 1e-3, "{sign}: {found} for {expected}");
            let momentum = world.momentum();
            assert!(momentum.linear.length() < 1e-5 && momentum.angular.length() < 1e-5, "{momentum:?}");
        }
    }
}

/// p = (V* − V)/α, which is almost V*/α when it is soft.
#[test]
fn soft_gas_has_the_pressure_of_its_compliance() {
    let mut world = world();
    let object = world.add(octahedron().filled(3.0, 0.5).linear_damping(5.0).build().unwrap()).unwrap();
    run(&mut world, 120);
    let gas = *world.batches_of(object).last().unwrap();
    let pressure = f64::from(world.row_forces(gas, 0).unwrap()[0]);
    let expected = (3.0 - volume(&world, object)) / 0.5;
    assert!((pressure / expected - 1.0).abs() < 1e-3, "{pressure} for {expected}");
}

#[test]
fn what_holds_no_gas_is_refused() {
    let open = Cloth::from_mesh(&CORNERS, FACES[1..].as_flattened()).inflated(1.0, 0.0).build().unwrap_err();
    assert!(
        matches!(open, ClothError::OpenMesh { edge: [1, 0] | [0, 1] | [2, 1] | [1, 2] | [0, 2] | [2, 0], .. }),
        "{open}"
    );
    assert!(matches!(Cloth::grid(3, 3, 1.0, 1.0).filled(1.0, 0.0).build(), Err(ClothError::OpenMesh { .. })));
    for cloth in [octahedron().inflated(0.0, 0.0), octahedron().inflated(1.0, -1.0), octahedron().filled(f32::NAN, 0.0)]
    {
        assert!(matches!(cloth.build(), Err(ClothError::Number(_))));
    }
    // A cushion sewn of two squares has no volume at rest: a ratio says nothing, a volume does.
    let flat =
        [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0), Vec3::Z, Vec3::new(0.5, 0.0, 0.5), Vec3::new(0.4, 0.0, 0.5)];
    let sides = [[0, 4, 1], [1, 4, 2], [2, 4, 3], [3, 4, 0], [1, 5, 0], [2, 5, 1], [3, 5, 2], [0, 5, 3]];
    let cushion = Cloth::from_mesh(&flat, sides.as_flattened());
    assert!(matches!(cushion.clone().inflated(2.0, 0.0).build(), Err(ClothError::NoVolume { .. })));
    assert!(cushion.filled(0.1, 0.0).build().is_ok());
    let gas = Inflation::new(&FACES, 1.0);
    assert!(gas.validate(NodeCounts { particles: 6, bodies: 0 }).is_ok());
    assert!(gas.validate(NodeCounts { particles: 5, bodies: 0 }).is_err());
    assert!(Inflation::new(&FACES, f32::NAN).validate(NodeCounts { particles: 6, bodies: 0 }).is_err());
}

#[test]
fn a_snapshot_keeps_the_gas() {
    let mut first = world();
    first.add(octahedron().inflated(1.5, 1e-4).build().unwrap()).unwrap();
    run(&mut first, 5);
    let bytes = first.snapshot().unwrap();
    let mut second = world();
    second.restore(&bytes).unwrap();
    run(&mut first, 10);
    run(&mut second, 10);
    assert_eq!(first.state_hash(), second.state_hash());
    let mut stranger = World::default();
    assert!(matches!(stranger.restore(&bytes), Err(WorldError::Constraint(_))));
    // Bytes that lie about their triangles are refused.
    let mut registry = xpbd_core::batch::Registry::default();
    xpbd_cloth::register(&mut registry).unwrap();
    let restore = registry.restore_batch("inflation").unwrap();
    let saved = Inflation::new(&FACES, 1.0).save();
    assert!(restore(&saved).is_ok());
    for broken in [&saved[..7], &saved[..saved.len() - 4], &[&saved[..12], &[255; 12][..]].concat()[..]] {
        assert!(restore(broken).is_err());
    }
    let empty = Object::new("nothing", vec![Vec3::ZERO], 1.0).with(Inflation::new(&[], 0.0));
    second.add(empty).unwrap();
    run(&mut second, 2);
}

/// Blown up from 1 to 1.5 in two seconds, the volume follows; with a snapshot on the way, and without a new plan.
#[test]
fn gas_that_is_let_in_slowly() {
    let mut world = world();
    let object = world.add(octahedron().inflated(1.0, 0.0).linear_damping(2.0).build().unwrap()).unwrap();
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    world.step(&mut backend, FRAME).unwrap();
    let plans = world.state().plan_generation;
    for frame in 1..=120 {
        let ratio = 1.0 + frame as f32 / 240.0;
        set_gas_volume_ratio(&mut world, object, ratio).unwrap();
        world.step(&mut backend, FRAME).unwrap();
        let found = volume(&world, object) / (4.0 / 3.0);
        assert!((found / f64::from(ratio) - 1.0).abs() < 0.01, "{frame}: {found} for {ratio}");
    }
    assert_eq!(world.state().plan_generation, plans);
    let bytes = world.snapshot().unwrap();
    let mut second = self::world();
    second.restore(&bytes).unwrap();
    for world in [&mut world, &mut second] {
        run(world, 5);
        set_gas_volume(world, object, 1.0).unwrap();
        run(world, 60);
    }
    assert_eq!(world.state_hash(), second.state_hash());
    assert!((volume(&second, object) - 1.0).abs() < 1e-3);
}

#[test]
fn gas_that_cannot_be_is_refused() {
    let mut world = world();
    let object = world.add(octahedron().inflated(1.2, 0.0).build().unwrap()).unwrap();
    let open = world.add(Cloth::grid(3, 3, 1.0, 1.0).build().unwrap()).unwrap();
    let gas = *world.batches_of(object).last().unwrap();
    let before = world.snapshot().unwrap();
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e38] {
        assert!(bad == 1e38 || set_gas_volume(&mut world, object, bad).is_err());
        assert!(bad == 1e38 || set_gas_volume_ratio(&mut world, object, bad).is_err());
        assert!(world.edit_parameters(gas, |gas| gas.inputs_mut()[1] = -bad.abs() - 1.0).is_err());
    }
    assert!(set_gas_volume_ratio(&mut world, object, f32::MAX).is_err());
    assert!(matches!(set_gas_volume_ratio(&mut world, open, 1.0), Err(WorldError::StaleHandle("object with gas"))));
    assert!(matches!(set_gas_volume(&mut world, open, 1.0), Err(WorldError::StaleHandle("object with gas"))));
    assert_eq!(world.snapshot().unwrap(), before);
    world.remove(object).unwrap();
    assert!(matches!(set_gas_volume_ratio(&mut world, object, 1.0), Err(WorldError::StaleHandle(_))));
}
