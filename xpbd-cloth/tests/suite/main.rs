//! What the constraints, meshes and builders of the crate promise.

mod air;
mod bad_input;
mod cloth;
mod constraints;
mod energy;
mod fabric;
mod fuzz;
mod gas;
mod geodesic;
mod measure;
mod mesh;
mod motion;
mod plastic;
mod plastic_solid;
mod rod;
mod rope;
mod skinning;
mod solid;
mod surface;
mod tear;
mod tetra;
mod winch;
