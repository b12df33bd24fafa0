//! Spatial queries: rays, shape casts, overlaps and closest points.
//!
//! A [`SpatialIndex`] is a tree over the colliders, the triangles and the free particles of a world. The application keeps
//! it beside the world. [`SpatialIndex::update`] brings it up to date and returns a [`SpatialQuery`], which borrows the
//! world: nothing can move while it exists, so no answer is out of date. Updating for a world that has not changed costs
//! nothing, and a world that nobody asks pays nothing. Of a world that is stepped on a device, queries see the last frame that came back
//! ([`World::synchronize`](crate::world::World::synchronize) waits for the newest one).
//!
//! ```
//! use glam::Vec3;
//! use parry3d::shape::SharedShape;
//! use xpbd_core::prelude::*;
//! use xpbd_core::query::{QueryFilter, QueryTarget, Ray, SpatialIndex};
//!
//! let mut world = World::default();
//! let floor = world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
//! let mut index = SpatialIndex::default();
//!
//! let space = index.update(&world);
//! let ray = Ray::new(Vec3::Y * 2.0, Vec3::NEG_Y, 10.0);
//! let hit = space.cast_ray(&ray, &QueryFilter::default()).expect("the floor is below");
//! assert_eq!((hit.target, hit.distance), (QueryTarget::Collider { collider: floor, body: None }, 2.0));
//! # Ok::<(), WorldError>(())
//! ```
//!
//! Colliders are found with their shapes, sensors are not found. Objects that have
//! [triangles](crate::object::Object::triangles), cloth and soft bodies, are found by these, without thickness and from both
//! sides. Particles that belong to no triangle are balls of the world's radius. Distances and points are in \[m\]. Queries
//! find nothing for a number that is not finite, and nothing from 10¹⁵ m away. Of what is equally near they name what was added first, objects before
//! colliders.

mod filter;
mod index;
mod leaf;
mod nearest;
mod point;
mod ray;
mod select;
mod shape;
mod tree;
mod triangle;

pub use filter::QueryFilter;
pub use index::{SpatialIndex, SpatialQuery};
pub use ray::Ray;
pub use shape::{QueryError, ShapeCast};

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::handle::{BodyHandle, ColliderHandle, ObjectHandle};

/// A thing that a query can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum QueryTarget {
    /// A collider.
    Collider {
        /// The collider.
        collider: ColliderHandle,
        /// The body that it is on.
        body: Option<BodyHandle>,
    },
    /// A triangle of an object.
    Triangle {
        /// The object.
        object: ObjectHandle,
        /// Number of the triangle in [`ObjectState::triangles`](crate::object::ObjectState::triangles).
        triangle: u32,
        /// Its corners, as particles of the object.
        particles: [u32; 3],
    },
    /// A particle that belongs to no triangle.
    Particle {
        /// The object.
        object: ObjectHandle,
        /// The particle.
        particle: u32,
    },
}

/// A hit of a query.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QueryHit {
    /// The thing that was hit.
    pub target: QueryTarget,
    /// The point of its surface that is hit, or is nearest \[m\].
    pub point: Vec3,
    /// Unit normal of its surface there, towards where the query came from; zero for a ray or a point that starts inside.
    pub normal: Vec3,
    /// The distance to it, along the way of a cast \[m\]; 0 inside, and negative for shapes that are asked for their contacts.
    pub distance: f32,
    /// Weights of the corners of a triangle at the point \[1\], which sum to 1; zero for everything else.
    pub barycentrics: Vec3,
}
