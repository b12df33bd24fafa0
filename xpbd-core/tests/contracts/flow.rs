//! Constraints whose parameters change at the end of a frame.

use glam::Vec3;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::constraint::{Constraint, ConstraintError, ConstraintType, Points};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::scalar::Real;
use xpbd_core::world::{BatchHandle, Object, ObjectHandle, Settings, World};

use crate::support::{FRAME, Lcg, assert_finite, sheet, step, weightless};

xpbd_core::parameters! {
    struct YieldingParameters<S> {
        /// Rest length [m].
        rest_length: S,
        /// Change of length that it bears without yielding [m].
        bears: S,
        /// Rate at which the rest goes into the rest length [1/s].
        rate: S,
    }
}

/// A distance whose rest length follows it where the change of length is more than it bears.
struct Yielding;

impl Constraint<2, 1> for Yielding {
    type Parameters<S: Copy> = YieldingParameters<S>;

    const NAME: &'static str = "test-yielding";

    fn value<S: Real>(x: &Points<S, 2>, spring: YieldingParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - spring.rest_length]
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 2>,
        spring: YieldingParameters<S>,
        dt: S,
    ) -> Option<YieldingParameters<S>> {
        let YieldingParameters { rest_length, bears, rate } = spring;
        let longer = (x.now[0] - x.now[1]).length() - rest_length;
        let plastic = longer - longer.clamp(-bears, bears);
        Some(YieldingParameters { rest_length: rest_length + plastic * (rate * dt).min(S::one()), ..spring })
    }
}

const BEARS: f32 = 0.1;
const RATE: f32 = 6.0;

const REST: YieldingParameters = YieldingParameters { rest_length: 1.0, bears: BEARS, rate: RATE };

/// Returns two particles of 1 kg, half as far again apart as their constraint wants, which is too soft to move them.
fn pair(pins: &[u32]) -> (World, ObjectHandle, BatchHandle) {
    let mut world = World::new(weightless()).unwrap();
    let batch = Batch::new(Yielding, &[[0, 1]], &[REST]).unwrap().compliance(1e12);
    let object = Object::new("pair", vec![Vec3::ZERO, Vec3::X * 1.5], 1.0).with(batch).pin(pins.iter().copied());
    let object = world.add(object).unwrap();
    let batch = world.batches_of(object)[0];
    (world, object, batch)
}

fn rest(world: &World, batch: BatchHandle, constraint: usize) -> f32 {
    world.batch(batch).unwrap().traced().unwrap().parameters(constraint)[0]
}

/// What is left over falls by the factor 1 − rate · dt a frame.
#[test]
fn a_rest_length_creeps_to_what_is_borne() {
    let (mut world, _, batch) = pair(&[0]);
    for frame in 1..=60 {
        step(&mut world, 1);
        let left = 0.4 * (1.0 - f64::from(RATE * FRAME)).powi(frame);
        let expected = 1.4 - left;
        assert!((f64::from(rest(&world, batch, 0)) - expected).abs() < 3e-6, "frame {frame}");
    }
}

#[test]
fn what_cannot_move_is_broken_or_frozen_does_not_flow() {
    let (mut world, _, batch) = pair(&[0, 1]);
    step(&mut world, 3);
    assert_eq!(rest(&world, batch, 0), 1.0, "pinned");

    let (mut world, _, batch) = pair(&[]);
    world.edit_batch(batch, |batch| batch.set_broken(0, true)).unwrap();
    step(&mut world, 3);
    assert_eq!(rest(&world, batch, 0), 1.0, "broken");

    let (mut world, object, batch) = pair(&[]);
    world.set_position(object, 0, Vec3::ZERO, Vec3::splat(f32::MAX)).unwrap();
    step(&mut world, 3);
    assert!(world.is_frozen(object).unwrap());
    assert_eq!(rest(&world, batch, 0), 1.0, "frozen");
    world.unfreeze(object).unwrap();
    step(&mut world, 1);
    assert!(rest(&world, batch, 0) > 1.0, "thawed");
}

