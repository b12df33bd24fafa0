//! The batch of every traced constraint: a type, indices and numbers.

use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use smallvec::SmallVec;

use super::{BatchError, BatchNode, BreakLimits, ConstraintBatch, NodeCounts, Registry};
use crate::connector::{ConnectorError, Connectors, NodeKind};
use crate::constraint::update::linearization::Linearization;
use crate::constraint::{Constraint, ConstraintError, ConstraintType, Parameters};
use crate::settings::ConstraintSolver;

/// Constraints of one type, over one set of connectors.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, opaque))]
pub struct Batch {
    pub(super) kind: Arc<ConstraintType>,
    connectors: Connectors,
    pub(super) len: usize,
    nodes: Vec<u32>,
    locals: Vec<Vec3>,
    parameters: Vec<f32>,
    compliance: Vec<f32>,
    damping: Vec<f32>,
    pub(super) break_limits: BreakLimits,
    solver: ConstraintSolver,
}

/// A kind of number that every constraint of a traced batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberColumn {
    /// The parameters, as many as the type declares.
    Parameters,
    /// The compliance of a constraint.
    Compliance,
    /// The damping coefficient of a constraint.
    Damping,
}

impl Batch {
    /// Constraints between particles: for each its particles and its parameters.
    ///
    /// # Errors
    /// The type fails its self-check, or the lists differ in length.
    pub fn new<K, const N: usize, const M: usize>(
        constraint: K,
        particles: &[[u32; N]],
        parameters: &[K::Parameters<f32>],
    ) -> Result<Self, BatchError>
    where
        K: Constraint<N, M>,
    {
        let kind = ConstraintType::of(constraint)?;
        let connectors = Connectors::particles(N);
        if particles.len() != parameters.len() {
            let (what, found, count) = ("parameter sets", parameters.len(), particles.len());
            return Err(BatchError::Length { name: kind.name().into(), what, found, count, each: 1 });
        }
        let mut numbers = Vec::with_capacity(parameters.len() * kind.parameter_count());
        for &parameters in parameters {
            parameters.append_to(&mut numbers);
        }
        Self::from_parts(kind, connectors, particles.as_flattened().to_vec(), Vec::new(), numbers)
    }

    /// Constraints over any connectors. For each constraint `nodes` holds one index a node slot,
    /// `locals` one vector a connector on a body (local position \[m\] or unit axis), and `params`
    /// the parameters.
    ///
    /// # Errors
    /// A list is not a whole number of constraints, or the lists disagree on how many there are.
    pub fn from_parts(
        kind: Arc<ConstraintType>,
        connectors: Connectors,
        nodes: Vec<u32>,
        locals: Vec<Vec3>,
        params: Vec<f32>,
    ) -> Result<Self, BatchError> {
        let name = || kind.name().to_string();
        if connectors.points().len() != kind.point_count() {
            let (found, points) = (connectors.points().len(), kind.point_count());
            return Err(BatchError::Connectors(name(), ConnectorError::Count { found, points }));
        }
        let slots = connectors.nodes().len();
        let len = nodes.len() / slots.max(1);
        for (what, found, each) in [
            ("node indices", nodes.len(), slots),
            ("local vectors", locals.len(), connectors.local_count()),
            ("parameters", params.len(), kind.parameter_count()),
        ] {
            if found != len * each {
                return Err(BatchError::Length { name: name(), what, found, count: len, each });
            }
        }
        let strength = BreakLimits { force_rows: kind.row_count(), ..BreakLimits::default() };
        let compliance = vec![0.0; len];
        Ok(Self {
            kind,
            connectors,
            len,
            nodes,
            locals,
            parameters: params,
            compliance,
            damping: vec![0.0; len],
            break_limits: strength,
            solver: ConstraintSolver::Sweep,
        })
    }

    /// Sets the same compliance for all: the inverse of the stiffness, for a distance \[m/N\]; 0 is rigid.
    #[must_use]
    pub fn compliance(mut self, compliance: f32) -> Self {
        self.compliance.fill(compliance);
        self
    }

    /// Sets a compliance for each constraint.
    ///
    /// # Errors
    /// The list has another length than the batch.
    pub fn compliances(mut self, compliance: Vec<f32>) -> Result<Self, BatchError> {
        self.check_length("compliances", compliance.len())?;
        self.compliance = compliance;
        Ok(self)
    }

    /// Sets the damping coefficient β of each constraint's motion (\[SmallSteps19\] eq. 8), for a distance \[N s/m\]. It acts
    /// through the compliance: a rigid constraint is not damped.
    #[must_use]
    pub fn damping(mut self, damping: f32) -> Self {
        self.damping.fill(damping);
        self
    }

