//! The XPBD update, written once and recorded around every constraint.
//!
//! For a constraint with rows C, generalized gradient ∇C, inverse mass matrix W, compliance α and
//! damping β (\[XPBD16\] eq. 18; \[SmallSteps19\] eq. 4, 5 and 8), with α̃ = α/h² and γ = α̃ β h:
//!
//! ```text
//! ((1 + γ) ∇C W ∇Cᵀ + α̃) Δλ = −C − α̃ λ − γ ∇C · (x − xⁿ)
//! λ  ← admissible(λ + Δλ)
//! Δx = W ∇Cᵀ Δλ
//! ```
//!
//! Rows that are solved together are a block (`update/block.rs`), or a group of rows that limit each other
//! (`update/group.rs`).
//!
//! In a Jacobi pass every node is split into as many equal shares as it has constraints there
//! (mass splitting, \[Unified14\] §4 made symmetric): its inverse mass counts n times in the
//! denominator and once in Δx, so the sum of all corrections neither overshoots nor changes
//! momentum.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | h | length of the substep | s |
//! | α | compliance | (unit of C)²/J |
//! | β | damping coefficient | J s/(unit of C)² |
//! | λ | multiplier; λ/h² is a force | J s²/(unit of C) |

mod block;
mod group;
mod impact;
pub mod linearization;
mod node;
mod parameter_evolution;
mod target_rates;

pub use parameter_evolution::{changed_parameters, parameter_evolution_program};

use node::{NodeGradient, RecordedBody, RecordedNode, body_axes, weighted, weighted_dot};

use super::RowOrder;
use super::kind::{ConstraintType, RecordedPoints};
use super::layout::{ProgramLayout, uniform};
use super::points::Point;
use crate::connector::{Connector, Connectors, NodeKind};
use crate::program::{Graph, InputSource, Program, Sym, gradient};
use crate::scalar::{Real, Vec3};

/// Which form of the update a program computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UpdateVariant {
    /// The multipliers are not zero: an iteration after the first of a substep.
    pub warm: bool,
    /// Damping is not zero.
    pub damped: bool,
    /// Nodes are split into shares: a Jacobi pass.
    pub shared: bool,
    /// A direct solve has come before: equations, and rows with bounds that push, are as they should be.
    pub settled: bool,
}

