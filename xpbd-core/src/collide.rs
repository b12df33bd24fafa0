//! Collision detection and contacts.
//!
//! Contacts are detected once a frame over the predicted motion, and used by all substeps; for particles and surfaces that move
//! otherwise, again when they do. Particles against shapes give contact planes, particles against particles give pairs,
//! surfaces against surfaces and against corners and edges of shapes give pairs of features, and bodies give manifolds. All
//! become traced constraints in passes like any others. The kinds of contacts are solved in the order of
//! [`ContactKind::SOLVE_ORDER`].

#[doc(hidden)]
pub mod body_contact;
#[doc(hidden)]
pub mod body_contacts;
mod collider;
#[doc(hidden)]
pub mod contact;
mod contact_set;
mod contacts;
mod detection;
mod events;
mod grid;
mod mesh_shape;
mod mobility;
#[doc(hidden)]
pub mod particle_body_contacts;
mod particle_contacts;
#[doc(hidden)]
pub mod particle_shape;
mod rebound;
mod sensors;
mod separation;
#[doc(hidden)]
pub mod shape_contacts;
mod shape_rules;
mod surface_contact;
#[doc(hidden)]
pub mod surface_contacts;

pub use collider::Collider;
pub use events::{Collision, Contact, ContactPartner, ContactPhase};
pub use mesh_shape::{DecompositionSettings, MeshError, convex_decomposition, open_mesh, solid_mesh};
pub use sensors::SensorOverlap;
pub(crate) use sensors::{SensorContext, shapes_overlap};
pub(crate) use shape_rules::{UnsupportedShape, check_shape};

#[doc(hidden)]
pub use body_contact::{BodyContact, GroundContact, ParticleBodyContact};
#[doc(hidden)]
pub use contact::{ParticleContact, ShapeContact};
#[doc(hidden)]
pub use contact_set::{ContactKind, ContactSet, ContactSubstep, IMPACT_SWEEPS, VELOCITY_SWEEPS};
#[doc(hidden)]
pub use contacts::Contacts;
#[doc(hidden)]
pub use detection::DetectionContext;
#[doc(hidden)]
pub use events::{ContactImpulse, ImpulseSource};
#[doc(hidden)]
pub use mobility::HELD_AGAINST_PARTICLE;
#[doc(hidden)]
pub use particle_contacts::MAX_PARTNERS;
#[doc(hidden)]
pub use rebound::slowest_rebound;
#[doc(hidden)]
pub use separation::{APART, FLATNESS, LAYER, exit_direction};
#[doc(hidden)]
pub use surface_contact::SurfaceContact;
