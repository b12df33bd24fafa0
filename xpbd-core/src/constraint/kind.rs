//! A constraint type without its generics: what batches, plans and back ends hold.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;

use super::points::{Point, Points};
use super::{Constraint, Parameters, RowOrder};
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

/// Points of any number, being recorded.
pub(crate) struct RecordedPoints<'g> {
    pub now: Vec<Point<Sym<'g>>>,
    pub before: Vec<Point<Sym<'g>>>,
    pub dt: Sym<'g>,
}

/// The author's functions on symbols, with slices in place of arrays.
pub(crate) trait ErasedConstraint: Send + Sync {
    fn value<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Vec<Sym<'g>>;
    fn gradient<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Option<Vec<Vec<Vec3<Sym<'g>>>>>;
    fn admissible<'g>(&self, lambda: &[Sym<'g>], params: &[Sym<'g>], per_force: Sym<'g>) -> Vec<Sym<'g>>;
    fn stops<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Vec<Option<[Sym<'g>; 2]>>;
    fn target_rates<'g>(
        &self,
        x: &RecordedPoints<'g>,
        rates: &[Sym<'g>],
        lambda: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<Vec<Sym<'g>>>;
    fn impact<'g>(
        &self,
        x: &RecordedPoints<'g>,
        rates: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<(Vec<Sym<'g>>, Sym<'g>)>;
    fn evolve_parameters<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Option<Vec<Sym<'g>>>;
    fn compliance<'g>(&self, alpha: Sym<'g>, params: &[Sym<'g>]) -> Vec<Vec<Sym<'g>>>;
    fn damping<'g>(&self, gamma: Sym<'g>, params: &[Sym<'g>]) -> Vec<Sym<'g>>;
    fn mobilities<'g>(
        &self,
        x: &RecordedPoints<'g>,
        inverse_masses: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<Vec<Sym<'g>>>;
}

/// What makes a constraint type this one and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// The Rust type that it is of.
    Rust(TypeId),
    /// The text that it was read from.
    #[cfg(feature = "text")]
    Text(Arc<str>),
}

/// A checked constraint type.
pub struct ConstraintType {
    name: Arc<str>,
    points: usize,
    parameter_names: Vec<String>,
    rows: usize,
    row_order: RowOrder,
    softness: Vec<f32>,
    keeps_multipliers: bool,
    is_after_contacts: bool,
    dissipates: bool,
    pub(super) arms_of_start: bool,
    has_target_rates: bool,
    has_impact: bool,
    has_parameter_evolution: bool,
    pub(super) identity: Identity,
    pub(crate) erased: Box<dyn ErasedConstraint>,
}

impl ConstraintType {
    /// Creates the type of a constraint without checking it.
    pub(super) fn unchecked<K, const N: usize, const M: usize>() -> Self
    where
        K: Constraint<N, M>,
    {
        let mut parameter_names = Vec::new();
        K::Parameters::<f32>::append_names("", &mut parameter_names);
        let author = TypedConstraint::<K, N, M>(PhantomData);
        Self {
            name: K::NAME.into(),
            points: N,
            parameter_names,
            rows: M,
            row_order: K::ROW_ORDER,
            softness: K::SOFTNESS.to_vec(),
            keeps_multipliers: K::KEEPS_MULTIPLIERS,
            is_after_contacts: K::AFTER_CONTACTS,
            dissipates: K::DISSIPATES,
            arms_of_start: K::ARMS_OF_START,
            has_target_rates: author.has_target_rates(),
            has_impact: author.has_impact(),
            has_parameter_evolution: author.has_parameter_evolution(),
            identity: Identity::Rust(TypeId::of::<K>()),
            erased: Box::new(author),
        }
    }

    /// Creates a type without checking it from functions that only have values and bounds.
    #[cfg(feature = "text")]
    pub(super) fn of_text(
        (name, text): (&str, &str),
        points: usize,
        parameter_names: Vec<String>,
        rows: usize,
        erased: Box<dyn ErasedConstraint>,
    ) -> Self {
        Self {
            name: name.into(),
            points,
            parameter_names,
            rows,
            row_order: RowOrder::Block,
            softness: vec![0.0; rows],
            keeps_multipliers: false,
            is_after_contacts: false,
            dissipates: false,
            arms_of_start: false,
            has_target_rates: false,
            has_impact: false,
            has_parameter_evolution: false,
            identity: Identity::Text(text.into()),
            erased,
        }
    }

    /// Returns the text that the type was read from, if it was.
    #[cfg(feature = "text")]
    pub fn text(&self) -> Option<&str> {
        match &self.identity {
            Identity::Rust(_) => None,
            Identity::Text(text) => Some(text),
        }
    }

    /// Returns whether this is the type of a constraint.
    pub(super) fn is<K: 'static>(&self) -> bool {
        self.identity == Identity::Rust(TypeId::of::<K>())
    }

    /// Returns the unique name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Points of one constraint.
    pub fn point_count(&self) -> usize {
        self.points
    }

    /// Returns the parameters of one constraint.
    pub fn parameter_count(&self) -> usize {
        self.parameter_names.len()
    }

    /// Returns the names of the parameters of one constraint, in their order.
    pub fn parameter_names(&self) -> &[String] {
        &self.parameter_names
    }

    /// Returns the rows of one constraint.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Returns whether it is solved after contacts.
    pub fn is_after_contacts(&self) -> bool {
        self.is_after_contacts
    }

    /// Returns whether its compliance holds no energy.
    pub fn dissipates(&self) -> bool {
        self.dissipates
    }

    /// Returns how the rows are solved.
    pub fn row_order(&self) -> RowOrder {
        self.row_order
    }

    /// Returns the compliance of each row relative to the inverse of its effective mass \[1\].
    pub fn softness(&self) -> &[f32] {
        &self.softness
    }

    /// Returns whether a substep begins with the multipliers of the one before.
    pub fn keeps_multipliers(&self) -> bool {
        self.keeps_multipliers
    }

    /// Returns whether it changes velocities at the end of a substep.
    pub fn has_target_rates(&self) -> bool {
        self.has_target_rates
    }

    /// Returns whether its nodes can hit each other.
    pub fn has_impact(&self) -> bool {
        self.has_impact
    }

    /// Returns whether it changes its parameters at the end of a frame.
    pub fn has_parameter_evolution(&self) -> bool {
        self.has_parameter_evolution
    }

    /// Returns whether both come from the same Rust type, or from the same text.
    pub fn is_same_type(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl std::fmt::Debug for ConstraintType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, points, rows, .. } = self;
        write!(f, "{name} ({points} points, {} parameters, {rows} rows)", self.parameter_count())
    }
}

