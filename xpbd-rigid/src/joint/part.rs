//! The constraints that a joint is made of.

use std::fmt;
use std::sync::Arc;

use glam::Vec3;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Parameters};

use super::{JointBasis, JointError};

/// An axis along or about which a joint leaves its bodies free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointAxis {
    /// Sliding along the axis \[m\].
    Linear,
    /// Turning about the axis \[rad\].
    Angular,
    /// Turning of a universal joint about the axis of its second body \[rad\].
    SecondAngular,
    /// The angle between the axes of a ball joint \[rad\], not negative.
    Swing,
    /// Turning of a ball joint about its axis \[rad\], without the swing.
    Twist,
    /// The distance of the anchors \[m\].
    Distance,
}

impl JointAxis {
    /// 1 where it takes a force, 0 where it takes a torque.
    pub(super) fn force_rows(self) -> usize {
        usize::from(matches!(self, Self::Linear | Self::Distance))
    }
}

impl fmt::Display for JointAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linear => "slide",
            Self::Angular => "turn",
            Self::SecondAngular => "second turn",
            Self::Swing => "swing",
            Self::Twist => "twist",
            Self::Distance => "distance",
        })
    }
}

/// What a part of a joint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointRole {
    /// Holds the bodies together.
    Lock,
    /// Bounds a free axis.
    Limit(JointAxis),
    /// Drives a free axis.
    Motor(JointAxis),
}

/// A point or an axis on one of the two bodies, for a point of a constraint.
#[derive(Debug, Clone, Copy)]
pub struct Attachment {
    connector: Connector,
    local: Vec3,
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

/// Returns the anchors, and the axis of the first body: what slides along it.
pub(super) fn linear_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [point(A, a.anchor), point(B, b.anchor), axis(A, a.axis)]
}

/// Returns what turns about the axis: a direction across it, against two of the first body.
pub(super) fn angular_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [axis(B, b.normal), axis(A, a.normal), axis(A, a.binormal())]
}

/// One constraint of a joint.
#[derive(Debug, Clone)]
pub struct JointPart {
    /// What it does.
    pub role: JointRole,
    /// Compliance, in the unit of the constraint.
    pub compliance: f32,
    /// Damping, in the unit of the constraint.
    pub damping_coefficient: f32,
    /// How many of its rows are forces; those that follow are torques.
    pub force_rows: usize,
    /// Which of its parameters are the middle and half of the range of a free axis.
    pub(super) limits: Vec<(JointAxis, usize)>,
    pub(super) kind: Arc<ConstraintType>,
    pub(super) connectors: Connectors,
    pub(super) locals: Vec<Vec3>,
    pub(super) params: Vec<f32>,
}

impl JointPart {
    /// Creates a rigid constraint over these points and axes.
    ///
    /// # Errors
    /// What the self-check of the type found.
    pub fn new<K, const N: usize, const M: usize>(
        role: JointRole,
        constraint: K,
        ties: [Attachment; N],
        params: K::Parameters<f32>,
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
            limits: Vec::new(),
            kind: ConstraintType::of(constraint)?,
            connectors: Connectors::new(&ties.map(|tie| tie.connector))?,
            locals: ties.iter().map(|tie| tie.local).collect(),
            params: params.to_numbers(),
        })
    }

    /// With this compliance and damping, in the units of the constraint.
    #[must_use]
    pub fn soft(self, compliance: f32, damping: f32) -> Self {
        Self { compliance, damping_coefficient: damping, ..self }
    }

    /// With bounds of free axes: the middle is the parameter of this number, the half range the next.
    #[must_use]
    pub fn limited<const L: usize>(self, bounds: [(JointAxis, usize); L]) -> Self {
        Self { limits: bounds.into(), ..self }
    }

    /// Returns whether constraints like this and those like `other` go into one batch.
    pub(super) fn batches_with(&self, other: &Self) -> bool {
        self.role == other.role
            && self.kind.is_same_type(&other.kind)
            && self.connectors == other.connectors
            && self.damping_coefficient.to_bits() == other.damping_coefficient.to_bits()
            && self.force_rows == other.force_rows
            && self.limits == other.limits
    }
}
