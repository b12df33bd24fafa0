//! The contracts of the crate, each as a test: what is refused, what is computed, and what stays
//! the same to the last bit.

mod bad_input;
mod bad_state;
mod belts;
mod bodies;
mod bullets;
mod collisions;
mod constraint_errors;
mod contact_motion;
mod contact_shapes;
mod contacts;
mod determinism;
mod flow;
mod force_regions;
mod free_bodies;
mod frozen;
mod fuzz;
mod methods;
mod numbers;
mod platforms;
mod present;
mod programs;
mod queries;
mod reference;
mod restitution;
mod schedule;
mod sensors;
mod shape_pairs;
mod snapshot;
mod snapshot_damage;
mod split;
mod stacks;
mod stale_handles;
mod support;
mod trigonometry;
mod yard;