struct TypedConstraint<K, const N: usize, const M: usize>(PhantomData<fn(K)>);

/// Returns an array from a slice that the caller has made as long.
pub(super) fn array<T: Copy, const L: usize>(slice: &[T]) -> [T; L] {
    std::array::from_fn(|k| slice[k])
}

impl<K: Constraint<N, M>, const N: usize, const M: usize> TypedConstraint<K, N, M> {
    fn points<'g>(x: &RecordedPoints<'g>) -> Points<Sym<'g>, N> {
        Points { now: array(&x.now), before: array(&x.before), dt: x.dt }
    }

    /// Returns whether the author gives new parameters, as asked of points and parameters that are all zero.
    fn has_parameter_evolution(&self) -> bool {
        let (x, parameters) = Self::zero();
        K::evolve_parameters(&x, parameters, Sym::zero()).is_some()
    }

    /// Returns whether the author gives target rates, as asked in the same way.
    fn has_target_rates(&self) -> bool {
        let (x, parameters) = Self::zero();
        K::target_rates(&x, [Sym::zero(); M], [Sym::zero(); M], parameters).is_some()
    }

    /// Returns whether the author gives impacts, as asked in the same way.
    fn has_impact(&self) -> bool {
        let (x, parameters) = Self::zero();
        K::impact(&x, [Sym::zero(); M], parameters).is_some()
    }

    /// Returns points and parameters that are all zero.
    fn zero<'g>() -> (Points<Sym<'g>, N>, K::Parameters<Sym<'g>>) {
        let zero = || Vec3::new(Sym::zero(), Sym::zero(), Sym::zero());
        let points = [Point::new(zero(), zero()); N];
        let parameters = K::Parameters::from_numbers(&vec![Sym::zero(); K::Parameters::<Sym>::COUNT]);
        (Points { now: points, before: points, dt: Sym::one() }, parameters)
    }
}

impl<K: Constraint<N, M>, const N: usize, const M: usize> ErasedConstraint for TypedConstraint<K, N, M> {
    fn value<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Vec<Sym<'g>> {
        K::value(&Self::points(x), K::Parameters::from_numbers(params)).to_vec()
    }

    fn gradient<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Option<Vec<Vec<Vec3<Sym<'g>>>>> {
        let rows = K::gradient(&Self::points(x), K::Parameters::from_numbers(params))?;
        Some(rows.iter().map(|row| row.to_vec()).collect())
    }

    fn admissible<'g>(&self, lambda: &[Sym<'g>], params: &[Sym<'g>], per_force: Sym<'g>) -> Vec<Sym<'g>> {
        K::admissible(array(lambda), K::Parameters::from_numbers(params), per_force).to_vec()
    }

    fn stops<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Vec<Option<[Sym<'g>; 2]>> {
        K::stops(&Self::points(x), K::Parameters::from_numbers(params)).to_vec()
    }

    fn target_rates<'g>(
        &self,
        x: &RecordedPoints<'g>,
        rates: &[Sym<'g>],
        lambda: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<Vec<Sym<'g>>> {
        let parameters = K::Parameters::from_numbers(params);
        K::target_rates(&Self::points(x), array(rates), array(lambda), parameters).map(|rates| rates.to_vec())
    }

    fn impact<'g>(
        &self,
        x: &RecordedPoints<'g>,
        rates: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<(Vec<Sym<'g>>, Sym<'g>)> {
        let impact = K::impact(&Self::points(x), array(rates), K::Parameters::from_numbers(params))?;
        Some((impact.weights.to_vec(), impact.rate))
    }

    fn evolve_parameters<'g>(&self, x: &RecordedPoints<'g>, params: &[Sym<'g>]) -> Option<Vec<Sym<'g>>> {
        K::evolve_parameters(&Self::points(x), K::Parameters::from_numbers(params), x.dt).map(Parameters::to_numbers)
    }

    fn compliance<'g>(&self, alpha: Sym<'g>, params: &[Sym<'g>]) -> Vec<Vec<Sym<'g>>> {
        K::compliance(alpha, K::Parameters::from_numbers(params)).iter().map(|row| row.to_vec()).collect()
    }

    fn damping<'g>(&self, gamma: Sym<'g>, params: &[Sym<'g>]) -> Vec<Sym<'g>> {
        K::damping(gamma, K::Parameters::from_numbers(params)).to_vec()
    }

    fn mobilities<'g>(
        &self,
        x: &RecordedPoints<'g>,
        inverse_masses: &[Sym<'g>],
        params: &[Sym<'g>],
    ) -> Option<Vec<Sym<'g>>> {
        let own = std::array::from_fn(|point| inverse_masses[point]);
        K::mobilities(&Self::points(x), own, K::Parameters::from_numbers(params)).map(|parts| parts.to_vec())
    }
}
