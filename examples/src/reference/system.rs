//! Particles and the constraints between them.

use std::marker::PhantomData;

use nalgebra::{DMatrix, DVector};
use xpbd_core::constraint::{Constraint, Parameters};

use super::term::{Term, Traced};
use super::{ReferenceError, State};

/// Particles with masses, pins, gravity and constraints.
///
/// Vectors of coordinates have three numbers a particle; matrices and the vectors that go with them leave out pinned
/// particles: one column a free coordinate.
pub struct System {
    masses: Vec<f64>,
    gravity: [f64; 3],
    free: Vec<usize>,
    columns: Vec<Option<usize>>,
    terms: Vec<Box<dyn Term>>,
    rows: usize,
}

impl System {
    /// Particles of these masses \[kg\] under gravity \[m/s²\].
    ///
    /// # Errors
    /// A mass is not positive and finite.
    pub fn new(masses: Vec<f64>, gravity: [f64; 3]) -> Result<Self, ReferenceError> {
        if let Some((particle, &mass)) = masses.iter().enumerate().find(|(_, mass)| !(mass.is_finite() && **mass > 0.0))
        {
            return Err(ReferenceError::Mass { particle, mass });
        }
        let free: Vec<usize> = (0..3 * masses.len()).collect();
        let columns = free.iter().copied().map(Some).collect();
        Ok(Self { masses, gravity, free, columns, terms: Vec::new(), rows: 0 })
    }

    /// The same with a particle held where it is.
    ///
    /// # Errors
    /// There is no such particle.
    pub fn pin(mut self, particle: usize) -> Result<Self, ReferenceError> {
        self.check(particle, || "a pin".into())?;
        self.free.retain(|coordinate| coordinate / 3 != particle);
        self.columns.fill(None);
        for (column, &coordinate) in self.free.iter().enumerate() {
            self.columns[coordinate] = Some(column);
        }
        Ok(self)
    }

    /// The same with a constraint of a type of the engine, after those that it has.
    ///
    /// # Errors
    /// A particle does not exist, a parameter is not finite, or the compliance is not a number from 0 on.
    pub fn with_constraint<K: Constraint<N, M>, const N: usize, const M: usize>(
        mut self,
        _: K,
        nodes: [usize; N],
        params: K::Parameters<f64>,
        compliance: f64,
    ) -> Result<Self, ReferenceError> {
        let constraint = self.terms.len();
        for node in nodes {
            self.check(node, || format!("constraint {constraint} (`{}`)", K::NAME))?;
        }
        let number = |what, value, must| ReferenceError::Number { constraint, what, value, must };
        if let Some(value) = params.to_numbers().into_iter().find(|value| !value.is_finite()) {
            return Err(number("a parameter", value, "finite"));
        }
        if !(compliance.is_finite() && compliance >= 0.0) {
            return Err(number("the compliance", compliance, "finite and not negative"));
        }
        self.terms.push(Box::new(Traced::<K, N, M> { nodes, params, compliance, constraint: PhantomData }));
        self.rows += M;
        Ok(self)
    }

    fn check(&self, particle: usize, what: impl Fn() -> String) -> Result<(), ReferenceError> {
        let particles = self.masses.len();
        if particle < particles { Ok(()) } else { Err(ReferenceError::Particle { what: what(), particle, particles }) }
    }

    /// Returns the masses \[kg\] of the free coordinates.
    pub fn masses(&self) -> Vec<f64> {
        self.free.iter().map(|coordinate| self.masses[coordinate / 3]).collect()
    }

    /// 1/m of a particle \[1/kg\], 0 if it is pinned.
    pub(super) fn inverse_mass(&self, particle: usize) -> f64 {
        self.columns[3 * particle].map_or(0.0, |_| 1.0 / self.masses[particle])
    }

    /// Returns how many rows all constraints have together.
    pub fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn terms(&self) -> &[Box<dyn Term>] {
        &self.terms
    }

    /// Returns whether a coordinate is one of a particle that is not pinned.
    pub(super) fn is_free(&self, coordinate: usize) -> bool {
        self.columns[coordinate].is_some()
    }

    /// Returns the acceleration of a coordinate by gravity \[m/s²\], 0 if it is pinned.
    pub(super) fn gravity(&self, coordinate: usize) -> f64 {
        self.columns[coordinate].map_or(0.0, |_| self.gravity[coordinate % 3])
    }

    /// Returns the free numbers among those of all coordinates.
    pub(super) fn gather(&self, all: &[f64]) -> DVector<f64> {
        DVector::from_iterator(self.free.len(), self.free.iter().map(|&coordinate| all[coordinate]))
    }

