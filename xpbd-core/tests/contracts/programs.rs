//! What the solver does to one constraint is the update by hand in double precision.

use std::array;

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::{Constraint, Parameters, Points, RowOrder};
use xpbd_core::scalar::{self, Real};
use xpbd_core::world::{Object, Settings, World};

use super::reference::Problem;
use super::support::{Coincide, Distance, Lcg, Volume, cpu, weightless};

/// Angle between the triangles of an edge (x₀, x₁) with the tips x₂ and x₃, signed.
struct Dihedral;

impl Constraint<4, 1> for Dihedral {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-dihedral";

    fn value<S: Real>(x: &Points<S, 4>, [rest]: [S; 1]) -> [S; 1] {
        let [e, a, b] = [1, 2, 3].map(|k| x.now[k] - x.now[0]);
        let (n, m) = (e.cross(a), b.cross(e));
        [n.cross(m).dot(e.normalize()).atan2(n.dot(m)) - rest]
    }
}

/// Angle at x₁.
struct Angle;

impl Constraint<3, 1> for Angle {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-angle";

    fn value<S: Real>(x: &Points<S, 3>, [rest]: [S; 1]) -> [S; 1] {
        let (a, b) = ((x.now[0] - x.now[1]).normalize(), (x.now[2] - x.now[1]).normalize());
        [a.dot(b).acos() - rest]
    }
}

/// Every operation with a kink, and sine and cosine.
struct Kinks;

impl Constraint<3, 1> for Kinks {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "test-kinks";

    fn value<S: Real>(x: &Points<S, 3>, [p, q]: [S; 2]) -> [S; 1] {
        let (u, v) = (x.now[0] - x.now[1], x.now[1] - x.now[2]);
        let (a, b) = (u.length(), v.length());
        let (low, high) = (a.min(b), a.max(p));
        let bend = u.x.abs() * 2.0 + high;
        [(low - q).select_lt(S::zero(), high * bend, (a - b).sin() * b.cos() + low * 2.0) - 0.5]
    }
}

/// Green strain of a triangle, ½(FᵀF − 1) with F = [x₁ − x₀, x₂ − x₀] D, as a block of three rows.
struct Strain;

impl Constraint<3, 3> for Strain {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "test-strain";

    fn value<S: Real>(x: &Points<S, 3>, [a, b, c, d]: [S; 4]) -> [S; 3] {
        let (u, v) = (x.now[1] - x.now[0], x.now[2] - x.now[0]);
        let (f, g) = (u * a + v * c, u * b + v * d);
        let half = |square: S| (square - 1.0) * 0.5;
        [half(f.length_squared()), half(g.length_squared()), f.dot(g)]
    }

    /// Returns the inverse of plane stress with E = 1/α and ν = 0.3.
    fn compliance<S: Real>(alpha: S, _: [S; 4]) -> [[S; 3]; 3] {
        let (cross, shear) = (alpha * -0.3, alpha * 2.6);
        [[alpha, cross, S::zero()], [cross, alpha, S::zero()], [S::zero(), S::zero(), shear]]
    }
}

/// A distance that only pushes, then a row that the first one limits, measured from the start of the substep.
struct Limited;

impl Constraint<2, 2> for Limited {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "test-limited";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 2>, [rest, speed]: [S; 2]) -> [S; 2] {
        let moved = (x.now[0] - x.before[0]) - (x.now[1] - x.before[1]);
        let along = scalar::Vec3::new(S::literal(0.6), S::zero(), S::literal(0.8));
        [(x.now[0] - x.now[1]).length() - rest, moved.dot(along) - speed * x.dt]
    }

    fn admissible<S: Real>([push, slip]: [S; 2], [rest, _]: [S; 2], _: S) -> [S; 2] {
        let push = push.max(S::zero());
        let limit = push * rest * 0.5;
        [push, slip.clamp(-limit, limit)]
    }
}

/// A rod from x₀ to x₁ with bounds of its ends solved with it: a rope from x₀ to x₂, a force of at most 5 N between x₁ and
/// x₂.
struct Bracket;

impl Constraint<3, 3> for Bracket {
    type Parameters<S: Copy> = [S; 3];

    const NAME: &'static str = "test-bracket";

    fn value<S: Real>(x: &Points<S, 3>, [rod, rope, motor]: [S; 3]) -> [S; 3] {
        let [a, b, c] = [(0, 1), (0, 2), (1, 2)].map(|(from, to)| (x.now[to] - x.now[from]).length());
        [a - rod, b - rope, c - motor]
    }

    fn admissible<S: Real>([rod, rope, motor]: [S; 3], _: [S; 3], per_force: S) -> [S; 3] {
        let most = per_force * 5.0;
        [rod, rope.min(S::zero()), motor.clamp(-most, most)]
    }
}

/// A rope: |x₀ − x₁| ≤ rest.
struct Tether;

impl Constraint<2, 1> for Tether {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-tether";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 1], _: S) -> [S; 1] {
        [lambda.min(S::zero())]
    }
}

const H: f32 = 0.1;

