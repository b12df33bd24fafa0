//! A constraint of the engine as a function of doubles, with exact first and second derivatives.

use std::marker::PhantomData;

use nalgebra::DMatrix;
use xpbd_core::constraint::{Constraint, Parameters, Point, Points};
use xpbd_core::scalar::{Double, Dual, Real, Vec3};

/// A constraint of a system. Positions are those of all particles, three numbers each \[m\].
pub trait Term {
    /// Returns the particles that it sees.
    fn nodes(&self) -> &[usize];
    /// Returns the numbers of its rows.
    fn rows(&self) -> usize;
    /// C(x), a number a row.
    fn values(&self, x: &[f64]) -> Vec<f64>;
    /// ∂C/∂x: a row each, three columns a node.
    fn gradient(&self, x: &[f64]) -> DMatrix<f64>;
    /// Σ wᵣ ∂²Cᵣ/∂x² over its rows.
    fn curvature(&self, x: &[f64], weights: &[f64]) -> DMatrix<f64>;
    /// Returns the compliance matrix.
    fn compliance(&self) -> DMatrix<f64>;
}

/// A constraint of the type `K` between these particles.
pub struct Traced<K: Constraint<N, M>, const N: usize, const M: usize> {
    pub nodes: [usize; N],
    pub params: K::Parameters<f64>,
    pub compliance: f64,
    pub constraint: PhantomData<fn() -> K>,
}

impl<K: Constraint<N, M>, const N: usize, const M: usize> Traced<K, N, M> {
    /// C with the k-th coordinate of its points given by `at`; where they were before is constant.
    fn evaluate<S: Real + From<f64>>(&self, x: &[f64], at: impl Fn(usize, f64) -> S) -> [S; M] {
        let point = |at: &dyn Fn(usize, f64) -> S, i: usize| {
            let coordinate = |k: usize| at(3 * i + k, x[3 * self.nodes[i] + k]);
            Point::new(Vec3::new(coordinate(0), coordinate(1), coordinate(2)), Vec3::zero())
        };
        let points = Points {
            now: std::array::from_fn(|i| point(&at, i)),
            before: std::array::from_fn(|i| point(&|_, x| S::from(x), i)),
            dt: S::one(),
        };
        K::value(&points, self.parameters(S::from))
    }

    /// Returns the parameters over another scalar.
    fn parameters<S: Real>(&self, scalar: impl Fn(f64) -> S) -> K::Parameters<S> {
        K::Parameters::from_numbers(&self.params.to_numbers().into_iter().map(scalar).collect::<Vec<_>>())
    }
}

impl<K: Constraint<N, M>, const N: usize, const M: usize> Term for Traced<K, N, M> {
    fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    fn rows(&self) -> usize {
        M
    }

    fn values(&self, x: &[f64]) -> Vec<f64> {
        self.evaluate(x, |_, x| Double(x)).map(|value| value.0).into()
    }

    fn gradient(&self, x: &[f64]) -> DMatrix<f64> {
        let mut gradient = DMatrix::zeros(M, 3 * N);
        for a in 0..3 * N {
            let slope = |k: usize| Double(if k == a { 1.0 } else { 0.0 });
            let values = self.evaluate(x, |k, x| Dual::new(Double(x), slope(k)));
            for (row, value) in values.into_iter().enumerate() {
                gradient[(row, a)] = value.slope.0;
            }
        }
        gradient
    }

    fn curvature(&self, x: &[f64], weights: &[f64]) -> DMatrix<f64> {
        let mut curvature = DMatrix::zeros(3 * N, 3 * N);
        for a in 0..3 * N {
            for b in 0..=a {
                let one = |is: bool| Double(if is { 1.0 } else { 0.0 });
                let at = |k: usize, x: f64| {
                    Dual::new(Dual::new(Double(x), one(k == a)), Dual::new(one(k == b), Double(0.0)))
                };
                let second = self.evaluate(x, at).map(|value| value.slope.slope.0);
                let sum = second.iter().zip(weights).map(|(second, weight)| second * weight).sum();
                curvature[(a, b)] = sum;
                curvature[(b, a)] = sum;
            }
        }
        curvature
    }

    fn compliance(&self) -> DMatrix<f64> {
        let matrix = K::compliance(Double(self.compliance), self.parameters(Double));
        DMatrix::from_fn(M, M, |row, column| matrix[row][column].0)
    }
}