    /// Adds `factor` times numbers of the free coordinates to those of all.
    pub(super) fn add(&self, all: &mut [f64], factor: f64, free: &DVector<f64>) {
        for (&coordinate, number) in self.free.iter().zip(free.iter()) {
            all[coordinate] += factor * number;
        }
    }

    /// Returns where the particles would be after `h` \[s\] without constraints \[m\]: x + h v + h² g.
    pub fn predicted(&self, state: &State, h: f64) -> Vec<f64> {
        let at = |k: usize| state.x[k] + h * (state.v[k] + h * self.gravity(k));
        (0..state.x.len()).map(|k| if self.is_free(k) { at(k) } else { state.x[k] }).collect()
    }

    /// C(x), row after row.
    pub fn values(&self, x: &[f64]) -> DVector<f64> {
        DVector::from_iterator(self.rows, self.terms.iter().flat_map(|term| term.values(x)))
    }

    /// ∂C/∂x: rows by free coordinates.
    pub fn jacobian(&self, x: &[f64]) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(self.rows, self.free.len());
        let mut first = 0;
        for term in &self.terms {
            let gradient = term.gradient(x);
            for (from, to) in self.spread(term.as_ref()) {
                for row in 0..term.rows() {
                    jacobian[(first + row, to)] += gradient[(row, from)];
                }
            }
            first += term.rows();
        }
        jacobian
    }

    /// Σ wᵣ ∂²Cᵣ/∂x² over all rows: free coordinates squared.
    pub fn curvature(&self, x: &[f64], weights: &[f64]) -> DMatrix<f64> {
        let mut curvature = DMatrix::zeros(self.free.len(), self.free.len());
        let mut first = 0;
        for term in &self.terms {
            let part = term.curvature(x, &weights[first..first + term.rows()]);
            for (a, row) in self.spread(term.as_ref()) {
                for (b, column) in self.spread(term.as_ref()) {
                    curvature[(row, column)] += part[(a, b)];
                }
            }
            first += term.rows();
        }
        curvature
    }

    /// Returns where the free coordinates of a constraint stand among all: from its own to the column.
    fn spread<'a>(&'a self, term: &'a dyn Term) -> impl Iterator<Item = (usize, usize)> + 'a {
        let coordinates = term.nodes().iter().flat_map(|node| (0..3).map(move |k| 3 * node + k));
        coordinates.enumerate().filter_map(|(own, coordinate)| Some((own, self.columns[coordinate]?)))
    }

    /// Returns the compliance matrix of all rows.
    pub fn compliance(&self) -> DMatrix<f64> {
        self.blocks(|term| term.compliance())
    }

    /// Returns its inverse.
    ///
    /// # Errors
    /// A constraint has no compliance.
    pub fn stiffness(&self) -> Result<DMatrix<f64>, ReferenceError> {
        let rigid = |term: &dyn Term| term.compliance().diagonal().iter().any(|alpha| *alpha <= 0.0);
        match self.terms.iter().position(|term| rigid(term.as_ref())) {
            Some(constraint) => Err(ReferenceError::Rigid(constraint)),
            None => Ok(self.blocks(|term| {
                let (compliance, rows) = (term.compliance(), term.rows());
                compliance.try_inverse().unwrap_or_else(|| DMatrix::zeros(rows, rows))
            })),
        }
    }

    fn blocks(&self, block: impl Fn(&dyn Term) -> DMatrix<f64>) -> DMatrix<f64> {
        let mut all = DMatrix::zeros(self.rows, self.rows);
        let mut first = 0;
        for term in &self.terms {
            all.view_mut((first, first), (term.rows(), term.rows())).copy_from(&block(term.as_ref()));
            first += term.rows();
        }
        all
    }

    /// Returns the kinetic energy, and that in the field of gravity above the origin \[J\].
    pub fn motion_energy(&self, state: &State) -> f64 {
        let energy = |coordinate: usize| {
            let (x, v) = (state.x[coordinate], state.v[coordinate]);
            self.masses[coordinate / 3] * (0.5 * v * v - self.gravity[coordinate % 3] * x)
        };
        self.free.iter().map(|&coordinate| energy(coordinate)).sum()
    }

    /// Returns the energy ½ Cᵀ α⁻¹ C of the springs \[J\].
    ///
    /// # Errors
    /// A constraint has no compliance.
    pub fn elastic_energy(&self, x: &[f64]) -> Result<f64, ReferenceError> {
        let c = self.values(x);
        Ok(0.5 * super::dense::apply(&self.stiffness()?, &c).dot(&c))
    }
}