/// Returns the program of one update. Outputs: the multipliers, then Δx of each node slot, each body's
/// followed by its rotation vector \[rad\].
pub fn solve_program(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Program {
    let graph = Graph::new();
    let update = Update::record(&graph, kind, connectors, variant);
    Program::lower(&graph, &update.outputs())
}

/// Returns the program that gives a constraint the [rates](super::Constraint::target_rates) it is to have:
///
/// ```text
/// (∇C W ∇Cᵀ) p = Ċ wanted − ∇C · v        λ ← admissible(λ + h p)        Δv = W ∇Cᵀ Δλ/h
/// ```
///
/// group after group of rows. Outputs: the multipliers, then Δv of each node slot, each body's
/// followed by that of its angular velocity.
pub fn target_rates_program(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Program {
    let graph = Graph::new();
    let mut update = Update::inputs(&graph, kind, connectors, UpdateVariant { warm: true, ..variant });
    update.solve_target_rates();
    Program::lower(&graph, &update.outputs())
}

/// Returns the program of an [impact](super::Constraint::impact): an impulse p along the mean of the weighted rows,
///
/// ```text
/// c = Σ w_k ∇C_k      (c W cᵀ) p = rate wanted − c · v      λ_k ← λ_k + w_k h p      Δv = W cᵀ p
/// ```
///
/// then the target rates of the other rows, within what this impulse makes admissible. The multipliers are sums over
/// the impacts of a substep. With a wanted rate of −e times the rate that is, the kinetic energy falls by
/// ½ (1 − e²) (c · v)²/(c W cᵀ). Outputs as those of [`target_rates_program`].
pub fn impact_program(kind: &ConstraintType, connectors: &Connectors, variant: UpdateVariant) -> Program {
    let graph = Graph::new();
    let mut update = Update::inputs(&graph, kind, connectors, UpdateVariant { warm: true, ..variant });
    update.solve_impact();
    Program::lower(&graph, &update.outputs())
}

/// Largest rotation of a body by the multipliers that a constraint keeps \[rad\].
///
/// What rests is rotated by far less: all that pushes it is in balance. The multipliers of an impact are not, and rotate a
/// thin body by radians about its axis in one substep. The linear corrections that follow cannot take that back, and what
/// is left spins the body faster, substep after substep. Up to this angle they err by half its square, of the arm.
const LARGEST_KEPT_ROTATION: f32 = 0.05;

/// Returns the program with which a substep begins where multipliers are kept: Δx = W ∇Cᵀ λ. Multipliers that would rotate
/// a body by more than 0.05 rad are scaled down to that rotation. Outputs: the multipliers, then Δx of each node slot, each
/// body's followed by its rotation vector \[rad\].
pub fn warm_start_program(kind: &ConstraintType, connectors: &Connectors) -> Program {
    let graph = Graph::new();
    let variant = UpdateVariant { warm: true, ..UpdateVariant::default() };
    let mut update = Update::inputs(&graph, kind, connectors, variant);
    let (_, slopes) = update.linearize();
    let pushes: Vec<_> = slopes.iter().map(|slopes| update.node_gradients(slopes)).collect();
    let together = update.balanced(update.weighted_sum(&pushes, &update.lambda), |node| node.start);
    update.apply(&together, Sym::one());
    let part = update.kept_part();
    Program::lower(&graph, &update.outputs().into_iter().map(|output| output * part).collect::<Vec<_>>())
}

/// Returns the program of what an update would still correct, in the unit of C: one output a row.
pub fn residual_program(kind: &ConstraintType, connectors: &Connectors) -> Program {
    let graph = Graph::new();
    let variant = UpdateVariant { warm: true, damped: true, ..UpdateVariant::default() };
    let update = Update::record(&graph, kind, connectors, variant);
    Program::lower(&graph, &update.residual)
}

/// Returns the program of the energy ½ fᵀ α f that a constraint holds when its multipliers are the forces f
/// and the compliance scale is 1.
pub fn energy_program(kind: &ConstraintType, connectors: &Connectors) -> Program {
    let graph = Graph::new();
    let variant = UpdateVariant { warm: true, ..UpdateVariant::default() };
    let Update { alpha, lambda, .. } = Update::inputs(&graph, kind, connectors, variant);
    let rows = alpha.iter().zip(&lambda);
    let energy = rows
        .fold(Sym::zero(), |sum, (row, &f)| row.iter().zip(&lambda).fold(sum, |sum, (&alpha, &g)| sum + f * alpha * g));
    Program::lower(&graph, &[energy * 0.5])
}

/// Returns the program of the force that a constraint exerts when its multipliers are the forces of its rows:
/// Σ λ ∇C of each node slot, each body's followed by the torque about its centre of mass.
pub fn reaction_program(kind: &ConstraintType, connectors: &Connectors) -> Program {
    let graph = Graph::new();
    let variant = UpdateVariant { warm: true, ..UpdateVariant::default() };
    let mut update = Update::inputs(&graph, kind, connectors, variant);
    let (_, slopes) = update.linearize();
    for (row, slopes) in slopes.iter().enumerate() {
        let (pushes, lambda) = (update.node_gradients(slopes), update.lambda[row]);
        for (node, push) in update.nodes.iter_mut().zip(&pushes) {
            node.displacement += push.linear * lambda;
            if let Some(body) = &mut node.body {
                body.rotation_correction += push.angular * lambda;
            }
        }
    }
    Program::lower(&graph, &update.node_corrections())
}

/// Returns the program of C and, row by row and point by point, ∂C/∂x of particles.
pub(crate) fn value_program(kind: &ConstraintType) -> Program {
    let graph = Graph::new();
    let connectors = Connectors::particles(kind.point_count());
    let update = Update::inputs(&graph, kind, &connectors, UpdateVariant::default());
    let (values, slopes) = update.linearize();
    let slopes = slopes.into_iter().flatten().flat_map(Vec3::to_array);
    Program::lower(&graph, &values.into_iter().chain(slopes).collect::<Vec<_>>())
}

struct Update<'g> {
    graph: &'g Graph,
    kind: &'g ConstraintType,
    connectors: &'g Connectors,
    nodes: Vec<RecordedNode<'g>>,
    /// Rotated local vector of each point on a body.
    lever_arms: Vec<Vec3<Sym<'g>>>,
    /// The same at the start of the substep.
    previous_arms: Vec<Vec3<Sym<'g>>>,
    /// The arms with which points push.
    push_arms: Vec<Vec3<Sym<'g>>>,
    /// The points at the start of the update.
    start: Vec<Point<Sym<'g>>>,
    points: RecordedPoints<'g>,
    parameters: Vec<Sym<'g>>,
    alpha: Vec<Vec<Sym<'g>>>,
    gamma: Vec<Sym<'g>>,
    per_force: Sym<'g>,
    lambda: Vec<Sym<'g>>,
    residual: Vec<Sym<'g>>,
    settled: bool,
}

impl<'g> Update<'g> {
    fn record(graph: &'g Graph, kind: &'g ConstraintType, connectors: &'g Connectors, variant: UpdateVariant) -> Self {
        let mut this = Self::inputs(graph, kind, connectors, variant);
        if kind.arms_of_start {
            this.push_with_arms_of_start();
        }
        match kind.row_order() {
            RowOrder::Block => this.solve_rows(&(0..kind.row_count()).collect::<Vec<_>>()),
            RowOrder::Sequential => {
                for row in 0..kind.row_count() {
                    this.solve_rows(&[row]);
                    this.move_points();
                }
            }
            RowOrder::Groups(groups) => this.solve_groups(groups),
        }
        this
    }

    /// Lets the points of a body on one that cannot move push with the lever arms of the start of the substep.
    ///
    /// A body whose centre moves from xⁿ by h v̂ + Δx and that takes the impulse p = m Δx/h there has gained the
    /// angular momentum xⁿ × p + r × p. With r of the start that is the moment of p at the point where the anchor was,
    /// the same for both bodies; with r as it is now, a body that spins at Ω on an arm loses m r² Ω³ h of it a second.
    /// Between bodies that can move the arms stay as they are now: a chain of them, of which a sweep leaves errors, would
    /// gain energy.
    fn push_with_arms_of_start(&mut self) {
        let least = self.nodes.iter().map(|node| node.inverse_mass).reduce(Sym::min).unwrap_or(Sym::zero());
        for (k, connector) in self.connectors.points().iter().enumerate() {
            if let Connector::BodyPoint { .. } = connector {
                let (arm, before) = (self.lever_arms[k], self.previous_arms[k]);
                let bound = before.length_squared() * 0.5;
                let of_start = Vec3::select_lt(bound, arm.dot(before), before, arm);
                self.push_arms[k] = Vec3::select_lt(Sym::zero(), least, arm, of_start);
            }
        }
    }

    fn inputs(graph: &'g Graph, kind: &'g ConstraintType, connectors: &'g Connectors, variant: UpdateVariant) -> Self {
        let layout = ProgramLayout::new(kind, connectors);
        let gathered = |input| graph.input(InputSource::Gathered(input));
        let column = |column| graph.input(InputSource::Column(column));
        let vector = |first: u16| Vec3::new(gathered(first), gathered(first + 1), gathered(first + 2));
        let turn = |first: u16| [0, 1, 2, 3].map(|k| gathered(first + k));
        let dt = graph.input(InputSource::Uniform(uniform::DT));
        let scale = graph.input(InputSource::Uniform(uniform::COMPLIANCE_SCALE));
        let origin = vector(layout.origin);
        let (mut now, mut before, mut local) = (Vec::new(), Vec::new(), layout.locals);
        let (mut arms, mut previous_arms) = (Vec::new(), Vec::new());
        for &connector in connectors.points() {
            let inputs = layout.nodes[connector.node()];
            let (mut place, mut place_before) = (vector(inputs.position), vector(inputs.previous_position));
            let (mut arm, mut arm_before) = (Vec3::zero(), Vec3::zero());
            if connector.kind() == NodeKind::Body {
                let r = Vec3::new(column(local), column(local + 1), column(local + 2));
                local += 3;
                let several = connectors.points().iter().filter(|point| point.node() == connector.node()).count() > 1;
                let rotated = |rotation| if several { in_world(r, body_axes(rotation)) } else { r.rotate(rotation) };
                arm = rotated(turn(inputs.rotation));
                arm_before = rotated(turn(inputs.previous_rotation));
                if let Connector::BodyAxis { .. } = connector {
                    (place, place_before) = (arm, arm_before);
                } else {
                    (place, place_before) = (place + arm, place_before + arm_before);
                }
            }
            now.push(Point::new(opaque(graph, place), origin));
            before.push(Point::new(place_before, origin));
            arms.push(arm);
            previous_arms.push(arm_before);
        }
        let nodes = connectors.nodes().iter().enumerate().map(|(slot, node)| RecordedNode {
            inverse_mass: gathered(layout.nodes[slot].inverse_mass),
            share: if variant.shared { column(layout.mass_shares + slot as u16) } else { Sym::one() },
            position: vector(layout.nodes[slot].position),
            start: vector(layout.nodes[slot].previous_position),
            velocity: vector(layout.nodes[slot].velocity),
            body: (*node == NodeKind::Body).then(|| RecordedBody {
                rotation: turn(layout.nodes[slot].rotation),
                inverse_inertia: vector(layout.nodes[slot].inverse_inertia),
                angular_velocity: vector(layout.nodes[slot].angular_velocity),
                rotation_correction: Vec3::zero(),
            }),
            displacement: Vec3::zero(),
        });
        let params: Vec<_> = (0..kind.parameter_count() as u16).map(|k| column(layout.parameters + k)).collect();
        let alpha = column(layout.compliance) * scale;
        let gamma = if variant.damped { alpha * dt * column(layout.damping) } else { Sym::zero() };
        let mut this = Self {
            graph,
            kind,
            connectors,
            nodes: nodes.collect(),
            push_arms: arms.clone(),
            previous_arms,
            lever_arms: arms,
            start: now.clone(),
            points: RecordedPoints { now, before, dt },
            alpha: kind.erased.compliance(alpha, &params),
            per_force: graph.input(InputSource::Uniform(uniform::PER_FORCE)),
            gamma: kind.erased.damping(gamma, &params),
            lambda: (0..kind.row_count() as u16)
                .map(|k| if variant.warm { gathered(layout.lambda + k) } else { Sym::zero() })
                .collect(),
            residual: vec![Sym::zero(); kind.row_count()],
            settled: variant.settled,
            parameters: params,
        };
        this.scale_inverse_masses();
        this
    }

    /// Lets particles take part with the parts of their inverse masses that the constraint names.
    fn scale_inverse_masses(&mut self) {
        let points = self.connectors.points();
        let of_nodes = |point: &Connector| self.nodes[point.node()].inverse_mass * self.nodes[point.node()].share;
        let inverse_masses: Vec<_> = points.iter().map(of_nodes).collect();
        let mobilities = self.kind.erased.mobilities(&self.points, &inverse_masses, &self.parameters);
        for (point, part) in points.iter().zip(mobilities.unwrap_or_default()) {
            if point.kind() == NodeKind::Particle {
                let node = &mut self.nodes[point.node()];
                node.inverse_mass = node.inverse_mass * part;
            }
        }
    }

    /// Returns the part of the kept multipliers, which have moved the nodes, that rotates no body too far.
    fn kept_part(&self) -> Sym<'g> {
        let bodies = self.nodes.iter().filter_map(|node| node.body.as_ref());
        let square = bodies.map(|body| body.rotation_correction.length_squared()).reduce(Sym::max);
        let (square, largest) = (square.unwrap_or(Sym::zero()), Sym::literal(LARGEST_KEPT_ROTATION));
        (largest * largest).select_lt(square, largest / square.sqrt(), Sym::one())
    }

    /// Returns the multipliers, then how each node slot is moved and turned.
    fn outputs(&self) -> Vec<Sym<'g>> {
        [self.lambda.clone(), self.node_corrections()].concat()
    }

    /// Returns how each node slot is moved and turned, or its velocities changed.
    fn node_corrections(&self) -> Vec<Sym<'g>> {
        let mut outputs = Vec::new();
        for node in &self.nodes {
            outputs.extend(node.displacement.to_array());
            if let Some(body) = &node.body {
                outputs.extend(body.rotation_correction.to_array());
            }
        }
        outputs
    }

    /// C and ∂C/∂x at the points as they are now.
    fn linearize(&self) -> (Vec<Sym<'g>>, Vec<Vec<Vec3<Sym<'g>>>>) {
        let values = self.kind.erased.value(&self.points, &self.parameters);
        let slopes = self.kind.erased.gradient(&self.points, &self.parameters).unwrap_or_else(|| {
            let leaves: Vec<_> = self.points.now.iter().flat_map(|point| point.local().to_array()).collect();
            let row = |&value: &Sym<'g>| {
                let slopes = gradient(self.graph, value, &leaves);
                slopes.chunks_exact(3).map(|g| Vec3::new(g[0], g[1], g[2])).collect()
            };
            values.iter().map(row).collect()
        });
        (values, slopes)
    }

    /// Returns a row's gradient with respect to the nodes, summed over the points of each. Points that are pushed alike
    /// push with the sum of their arms.
    fn node_gradients(&self, slopes: &[Vec3<Sym<'g>>]) -> Vec<NodeGradient<'g>> {
        let mut pushes = vec![NodeGradient::zero(); self.nodes.len()];
        let points = self.connectors.points();
        for (k, connector) in points.iter().enumerate() {
            let is_alike = |&other: &usize| points[other] == *connector && same(slopes[other], slopes[k]);
            if (0..k).any(|other| is_alike(&other)) {
                continue;
            }
            let (g, push) = (slopes[k], &mut pushes[connector.node()]);
            let alike: Vec<usize> = (k..points.len()).filter(is_alike).collect();
            if !matches!(connector, Connector::BodyAxis { .. }) {
                push.linear += g * Sym::literal(alike.len() as f32);
            }
            if connector.kind() == NodeKind::Body {
                let arms = alike[1..].iter().fold(self.push_arms[k], |sum, &other| sum + self.push_arms[other]);
                push.angular += arms.cross(g);
            }
        }
        pushes
    }

    /// Returns the sum of these pushes of several rows, each times its weight.
    fn weighted_sum(&self, pushes: &[Vec<NodeGradient<'g>>], weights: &[Sym<'g>]) -> Vec<NodeGradient<'g>> {
        let of_node = |node: usize| {
            let linear = summed_by_direction(pushes.iter().map(|push| push[node].linear), weights);
            let angular = pushes.iter().zip(weights);
            NodeGradient {
                linear: linear.into_iter().fold(Vec3::zero(), |sum, (g, weight)| sum + g * weight),
                angular: angular.fold(Vec3::zero(), |sum, (push, &weight)| sum + push[node].angular * weight),
            }
        };
        (0..self.nodes.len()).map(of_node).collect()
    }

    /// ∇Cₐ W ∇C_bᵀ, with every node as many times as it has shares.
    fn inverse_effective_mass(&self, a: &[NodeGradient<'g>], b: &[NodeGradient<'g>]) -> Sym<'g> {
        let parts = || self.nodes.iter().zip(a.iter().zip(b));
        // Rows that push in one direction have the first sum in common.
        let linear = parts().fold(Sym::zero(), |sum, (node, (a, b))| {
            sum + node.share * weighted_dot(node.inverse_mass, a.linear, b.linear)
        });
        parts().fold(linear, |sum, (node, (a, b))| match &node.body {
            Some(body) => sum + node.share * a.angular.dot(body.angular_acceleration(b.angular)),
            None => sum,
        })
    }

    /// ∇C · (x − xⁿ): how far the points have moved along a row's gradient in this substep.
    fn progress(&self, slopes: &[Vec3<Sym<'g>>]) -> Sym<'g> {
        let moves = self.points.now.iter().zip(&self.points.before);
        moves.zip(slopes).fold(Sym::zero(), |sum, ((&now, &before), &g)| sum + g.dot(now - before))
    }

    fn apply(&mut self, pushes: &[NodeGradient<'g>], change: Sym<'g>) {
        self.apply_rows(&[pushes.to_vec()], &[change]);
    }

    /// Moves the nodes by the changes of several rows.
    fn apply_rows(&mut self, pushes: &[Vec<NodeGradient<'g>>], changes: &[Sym<'g>]) {
        for (k, node) in self.nodes.iter_mut().enumerate() {
            for (g, change) in summed_by_direction(pushes.iter().map(|push| push[k].linear), changes) {
                node.displacement += weighted(node.inverse_mass, g, change);
            }
            if let Some(body) = &mut node.body {
                for (push, &change) in pushes.iter().zip(changes) {
                    body.rotation_correction += body.angular_acceleration(push[k].angular) * change;
                }
            }
        }
    }

    /// Moves the points with their nodes, for the rows that follow.
    fn move_points(&mut self) {
        for (k, connector) in self.connectors.points().iter().enumerate() {
            let node = &self.nodes[connector.node()];
            let mut shift =
                if matches!(connector, Connector::BodyAxis { .. }) { Vec3::zero() } else { node.displacement };
            if let Some(body) = &node.body {
                shift += body.rotation_correction.cross(self.lever_arms[k]);
            }
            let moved = self.start[k] + shift;
            self.points.now[k] = Point::new(opaque(self.graph, moved.local()), moved.origin());
        }
    }
}

/// Returns each different vector with the sum of its weights.
fn summed_by_direction<'g>(
    vectors: impl Iterator<Item = Vec3<Sym<'g>>>,
    weights: &[Sym<'g>],
) -> Vec<(Vec3<Sym<'g>>, Sym<'g>)> {
    let mut sums: Vec<(Vec3<Sym<'g>>, Sym<'g>)> = Vec::new();
    for (vector, &weight) in vectors.zip(weights) {
        match sums.iter_mut().find(|(known, _)| same(*known, vector)) {
            Some((_, sum)) => *sum = *sum + weight,
            None => sums.push((vector, weight)),
        }
    }
    sums
}

/// Returns a vector in the world by its components along three axes: for several vectors of a body cheaper than to rotate
/// each.
fn in_world<'g>(local: Vec3<Sym<'g>>, [x, y, z]: [Vec3<Sym<'g>>; 3]) -> Vec3<Sym<'g>> {
    x * local.x + y * local.y + z * local.z
}

/// Returns whether two vectors are the same expressions.
fn same<'g>(a: Vec3<Sym<'g>>, b: Vec3<Sym<'g>>) -> bool {
    a.to_array().into_iter().zip(b.to_array()).all(|(a, b)| a.same(b))
}

/// Returns the vector as leaves to differentiate by.
fn opaque<'g>(graph: &'g Graph, vector: Vec3<Sym<'g>>) -> Vec3<Sym<'g>> {
    let [x, y, z] = vector.to_array().map(|component| graph.opaque(component));
    Vec3::new(x, y, z)
}
