//! The selection of what a query finds.

use crate::handle::{BodyHandle, ColliderHandle, ObjectHandle};
use crate::layers::CollisionLayers;

use super::QueryTarget;

/// A selection of what a query finds. The default finds everything.
#[derive(Clone, Copy)]
pub struct QueryFilter<'a> {
    /// Layers of the query, which finds what would collide with them; none to find everything.
    pub layers: Option<CollisionLayers>,
    /// True if it finds colliders.
    pub colliders: bool,
    /// True if it finds triangles of objects.
    pub triangles: bool,
    /// True if it finds particles that belong to no triangle.
    pub particles: bool,
    /// Bodies whose colliders it does not find.
    pub excluded_bodies: &'a [BodyHandle],
    /// Colliders that it does not find.
    pub excluded_colliders: &'a [ColliderHandle],
    /// Objects that it does not find.
    pub excluded_objects: &'a [ObjectHandle],
    /// A condition that what it finds has to meet; none for no condition. It is asked about some of what is near the query,
    /// in any order.
    pub predicate: Option<&'a (dyn Fn(&QueryTarget) -> bool + Sync)>,
}

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        Self {
            layers: None,
            colliders: true,
            triangles: true,
            particles: true,
            excluded_bodies: &[],
            excluded_colliders: &[],
            excluded_objects: &[],
            predicate: None,
        }
    }
}

impl std::fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryFilter").field("layers", &self.layers).finish_non_exhaustive()
    }
}

impl<'a> QueryFilter<'a> {
    /// Returns a filter that finds colliders alone.
    pub fn colliders() -> Self {
        Self { triangles: false, particles: false, ..Self::default() }
    }

    /// Returns a filter that finds the triangles and particles of objects alone.
    pub fn objects() -> Self {
        Self { colliders: false, ..Self::default() }
    }

    /// Selects what collides with these layers.
    #[must_use]
    pub fn layers(self, layers: CollisionLayers) -> Self {
        Self { layers: Some(layers), ..self }
    }

    /// Excludes the colliders of bodies.
    #[must_use]
    pub fn exclude_bodies(self, bodies: &'a [BodyHandle]) -> Self {
        Self { excluded_bodies: bodies, ..self }
    }

    /// Excludes colliders.
    #[must_use]
    pub fn exclude_colliders(self, colliders: &'a [ColliderHandle]) -> Self {
        Self { excluded_colliders: colliders, ..self }
    }

    /// Excludes objects.
    #[must_use]
    pub fn exclude_objects(self, objects: &'a [ObjectHandle]) -> Self {
        Self { excluded_objects: objects, ..self }
    }

    /// Selects what meets a condition.
    #[must_use]
    pub fn predicate(self, predicate: &'a (dyn Fn(&QueryTarget) -> bool + Sync)) -> Self {
        Self { predicate: Some(predicate), ..self }
    }

    /// Returns whether a query finds a target of these layers.
    pub(super) fn allows(&self, target: &QueryTarget, layers: CollisionLayers) -> bool {
        let is_selected = match target {
            QueryTarget::Collider { collider, body } => {
                self.colliders
                    && !self.excluded_colliders.contains(collider)
                    && body.is_none_or(|body| !self.excluded_bodies.contains(&body))
            }
            QueryTarget::Triangle { object, .. } => self.triangles && !self.excluded_objects.contains(object),
            QueryTarget::Particle { object, .. } => self.particles && !self.excluded_objects.contains(object),
        };
        is_selected
            && self.layers.is_none_or(|of_query| of_query.interacts_with(layers))
            && self.predicate.is_none_or(|predicate| predicate(target))
    }
}
