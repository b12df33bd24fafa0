//! Trigonometry is arithmetic: accurate, the same bits recorded as on numbers, and total.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use xpbd_core::program::interpret::evaluate;
use xpbd_core::program::{Graph, InputSource, Program, Sym};
use xpbd_core::scalar::{Double, Real, trig};

use super::support::Lcg;

/// Returns every `step`th single-precision number of either sign, up to a size.
fn sweep(from: f32, to: f32, step: usize) -> impl Iterator<Item = f32> {
    (from.to_bits()..=to.to_bits()).step_by(step).map(f32::from_bits).flat_map(|x| [x, -x])
}

/// Returns the largest difference from a reference in double precision.
fn largest_error(values: impl Iterator<Item = (f32, Double)>) -> f64 {
    values.fold(0.0, |largest, (value, exact)| largest.max((f64::from(value) - exact.0).abs()))
}

fn double(x: f32) -> Double {
    Double(f64::from(x))
}

/// Points whose coordinates differ by every power of two, in all quadrants.
fn points() -> impl Iterator<Item = (f32, f32)> {
    let mut random = Lcg::new(3);
    (0..400_000).map(move |k| {
        let scale = f32::from_bits((127 - (k % 60)) << 23);
        let (near, far) = (random.range(-1.0, 1.0) * scale, random.range(-1.0, 1.0));
        if k % 2 == 0 { (near, far) } else { (far, near) }
    })
}

#[test]
fn sine_and_cosine_of_up_to_a_thousand_radians() {
    let sine = largest_error(sweep(1e-9, 1000.0, 149).map(|x| (trig::sin(x), double(x).sin())));
    let cosine = largest_error(sweep(1e-9, 1000.0, 149).map(|x| (trig::cos(x), double(x).cos())));
    assert!(sine < 1e-7 && cosine < 1e-7, "{sine:e} {cosine:e}");
    // The reduction keeps the precision next to every zero.
    for x in sweep(1e-3, 1000.0, 149) {
        for (found, exact) in [(trig::sin(x), double(x).sin().0), (trig::cos(x), double(x).cos().0)] {
            let error = (f64::from(found) - exact).abs();
            assert!(error < 1.6e-7 * exact.abs().max(1e-4), "at {x}: {found} is not {exact}");
        }
    }
}

#[test]
fn small_angles_keep_their_relative_precision() {
    for x in sweep(1e-30, FRAC_PI_4, 4999) {
        let exact = double(x).sin().0;
        let error = (f64::from(trig::sin(x)) - exact).abs() / exact.abs();
        assert!(error < 1.2e-7, "sin {x}: {error:e}");
        let (exact, found) = (double(x).atan2(Double(1.0)).0, f64::from(trig::atan2(x, 1.0)));
        let error = (found - exact).abs() / exact.abs();
        assert!(error < 1.7e-7, "atan {x}: {error:e}");
    }
}

#[test]
fn large_angles_lose_precision_but_stay_on_the_circle() {
    let error = largest_error(sweep(1000.0, 16_000.0, 149).map(|x| (trig::sin(x), double(x).sin())));
    assert!(error < 1e-7, "{error:e}");
    let error = largest_error(sweep(16_000.0, 1e6, 149).map(|x| (trig::sin(x), double(x).sin())));
    assert!(error < 0.1, "{error:e}");
    for x in sweep(1e5, f32::MAX, 9973) {
        let (sine, cosine) = (trig::sin(x), trig::cos(x));
        assert!(sine.abs() <= 1.0 && cosine.abs() <= 1.0, "{x}: {sine} {cosine}");
        assert!((sine * sine + cosine * cosine - 1.0).abs() < 1e-3, "{x}: {sine} {cosine}");
    }
}

#[test]
fn arccosine_of_its_whole_range() {
    let error = largest_error(sweep(1e-9, 1.0, 149).map(|x| (trig::acos(x), double(x).acos())));
    assert!(error < 3e-7, "{error:e}");
    let error = largest_error(sweep(1e-9, 1.0, 149).map(|x| (trig::acos(x.abs()), double(x.abs()).acos())));
    assert!(error < 1.4e-7, "{error:e}");
}