#[test]
fn an_edit_holds_and_flows_on() {
    let (mut world, _, batch) = pair(&[0]);
    step(&mut world, 5);
    world.edit_batch(batch, |batch| batch.parameters_mut(0)[0] = 0.5).unwrap();
    assert_eq!(rest(&world, batch, 0), 0.5);
    step(&mut world, 1);
    assert!((rest(&world, batch, 0) - (0.5 + 0.9 * RATE * FRAME)).abs() < 1e-6);
    let before = world.snapshot().unwrap();
    world.step(&mut CpuBackend::default(), 0.0).unwrap();
    assert!(world.snapshot().unwrap() == before, "no frame, no flow");
}

/// Returns a sheet of 400 particles with yielding links besides its own, some solved as Jacobi, thrown about.
fn thrown() -> (World, BatchHandle) {
    let mut settings = Settings { substeps: 4, ..Settings::default() };
    settings.schedule.max_colours = 3;
    let mut world = World::new(settings).unwrap();
    let mut object = sheet("sheet", Vec3::ZERO, 20, 0.1).pin([0, 19]);
    let mut random = Lcg::new(7);
    let links: Vec<_> = (0..399).map(|k| [k, k + 1]).collect();
    let mut link = || YieldingParameters { rest_length: random.range(0.05, 0.15), bears: 0.002, rate: 20.0 };
    let params: Vec<_> = links.iter().map(|_| link()).collect();
    object.velocities = (0..400).map(|_| random.vector(2.0)).collect();
    let object = object.with(Batch::new(Yielding, &links, &params).unwrap().compliance(1e-4));
    let object = world.add(object).unwrap();
    let batch = world.batches_of(object)[1];
    (world, batch)
}

fn params(world: &World, batch: BatchHandle) -> Vec<u32> {
    let batch = world.batch(batch).unwrap().traced().unwrap();
    (0..batch.len()).flat_map(|k| batch.parameters(k)).map(|number| number.to_bits()).collect()
}

#[test]
fn parameters_have_the_same_bits_for_any_number_of_threads_and_after_a_snapshot() {
    let (mut one, batch) = thrown();
    step(&mut one, 20);
    let (mut many, other) = thrown();
    let mut cpu = CpuBackend::new(Threads::Exactly(3));
    for frame in 0..20 {
        if frame == 9 {
            let saved = many.snapshot().unwrap();
            many = World::default();
            many.register(Yielding).unwrap();
            many.register(crate::support::Distance).unwrap();
            many.restore(&saved).unwrap();
        }
        many.step(&mut cpu, FRAME).unwrap();
    }
    assert_eq!(one.state_hash(), many.state_hash());
    assert!(params(&one, batch) == params(&many, other));
    assert!(params(&one, batch) != params(&thrown().0, batch));
    assert_finite(&one);
}

/// C = |x₀ − x₁| − rest, of which the rest length becomes what `$becomes` says.
macro_rules! becomes {
    ($type:ident, $name:literal, $distance:ident => $becomes:expr) => {
        struct $type;

        impl Constraint<2, 1> for $type {
            type Parameters<S: Copy> = [S; 1];

            const NAME: &'static str = $name;

            fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
                [(x.now[0] - x.now[1]).length() - rest]
            }

            fn evolve_parameters<S: Real>(x: &Points<S, 2>, _: [S; 1], _: S) -> Option<[S; 1]> {
                let $distance = (x.now[0] - x.now[1]).length();
                Some([$becomes])
            }
        }
    };
}

becomes!(Never, "test-flow-never-finite", distance => distance / S::literal(0.0));
becomes!(Wild, "test-flow-wild", distance => distance / (S::literal(4.0) - distance).max(S::zero()));

#[test]
fn a_flow_that_is_not_finite_is_refused_or_left_out() {
    let error = ConstraintType::of(Never).unwrap_err();
    let ConstraintError::Flow { name, ref parameter, .. } = error else { panic!("{error}") };
    assert_eq!((name.as_str(), parameter.as_str()), ("test-flow-never-finite", "[0]"));
    let mut world = World::new(weightless()).unwrap();
    let batch = Batch::new(Wild, &[[0, 1], [2, 3]], &[[1.0], [1.0]]).unwrap().compliance(1e12);
    let points = vec![Vec3::ZERO, Vec3::X * 5.0, Vec3::Y, Vec3::new(2.0, 1.0, 0.0)];
    let object = world.add(Object::new("wild", points, 1.0).with(batch)).unwrap();
    let batch = world.batches_of(object)[0];
    step(&mut world, 1);
    assert_eq!([rest(&world, batch, 0), rest(&world, batch, 1)], [1.0, 1.0]);
}
