//! The self-check of a constraint type, run once when it is registered.
//!
//! At a few sample points the recorded program is compared with the author's function in double
//! precision, the gradient (derived or written by hand) with dual numbers, and those with finite
//! differences. Where the two one-sided differences disagree the function has a kink and that
//! derivative is not compared.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use super::kind::{ConstraintType, array};
use super::layout::ProgramLayout;
use super::points::{Point, Points};
use super::update::{parameter_evolution_program, value_program};
use super::{Constraint, Parameters};
use crate::connector::Connectors;
use crate::program::interpret::evaluate;
use crate::scalar::{Double, Dual, Real, Vec3};

/// Why a constraint type, its data or its name was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ConstraintError {
    /// C(x) is NaN or infinite where it should be defined.
    #[error(
        "constraint `{name}`: the value of row {row} is {value} at the sample points {points:?} with parameters \
         {parameters:?}; it must be finite there (implement `sample` if it is only defined for some points)"
    )]
    Value {
        /// The name of the constraint type.
        name: String,
        /// Number of the row.
        row: usize,
        /// Value at the sample points.
        value: f64,
        /// The points at which it was evaluated.
        points: Vec<[f32; 3]>,
        /// Parameters at the sample points.
        parameters: Vec<f32>,
    },
    /// The recorded program and the author's function differ.
    #[error("constraint `{name}`: row {row} is {program} in single precision and {function} in double precision")]
    Program {
        /// The name of the constraint type.
        name: String,
        /// Number of the row.
        row: usize,
        /// Result of the recorded program.
        program: f32,
        /// Result of the author's function.
        function: f64,
    },
    /// The gradient that the solver would use is not the derivative of the value.
    #[error(
        "constraint `{name}`: the gradient of row {row} with respect to point {point}, component {axis}, is {given} \
         but the derivative of the value there is {expected}"
    )]
    Gradient {
        /// The name of the constraint type.
        name: String,
        /// Number of the row.
        row: usize,
        /// Number of the point.
        point: usize,
        /// `x`, `y` or `z`.
        axis: char,
        /// The gradient that the solver would use.
        given: f64,
        /// The derivative of the value.
        expected: f64,
    },
    /// A parameter at the end of a frame is not finite, or differs between the recorded program and the
    /// author's function.
    #[error(
        "constraint `{name}`: at the end of a frame parameter `{parameter}` becomes {program} in single precision and \
         {function} in double precision"
    )]
    Flow {
        /// The name of the constraint type.
        name: String,
        /// Name of the parameter.
        parameter: String,
        /// Result of the recorded program.
        program: f32,
        /// Result of the author's function.
        function: f64,
    },
    /// Two types share a name.
    #[error("constraint `{0}` is already registered by another type")]
    NameTaken(String),
    /// No type has this name.
    #[error("no constraint is registered under the name `{0}`; known are {1}")]
    Unknown(String, String),
}

/// Relative difference allowed between single and double precision.
const PRECISION: f64 = 1e-3;
/// Step of the finite differences, in the unit of the points.
const STEP: f64 = 1e-5;
/// How many sample points are tried.
const SAMPLES: u32 = 8;
/// Length of the frame in which parameters flow \[s\].
const FRAME: f32 = 1.0 / 64.0;

impl ConstraintType {
    /// Returns the type of a constraint, which is checked at the first call.
    ///
    /// # Errors
    /// The result of the self-check: a value or gradient that is not finite, or a hand-written gradient that is not the
    /// derivative of the value, with the row and the point.
    pub fn of<K, const N: usize, const M: usize>(_: K) -> Result<Arc<Self>, ConstraintError>
    where
        K: Constraint<N, M>,
    {
        static CHECKED: Mutex<Vec<Arc<ConstraintType>>> = Mutex::new(Vec::new());
        let mut checked = CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = checked.iter().find(|kind| kind.is::<K>()) {
            return Ok(kind.clone());
        }
        let kind = Arc::new(Self::unchecked::<K, N, M>());
        check(&kind, &TypedFunction::<K, N, M>(PhantomData))?;
        checked.push(kind.clone());
        Ok(kind)
    }
}

