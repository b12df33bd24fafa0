//! What touches surfaces, and how a pair that touches becomes a constraint.

use glam::{Vec3, Vec4Swizzles};
use smallvec::{SmallVec, smallvec};

use super::feature_geometry::FeaturePairKind;
use super::feature_pair::{ActivePair, FeaturePair};
use super::placed_shapes::PlacedShapes;
use crate::collide::contact_set::ContactSubstep;
use crate::collide::mobility::{BODY_PUSH_OUT, PARTICLE_PUSH_OUT};
use crate::collide::surface_contact::{
    SurfaceContact, SurfaceContactParameters, SurfaceShapeContact, SurfaceShapeContactParameters,
};
use crate::connector::{Connector, Connectors};
use crate::constraint::{ConstraintError, ConstraintType};
use crate::schedule::{ParameterAppender, TracedPass};

/// A kind of things that touch surfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SurfacePartner {
    /// Surfaces, and particles of other objects.
    #[default]
    Particles,
    /// Shapes of bodies that can be pushed.
    Bodies,
    /// Shapes of other bodies, and of none.
    Shapes,
}

impl SurfacePartner {
    /// Returns a pass without contacts.
    ///
    /// # Errors
    /// The constraint fails its self-check.
    pub(super) fn empty_pass(self) -> Result<Option<TracedPass>, ConstraintError> {
        Ok(match self {
            Self::Particles => Some(TracedPass::empty(ConstraintType::of(SurfaceContact)?, Connectors::particles(4))),
            Self::Bodies => {
                let [a, b, c] = [0, 1, 2].map(|node| Connector::Particle { node });
                let connectors = Connectors::new(&[a, b, c, Connector::BodyPoint { node: 3 }]).ok();
                let kind = ConstraintType::of(SurfaceContact)?;
                connectors.map(|connectors| TracedPass::empty(kind, connectors))
            }
            Self::Shapes => Some(TracedPass::empty(ConstraintType::of(SurfaceShapeContact)?, Connectors::particles(3))),
        })
    }

    /// Returns the particles that a pair moves, and the weights of the nearest point of the surface: against a shape those
    /// of a triangle, of which an edge is a part.
    pub(super) fn particles(self, pair: &FeaturePair, weights: [f32; 3]) -> (SmallVec<[u32; 4]>, [f32; 3]) {
        let [_, a, b, c] = pair.nodes;
        let [_, v, w] = weights;
        match (self, pair.kind) {
            (Self::Particles, _) => (pair.nodes.into(), weights),
            (_, FeaturePairKind::EdgeEdge) => (smallvec![b, c, pair.opposite], [v, w, 0.0]),
            _ => (smallvec![a, b, c], weights),
        }
    }

    /// Returns the body that a pair moves, in a world of so many particles.
    pub(super) fn body(self, pair: &FeaturePair, particles: usize, shapes: &PlacedShapes) -> Option<u32> {
        if self == Self::Bodies { shapes.collider_of(pair.nodes[0] as usize - particles).body } else { None }
    }

    /// Appends a contact to a pass.
    pub(super) fn append(
        self,
        pass: &mut TracedPass,
        parameters: &mut ParameterAppender,
        (pair, active): (&FeaturePair, &ActivePair),
        (substep, shapes): (&ContactSubstep<'_>, &PlacedShapes),
    ) {
        let (nodes, weights) = self.particles(pair, active.weights);
        let max_depenetration_speed = substep.settings.max_depenetration_speed;
        let contact = SurfaceContactParameters {
            weights,
            normal: active.normal.into(),
            distance: pair.distance,
            friction: pair.friction.into(),
            max_depenetration_speed,
            free: [1.0; 4],
            push_out_speed: if self == Self::Particles { PARTICLE_PUSH_OUT } else { BODY_PUSH_OUT },
        };
        pass.nodes.iter_mut().zip(&nodes).for_each(|(column, &node)| column.push(node));
        if self == Self::Particles {
            let [u, v, w] = weights;
            let free = free_parts(&nodes, [-(u + v + w), u, v, w], active.normal, substep);
            return parameters.append(pass, SurfaceContactParameters { free, ..contact });
        }
        let first = substep.particles.len();
        let [one, other] = match pair.kind {
            FeaturePairKind::EdgeEdge => [pair.nodes[0], pair.nodes[1]],
            _ => [pair.nodes[0]; 2],
        }
        .map(|node| node as usize - first);
        let part = if one == other { 0.0 } else { active.weights[0] };
        let shape = shapes.collider_of(one);
        if let (Self::Bodies, Some(body)) = (self, shape.body) {
            let (a, b) = (shapes.points[one].local, shapes.points[other].local);
            let point = a + (b - a) * part;
            pass.nodes[3].push(body);
            pass.columns.iter_mut().zip(point.to_array()).for_each(|(column, number)| column.push(number));
            let free = free_parts(&nodes, weights, active.normal, substep);
            let weights = [weights[1], weights[2], 1.0];
            return parameters.append(pass, SurfaceContactParameters { weights, free, ..contact });
        }
        let (a, b) = (&shapes.places[one], &shapes.places[other]);
        let anchor = substep.particles.anchor[nodes[0] as usize].xyz();
        let now = a.offset + (b.offset - a.offset) * part;
        let before = a.start + (b.start - a.start) * part;
        let belt = shape.surface_velocity(substep.bodies);
        let along = belt - active.normal * active.normal.dot(belt);
        let contact = SurfaceShapeContactParameters {
            weights: [weights[1], weights[2]],
            normal: active.normal.into(),
            point: ((a.anchor.xyz() - anchor) + now.xyz()).into(),
            displacement: ((now - before).xyz() + along * substep.h).into(),
            distance: pair.distance,
            friction: pair.friction.into(),
            max_depenetration_speed,
        };
        parameters.append(pass, contact);
    }
}

/// Returns the part of its push along a normal that each particle with its weight is free to follow.
fn free_parts<const N: usize>(
    particles: &[u32],
    weights: [f32; N],
    normal: Vec3,
    substep: &ContactSubstep<'_>,
) -> [f32; 4] {
    let mut free = [1.0; 4];
    for ((free, &particle), weight) in free.iter_mut().zip(particles).zip(weights) {
        if weight != 0.0 {
            let along = if weight < 0.0 { -normal } else { normal };
            *free = substep.supports.free_part(particle, along, substep.particles);
        }
    }
    free
}
