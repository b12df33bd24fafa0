//! The constraints that a joint consists of.

use std::sync::Arc;

use glam::Vec3;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Parameters};

use super::axis::AxisRows;
use super::{JointAxis, JointBasis, JointError};

/// The purpose of a constraint of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointRole {
    /// Locks the bodies together, drives the free axes, and limits those whose limits are hard.
    Lock,
    /// Limits a free axis softly.
    Limit(JointAxis),
}

/// The meaning of the parameters of a constraint of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterLayout {
    /// The rows that lock axes.
    Lock,
    /// The rows of a lock, with the ranges and motors of free axes behind them.
    AxisLock(AxisRows),
    /// The range of an axis.
    Range(JointAxis),
    /// The rest length of a spring.
    Spring,
    /// Other parameters, of a joint that is defined elsewhere.
    Other,
}

/// A point or an axis on one of the two bodies, for a point of a constraint.
#[derive(Debug, Clone, Copy)]
pub struct Attachment {
    connector: Connector,
    local: Vec3,
}

impl Attachment {
    /// Returns the number of its body among the nodes.
    pub(super) fn node(&self) -> u8 {
        self.connector.node() as u8
    }

    /// Returns the same on another of the nodes.
    pub(super) fn on_node(self, node: u8) -> Self {
        match self.connector {
            Connector::BodyAxis { .. } => axis(node, self.local),
            Connector::BodyPoint { .. } | Connector::Particle { .. } => point(node, self.local),
        }
    }

    /// Returns the connector of its point.
    pub(super) fn connector(&self) -> Connector {
        self.connector
    }

    /// Returns its place \[m\] or its direction in the frame of its body.
    pub(super) fn local(&self) -> Vec3 {
        self.local
    }
}

/// The number of the first body of a joint among the nodes of its constraints.
pub const A: u8 = 0;
/// The number of the second one.
pub const B: u8 = 1;

/// Returns a point \[m\] in the frame of body [`A`] or [`B`].
pub fn point(node: u8, local: Vec3) -> Attachment {
    Attachment { connector: Connector::BodyPoint { node }, local }
}

/// Returns an axis in the frame of body [`A`] or [`B`].
pub fn axis(node: u8, local: Vec3) -> Attachment {
    Attachment { connector: Connector::BodyAxis { node }, local }
}

/// Returns the anchors, and the axis of the first body: the points of a constraint along the axis.
pub(super) fn linear_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [point(A, a.anchor), point(B, b.anchor), axis(A, a.axis)]
}

/// Returns the normal of the second body and two normals of the first: the points of a constraint about the axis.
pub(super) fn angular_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [axis(B, b.normal), axis(A, a.normal), axis(A, a.binormal())]
}

/// Returns the normals of both bodies: the points of a constraint of the twist.
pub(super) fn twist_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 4] {
    [axis(B, b.normal), axis(B, b.binormal()), axis(A, a.normal), axis(A, a.binormal())]
}

/// One constraint of a joint.
#[derive(Debug, Clone)]
pub struct JointPart {
    /// Purpose of the batch within the joint.
    pub role: JointRole,
    /// Compliance, in the unit of the constraint.
    pub compliance: f32,
    /// Damping coefficient, in the unit of the constraint.
    pub damping_coefficient: f32,
    /// The number of rows that are forces; those that follow are torques.
    pub force_rows: usize,
    /// The meaning of its parameters.
    pub(super) layout: ParameterLayout,
    pub(super) kind: Arc<ConstraintType>,
    pub(super) connectors: Connectors,
    pub(super) locals: Vec<Vec3>,
    pub(super) parameters: Vec<f32>,
}

impl JointPart {
    /// Returns a rigid constraint over these points and axes.
    ///
    /// # Errors
    /// The type of the constraint fails its self-check.
    pub fn new<K, const N: usize, const M: usize>(
        role: JointRole,
        constraint: K,
        attachments: [Attachment; N],
        parameters: K::Parameters<f32>,
        force_rows: usize,
    ) -> Result<Self, JointError>
    where
        K: Constraint<N, M>,
    {
        Ok(Self {
            role,
            compliance: 0.0,
            damping_coefficient: 0.0,
            force_rows,
            layout: ParameterLayout::Other,
            kind: ConstraintType::of(constraint)?,
            connectors: Connectors::new(&attachments.map(|attachment| attachment.connector))?,
            locals: attachments.iter().map(|attachment| attachment.local).collect(),
            parameters: parameters.to_numbers(),
        })
    }

    /// Sets the compliance and the damping coefficient, in the units of the constraint.
    #[must_use]
    pub fn soft(self, compliance: f32, damping_coefficient: f32) -> Self {
        Self { compliance, damping_coefficient, ..self }
    }

    /// Sets the meaning of its parameters.
    pub(super) fn layout(self, layout: ParameterLayout) -> Self {
        Self { layout, ..self }
    }

    /// Returns whether constraints like this and those like `other` go into one batch.
    pub(super) fn batches_with(&self, other: &Self) -> bool {
        self.has_same_topology(other) && self.damping_coefficient.to_bits() == other.damping_coefficient.to_bits()
    }

    /// Returns whether this constraint and another one on the same axes differ in numbers alone.
    pub(super) fn has_same_topology(&self, other: &Self) -> bool {
        self.role == other.role
            && self.kind.is_same_type(&other.kind)
            && self.connectors == other.connectors
            && self.force_rows == other.force_rows
            && self.layout == other.layout
    }
}