#[test]
fn arctangent_of_all_quadrants() {
    let error = largest_error(points().map(|(y, x)| (trig::atan2(y, x), double(y).atan2(double(x)))));
    assert!(error < 3e-7, "{error:e}");
    for scale in [1e30, 1e-30, f32::MAX, f32::MIN_POSITIVE] {
        let scaled = |(y, x): (f32, f32)| (y * scale, x * scale);
        // A coordinate that underflows leaves the sign of zero, which only the reference heeds.
        let normal = |&(y, x): &(f32, f32)| y != 0.0 && y.abs().max(x.abs()) >= f32::MIN_POSITIVE;
        let found = points().take(50_000).map(scaled).filter(normal);
        let error = largest_error(found.map(|(y, x)| (trig::atan2(y, x), double(y).atan2(double(x)))));
        assert!(error < 3e-7, "{scale:e}: {error:e}");
    }
}

#[test]
fn special_values_are_exact() {
    assert_eq!([trig::sin(0.0), trig::cos(0.0)], [0.0, 1.0]);
    assert_eq!([trig::sin(FRAC_PI_2), trig::cos(PI)], [1.0, -1.0]);
    assert_eq!([1.0, 0.0, -1.0].map(trig::acos), [0.0, FRAC_PI_2, PI]);
    assert_eq!([2.0, -2.0, f32::MAX, f32::MIN].map(trig::acos), [0.0, PI, 0.0, PI]);
    for size in [1.0, 1e30, 1e-30, f32::MAX, f32::MIN_POSITIVE, 1e-45] {
        assert_eq!([trig::atan2(0.0, size), trig::atan2(0.0, -size)], [0.0, PI], "{size:e}");
        assert_eq!([trig::atan2(size, 0.0), trig::atan2(-size, 0.0)], [FRAC_PI_2, -FRAC_PI_2], "{size:e}");
    }
    assert_eq!(trig::atan2(0.0, 0.0), 0.0);
}

#[test]
fn finite_arguments_give_angles_and_nan_gives_nan() {
    let sizes = [0.0, 1e-45, 1e-39, f32::MIN_POSITIVE, 1e-30, 1e-5, 1.0, 1e5, 1e30, f32::MAX];
    let all = || sizes.into_iter().flat_map(|x| [x, -x]);
    for (y, x) in all().flat_map(|y| all().map(move |x| (y, x))) {
        let angle = trig::atan2(y, x);
        assert!(angle.abs() <= PI, "atan2 {y:e} {x:e}: {angle}");
        assert!(angle * y >= 0.0 && (angle.abs() - FRAC_PI_2) * x <= 0.0, "quadrant of {y:e} {x:e}: {angle}");
    }
    let nan = f32::NAN;
    let found = [trig::sin(nan), trig::cos(nan), trig::acos(nan), trig::atan2(nan, 1.0), trig::atan2(1.0, nan)];
    assert!(found.into_iter().all(f32::is_nan), "{found:?}");
}

/// Returns the floating-point numbers on both sides of x, in order.
fn around(x: f32) -> impl Iterator<Item = f32> {
    (x.to_bits() - 3000..x.to_bits() + 3000).map(f32::from_bits)
}

/// Returns how far the values of `f` ever step against the direction that they should take.
fn setback(values: impl Iterator<Item = f32>, direction: f64) -> f64 {
    let values: Vec<f64> = values.map(f64::from).collect();
    values.windows(2).fold(0.0, |worst, pair| worst.max((pair[0] - pair[1]) * direction.signum()))
}

