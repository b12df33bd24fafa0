//! The plugin in apps without a window.

mod bits;
mod bodies;
mod characters;
mod cloth;
mod clusters;
mod coming_and_going;
mod constraints;
mod diagnostics;
mod drag;
mod fluids;
mod forces;
mod gltf;
#[path = "../support/grains.rs"]
mod grains;
mod inspector;
mod joints;
mod messages;
mod moved;
mod numbers;
mod odd;
mod picking;
mod queries;
mod rods;
mod rollback;
mod ropes;
#[cfg(feature = "serialize")]
mod saved;
mod skins;
mod snapshots;
mod soft;
mod support;
mod time;
mod vehicle;
