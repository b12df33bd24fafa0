//! Wrong constraints and wrong data are refused with an error that names what is wrong.

use glam::Vec3;
use xpbd_core::batch::Registry;
use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::connector::{ConnectorError, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintError, ConstraintType, Points};
use xpbd_core::scalar::{self, Real};
use xpbd_core::world::{Object, Settings, World, WorldError};

use super::support::{Distance, refused};

/// Row 1 is √(−1 − d²): not a number anywhere.
struct NotANumber;

impl Constraint<2, 2> for NotANumber {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "not-a-number";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 2] {
        let square = (x.now[0] - x.now[1]).length_squared();
        [square - rest, (-square - 1.0).sqrt()]
    }
}

/// 1/max(0, −d²): infinite everywhere.
struct Infinite;

impl Constraint<2, 1> for Infinite {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "infinite";

    fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 1] {
        [S::one() / (-(x.now[0] - x.now[1]).length_squared()).max(S::zero())]
    }
}

/// log-like only for points above the plane y = 0, which its samples are.
struct OnlyAbove;

impl Constraint<1, 1> for OnlyAbove {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "only-above";

    fn value<S: Real>(x: &Points<S, 1>, [rest]: [S; 1]) -> [S; 1] {
        [x.now[0].world().y.sqrt() - rest]
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 1], [f32; 1])> {
        Some(([[0.0, 0.5 + number as f32, 0.0]], [1.0]))
    }
}

/// The distance twice; by hand ∂C₁/∂x₁ is (−0.6, +0.8, 0) in place of (−0.6, −0.8, 0) at the sample.
struct WrongGradient;

impl Constraint<2, 2> for WrongGradient {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "wrong-gradient";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 2] {
        let length = (x.now[0] - x.now[1]).length();
        [length - rest, length - rest]
    }

    fn gradient<S: Real>(x: &Points<S, 2>, _: [S; 1]) -> Option<[[scalar::Vec3<S>; 2]; 2]> {
        let n = (x.now[0] - x.now[1]).normalize();
        let flipped = scalar::Vec3::new(-n.x, n.y, -n.z);
        Some([[n, -n], [n, flipped]])
    }

    fn sample(_: u32) -> Option<([[f32; 3]; 2], [f32; 1])> {
        Some(([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]], [1.0]))
    }
}

/// A gradient by hand that divides zero by zero.
struct GradientNotANumber;

impl Constraint<1, 1> for GradientNotANumber {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "gradient-not-a-number";

    fn value<S: Real>(x: &Points<S, 1>, []: [S; 0]) -> [S; 1] {
        [x.now[0].world().x]
    }

    fn gradient<S: Real>(x: &Points<S, 1>, []: [S; 0]) -> Option<[[scalar::Vec3<S>; 1]; 1]> {
        let zero = (-x.now[0].local().length_squared()).max(S::zero());
        Some([[scalar::Vec3::new(zero / x.now[0].local().length().min(zero), zero, zero)]])
    }
}

/// Another type with the name of [`Distance`].
struct Impostor;

impl Constraint<2, 1> for Impostor {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = Distance::NAME;

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length_squared() - rest]
    }
}

