//! core
pub mod batch;
pub mod bodies;
pub mod connector;
pub mod constraint;
pub mod collide;
pub mod cpu;
pub mod particles;
pub mod program;
pub mod scalar;
pub mod schedule;
pub mod world;

/// What an author of constraints and a user of worlds needs.
pub mod prelude {
    pub use crate::batch::Batch;
    pub use crate::constraint::{Constraint, ConstraintType, Points, Rows};
    pub use crate::scalar::Real;
}