/// The author's function over any scalar, with slices in place of arrays.
pub(super) trait CheckedFunction {
    /// Returns the rows.
    fn value<S: Real>(&self, now: &[Point<S>], before: &[Point<S>], dt: S, parameters: &[S]) -> Vec<S>;

    /// Returns the parameters at the end of a frame, if they change.
    fn evolve_parameters<S: Real>(&self, x: &[Point<S>], dt: S, parameters: &[S]) -> Option<Vec<S>>;

    /// Returns points and parameters to be compared at; `None` takes random ones.
    fn sample(&self, number: u32) -> Option<(Vec<[f32; 3]>, Vec<f32>)>;
}

/// The functions of a constraint that is a Rust type.
struct TypedFunction<K, const N: usize, const M: usize>(PhantomData<K>);

impl<K: Constraint<N, M>, const N: usize, const M: usize> CheckedFunction for TypedFunction<K, N, M> {
    fn value<S: Real>(&self, now: &[Point<S>], before: &[Point<S>], dt: S, parameters: &[S]) -> Vec<S> {
        let x = Points { now: array(now), before: array(before), dt };
        K::value(&x, K::Parameters::from_numbers(parameters)).to_vec()
    }

    fn evolve_parameters<S: Real>(&self, x: &[Point<S>], dt: S, parameters: &[S]) -> Option<Vec<S>> {
        let x = Points { now: array(x), before: array(x), dt };
        K::evolve_parameters(&x, K::Parameters::from_numbers(parameters), dt).map(Parameters::to_numbers)
    }

    fn sample(&self, number: u32) -> Option<(Vec<[f32; 3]>, Vec<f32>)> {
        K::sample(number).map(|(points, parameters)| (points.to_vec(), parameters.to_numbers()))
    }
}

/// Compares the program and the gradient of a type with the author's function at sample points.
pub(super) fn check(kind: &ConstraintType, function: &impl CheckedFunction) -> Result<(), ConstraintError> {
    let program = value_program(kind);
    let connectors = Connectors::particles(kind.point_count());
    let layout = ProgramLayout::new(kind, &connectors);
    let flow = parameter_evolution_program(kind, &connectors);
    for number in 0..SAMPLES {
        let (points, params) = function.sample(number).unwrap_or_else(|| random_sample(kind, number));
        let mut gathered = vec![0.0; layout.gathered];
        for (inputs, point) in layout.nodes.iter().zip(&points) {
            for k in 0..3 {
                gathered[inputs.position as usize + k] = point[k];
                gathered[inputs.previous_position as usize + k] = point[k];
            }
        }
        let mut columns = vec![0.0; layout.columns];
        columns[layout.parameters as usize..][..params.len()].copy_from_slice(&params);
        let computed = evaluate(&program, &gathered, &columns, &[1.0, 1.0]);
        let sample = Sample { kind, function, points, params };
        sample.compare(&computed)?;
        if let Some(flow) = &flow {
            sample.compare_flow(&evaluate(flow, &gathered, &columns, &[FRAME, 1.0, 1.0]))?;
        }
    }
    Ok(())
}

struct Sample<'a, F> {
    kind: &'a ConstraintType,
    function: &'a F,
    points: Vec<[f32; 3]>,
    params: Vec<f32>,
}

