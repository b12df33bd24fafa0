//! The recorded linearization of a constraint about the positions of its nodes, for direct solves.
//!
//! With the generalized gradient J, α̃ = α/h² and γ = α̃ β h, the rows that are equations take
//!
//! ```text
//! J Δ + ã λ = −e,   e = (C + γ ∇C · (x − xⁿ))/(1 + γ),   ã = α̃/(1 + γ)
//! ```
//!
//! and resist a change of their own directions with the geometric stiffness H, which is formed with the multipliers of
//! the substep before and acts like a mass: where a force f rotates with the nodes that it pulls at, the step leaves that
//! rotation out, and a stiff chain gains energy without bound. The exact H = −Σ λ ∇²C is indefinite. In its place stand
//!
//! ```text
//! H = √2 G²/‖G‖,   G = Σ λ ∇²C                for the points: exact for distances, and never negative
//! H = 2 |f|/|ρ| (|ρ|² I − ρ ρᵀ)               for the rotation of a body that f pulls at by the arm ρ
//! ```
//!
//! and nothing for axes. Bounds of the latter by eigenvalues, or by its diagonal, let chains explode.
//!
//! Where constraints close loops, rows may say what others have said, by rounding or for good, and their multipliers are then
//! not determined. With D = J M⁻¹ Jᵀ, without the rotation of what moves too, such rows have a compliance of at least 1e-5 D,
//! and pivots of at least 1e-4 D: that leaves at most a ten-thousandth of the error of a sweep.
//!
//! A row with bounds takes the same equation while its multiplier is strictly between them, and J Δ = δ for the way δ to one
//! of its stops. Which of them holds is for the solver to choose.

use std::sync::Arc;

use super::node::NodeGradient;
use super::{Update, UpdateVariant};
use crate::connector::{Connector, Connectors, NodeKind};
use crate::constraint::RowOrder;
use crate::constraint::kind::ConstraintType;
use crate::program::{Graph, Program, Sym, gradient};
use crate::scalar::real::TINY;
use crate::scalar::{Real, Vec3};

/// A degree of freedom of a constraint: a node slot, and the number of an axis, those of translation first.
pub type SlotAxis = (u8, u8);

/// Most rows of a constraint that are solved directly.
pub const MAX_ROWS: usize = 6;
/// The least pivot of a row of a loop, as a part of J M⁻¹ Jᵀ \[1\].
const LEAST_PIVOT: f32 = 1e-4;
/// The least compliance of a row of a loop, as a part of its least pivot \[1\].
pub const LEAST_COMPLIANCE: f32 = 0.1;
/// The number that stands for a bound where there is none.
pub const NO_BOUND: f32 = 1e30;

/// The linearization of a constraint type, as a program and the meaning of its outputs.
///
/// The first outputs are e of each row, then the lower triangle of ã row by row, then four numbers of each row with bounds:
/// its least and its greatest multiplier, and the ways to its stops. Then comes
/// the least pivot of each row in loops.
#[derive(Debug, Clone)]
pub struct Linearization {
    /// The program.
    pub program: Program,
    /// Numbers of the rows that are solved directly: those that are equations, then those with bounds.
    pub rows: Vec<usize>,
    /// Number of the rows that are equations.
    pub equations: usize,
    /// Entries of J that are not zero: the row, counted among those that are solved directly, the column, and the output.
    pub jacobian: Vec<(u8, SlotAxis, u16)>,
    /// Entries of H that are not zero: row, column and output.
    pub stiffness: Vec<(SlotAxis, SlotAxis, u16)>,
}

