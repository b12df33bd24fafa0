//! The constraints that a joint is made of.

use std::fmt;
use std::sync::Arc;

use glam::Vec3;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Parameters};

use super::{Axes, JointError};

/// An axis along or about which a joint leaves its bodies free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// Sliding along the axis \[m\].
    Slide,
    /// Turning about the axis \[rad\].
    Turn,
    /// Turning of a universal joint about the axis of its second body \[rad\].
    SecondTurn,
    /// The angle between the axes of a ball joint \[rad\], not negative.
    Swing,
    /// Turning of a ball joint about its axis \[rad\], without the swing.
    Twist,
    /// The distance of the anchors \[m\].
    Distance,
}

impl Freedom {
    /// 1 where it takes a force, 0 where it takes a torque.
    pub(super) fn force_rows(self) -> usize {
        usize::from(matches!(self, Self::Slide | Self::Distance))
    }
}

impl fmt::Display for Freedom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slide => "slide",
            Self::Turn => "turn",
            Self::SecondTurn => "second turn",
            Self::Swing => "swing",
            Self::Twist => "twist",
            Self::Distance => "distance",
        })
    }
}

/// What a part of a joint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Holds the bodies together.
    Hold,
    /// Bounds a free axis.
    Limit(Freedom),
    /// Drives a free axis.
    Motor(Freedom),
}

/// A point or an axis on one of the two bodies, for a point of a constraint.
#[derive(Debug, Clone, Copy)]
pub struct Tie {
    connector: Connector,
    local: Vec3,
}

/// The number of the first body of a joint among the nodes of its constraints.
pub const A: u8 = 0;
/// The number of the second one.
pub const B: u8 = 1;

/// A point \[m\] in the frame of body [`A`] or [`B`].
pub fn point(node: u8, local: Vec3) -> Tie {
    Tie { connector: Connector::BodyPoint { node }, local }
}

/// An axis in the frame of body [`A`] or [`B`].
pub fn axis(node: u8, local: Vec3) -> Tie {
    Tie { connector: Connector::BodyAxis { node }, local }
}

/// The anchors, and the axis of the first body: what slides along it.
pub(super) fn sliding(a: &Axes, b: &Axes) -> [Tie; 3] {
    [point(A, a.point), point(B, b.point), axis(A, a.axis)]
}

/// What turns about the axis: a direction across it, against two of the first body.
pub(super) fn turning(a: &Axes, b: &Axes) -> [Tie; 3] {
    [axis(B, b.across), axis(A, a.across), axis(A, a.third())]
}

/// One constraint of a joint.
#[derive(Debug, Clone)]
pub struct Part {
    /// What it does.
    pub role: Role,
    /// Compliance, in the unit of the constraint.
    pub compliance: f32,
    /// Damping, in the unit of the constraint.
    pub damping: f32,
    /// How many of its rows are forces; those that follow are torques.
    pub force_rows: usize,
    /// Which of its parameters are the middle and half of the range of a free axis.
    pub(super) bounds: Vec<(Freedom, usize)>,
    pub(super) kind: Arc<ConstraintType>,
    pub(super) connectors: Connectors,
    pub(super) locals: Vec<Vec3>,
    pub(super) params: Vec<f32>,
}

impl Part {
    /// A rigid constraint over these points and axes.
    ///
    /// # Errors
    /// What the self-check of the type found.
    pub fn new<K, const N: usize, const M: usize>(
        role: Role,
        constraint: K,
        ties: [Tie; N],
        params: K::Parameters<f32>,
        force_rows: usize,
    ) -> Result<Self, JointError>
    where
        K: Constraint<N, M>,
    {
        Ok(Self {
            role,
            compliance: 0.0,
            damping: 0.0,
            force_rows,
            bounds: Vec::new(),
            kind: ConstraintType::of(constraint)?,
            connectors: Connectors::new(&ties.map(|tie| tie.connector))?,
            locals: ties.iter().map(|tie| tie.local).collect(),
            params: params.to_numbers(),
        })
    }

    /// With this compliance and damping, in the units of the constraint.
    #[must_use]
    pub fn soft(self, compliance: f32, damping: f32) -> Self {
        Self { compliance, damping, ..self }
    }

    /// With bounds of free axes: the middle is the parameter of this number, the half range the next.
    #[must_use]
    pub fn bounded<const L: usize>(self, bounds: [(Freedom, usize); L]) -> Self {
        Self { bounds: bounds.into(), ..self }
    }

    /// Whether constraints like this and those like `other` go into one batch.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.role == other.role
            && self.kind.same(&other.kind)
            && self.connectors == other.connectors
            && self.damping.to_bits() == other.damping.to_bits()
            && self.force_rows == other.force_rows
            && self.bounds == other.bounds
    }
}
