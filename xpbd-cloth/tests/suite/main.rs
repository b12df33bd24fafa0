//! What the constraints, meshes and builders of the crate promise.

mod bad_input;
mod cloth;
mod constraints;
mod energy;
mod geodesic;
mod measure;
mod mesh;
mod motion;
mod plastic;
mod rod;
mod rope;
mod tear;
mod winch;
