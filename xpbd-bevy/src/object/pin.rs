//! Vertices that are held: in the world, by an entity, by a bone, by a body.

mod state;

pub(crate) use state::{PinState, build};

use std::fmt::{Debug, Formatter};
use std::sync::Arc;

use bevy::ecs::entity::{EntityMapper, MapEntities};
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::prelude::*;

use crate::mesh::VertexMap;

/// Holds vertices of an entity's cloth, rope or soft body where they are, and moves them with its transform, or with
/// that of another entity: a flag follows its pole, a cape the bones it is pinned to.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands, left_hand: Entity, right_hand: Entity) {
/// let corners = Pinned::vertices([0]).held_by(left_hand).and(Pinned::vertices([20]).held_by(right_hand));
/// let curtain = Pinned::when(|_, place| place.y > 0.99);
/// # commands.spawn(corners);
/// # commands.spawn(curtain);
/// # }
/// ```
///
/// Vertices that are pinned to a dynamic body are attached to it, and pull on it.
///
/// An entity that takes a pinned vertex farther in a step than 100 m/s has jumped: the whole object goes with it, as by a
/// [`Teleport`](crate::teleport::Teleport), and is not torn along.
#[derive(Component, Debug, Clone, Default, Reflect)]
#[reflect(Component, Debug, Default, MapEntities)]
#[component(map_entities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Pinned {
    /// The pins; where two select the same vertex, the first one holds it.
    pub pins: Vec<Pin>,
}

/// Some vertices, and what they are held by.
#[derive(Debug, Clone, Reflect)]
#[reflect(Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pin {
    /// The vertices that are pinned.
    pub selection: PinSelection,
    /// The entity that holds them; none for the entity of the vertices itself.
    pub held_by: Option<Entity>,
}

/// A choice of vertices. With a function it cannot be saved.
#[derive(Debug, Clone, Reflect)]
#[reflect(Clone, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub enum PinSelection {
    /// The vertices of these indices.
    Vertices(Vec<u32>),
    /// Those whose colour is nearer to this one than 0.1 in each of red, green and blue.
    Painted([f32; 3]),
    /// Those for whose number and place in the frame of the entity \[m\] this holds.
    #[cfg_attr(feature = "serialize", serde(skip))]
    When(VertexPredicate),
}

/// A condition for the number of a vertex and its place in the frame of the entity \[m\].
#[derive(Clone, Reflect)]
#[reflect(opaque)]
#[reflect(Clone, Debug)]
pub struct VertexPredicate(pub Arc<dyn Fn(u32, Vec3) -> bool + Send + Sync>);

impl Debug for VertexPredicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "…")
    }
}

impl PinSelection {
    /// Returns why the choice is not what it was meant to be: a vertex that is not there, or none at all.
    pub(super) fn problem(&self, vertices: &VertexMap) -> Option<String> {
        let count = vertices.particles.len() as u32;
        match self {
            Self::Vertices(chosen) => {
                let missing = chosen.iter().find(|&&vertex| vertex >= count)?;
                Some(format!("vertex {missing} does not exist; there are {count}"))
            }
            _ if (0..count).any(|vertex| self.holds(vertex, vertices)) => None,
            Self::Painted([red, green, blue]) => {
                Some(format!("no vertex has the colour {red}, {green}, {blue} (linear red, green and blue)"))
            }
            Self::When(_) => Some("its function holds for no vertex".into()),
        }
    }

    pub(super) fn holds(&self, vertex: u32, vertices: &VertexMap) -> bool {
        match self {
            Self::Vertices(chosen) => chosen.contains(&vertex),
            Self::Painted(color) => vertices
                .colors
                .get(vertex as usize)
                .is_some_and(|own| own.iter().zip(color).all(|(a, b)| (a - b).abs() < 0.1)),
            Self::When(holds) => vertices.rest.get(vertex as usize).is_some_and(|&place| (holds.0)(vertex, place)),
        }
    }
}

impl Pinned {
    fn new(which: PinSelection) -> Self {
        Self { pins: vec![Pin { selection: which, held_by: None }] }
    }

    /// Selects these vertices.
    pub fn vertices(vertices: impl IntoIterator<Item = u32>) -> Self {
        Self::new(PinSelection::Vertices(vertices.into_iter().collect()))
    }

    /// Selects the vertices of this colour.
    pub fn painted(color: impl Into<LinearRgba>) -> Self {
        let LinearRgba { red, green, blue, .. } = color.into();
        Self::new(PinSelection::Painted([red, green, blue]))
    }

    /// Vertices for whose number and place in the frame of the entity \[m\] this holds.
    pub fn when(holds: impl Fn(u32, Vec3) -> bool + Send + Sync + 'static) -> Self {
        Self::new(PinSelection::When(VertexPredicate(Arc::new(holds))))
    }

    /// Lets the pins be held by this entity.
    #[must_use]
    pub fn held_by(mut self, entity: Entity) -> Self {
        self.pins.iter_mut().for_each(|pin| pin.held_by = Some(entity));
        self
    }

    /// Adds these pins.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.pins.extend(others.pins);
        self
    }

    /// Returns all particles that it holds, in order.
    pub fn particles(&self, vertices: &VertexMap) -> Vec<u32> {
        let mut all: Vec<u32> = self.held(vertices).into_iter().flat_map(|(particles, _)| particles).collect();
        all.sort_unstable();
        all
    }

    /// Returns the particles that each of the pins holds.
    fn held(&self, vertices: &VertexMap) -> Vec<(Vec<u32>, Option<Entity>)> {
        let mut free = vec![true; vertices.particles.iter().max().map_or(0, |&most| most as usize + 1)];
        let held = self.pins.iter().map(|pin| {
            let numbers = (0u32..).zip(&vertices.particles);
            let chosen = numbers.filter(|&(vertex, _)| pin.selection.holds(vertex, vertices));
            let particles = chosen.filter_map(|(_, &i)| std::mem::take(&mut free[i as usize]).then_some(i));
            (particles.collect(), pin.held_by)
        });
        held.collect()
    }
}

impl MapEntities for Pinned {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        for entity in self.pins.iter_mut().filter_map(|pin| pin.held_by.as_mut()) {
            *entity = mapper.get_mapped(*entity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_vertices_that_are_not_there_is_a_problem() {
        let (red, blue) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
        let rest = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let vertices = VertexMap { particles: vec![0, 1, 2], rest, colors: vec![red, blue, blue], torn: None };
        let problem = |pinned: Pinned| pinned.pins[0].selection.problem(&vertices);
        assert_eq!(problem(Pinned::vertices([0, 2])), None);
        assert_eq!(problem(Pinned::vertices([0, 3])).unwrap(), "vertex 3 does not exist; there are 3");
        assert_eq!(problem(Pinned::painted(LinearRgba::BLUE)), None);
        assert!(problem(Pinned::painted(LinearRgba::GREEN)).unwrap().starts_with("no vertex has the colour 0, 1, 0"));
        assert_eq!(problem(Pinned::when(|_, place| place.y > 0.5)), None);
        assert!(problem(Pinned::when(|_, place| place.y > 1.5)).is_some());
    }
}
