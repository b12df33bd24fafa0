//! What touches surfaces, and how a pair that touches becomes a constraint.

use glam::Vec4Swizzles;
use smallvec::SmallVec;

use super::feature_geometry::FeaturePairKind;
use super::feature_pair::{ActivePair, FeaturePair, NO_POINT};
use super::placed_shapes::PlacedShapes;
use super::pushed_nodes::PushedNodes;
use crate::collide::contact_set::ContactSubstep;
use crate::collide::mobility::{
    BODY_PUSH_OUT, HELD_AGAINST_BODY, HELD_AGAINST_PARTICLE, HELD_AGAINST_SURFACE, PARTICLE_PUSH_OUT,
};
use crate::collide::surface_contact::{
    SurfaceContact, SurfaceContactParameters, SurfaceShapeContact, SurfaceShapeContactParameters,
};
use crate::connector::{Connector, Connectors};
use crate::constraint::{ConstraintError, ConstraintType};
use crate::schedule::{ParameterAppender, TracedPass};

/// The gravity by which the height of a liquid is a pressure \[m/s²\].
const STANDARD_GRAVITY: f32 = 9.81;

/// Least [part of the speed](PushedNodes::part_of_speed) with which a pair pushes \[1\]. Below it, what is left to move could end
/// anywhere.
const LEAST_PART_OF_SPEED: f32 = 0.01;

/// A distance by which no features overlap \[m\].
const OUT_OF_REACH: f32 = 1e9;