    /// Sets a damping coefficient β for each constraint.
    ///
    /// # Errors
    /// The list has another length than the batch.
    pub fn dampings(mut self, damping: Vec<f32>) -> Result<Self, BatchError> {
        self.check_length("damping coefficients", damping.len())?;
        self.damping = damping;
        Ok(self)
    }

    /// Sets how the constraints are solved together with others: one after the other, unless the batch says that they form
    /// chains or trees by [`ConstraintSolver::Automatic`], as those of joints, ropes and rods do. A world refuses
    /// [`ConstraintSolver::Direct`] for constraints that have no row without bounds, or solve their rows one after the other.
    #[must_use]
    pub fn solver(mut self, solver: ConstraintSolver) -> Self {
        self.solver = solver;
        self
    }

    /// Returns how the constraints are solved together with others.
    pub fn constraint_solver(&self) -> ConstraintSolver {
        self.solver
    }

    pub(super) fn check_length(&self, what: &'static str, found: usize) -> Result<(), BatchError> {
        if found == self.len {
            return Ok(());
        }
        Err(BatchError::Length { name: self.kind.name().into(), what, found, count: self.len, each: 1 })
    }

    /// Returns the constraint type.
    pub fn kind(&self) -> &Arc<ConstraintType> {
        &self.kind
    }

    /// Returns the connectors of every constraint.
    pub fn connectors(&self) -> &Connectors {
        &self.connectors
    }

    /// Returns the node indices of a constraint, one a slot.
    pub fn node_indices(&self, constraint: usize) -> &[u32] {
        let slots = self.connectors.nodes().len();
        &self.nodes[constraint * slots..][..slots]
    }

    /// Ties a constraint to other nodes, one a slot; a list of another length changes nothing.
    pub fn set_nodes(&mut self, constraint: usize, nodes: &[u32]) {
        let slots = self.connectors.nodes().len();
        if nodes.len() == slots {
            self.nodes[constraint * slots..][..slots].copy_from_slice(nodes);
        }
    }

    /// Adds a constraint at the end that is like another one but for its nodes, one a slot; a list of
    /// another length adds nothing.
    pub fn push_like(&mut self, constraint: usize, nodes: &[u32]) {
        if nodes.len() != self.connectors.nodes().len() {
            return;
        }
        self.nodes.extend(nodes);
        let locals = self.locals(constraint).to_vec();
        self.locals.extend(locals);
        let params = self.parameters(constraint).to_vec();
        self.parameters.extend(params);
        self.compliance.push(self.compliance[constraint]);
        self.damping.push(self.damping[constraint]);
        self.break_limits.push_like(constraint);
        self.len += 1;
    }

    /// Returns the local vectors of a constraint, one a connector on a body.
    pub fn locals(&self, constraint: usize) -> &[Vec3] {
        let each = self.connectors.local_count();
        &self.locals[constraint * each..][..each]
    }

    /// Returns the parameters of a constraint.
    pub fn parameters(&self, constraint: usize) -> &[f32] {
        &self.parameters[constraint * self.kind.parameter_count()..][..self.kind.parameter_count()]
    }

    /// Returns the parameters of a constraint, to change them.
    pub fn parameters_mut(&mut self, constraint: usize) -> &mut [f32] {
        &mut self.parameters[constraint * self.kind.parameter_count()..][..self.kind.parameter_count()]
    }

    /// Refuses parameters that are not finite.
    fn check_parameters(&self, constraint: usize) -> Result<(), BatchError> {
        let parameters = self.parameters(constraint);
        match parameters.iter().position(|value| !value.is_finite()) {
            Some(k) => Err(BatchError::Parameter {
                name: self.kind.name().into(),
                constraint,
                parameter: self.kind.parameter_names()[k].clone(),
                value: parameters[k],
            }),
            None => Ok(()),
        }
    }

    /// Returns numbers of a column, those of one constraint after another.
    pub(crate) fn numbers(&self, column: NumberColumn, constraints: Range<usize>) -> &[f32] {
        let each = self.kind.parameter_count();
        match column {
            NumberColumn::Parameters => &self.parameters[constraints.start * each..constraints.end * each],
            NumberColumn::Compliance => &self.compliance[constraints],
            NumberColumn::Damping => &self.damping[constraints],
        }
    }

    /// Returns numbers of a column, to be changed.
    pub(super) fn numbers_mut(&mut self, column: NumberColumn, constraints: Range<usize>) -> &mut [f32] {
        let each = self.kind.parameter_count();
        match column {
            NumberColumn::Parameters => &mut self.parameters[constraints.start * each..constraints.end * each],
            NumberColumn::Compliance => &mut self.compliance[constraints],
            NumberColumn::Damping => &mut self.damping[constraints],
        }
    }

