//! The XPBD update by hand in double precision, with gradients by forward dual numbers.
//!
//! ```text
//! ((1 + γ) ∇C W ∇Cᵀ + α̃) Δλ = −C − α̃ λ − γ ∇C · (x − xⁿ)      α̃ = α/h², γ = α̃ β h
//! λ ← admissible(λ + Δλ)        Δx = W ∇Cᵀ Δλ
//! ```
//! [XPBD16] eq. 18 and 26, [SmallSteps19] eq. 4, 5 and 8.

use glam::DVec3;
use xpbd_core::constraint::{Constraint, Parameters, Point, Points, RowOrder};
use xpbd_core::scalar::{Double, Dual, Real, Vec3};

/// One constraint and its particles, in the middle of a substep.
#[derive(Debug, Clone)]
pub struct Problem<const N: usize> {
    /// Positions [m].
    pub now: [DVec3; N],
    /// Positions at the start of the substep [m].
    pub before: [DVec3; N],
    /// Inverse masses [1/kg].
    pub w: [f64; N],
    pub params: Vec<f32>,
    pub alpha: f32,
    pub beta: f64,
    /// Length of the substep [s].
    pub h: f64,
}

impl<const N: usize> Problem<N> {
    /// Returns the parameters as scalars.
    fn parameters<S: Real, P: Parameters<S>>(&self) -> P {
        P::from_numbers(&self.params.iter().map(|&number| S::literal(number)).collect::<Vec<_>>())
    }

    /// C, and ∂C/∂x row by row.
    pub fn linearize<K: Constraint<N, M>, const M: usize>(&self) -> ([f64; M], [[DVec3; N]; M]) {
        let mut value = [0.0; M];
        let mut slopes = [[DVec3::ZERO; N]; M];
        for moved in 0..3 * N {
            let number = |x: f64, seed: bool| Dual::new(Double(x), Double(f64::from(u8::from(seed))));
            let point = |x: DVec3, k: usize, seed: bool| {
                let [x, y, z] = [0, 1, 2].map(|axis| number(x[axis], seed && 3 * k + axis == moved));
                Point::new(Vec3::new(x, y, z), Vec3::zero())
            };
            let points = Points {
                now: std::array::from_fn(|k| point(self.now[k], k, true)),
                before: std::array::from_fn(|k| point(self.before[k], k, false)),
                dt: number(self.h, false),
            };
            let rows = K::value(&points, self.parameters());
            for (row, result) in rows.into_iter().enumerate() {
                value[row] = result.value.0;
                slopes[row][moved / 3][moved % 3] = result.slope.0;
            }
        }
        (value, slopes)
    }

    /// One iteration: moves the particles and the multipliers.
    pub fn iterate<K: Constraint<N, M>, const M: usize>(&mut self, lambda: &mut [f64; M]) {
        let all: Vec<usize> = (0..M).collect();
        match K::ROW_ORDER {
            RowOrder::Block => self.solve::<K, M>(&all, lambda),
            RowOrder::Groups(groups) => groups.iter().for_each(|group| self.solve::<K, M>(group, lambda)),
            RowOrder::Sequential => all.iter().for_each(|&row| self.solve::<K, M>(&[row], lambda)),
        }
    }

