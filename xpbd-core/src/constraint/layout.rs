//! Where everything is that a program reads: the agreement between programs and back ends.

use smallvec::SmallVec;

use super::kind::ConstraintType;
use super::parameters::Parameters;
use crate::connector::{Connectors, NodeKind};

/// Numbers of the uniforms of every program.
pub mod uniform {
    /// h \[s\].
    pub const DT: u16 = 0;
    /// 1/h² \[1/s²\], or 0 where compliance is ignored.
    pub const COMPLIANCE_SCALE: u16 = 1;
    /// The multiplier of a force of 1 N \[s²\].
    pub const PER_FORCE: u16 = 2;
    /// Number of uniforms.
    pub const COUNT: usize = 3;
}

/// The indices of the gathered inputs that a program reads of one node.
#[derive(Debug, Clone, Copy)]
pub struct NodeInputs {
    /// Position now, 3 inputs.
    pub position: u16,
    /// Position at the start of the substep, 3 inputs.
    pub previous_position: u16,
    /// First input of the inverse mass.
    pub inverse_mass: u16,
    /// Orientation now, 4 inputs; bodies only.
    pub rotation: u16,
    /// Orientation at the start of the substep, 4 inputs; bodies only.
    pub previous_rotation: u16,
    /// Inverse principal moments of inertia, 3 inputs; bodies only.
    pub inverse_inertia: u16,
    /// First of three inputs of the velocity.
    pub velocity: u16,
    /// Angular velocity, 3 inputs; bodies only.
    pub angular_velocity: u16,
}

/// The indices of all values that a program reads, on which programs and back ends agree.
#[derive(Debug, Clone)]
pub struct ProgramLayout {
    /// The gathered inputs of each node slot.
    pub nodes: SmallVec<[NodeInputs; 4]>,
    /// The origin of the constraint, 3 gathered inputs.
    pub origin: u16,
    /// Number of gathered inputs.
    pub gathered: usize,
    /// First column of the local vectors, 3 for each connector on a body.
    pub locals: u16,
    /// First column of the parameters.
    pub parameters: u16,
    /// Column of the compliance α.
    pub compliance: u16,
    /// Column of the damping β.
    pub damping: u16,
    /// First column of the shares, one for each node slot.
    pub mass_shares: u16,
    /// The multipliers, one gathered input for each row.
    pub lambda: u16,
    /// Number of columns.
    pub columns: usize,
}

impl ProgramLayout {
    /// Returns the layout for a type with these connectors.
    pub fn new(kind: &ConstraintType, connectors: &Connectors) -> Self {
        let mut next = 0;
        let mut take = |count: u16| {
            next += count;
            next - count
        };
        let nodes = connectors
            .nodes()
            .iter()
            .map(|node| {
                let (now, before, inverse_mass) = (take(3), take(3), take(1));
                let velocity = take(3);
                let [turn, turn_before, inverse_inertia, spin] = match node {
                    NodeKind::Particle => [u16::MAX; 4],
                    NodeKind::Body => [take(4), take(4), take(3), take(3)],
                };
                NodeInputs {
                    position: now,
                    previous_position: before,
                    inverse_mass,
                    rotation: turn,
                    previous_rotation: turn_before,
                    inverse_inertia,
                    velocity,
                    angular_velocity: spin,
                }
            })
            .collect();
        let (origin, lambda) = (take(3), take(kind.row_count() as u16));
        let locals = 3 * connectors.local_count() as u16;
        let compliance = locals + kind.parameter_count() as u16;
        let shares = compliance + 2;
        Self {
            nodes,
            origin,
            gathered: lambda as usize + kind.row_count(),
            locals: 0,
            parameters: locals,
            compliance,
            damping: compliance + 1,
            mass_shares: shares,
            lambda,
            columns: shares as usize + connectors.nodes().len(),
        }
    }

    /// Returns the parameters with the index of its column in place of each number.
    pub fn columns_of<P: Parameters<usize>>(&self) -> P {
        P::from_numbers(&(usize::from(self.parameters)..).take(P::COUNT).collect::<Vec<_>>())
    }
}
