//! Where the points of a constraint come from, and how a push on a point moves its node.
//!
//! A constraint sees points; the solver moves **nodes** (particles and bodies). A connector ties
//! the two: it gives the point's value, and turns the constraint's gradient g with respect to the
//! point into the node's generalized gradient (\[Deul14\], the split of a gradient into a constraint
//! part and a connector part):
//!
//! | connector | value | linear part | angular part |
//! |---|---|---|---|
//! | particle | x | g | |
//! | point on body | x + R r | g | R r × g |
//! | axis on body | R a | | R a × g |
//!
//! The parts of all connectors of one node are summed before the effective mass is formed.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use thiserror::Error;

/// The kinds of nodes that a slot of a constraint can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A particle, of which the position is given.
    Particle,
    /// A body: position and orientation.
    Body,
}

/// One point of a constraint; `node` numbers the node slots of the constraint from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Connector {
    /// The position of the particle itself.
    Particle {
        /// Slot of the node.
        node: u8,
    },
    /// A point fixed to a body at a local position r \[m\].
    BodyPoint {
        /// Slot of the node.
        node: u8,
    },
    /// A direction fixed to a body, local axis a (unit).
    BodyAxis {
        /// Slot of the node.
        node: u8,
    },
}

impl Connector {
    /// Returns the node slot that this point belongs to.
    pub fn node(self) -> usize {
        match self {
            Self::Particle { node } | Self::BodyPoint { node } | Self::BodyAxis { node } => node as usize,
        }
    }

    /// Returns what that slot must hold.
    pub fn kind(self) -> NodeKind {
        match self {
            Self::Particle { .. } => NodeKind::Particle,
            Self::BodyPoint { .. } | Self::BodyAxis { .. } => NodeKind::Body,
        }
    }
}

/// Connectors that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConnectorError {
    /// Two connectors disagree on what a node slot holds.
    #[error("node slot {0} is a particle for one connector and a body for another")]
    MixedSlot(usize),
    /// There are more or fewer connectors than the constraint has points.
    #[error("there are {found} connectors for {points} points")]
    Count {
        /// Number of connectors given.
        found: usize,
        /// Points of the constraint.
        points: usize,
    },
    /// A slot below the highest one is not used.
    #[error("node slot {0} is used by no connector")]
    UnusedSlot(usize),
}

/// The connectors of every constraint of a batch: batches are homogeneous in them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Connector>", into = "Vec<Connector>")]
pub struct Connectors {
    points: SmallVec<[Connector; 4]>,
    nodes: SmallVec<[NodeKind; 4]>,
}

impl TryFrom<Vec<Connector>> for Connectors {
    type Error = ConnectorError;

    fn try_from(points: Vec<Connector>) -> Result<Self, ConnectorError> {
        Self::new(&points)
    }
}

impl From<Connectors> for Vec<Connector> {
    fn from(connectors: Connectors) -> Self {
        connectors.points.into_vec()
    }
}

impl Connectors {
    /// Returns the connectors of `count` particles, one a point.
    pub fn particles(count: usize) -> Self {
        Self {
            points: (0..count).map(|node| Connector::Particle { node: node as u8 }).collect(),
            nodes: SmallVec::from_elem(NodeKind::Particle, count),
        }
    }

    /// Collects one connector for each point of the constraint.
    ///
    /// # Errors
    /// A slot that is both particle and body, or a slot that no connector uses.
    pub fn new(points: &[Connector]) -> Result<Self, ConnectorError> {
        let slots = points.iter().map(|point| point.node() + 1).max().unwrap_or(0);
        let mut nodes = SmallVec::new();
        for slot in 0..slots {
            let mut kinds = points.iter().filter(|point| point.node() == slot).map(|point| point.kind());
            let kind = kinds.next().ok_or(ConnectorError::UnusedSlot(slot))?;
            if kinds.any(|other| other != kind) {
                return Err(ConnectorError::MixedSlot(slot));
            }
            nodes.push(kind);
        }
        Ok(Self { points: points.into(), nodes })
    }

    /// Returns the connector of each point.
    pub fn points(&self) -> &[Connector] {
        &self.points
    }

    /// Returns what each node slot holds.
    pub fn nodes(&self) -> &[NodeKind] {
        &self.nodes
    }

    /// Returns how many of the points carry a local vector (a position or an axis on a body).
    pub fn local_count(&self) -> usize {
        self.points.iter().filter(|point| point.kind() == NodeKind::Body).count()
    }

    /// Returns whether every point is a particle.
    pub fn only_particles(&self) -> bool {
        self.local_count() == 0
    }
}
