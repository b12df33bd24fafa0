//! The number that a constraint is written over.
//!
//! A constraint is generic over [`Real`]. Run on [`Sym`](crate::program::Sym) it records a
//! program; run on [`Dual`] it gives exact derivatives to compare that program with.

pub mod dual;
pub(crate) mod elementary;
pub mod real;
pub mod rotation;
pub mod single;
pub mod trig;
pub mod vec3;

pub use dual::{Double, Dual};
pub use real::{Real, UseSelectLt};
pub use single::{Single, Single4};
pub use vec3::Vec3;
