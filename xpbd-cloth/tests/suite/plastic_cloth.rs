//! What stays bent or stretched.

use std::cell::RefCell;

use glam::Vec3;
use xpbd_cloth::constraint::{
    Dihedral, Distance, DistanceParameters, PlasticDihedral, PlasticDihedralParameters, PlasticDistance,
    PlasticDistanceParameters,
};
use xpbd_cloth::{Bending, Cloth, ClothError, Stretch};
use xpbd_core::batch::Batch;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::number::NumberError;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BatchHandle, Object, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
/// So soft that it moves nothing.
const SOFT: f32 = 1e12;

thread_local! {
    /// The back end of a test, which compiles its programs once and not for every frame after which the test looks.
    static CPU: RefCell<CpuBackend> = RefCell::new(CpuBackend::new(Threads::Exactly(1)));
}

fn step(world: &mut World, frames: usize) {
    CPU.with_borrow_mut(|cpu| (0..frames).for_each(|_| drop(world.step(cpu, FRAME).unwrap())));
}

fn param(world: &World, batch: BatchHandle) -> f32 {
    world.batch(batch).unwrap().traced().unwrap().parameters(0)[0]
}

/// Returns two right triangles of which the second is bent up by an angle [rad]; its tip can swing about the edge.
///
/// ```text
/// 2
/// |\\
/// 0--1
/// |/
/// 3
/// ```
fn flap(angle: f32, plasticity: Plasticity) -> (World, ObjectHandle, BatchHandle) {
    let tip = Vec3::new(0.0, trig::sin(angle), trig::cos(angle));
    let points = vec![Vec3::ZERO, Vec3::X, Vec3::NEG_Z, tip];
    let ends = [[0, 3], [1, 3]];
    let lengths = ends
        .map(|[a, b]: [u32; 2]| DistanceParameters { rest_length: points[a as usize].distance(points[b as usize]) });
    let rods = Batch::new(Distance, &ends, &lengths).unwrap();
    let fold = Batch::new(PlasticDihedral, &[[0, 1, 2, 3]], &[PlasticDihedralParameters::new(0.0, plasticity)])
        .unwrap()
        .compliance(SOFT);
    let object = Object::new("flap", points, 0.1).with(rods).with(fold).pin([0, 1, 2]);
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let object = world.add(object).unwrap();
    let batch = world.batches_of(object)[1];
    (world, object, batch)
}

fn angle(world: &World, object: ObjectHandle) -> f32 {
    let places: Vec<_> = world.positions(object).unwrap().collect();
    Dihedral::angle([places[0], places[1], places[2], places[3]])
}

#[test]
fn a_fold_bent_beyond_its_yield_angle_goes_back_by_that_angle_alone() {
    let plasticity = Plasticity { yield_strain: 0.3, creep: 6.0, limit: 3.0 };
    for bent in [0.2_f32, 1.0, -1.4, 2.5] {
        let (mut world, object, fold) = flap(bent, plasticity);
        let held = angle(&world, object);
        assert!((held.abs() - bent.abs()).abs() < 1e-5);
        let kept = held - held.clamp(-0.3, 0.3);
        let mut left = kept;
        for frame in 1..=80 {
            step(&mut world, 1);
            left *= 1.0 - 6.0 * FRAME;
            let expected = kept - left;
            assert!((param(&world, fold) - expected).abs() < 1e-5, "{bent} in frame {frame}");
        }
        // Let go: a spring, with the drag of the air.
        world.edit_batch(fold, |fold| fold.set_compliance(0, 0.5)).unwrap();
        let drag = |world: &mut World| {
            let velocity = world.velocity(object, 3).unwrap();
            world.add_force(object, 3, velocity * -0.5).unwrap();
        };
        for _ in 0..600 {
            drag(&mut world);
            step(&mut world, 1);
        }
        assert!((angle(&world, object) - kept).abs() < 1e-3, "{bent}: {} of {kept}", angle(&world, object));
    }
}

#[test]
fn a_fold_changes_no_farther_than_its_limit() {
    let (mut world, _, fold) = flap(1.5, Plasticity { yield_strain: 0.1, creep: 1e3, limit: 0.5 });
    step(&mut world, 3);
    assert!((param(&world, fold).abs() - 0.5).abs() < 1e-6, "{}", param(&world, fold));
}

/// A thread stretched by half stays longer by that but for the strain that it bears, of its new length.
#[test]
fn a_thread_stays_longer() {
    let plasticity = Plasticity { yield_strain: 0.1, creep: 12.0, limit: 0.9 };
    let thread = Batch::new(PlasticDistance, &[[0, 1]], &[PlasticDistanceParameters::new(1.0, plasticity)])
        .unwrap()
        .compliance(SOFT);
    let object = Object::new("thread", vec![Vec3::ZERO, Vec3::X * 1.5], 1.0).with(thread).pin([0]);
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let object = world.add(object).unwrap();
    let thread = world.batches_of(object)[0];
    step(&mut world, 240);
    assert!((param(&world, thread) - 1.5 / 1.1).abs() < 1e-5, "{}", param(&world, thread));
}

#[test]
fn numbers_that_do_not_yield_are_refused() {
    let sound = Plasticity { yield_strain: 0.1, creep: 10.0, limit: 0.5 };
    let refuses = |plasticity: Plasticity, what: &str| {
        for cloth in [
            Cloth::grid(3, 3, 1.0, 1.0).bending_plasticity(plasticity),
            Cloth::grid(3, 3, 1.0, 1.0).stretch_plasticity(plasticity),
        ] {
            let error = cloth.build().unwrap_err();
            assert!(matches!(error, ClothError::Number(NumberError { what: found, .. }) if found == what), "{error}");
        }
    };
    for bad in [-0.1, f32::NAN, f32::INFINITY] {
        refuses(Plasticity { yield_strain: bad, ..sound }, "yield strain");
        refuses(Plasticity { creep: bad, ..sound }, "creep");
        refuses(Plasticity { limit: bad, ..sound }, "limit of the plastic strain");
    }
    let mismatches = [
        Cloth::grid(3, 3, 1.0, 1.0).stretch_plasticity(Plasticity { limit: 1.0, ..sound }),
        Cloth::grid(3, 3, 1.0, 1.0)
            .stretch_plasticity(sound)
            .stretch(Stretch::Strain { youngs_modulus: 1e6, poisson_ratio: 0.3 }),
        Cloth::grid(3, 3, 1.0, 1.0).bending_plasticity(sound).bending(Bending::None),
    ];
    assert!(mismatches.into_iter().all(|cloth| cloth.build().is_err()));
    assert!(Cloth::grid(3, 3, 1.0, 1.0).bending_plasticity(sound).stretch_plasticity(sound).build().is_ok());
}
