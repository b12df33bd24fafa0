//! A particle held at a point of a body.
//!
//! C = x₀ − x₁, three rows; every multiplier is admissible and λ/h² is the force on the particle
//! (\[Deul14\], the ball joint with a particle on one side).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x₀ | particle | m |
//! | x₁ = x + R r | point of the body, fixed at r in its frame | m |
//! | α | compliance | m/N |

use glam::Vec3;
use xpbd_core::batch::BatchError;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::prelude::*;

/// A constraint that holds two points together. It has no parameters. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Attachment;

impl Constraint<2, 3> for Attachment {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "attachment";

    fn value<S: Real>(x: &Points<S, 2>, _: [S; 0]) -> [S; 3] {
        (x.now[0] - x.now[1]).to_array()
    }
}

/// Creates a batch that attaches particles to the first body with which it is added: for each particle its index and its
/// point of attachment \[m\] in the body's frame. They are solved together with what they tie, as joints are
/// ([`ConstraintSolver::Automatic`]).
///
/// # Errors
/// There are none for these lists. Indices and points are checked when the batch is added.
pub fn attach(particles: &[(u32, Vec3)]) -> Result<Batch, BatchError> {
    let kind = ConstraintType::of(Attachment)?;
    let connectors = Connectors::new(&[Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }])
        .map_err(|error| BatchError::Connectors(Attachment::NAME.into(), error))?;
    let nodes = particles.iter().flat_map(|&(particle, _)| [particle, 0]).collect();
    let locals = particles.iter().map(|&(_, point)| point).collect();
    Ok(Batch::from_parts(kind, connectors, nodes, locals, Vec::new())?.solver(ConstraintSolver::Automatic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpbd_core::batch::{BatchNode, ConstraintBatch, NodeCounts};

    #[test]
    fn each_particle_is_tied_to_its_point_of_the_body() {
        let batch = attach(&[(4, Vec3::X), (7, Vec3::Y)]).unwrap();
        assert_eq!(batch.len(), 2);
        assert_eq!(batch.nodes(1).as_slice(), [BatchNode::Particle(7), BatchNode::Body(0)]);
        assert_eq!(batch.locals(1), [Vec3::Y]);
        assert_eq!(batch.validate(NodeCounts { particles: 8, bodies: 1 }), Ok(()));
        assert!(batch.validate(NodeCounts { particles: 7, bodies: 1 }).is_err());
    }
}
