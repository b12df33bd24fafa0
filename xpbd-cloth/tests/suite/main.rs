//! What the constraints, meshes and builders of the crate promise.

mod air;
mod bad_input;
mod cloth;
mod constraints;
mod direct;
mod energy;
mod fabric;
mod fuzz;
mod geodesic;
mod inflation;
mod measurement;
mod mesh;
mod motion;
mod multilevel;
mod plastic_cloth;
mod plastic_soft_body;
mod rod;
mod rope;
mod skinning;
mod soft_body;
mod surface_collision;
mod surface_particles;
mod surface_shapes;
mod tear;
mod tetra;
mod winch;
