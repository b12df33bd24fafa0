//! Scenes, the runner, and the checks of the engine.
//!
//! A [`scene`] is a function from options to a world with an observer. The runner `xpbd`, the
//! tests and the benchmarks all use the same ones.

pub mod bench;
#[cfg(feature = "compare")]
pub mod compare;
pub mod device;
pub mod matrix;
pub mod mesh;
pub mod picture;
#[cfg(feature = "play")]
pub mod play;
pub mod random;
#[cfg(feature = "compare")]
pub mod reference;
pub mod run;
pub mod scene;
pub mod soak;
pub mod validate;