#[test]
fn the_functions_go_on_across_the_boundaries_of_their_parts() {
    for eighth in 1..16 {
        let boundary = eighth as f32 * FRAC_PI_4;
        // At a crest the direction changes.
        let (sine, cosine) = (double(boundary).sin().0, double(boundary).cos().0);
        if cosine.abs() > 0.1 {
            let setback = setback(around(boundary).map(trig::sin), cosine);
            assert!(setback < 1.3e-7, "sine at {boundary}: {setback:e}");
        }
        if sine.abs() > 0.1 {
            let setback = setback(around(boundary).map(trig::cos), -sine);
            assert!(setback < 1.3e-7, "cosine at {boundary}: {setback:e}");
        }
    }
    for x in [0.5, 1.0] {
        let step = setback(around(x).take(3000).map(trig::acos), -1.0);
        assert!(step < 1.3e-7, "arccosine at {x}: {step:e}");
        let step = setback(around(x).take(3000).map(|x| trig::acos(-x)), 1.0);
        assert!(step < 2.5e-7, "arccosine at −{x}: {step:e}");
    }
    for (x, direction) in [(1.0, 1.0), (-1.0, -1.0)] {
        let step = setback(around(1.0).map(|y| trig::atan2(y, x)), direction);
        assert!(step < 2.5e-7, "arctangent at y = |{x}|: {step:e}");
    }
}

/// Returns the program of a function of two inputs.
fn recorded(function: impl for<'g> Fn(Sym<'g>, Sym<'g>) -> Sym<'g>) -> Program {
    let graph = Graph::new();
    let [a, b] = [0, 1].map(|k| graph.input(InputSource::Gathered(k)));
    Program::lower(&graph, &[function(a, b)])
}

fn assert_same_bits(name: &str, program: &Program, function: impl Fn(f32, f32) -> f32) {
    let mut random = Lcg::new(11);
    for case in 0..20_000 {
        let scale = f32::from_bits((107 + case % 40) << 23);
        let (a, b) = (random.range(-1.0, 1.0) * scale, random.range(-1.0, 1.0));
        let (found, expected) = (evaluate(program, &[a, b], &[], &[])[0], function(a, b));
        assert_eq!(found.to_bits(), expected.to_bits(), "{name} of {a:e} and {b:e}: {found} is not {expected}");
    }
}

#[test]
fn programs_give_the_bits_of_the_functions() {
    assert_same_bits("sine", &recorded(|a, _| a.sin()), |a, _| trig::sin(a));
    assert_same_bits("cosine", &recorded(|a, _| a.cos()), |a, _| trig::cos(a));
    assert_same_bits("arccosine", &recorded(|a, _| a.acos()), |a, _| trig::acos(a));
    assert_same_bits("arctangent", &recorded(|a, b| a.atan2(b)), trig::atan2);
}

#[test]
fn folding_does_not_reach_into_the_functions() {
    let one = || Sym::literal(1.0);
    assert_same_bits("sin 1/b", &recorded(|_, b| (one() / b).sin()), |_, b| trig::sin(1.0 / b));
    assert_same_bits("cos −a", &recorded(|a, _| (-a).cos()), |a, _| trig::cos(-a));
    assert_same_bits("acos a−b", &recorded(|a, b| (a - b).acos()), |a, b| trig::acos(a - b));
    assert_same_bits("atan2 −a, 1/b", &recorded(|a, b| (-a).atan2(one() / b)), |a, b| trig::atan2(-a, 1.0 / b));
    assert_same_bits("atan2 1, b", &recorded(|_, b| one().atan2(b)), |_, b| trig::atan2(1.0, b));
    for x in sweep(1e-3, 100.0, 99_991) {
        let number = Sym::literal(x).sin();
        assert!(number.same(Sym::literal(trig::sin(x))), "sin {x} folds to {number:?}");
    }
}

#[test]
fn a_sine_and_a_cosine_share_their_reduction() {
    let length = |program: Program| program.instructions.len();
    assert_eq!(length(recorded(|a, _| a.sin())), 24);
    assert_eq!(length(recorded(|a, _| a.cos())), 24);
    assert_eq!(length(recorded(|a, _| a.acos())), 19);
    assert_eq!(length(recorded(|a, b| a.atan2(b))), 22);
    let graph = Graph::new();
    let angle = graph.input(InputSource::Gathered(0));
    assert_eq!(length(Program::lower(&graph, &[angle.sin(), angle.cos()])), 25);
}