impl<F: CheckedFunction> Sample<'_, F> {
    /// C with the component `moved` of the points shifted by `by`.
    fn value<S: Real>(&self, moved: usize, by: S) -> Vec<S> {
        let (now, before) = (self.points(moved, by), self.points(moved, S::zero()));
        self.function.value(&now, &before, S::one(), &self.parameters())
    }

    /// Returns the parameters as scalars.
    fn parameters<S: Real>(&self) -> Vec<S> {
        self.params.iter().map(|&number| S::literal(number)).collect()
    }

    /// Returns the points with the component `moved` shifted by `by`.
    fn points<S: Real>(&self, moved: usize, by: S) -> Vec<Point<S>> {
        let at = |(k, point): (usize, &[f32; 3])| {
            let component = |axis: usize| {
                let x = S::literal(point[axis]);
                if 3 * k + axis == moved { x + by } else { x }
            };
            Point::new(Vec3::new(component(0), component(1), component(2)), Vec3::zero())
        };
        self.points.iter().enumerate().map(at).collect()
    }

    /// Compares the parameters that the program computed with those of this function.
    fn compare_flow(&self, computed: &[f32]) -> Result<(), ConstraintError> {
        let (dt, parameters) = (Double(f64::from(FRAME)), self.parameters());
        let evolved = self.function.evolve_parameters(&self.points(0, Double(0.0)), dt, &parameters);
        let exact = evolved.unwrap_or(parameters);
        for (k, (&program, &Double(function))) in computed.iter().zip(&exact).enumerate() {
            let near = (f64::from(program) - function).abs() <= PRECISION * (1.0 + function.abs());
            if !(program.is_finite() && near) {
                let parameter = self.kind.parameter_names()[k].clone();
                return Err(ConstraintError::Flow { name: self.kind.name().into(), parameter, program, function });
            }
        }
        Ok(())
    }

    /// Compares what the program computed (the rows, then their gradients) with this function.
    fn compare(&self, computed: &[f32]) -> Result<(), ConstraintError> {
        let name = || self.kind.name().to_string();
        let (rows, components) = (self.kind.row_count(), 3 * self.points.len());
        let (values, slopes) = computed.split_at(rows);
        let exact: Vec<f64> = self.value(0, Double(0.0)).iter().map(|row| row.0).collect();
        for (row, (&program, &function)) in values.iter().zip(&exact).enumerate() {
            if !function.is_finite() || !program.is_finite() {
                let value = if function.is_finite() { f64::from(program) } else { function };
                let (points, parameters) = (self.points.clone(), self.params.clone());
                return Err(ConstraintError::Value { name: name(), row, value, points, parameters });
            }
            if (f64::from(program) - function).abs() > PRECISION * (1.0 + function.abs()) {
                return Err(ConstraintError::Program { name: name(), row, program, function });
            }
        }
        for component in 0..components {
            let dual = self.value(component, Dual::new(Double(0.0), Double(1.0)));
            let ahead = self.value(component, Double(STEP));
            let behind = self.value(component, Double(-STEP));
            for row in 0..rows {
                let given = f64::from(slopes[row * components + component]);
                let exact_slope = dual[row].slope.0;
                let forward = (ahead[row].0 - exact[row]) / STEP;
                let backward = (exact[row] - behind[row].0) / STEP;
                let scale = 1.0 + exact_slope.abs().max(forward.abs());
                let kink = (forward - backward).abs() > 10.0 * PRECISION * scale;
                let numeric = 0.5 * (forward + backward);
                let wrong = |a: f64, b: f64| (a - b).abs().is_nan() || (a - b).abs() > PRECISION * scale;
                if wrong(given, exact_slope) || (!kink && wrong(exact_slope, numeric)) {
                    let expected = if kink || wrong(given, exact_slope) { exact_slope } else { numeric };
                    let (point, axis) = (component / 3, ['x', 'y', 'z'][component % 3]);
                    return Err(ConstraintError::Gradient { name: name(), row, point, axis, given, expected });
                }
            }
        }
        Ok(())
    }
}

/// Points in [−1, 1]³ and parameters in [½, 3/2], the same in every run.
pub(super) fn random_sample(kind: &ConstraintType, number: u32) -> (Vec<[f32; 3]>, Vec<f32>) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(u64::from(number) + 1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    };
    let points = (0..kind.point_count()).map(|_| std::array::from_fn(|_| 2.0 * next() - 1.0)).collect();
    (points, (0..kind.parameter_count()).map(|_| 0.5 + next()).collect())
}