    fn solve<K: Constraint<N, M>, const M: usize>(&mut self, rows: &[usize], lambda: &mut [f64; M]) {
        let (value, slopes) = self.linearize::<K, M>();
        let alpha = K::compliance(Double(f64::from(self.alpha) / (self.h * self.h)), self.parameters());
        let gamma = f64::from(self.alpha) / (self.h * self.h) * self.beta * self.h;
        let mut matrix = vec![vec![0.0; rows.len()]; rows.len()];
        let mut right = vec![0.0; rows.len()];
        for (a, &row) in rows.iter().enumerate() {
            for (b, &other) in rows.iter().enumerate() {
                let mass: f64 = (0..N).map(|k| self.w[k] * slopes[row][k].dot(slopes[other][k])).sum();
                matrix[a][b] = (1.0 + gamma) * mass + alpha[row][other].0;
            }
            let creep: f64 = (0..M).map(|k| alpha[row][k].0 * lambda[k]).sum();
            let progress: f64 = (0..N).map(|k| slopes[row][k].dot(self.now[k] - self.before[k])).sum();
            right[a] = -value[row] - creep - gamma * progress;
        }
        let admissible =
            |wanted: [f64; M]| K::admissible(wanted.map(Double), self.parameters(), Double(self.h * self.h));
        let step = if rows.len() > 1 {
            let [low, high] = [f64::MIN, f64::MAX].map(|bound| admissible([bound; M]));
            let bounds: Vec<_> =
                rows.iter().map(|&row| [low, high].map(|bounds| bounds[row].0 - lambda[row])).collect();
            solve_bounded(&matrix, &right, &bounds)
        } else {
            eliminate(matrix, right)
        };
        let mut wanted = *lambda;
        rows.iter().zip(&step).for_each(|(&row, step)| wanted[row] += step);
        let allowed = admissible(wanted);
        for &row in rows {
            let change = allowed[row].0 - lambda[row];
            lambda[row] = allowed[row].0;
            for k in 0..N {
                self.now[k] += slopes[row][k] * (self.w[k] * change);
            }
        }
    }
}

/// Solves for the x within bounds with A x = b in every row but those at a bound, which A x − b presses against it: by
/// trying every set of rows at bounds.
fn solve_bounded(a: &[Vec<f64>], b: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let n = b.len();
    let solve = |held: &[Option<usize>]| {
        let (mut matrix, mut right) = (a.to_vec(), b.to_vec());
        for (k, side) in held.iter().enumerate() {
            if let Some(side) = *side {
                matrix[k] = (0..n).map(|j| f64::from(u8::from(j == k))).collect();
                right[k] = bounds[k][side];
            }
        }
        eliminate(matrix, right)
    };
    let holds = |x: &[f64], held: &[Option<usize>]| {
        (0..n).all(|k| {
            let over: f64 = (0..n).map(|j| a[k][j] * x[j]).sum::<f64>() - b[k];
            let small = 1e-9 * b.iter().fold(1.0, |largest, b| b.abs().max(largest));
            match held[k] {
                None => bounds[k][0] <= x[k] && x[k] <= bounds[k][1],
                Some(0) => over > -small,
                Some(_) => over < small,
            }
        })
    };
    for code in 0..3_usize.pow(n as u32) {
        let held: Vec<_> = (0..n).map(|k| (code / 3_usize.pow(k as u32) % 3).checked_sub(1)).collect();
        let is_bounded =
            held.iter().zip(bounds).all(|(side, bounds)| side.is_none_or(|side| bounds[side].abs() < 1e300));
        if is_bounded {
            let x = solve(&held);
            if holds(&x, &held) {
                return x;
            }
        }
    }
    panic!("no set of rows at bounds solves the block");
}

/// Solves A x = b by Gaussian elimination with row exchange.
pub fn eliminate(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        let pivot = (j..n).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs())).unwrap();
        a.swap(j, pivot);
        b.swap(j, pivot);
        for i in j + 1..n {
            let factor = a[i][j] / a[j][j];
            for k in j..n {
                a[i][k] -= factor * a[j][k];
            }
            b[i] -= factor * b[j];
        }
    }
    for j in (0..n).rev() {
        b[j] = (b[j] - (j + 1..n).map(|k| a[j][k] * b[k]).sum::<f64>()) / a[j][j];
    }
    b
}

#[test]
fn the_reference_solves_its_systems() {
    let a = vec![vec![0.0, 2.0, 1.0], vec![1.0, -1.0, 0.5], vec![3.0, 0.0, 4.0]];
    let x = eliminate(a.clone(), vec![1.0, 2.0, 3.0]);
    for (row, b) in a.iter().zip([1.0, 2.0, 3.0]) {
        let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
        assert!((sum - b).abs() < 1e-12);
    }
}
