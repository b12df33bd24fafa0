//! What water does whatever is done to it: walls hold it, sums stay, bits are the same, bad input is refused.

mod among_solids;
mod bad_input;
mod bits;
mod edges;
mod edits;
mod extremes;
mod far;
mod heavy;
mod momentum;
mod pores;
mod support;
mod tap;
mod walls;
