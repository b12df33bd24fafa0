//! Ellipsoids, surface meshes and foam of a liquid, for renderers. They depend on positions alone, not on the solver.
//!
//! Everything here takes the positions of a liquid's particles `[m]` and their spacing d `[m]`, the
//! diameter of a particle:
//!
//! - [`Ellipsoids`] smooths positions and fits an ellipsoid to the surroundings of each particle, to
//!   be drawn as instances,
//! - `surface` wraps a triangle mesh around the liquid (feature `surface`),
//! - [`Foam`] carries spray, foam and bubbles along.

mod cells;
mod eigen;
mod ellipsoid;
mod foam;
mod options;
#[cfg(feature = "surface")]
mod surface;

pub use ellipsoid::{Ellipsoid, EllipsoidOptions, Ellipsoids};
pub use foam::{Foam, FoamKind, FoamOptions, FoamParticle, FoamPotential};
pub use options::OptionError;
#[cfg(feature = "surface")]
pub use surface::{SurfaceError, SurfaceMesh, SurfaceOptions, surface};
