//! Collisions: found once a frame over the predicted motion, used by all substeps.
//!
//! Particles against shapes give contact planes ([`particle_shape`]), particles against particles
//! give pairs ([`grid`]), surfaces against surfaces pairs of features ([`surface_contacts`]). All become traced constraints ([`contact`]) in passes like any others.

pub mod body_contact;
pub mod body_contacts;
pub mod collider;
pub mod contact;
pub mod contact_set;
pub mod contacts;
pub mod detection;
pub mod events;
pub mod grid;
pub mod mesh_shape;
pub mod particle_body_contacts;
pub mod particle_contacts;
pub mod particle_shape;
mod separation;
pub mod shape_contacts;
pub mod surface_contact;
pub mod surface_contacts;

pub use body_contact::{BodyContact, GroundContact, ParticleBodyContact};
pub use collider::Collider;
pub use contact::{ParticleContact, ShapeContact};
pub use contact_set::{ContactKind, ContactSet, ContactSubstep};
pub use contacts::Contacts;
pub use detection::DetectionContext;
pub use events::{Collision, Contact, ContactImpulse, ContactPartner, ContactPhase, ImpulseSource};
pub use mesh_shape::{MeshError, open_mesh, solid_mesh};
pub use surface_contact::SurfaceContact;
