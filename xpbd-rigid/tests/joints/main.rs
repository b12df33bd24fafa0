//! Joints: what they hold, what they leave free, what bounds and drives them, what they bear.

mod blocks;
mod breaking;
mod contracts;
mod couplings;
mod direct;
mod edits;
mod errors;
mod free;
mod hold;
mod limits;
mod loops;
mod momentum;
mod motors;
mod ragdolls;
mod reaction;
mod rotation_motors;
mod six_axis;
mod spin;
mod support;