impl Linearization {
    /// Records the linearization of a constraint type; none if it has no row that is always an equation, more than
    /// [`MAX_ROWS`] of them, or solves its rows one after the other.
    pub fn new(kind: &ConstraintType, connectors: &Connectors) -> Option<Self> {
        let graph = Graph::new();
        let variant = UpdateVariant { warm: true, damped: true, ..UpdateVariant::default() };
        let update = Update::inputs(&graph, kind, connectors, variant);
        let (mut rows, bounded) = update.rows();
        let equations = rows.len();
        if rows.is_empty() || equations > MAX_ROWS || kind.row_order() != RowOrder::Block {
            return None;
        }
        rows.extend(&bounded);
        let (values, slopes) = update.linearize();
        let pushes: Vec<Vec<NodeGradient>> = slopes.iter().map(|slopes| update.node_gradients(slopes)).collect();
        let mut outputs = update.equation_outputs(&rows, &values, &slopes);
        outputs.extend(update.bounds(&bounded));
        outputs.extend(rows.iter().map(|&row| update.least_pivot(&pushes[row])));
        let mut jacobian = Vec::new();
        for (k, &row) in rows.iter().enumerate() {
            for (axis, entry) in update.node_entries(&pushes[row]) {
                jacobian.extend(append(&mut outputs, entry).map(|output| (k as u8, axis, output)));
            }
        }
        let mut stiffness = Vec::new();
        for (a, b, entry) in update.geometric_stiffness(&rows, &slopes) {
            stiffness.extend(append(&mut outputs, entry).map(|output| (a, b, output)));
        }
        let program = Program::lower(&graph, &outputs);
        Some(Self { program, rows, equations, jacobian, stiffness })
    }

    /// Returns whether every one of so many rows is an equation.
    pub fn is_complete(&self, row_count: usize) -> bool {
        self.equations == row_count
    }

    /// Returns the number of rows with bounds.
    pub fn bounded(&self) -> usize {
        self.rows.len() - self.equations
    }

    /// Returns whether the geometric stiffness ties nodes together.
    pub fn couples_nodes(&self) -> bool {
        self.stiffness.iter().any(|&((a, _), (b, _), _)| a != b)
    }

    /// Returns the output that holds ã of two rows.
    pub fn compliance(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        self.rows.len() + high * (high + 1) / 2 + low
    }

    /// Returns the first of the four outputs that hold the bounds of the k-th row with bounds.
    pub fn bounds(&self, k: usize) -> usize {
        let rows = self.rows.len();
        rows + rows * (rows + 1) / 2 + 4 * k
    }

    /// Returns the output that holds the least pivot of a row in loops.
    pub fn least_pivot(&self, row: usize) -> usize {
        self.bounds(self.bounded()) + row
    }
}

/// The linearizations that plans have asked for. Recording one takes longer than laying out a plan.
#[derive(Debug, Default)]
pub struct LinearizationCache(Vec<(Arc<ConstraintType>, Connectors, Option<Arc<Linearization>>)>);

impl LinearizationCache {
    /// Returns the linearization of a constraint type, none if it has none.
    pub fn get(&mut self, kind: &Arc<ConstraintType>, connectors: &Connectors) -> Option<Arc<Linearization>> {
        let known = self.0.iter().find(|(other, of, _)| other.is_same_type(kind) && of == connectors);
        if let Some((.., linearization)) = known {
            return linearization.clone();
        }
        let linearization = Linearization::new(kind, connectors).map(Arc::new);
        self.0.push((kind.clone(), connectors.clone(), linearization.clone()));
        linearization
    }
}

/// Appends an output that is not zero, and returns its number.
fn append<'g>(outputs: &mut Vec<Sym<'g>>, entry: Sym<'g>) -> Option<u16> {
    if entry.same(Sym::zero()) || entry.same(Sym::literal(-0.0)) {
        return None;
    }
    outputs.push(entry);
    Some((outputs.len() - 1) as u16)
}

impl<'g> Update<'g> {
    /// Returns the rows that have neither bounds nor stops, and those with bounds that are solved directly besides: as far as
    /// they fit, those with stops, and the others.
    fn rows(&self) -> (Vec<usize>, Vec<usize>) {
        let allowed = self.kind.erased.admissible(&self.lambda, &self.parameters, self.per_force);
        let stops = self.kind.erased.stops(&self.points, &self.parameters);
        let is_equation = |&row: &usize| allowed[row].same(self.lambda[row]) && stops[row].is_none();
        let (equations, bounded): (Vec<usize>, Vec<usize>) = (0..self.kind.row_count()).partition(is_equation);
        let stopped: Vec<usize> = bounded.iter().copied().filter(|&row| stops[row].is_some()).collect();
        let fits = |rows: &Vec<usize>| equations.len() + rows.len() <= MAX_ROWS;
        let bounded = [bounded, stopped].into_iter().find(fits).unwrap_or_default();
        (equations, bounded)
    }