#[test]
fn a_value_that_is_not_a_number_names_type_row_and_sample() {
    let error = ConstraintType::of(NotANumber).unwrap_err();
    let ConstraintError::Value { ref name, row, value, ref points, parameters: ref params } = error else {
        panic!("{error}")
    };
    assert_eq!((name.as_str(), row, points.len(), params.len()), ("not-a-number", 1, 2, 1));
    assert!(value.is_nan());
    let message = error.to_string();
    for part in ["`not-a-number`", "row 1", "NaN", "sample"] {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn an_infinite_value_is_refused() {
    let error = ConstraintType::of(Infinite).unwrap_err();
    assert!(matches!(error, ConstraintError::Value { row: 0, value: f64::INFINITY, .. }), "{error}");
}

#[test]
fn a_refused_type_stays_refused_and_cannot_make_a_batch() {
    let mut registry = Registry::default();
    for _ in 0..2 {
        assert!(registry.register(NotANumber).is_err());
    }
    assert_eq!(registry.names().count(), 0);
    let error = Batch::new(NotANumber, &[[0, 1]], &[[1.0]]).unwrap_err();
    assert!(matches!(error, BatchError::Constraint(ConstraintError::Value { .. })), "{error}");
}

#[test]
fn samples_may_keep_to_where_a_constraint_is_defined() {
    ConstraintType::of(OnlyAbove).unwrap();
}

#[test]
fn a_wrong_gradient_names_row_point_axis_and_both_numbers() {
    let error = ConstraintType::of(WrongGradient).unwrap_err();
    let ConstraintError::Gradient { ref name, row, point, axis, given, expected } = error else { panic!("{error}") };
    assert_eq!((name.as_str(), row, point, axis), ("wrong-gradient", 1, 1, 'y'));
    // ∂|x₀ − x₁|/∂x₁ = −(3, 4, 0)/5.
    assert!((given - 0.8).abs() < 1e-6 && (expected + 0.8).abs() < 1e-6, "{given} {expected}");
    let message = error.to_string();
    for part in ["`wrong-gradient`", "row 1", "point 1", "component y", "0.8", "-0.8"] {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn a_gradient_that_is_not_a_number_is_refused() {
    let error = ConstraintType::of(GradientNotANumber).unwrap_err();
    assert!(matches!(error, ConstraintError::Gradient { row: 0, point: 0, axis: 'x', .. }), "{error}");
}

#[test]
fn lists_of_a_wrong_length_name_what_and_how_many() {
    let kind = || ConstraintType::of(Distance).unwrap();
    let parts = |connectors, nodes: &[u32], locals: &[Vec3], params: &[f32]| {
        Batch::from_parts(kind(), connectors, nodes.to_vec(), locals.to_vec(), params.to_vec()).unwrap_err()
    };
    let two = || Connectors::particles(2);
    let length = |error: BatchError| match error {
        BatchError::Length { what, found, count, each, .. } => (what, found, count, each),
        other => panic!("{other}"),
    };
    assert_eq!(length(parts(two(), &[0, 1], &[], &[1.0, 2.0])), ("parameters", 2, 1, 1));
    assert_eq!(length(parts(two(), &[0, 1], &[], &[])), ("parameters", 0, 1, 1));
    assert_eq!(length(parts(two(), &[0, 1, 2], &[], &[1.0])), ("node indices", 3, 1, 2));
    assert_eq!(length(parts(two(), &[0, 1], &[Vec3::X], &[1.0])), ("local vectors", 1, 1, 0));
    let error = parts(Connectors::particles(1), &[0], &[], &[1.0]);
    let wanted = ConnectorError::Count { found: 1, points: 2 };
    assert!(matches!(&error, BatchError::Connectors(_, found) if *found == wanted), "{error}");

    let error = Batch::new(Distance, &[[0, 1], [1, 2]], &[[1.0]]).unwrap_err();
    assert!(error.to_string().contains("1 parameter sets for 2 constraints"), "{error}");
    let batch = Batch::new(Distance, &[[0, 1], [1, 2]], &[[1.0], [1.0]]).unwrap();
    assert_eq!(length(batch.compliances(vec![0.0]).unwrap_err()), ("compliances", 1, 2, 1));
}

#[test]
fn connectors_read_from_bytes_are_checked() {
    // Two points, the second one at node slot 1 of two.
    let mut bytes = postcard::to_stdvec(&Connectors::particles(2)).unwrap();
    assert_eq!(bytes, [2, 0, 0, 0, 1]);
    assert_eq!(postcard::from_bytes(&bytes), Ok(Connectors::particles(2)));
    bytes[4] = 7;
    assert!(postcard::from_bytes::<Connectors>(&bytes).is_err(), "slots 1 to 6 would be used by no connector");
}

#[test]
fn two_types_may_not_share_a_name() {
    let taken = ConstraintError::NameTaken(Distance::NAME.into());
    let mut registry = Registry::default();
    registry.register(Distance).unwrap();
    registry.register(Distance).unwrap();
    assert_eq!(registry.register(Impostor).unwrap_err(), taken);

    let mut world = World::new(Settings::default()).unwrap();
    world.register(Distance).unwrap();
    let batch = || Batch::new(Impostor, &[[0, 1]], &[[1.0]]).unwrap();
    let object = || Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0);
    let error = refused(&mut world, |world| world.add(object().with(batch())));
    assert_eq!(error, WorldError::Constraint(taken.clone()));
    let pair = world.add(object()).unwrap();
    assert_eq!(refused(&mut world, |world| world.add_batch(&[pair], &[], batch())), WorldError::Constraint(taken));
}

#[test]
fn a_refused_object_leaves_no_type_behind() {
    let mut world = World::new(Settings::default()).unwrap();
    let known = Batch::new(Distance, &[[0, 1]], &[[1.0]]).unwrap();
    let other = Batch::new(Impostor, &[[0, 1]], &[[1.0]]).unwrap();
    let object = Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0).with(known).with(other);
    refused(&mut world, |world| world.add(object));
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let mut registry = Registry::default();
    registry.register(Distance).unwrap();
    registry.register(OnlyAbove).unwrap();
    for error in [registry.get("dsitance").unwrap_err(), registry.restore_batch("dsitance").map(drop).unwrap_err()] {
        let message = error.to_string();
        assert!(message.contains("`dsitance`"), "{message}");
        assert!(message.contains("`only-above`, `test-distance`"), "{message}");
    }
    assert_eq!(registry.get("test-distance").unwrap().name(), Distance::NAME);
}