    /// Refuses parameters that are not finite, and compliances and damping coefficients that are negative besides.
    pub(super) fn check_numbers(&self, column: NumberColumn, mut constraints: Range<usize>) -> Result<(), BatchError> {
        match column {
            NumberColumn::Parameters => constraints.try_for_each(|k| self.check_parameters(k)),
            NumberColumn::Compliance => {
                constraints.try_for_each(|k| self.check_positive("the compliance", k, self.compliance[k]))
            }
            NumberColumn::Damping => {
                constraints.try_for_each(|k| self.check_positive("the damping", k, self.damping[k]))
            }
        }
    }

    fn check_positive(&self, what: &'static str, constraint: usize, value: f32) -> Result<(), BatchError> {
        if value.is_finite() && value >= 0.0 {
            return Ok(());
        }
        Err(self.number_error(what, constraint, value, "finite and not negative"))
    }

    /// Returns the compliance of a constraint.
    pub fn compliance_of(&self, constraint: usize) -> f32 {
        self.compliance[constraint]
    }

    /// Changes the compliance of a constraint.
    pub fn set_compliance(&mut self, constraint: usize, compliance: f32) {
        self.compliance[constraint] = compliance;
    }

    /// Returns the damping coefficient β of a constraint.
    pub fn damping_of(&self, constraint: usize) -> f32 {
        self.damping[constraint]
    }

    /// Changes the damping coefficient β of a constraint.
    pub fn set_damping(&mut self, constraint: usize, damping: f32) {
        self.damping[constraint] = damping;
    }

    /// Returns whether any constraint is damped.
    pub fn is_damped(&self) -> bool {
        self.damping.iter().any(|&damping| damping > 0.0)
    }

    pub(super) fn number_error(
        &self,
        what: &'static str,
        constraint: usize,
        value: f32,
        must: &'static str,
    ) -> BatchError {
        BatchError::Number { name: self.kind.name().into(), constraint, what, value, must }
    }

    fn validate_nodes(&self, constraint: usize, counts: NodeCounts) -> Result<(), BatchError> {
        let nodes = self.node_indices(constraint);
        for (slot, (&index, kind)) in nodes.iter().zip(self.connectors.nodes()).enumerate() {
            let (what, count) = match kind {
                NodeKind::Particle => ("particle", counts.particles),
                NodeKind::Body => ("body", counts.bodies),
            };
            let name = || self.kind.name().to_string();
            if index as usize >= count {
                return Err(BatchError::Index { name: name(), constraint, what, index, count });
            }
            let kinds = &self.connectors.nodes()[..slot];
            if nodes[..slot].iter().zip(kinds).any(|(&other, other_kind)| other == index && other_kind == kind) {
                return Err(BatchError::Repeated { name: name(), constraint, what, index });
            }
        }
        Ok(())
    }
}

impl ConstraintBatch for Batch {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        registry.insert(&self.kind)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        let kinds = self.connectors.nodes();
        let node = |(&index, kind): (&u32, &NodeKind)| match kind {
            NodeKind::Particle => BatchNode::Particle(index),
            NodeKind::Body => BatchNode::Body(index),
        };
        self.node_indices(constraint).iter().zip(kinds).map(node).collect()
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        for constraint in 0..self.len {
            self.validate_nodes(constraint, counts)?;
            if let Some(&value) = self.locals(constraint).iter().find(|value| !value.is_finite()) {
                return Err(self.number_error("a local vector", constraint, value.length(), "finite"));
            }
        }
        for column in [NumberColumn::Parameters, NumberColumn::Compliance, NumberColumn::Damping] {
            self.check_numbers(column, 0..self.len)?;
        }
        if self.solver == ConstraintSolver::Direct && Linearization::new(&self.kind, &self.connectors).is_none() {
            return Err(BatchError::NotDirect(self.kind.name().into()));
        }
        self.check_break_limits()
    }

    fn has_same_topology(&self, other: &dyn ConstraintBatch) -> bool {
        other.traced().is_some_and(|other| {
            self.kind.is_same_type(&other.kind)
                && self.connectors == other.connectors
                && self.nodes == other.nodes
                && self.locals == other.locals
                && self.solver == other.solver
                && self.break_limits.has_same_topology(&other.break_limits)
        })
    }

    fn traced(&self) -> Option<&Batch> {
        Some(self)
    }

    fn traced_mut(&mut self) -> Option<&mut Batch> {
        Some(self)
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}