    /// Returns the least and the greatest multiplier of these rows, and the ways to their stops.
    fn bounds(&self, rows: &[usize]) -> Vec<Sym<'g>> {
        let nearest = |lambda: f32| {
            let lambda = vec![Sym::literal(lambda); self.kind.row_count()];
            self.kind.erased.admissible(&lambda, &self.parameters, self.per_force)
        };
        let (least, greatest) = (nearest(-NO_BOUND), nearest(NO_BOUND));
        let stops = self.kind.erased.stops(&self.points, &self.parameters);
        let ways = |row: usize| stops[row].unwrap_or([-NO_BOUND, NO_BOUND].map(Sym::literal));
        rows.iter().flat_map(|&row| [least[row], greatest[row], ways(row)[0], ways(row)[1]]).collect()
    }

    /// Returns e of these rows, and the lower triangle of ã.
    fn equation_outputs(&self, rows: &[usize], values: &[Sym<'g>], slopes: &[Vec<Vec3<Sym<'g>>>]) -> Vec<Sym<'g>> {
        let undamped = |row: usize| Sym::one() / (self.gamma[row] + 1.0);
        let error = |&row: &usize| (values[row] + self.gamma[row] * self.progress(&slopes[row])) * undamped(row);
        let compliance = |(k, &row): (usize, &usize)| -> Vec<Sym<'g>> {
            rows[..=k].iter().map(|&other| self.alpha[row][other] * undamped(row)).collect()
        };
        rows.iter().map(error).chain(rows.iter().enumerate().flat_map(compliance)).collect()
    }

    /// Returns the least pivot of a row that pushes like this.
    fn least_pivot(&self, push: &[NodeGradient<'g>]) -> Sym<'g> {
        let along = |part: &NodeGradient<'g>| NodeGradient { angular: Vec3::zero(), ..*part };
        let along: Vec<NodeGradient<'g>> = push.iter().map(along).collect();
        let translation = self.inverse_effective_mass(&along, &along);
        let whole = if translation.same(Sym::zero()) { self.inverse_effective_mass(push, push) } else { translation };
        whole * LEAST_PIVOT
    }

    /// Returns the entries of a row's gradient with respect to the nodes.
    fn node_entries(&self, gradient: &[NodeGradient<'g>]) -> Vec<(SlotAxis, Sym<'g>)> {
        let mut entries = Vec::new();
        for (slot, (node, part)) in (0..).zip(self.nodes.iter().zip(gradient)) {
            entries.extend((0..).zip(part.linear.to_array()).map(|(axis, entry)| ((slot, axis), entry)));
            if node.body.is_some() {
                entries.extend((3..).zip(part.angular.to_array()).map(|(axis, entry)| ((slot, axis), entry)));
            }
        }
        entries
    }

    /// Returns the entries of H.
    fn geometric_stiffness(&self, rows: &[usize], slopes: &[Vec<Vec3<Sym<'g>>>]) -> Vec<(SlotAxis, SlotAxis, Sym<'g>)> {
        let width = 6 * self.nodes.len();
        let mut matrix = vec![vec![Sym::zero(); width]; width];
        for (k, &connector) in self.connectors.points().iter().enumerate() {
            if let Connector::BodyPoint { node } = connector {
                self.add_arm_stiffness(k, self.point_force(rows, slopes, k), usize::from(node), &mut matrix);
            }
        }
        self.add_point_stiffness(rows, slopes, &mut matrix);
        let place = |k: usize| ((k / 6) as u8, (k % 6) as u8);
        let entries = matrix.iter().enumerate();
        entries
            .flat_map(|(a, row)| row.iter().enumerate().map(move |(b, &entry)| (place(a), place(b), entry)))
            .collect()
    }

    /// Returns Σ λ ∂C/∂x of a point.
    fn point_force(&self, rows: &[usize], slopes: &[Vec<Vec3<Sym<'g>>>], point: usize) -> Vec3<Sym<'g>> {
        rows.iter().fold(Vec3::zero(), |sum, &row| sum + slopes[row][point] * self.lambda[row])
    }

    /// Adds what resists the rotation of a body that a force pulls at.
    fn add_arm_stiffness(&self, point: usize, force: Vec3<Sym<'g>>, node: usize, matrix: &mut [Vec<Sym<'g>>]) {
        let arm = self.lever_arms[point];
        let length = arm.length();
        let scale = force.length() * 2.0 / length.max(Sym::literal(TINY));
        let squared = length * length;
        let arm = arm.to_array();
        for a in 0..3 {
            for b in 0..3 {
                let diagonal = if a == b { squared } else { Sym::zero() };
                let entry = &mut matrix[6 * node + 3 + a][6 * node + 3 + b];
                *entry = *entry + scale * (diagonal - arm[a] * arm[b]);
            }
        }
    }

    /// Adds √2 G²/‖G‖ of the points that move with their nodes.
    fn add_point_stiffness(&self, rows: &[usize], slopes: &[Vec<Vec3<Sym<'g>>>], matrix: &mut [Vec<Sym<'g>>]) {
        let all = self.connectors.points().iter().enumerate();
        let points: Vec<usize> =
            all.filter(|(_, point)| !matches!(point, Connector::BodyAxis { .. })).map(|(k, _)| k).collect();
        let Some(bent) = self.stiffness_of_points(rows, slopes, &points) else { return };
        let axes: Vec<(usize, usize)> = points.iter().flat_map(|&point| [0, 1, 2].map(|axis| (point, axis))).collect();
        let pushes: Vec<Vec<(usize, Sym<'g>)>> =
            axes.iter().map(|&(point, axis)| self.point_axis(point, axis)).collect();
        for (a, rows) in pushes.iter().enumerate() {
            for (b, columns) in pushes.iter().enumerate() {
                for &(i, left) in rows {
                    for &(j, right) in columns {
                        matrix[i][j] = matrix[i][j] + left * bent[a][b] * right;
                    }
                }
            }
        }
    }

    /// Returns √2 G²/‖G‖ of these points, none if G is zero. That of two points follows from the one of the first: a
    /// constraint sees their difference alone.
    fn stiffness_of_points(
        &self,
        rows: &[usize],
        slopes: &[Vec<Vec3<Sym<'g>>>],
        points: &[usize],
    ) -> Option<Vec<Vec<Sym<'g>>>> {
        let is_pair = points.len() == 2;
        let own = if is_pair { &points[..1] } else { points };
        let leaves: Vec<Sym<'g>> = own.iter().flat_map(|&k| self.points.now[k].local().to_array()).collect();
        let force = |&k: &usize| self.point_force(rows, slopes, k).to_array();
        let forces: Vec<Sym<'g>> = own.iter().flat_map(force).collect();
        let exact: Vec<Vec<Sym<'g>>> = forces.iter().map(|&force| gradient(self.graph, force, &leaves)).collect();
        if exact.iter().flatten().all(|entry| entry.same(Sym::zero())) {
            return None;
        }
        let count = leaves.len();
        let squares = exact.iter().flatten().fold(Sym::zero(), |sum, &entry| sum + entry * entry);
        let scale = Sym::literal(std::f32::consts::SQRT_2) / squares.sqrt().max(Sym::literal(TINY));
        let product = |a: usize, b: usize| {
            (0..count).fold(Sym::zero(), |sum, k| sum + exact[a.min(b)][k] * exact[a.max(b)][k]) * scale
        };
        if !is_pair {
            return Some((0..count).map(|a| (0..count).map(|b| product(a, b)).collect()).collect());
        }
        let signed =
            |a: usize, b: usize| if (a < 3) == (b < 3) { product(a % 3, b % 3) } else { -product(a % 3, b % 3) };
        Some((0..6).map(|a| (0..6).map(|b| signed(a, b)).collect()).collect())
    }

    /// Returns how much each degree of freedom moves a point along an axis of the world.
    fn point_axis(&self, point: usize, axis: usize) -> Vec<(usize, Sym<'g>)> {
        let connector = self.connectors.points()[point];
        let node = connector.node();
        let mut moves = vec![(6 * node + axis, Sym::one())];
        if connector.kind() == NodeKind::Body {
            let part = |k: usize| if k == axis { Sym::one() } else { Sym::zero() };
            let direction = Vec3::new(part(0), part(1), part(2));
            let rotation = self.lever_arms[point].cross(direction).to_array();
            moves.extend(rotation.into_iter().enumerate().map(|(k, part)| (6 * node + 3 + k, part)));
        }
        moves
    }
}