/// Steps random instances in a world and by hand; gives the largest multiplier and the number of
/// instances whose multipliers are all zero.
fn compare<K, const N: usize, const M: usize>(
    constraint: impl Fn() -> K,
    (alpha, beta, iterations): (f32, f32, u32),
    sample: impl Fn(&mut Lcg) -> ([Vec3; N], K::Parameters<f32>),
) -> (f64, usize)
where
    K: Constraint<N, M>,
{
    let mut random = Lcg::new(7);
    let (mut largest, mut idle) = (0.0_f64, 0);
    for case in 0..60 {
        let (points, parameters) = sample(&mut random);
        let mut object = Object::new("one", points.to_vec(), 1.0);
        object.masses = (0..N).map(|_| random.range(0.5, 2.0)).collect();
        object.velocities = (0..N).map(|_| random.vector(1.0)).collect();
        let pin = random.below(2 * N);
        if pin < N {
            object = object.pin([pin as u32]);
            object.velocities[pin] = Vec3::ZERO;
        }
        let w = array::from_fn(|k| if k == pin { 0.0 } else { f64::from(1.0 / object.masses[k]) });
        let before = points.map(Vec3::as_dvec3);
        let now = array::from_fn(|k| (points[k] + object.velocities[k] * H).as_dvec3());
        let params = parameters.to_numbers();
        let mut problem = Problem { now, before, w, params, alpha, beta: beta.into(), h: H.into() };
        let mut lambda = [0.0; M];
        (0..iterations).for_each(|_| problem.iterate::<K, M>(&mut lambda));

        let ids = array::from_fn(|k| k as u32);
        let batch = Batch::new(constraint(), &[ids], &[parameters]).unwrap().compliance(alpha).damping(beta);
        let mut world = World::new(Settings { substeps: 1, iterations, ..weightless() }).unwrap();
        let handle = world.add(object.with(batch)).unwrap();
        world.step(&mut cpu(), H).unwrap();
        let scale = problem.now.iter().map(|x| x.length()).fold(1.0, f64::max);
        for k in 0..N {
            let (x, v) = (world.position(handle, k).unwrap(), world.velocity(handle, k).unwrap());
            let expected = problem.now[k];
            assert!(x.as_dvec3().distance(expected) < 1e-5 * scale, "case {case}, point {k}: {x} is not {expected}");
            let speed = (expected - before[k]) / f64::from(H);
            assert!(v.as_dvec3().distance(speed) < 1e-4 * scale, "case {case}, point {k}: speed {v} is not {speed}");
        }
        let force = world.row_forces(world.batches_of(handle)[0], 0).unwrap();
        for (row, (&force, &expected)) in force.iter().zip(&lambda).enumerate() {
            let found = f64::from(force) * f64::from(H * H);
            let allowed = 2e-5 * (1.0 + expected.abs());
            assert!((found - expected).abs() < allowed, "case {case}, row {row}: λ {found} is not {expected}");
        }
        largest = lambda.iter().fold(largest, |largest, lambda| largest.max(lambda.abs()));
        idle += usize::from(lambda.iter().all(|&lambda| lambda == 0.0));
    }
    (largest, idle)
}

/// Rigid and compliant, damped and not, with one iteration and with multipliers kept over four.
const CASES: [(f32, f32, u32); 5] = [(0.0, 0.0, 1), (0.005, 0.0, 1), (0.005, 0.0, 4), (0.005, 8.0, 1), (0.005, 8.0, 4)];

/// Points near the corners of a tetrahedron, so that no angle is degenerate.
fn corners<const N: usize>(random: &mut Lcg) -> [Vec3; N] {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.9, 0.2), Vec3::new(0.4, -0.3, 0.9)];
    array::from_fn(|k| corners[k] + random.vector(0.2))
}

#[test]
fn distance() {
    for case in CASES {
        let (largest, _) = compare(|| Distance, case, |random| (corners(random), [random.range(0.5, 1.5)]));
        assert!(largest > 0.1);
    }
}

#[test]
fn volume() {
    for case in CASES {
        compare(|| Volume, case, |random| (corners(random), [random.range(0.05, 0.2)]));
    }
}

#[test]
fn dihedral_angle() {
    for case in CASES {
        compare(|| Dihedral, case, |random| (corners(random), [random.range(0.5, 1.5)]));
    }
}

#[test]
fn angle() {
    for case in CASES {
        compare(|| Angle, case, |random| (corners(random), [random.range(0.8, 1.4)]));
    }
}

#[test]
fn kinks() {
    for case in CASES {
        compare(|| Kinks, case, |random| (corners(random), [random.range(0.5, 1.5), random.range(0.5, 1.2)]));
    }
}

#[test]
fn a_block_of_three_rows_with_a_compliance_matrix() {
    for case in CASES {
        let rest = |random: &mut Lcg| [(); 4].map(|()| random.range(-0.1, 0.1));
        compare(
            || Strain,
            case,
            |random| {
                let [a, b, c, d] = rest(random);
                (corners(random), [1.0 + a, 0.1 + b, 0.2 + c, 1.0 + d])
            },
        );
        compare(|| Coincide, case, |random| (corners(random), []));
    }
}

#[test]
fn rows_in_turn_each_see_the_correction_before() {
    for case in CASES {
        let (largest, idle) = compare(|| Limited, case, |random| (corners(random), [random.range(0.7, 1.3), 0.5]));
        assert!(largest > 0.1 && (5..55).contains(&idle), "{largest} {idle}");
    }
}

#[test]
fn one_sided_multipliers() {
    for case in CASES {
        let (largest, idle) = compare(|| Tether, case, |random| (corners(random), [random.range(0.7, 1.3)]));
        assert!(largest > 0.1 && (5..55).contains(&idle), "{largest} {idle}");
    }
}

#[test]
fn a_block_with_bounds_holds_the_rows_that_it_has_to() {
    for case in CASES {
        let (largest, idle) =
            compare(|| Bracket, case, |random| (corners(random), [(); 3].map(|()| random.range(0.7, 1.3))));
        assert!(largest > 0.1 && idle == 0, "{largest} {idle}");
    }
}