/// Number of pairs that are fetched at once.
const FETCHED: usize = 16;

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

    /// Returns the particles that a pair moves, of which there are [`SurfacePartner::particle_count`], and the weights of
    /// the nearest point of the surface: against a shape those of a triangle, of which an edge is a part.
    #[inline]
    pub(super) fn particles(self, pair: &FeaturePair, weights: [f32; 3]) -> ([u32; 4], [f32; 3]) {
        let [_, a, b, c] = pair.nodes;
        let [_, v, w] = weights;
        match (self, pair.kind) {
            (Self::Particles, _) => (pair.nodes, weights),
            (_, FeaturePairKind::EdgeEdge) => ([b, c, pair.opposite, NO_POINT], [v, w, 0.0]),
            _ => ([a, b, c, NO_POINT], weights),
        }
    }

    /// Returns the number of particles that a pair moves.
    pub(super) fn particle_count(self) -> usize {
        if self == Self::Particles { 4 } else { 3 }
    }

    /// Returns the body that a pair moves, in a world of so many particles.
    #[inline]
    pub(super) fn body(self, pair: &FeaturePair, particles: usize, shapes: &PlacedShapes) -> Option<u32> {
        if self == Self::Bodies { shapes.collider_of(pair.nodes[0] as usize - particles).body } else { None }
    }

    /// Appends pairs that touch to a pass.
    pub(super) fn append(
        self,
        pass: &mut TracedPass,
        pairs: &[FeaturePair],
        active: &[ActivePair],
        (substep, shapes): (&ContactSubstep<'_>, &PlacedShapes),
    ) {
        let mut parameters = ParameterAppender::new(pass);
        let compliance = usize::from(pass.layout.compliance);
        for (pair, active) in fetched(pairs, active) {
            let (nodes, weights) = self.particles(&pair, active.weights);
            let nodes = &nodes[..self.particle_count()];
            pass.nodes.iter_mut().zip(nodes).for_each(|(column, &node)| column.push(node));
            let [u, v, w] = weights;
            let of_nodes = if self == Self::Particles { [-(u + v + w), u, v, w] } else { [u, v, w, 0.0] };
            let pushed = PushedNodes { nodes, weights: of_nodes };
            let body = self.body(&pair, substep.particles.len(), shapes);
            let inverse_mass = body.map_or(0.0, |body| substep.bodies.anchor[body as usize].w);
            let ball = substep.particles.anchor[nodes[0] as usize].w;
            let most = match (self, pair.kind) {
                (Self::Particles, FeaturePairKind::ParticleTriangle) => [None, Some(ball / HELD_AGAINST_PARTICLE)],
                (Self::Particles, _) => {
                    let [first, second] = pushed.inverse_masses_without_pins(substep);
                    [second, first].map(|other| other.map(|other| other / HELD_AGAINST_SURFACE))
                }
                (Self::Bodies, _) => [None, Some(inverse_mass / HELD_AGAINST_BODY)],
                (Self::Shapes, _) => [None; 2],
            };
            let free = if self == Self::Shapes { [1.0; 4] } else { pushed.free_parts(active.normal, most, substep) };
            let part_of_speed = pushed.part_of_speed(substep.particles, inverse_mass, free);
            let push_out_speed = if self == Self::Particles { PARTICLE_PUSH_OUT } else { BODY_PUSH_OUT };
            let contact = SurfaceContactParameters {
                weights,
                normal: active.normal.into(),
                distance: if part_of_speed > LEAST_PART_OF_SPEED { pair.distance } else { -OUT_OF_REACH },
                friction: pair.friction.into(),
                max_depenetration_speed: part_of_speed * substep.settings.max_depenetration_speed,
                free,
                push_out_speed: part_of_speed * push_out_speed,
            };
            if self == Self::Particles {
                // What is in pores is held back wherever it is in the layer that they are in, but not pushed out of it.
                let way_in_pores = 2.0 * pair.distance * ball * pair.permeability * substep.h / STANDARD_GRAVITY;
                pass.columns[compliance].push(way_in_pores);
                let max_depenetration_speed =
                    if pair.permeability > 0.0 { 0.0 } else { contact.max_depenetration_speed };
                parameters.append(pass, SurfaceContactParameters { max_depenetration_speed, ..contact });
                continue;
            }
            let point = ShapePoint::of(&pair, active, substep.particles.len());
            let shape = shapes.collider_of(point.one);
            if let Some(body) = body {
                let (a, b) = (shapes.points[point.one].local, shapes.points[point.other].local);
                let local = a + (b - a) * point.part;
                pass.nodes[3].push(body);
                pass.columns.iter_mut().zip(local.to_array()).for_each(|(column, number)| column.push(number));
                let weights = [weights[1], weights[2], 1.0];
                parameters.append(pass, SurfaceContactParameters { weights, ..contact });
                continue;
            }
            let (a, b) = (&shapes.places[point.one], &shapes.places[point.other]);
            let anchor = substep.particles.anchor[nodes[0] as usize].xyz();
            let now = a.offset + (b.offset - a.offset) * point.part;
            let before = a.start + (b.start - a.start) * point.part;
            let belt = shape.surface_velocity(substep.bodies);
            let along = belt - active.normal * active.normal.dot(belt);
            let contact = SurfaceShapeContactParameters {
                weights: [weights[1], weights[2]],
                normal: contact.normal,
                point: ((a.anchor.xyz() - anchor) + now.xyz()).into(),
                displacement: ((now - before).xyz() + along * substep.h).into(),
                distance: contact.distance,
                friction: contact.friction,
                max_depenetration_speed: contact.max_depenetration_speed,
            };
            parameters.append(pass, contact);
        }
        parameters.finish(pass);
    }
}

/// Returns pairs that touch with what they touch in. They lie far apart in memory, so that several are fetched at once.
fn fetched<'a>(
    pairs: &'a [FeaturePair],
    active: &'a [ActivePair],
) -> impl Iterator<Item = (FeaturePair, &'a ActivePair)> {
    active.chunks(FETCHED).flat_map(|some| {
        let fetched: SmallVec<[FeaturePair; FETCHED]> = some.iter().map(|active| pairs[active.pair as usize]).collect();
        fetched.into_iter().zip(some)
    })
}

/// The nearest point of a shape: one of its corners, or a part of the way from one to the other.
struct ShapePoint {
    one: usize,
    other: usize,
    part: f32,
}

impl ShapePoint {
    /// Returns that of a pair that touches, in a world of so many particles.
    fn of(pair: &FeaturePair, active: &ActivePair, particles: usize) -> Self {
        let second = if pair.kind == FeaturePairKind::EdgeEdge { pair.nodes[1] } else { pair.nodes[0] };
        let (one, other) = (pair.nodes[0] as usize - particles, second as usize - particles);
        Self { one, other, part: if one == other { 0.0 } else { active.weights[0] } }
    }
}
