//! Curves of error against time, for each way of solving what is hard to solve.
//!
//! A [`Study`] is a world that is hard to solve. It is stepped by each method with several numbers of substeps on one
//! thread. Stiff things are measured by how far their parts are from what a converged solution has.

mod cloth;
mod links;
#[cfg(feature = "compare")]
mod section;
mod soft;

use std::time::Instant;

use serde::Serialize;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{World, WorldError};

use crate::run::Times;
use crate::scene::{FRAME, SceneError};

#[cfg(feature = "compare")]
pub use section::{convergence_page, section};

/// A world that is hard to solve, and the ways in which it is solved.
pub struct Study {
    /// Name of the study and of its picture.
    pub name: &'static str,
    /// Title of its section.
    pub title: &'static str,
    /// Text that explains the setup and the result.
    pub text: &'static str,
    /// Name and unit of the error.
    pub error: &'static str,
    /// True if the error on the way is drawn, and not the one at the end.
    pub moves: bool,
    /// The methods.
    pub methods: &'static [&'static str],
    /// Substeps of a frame.
    pub substeps: &'static [u32],
    build: fn(method: usize, substeps: u32) -> Result<Trial, SceneError>,
}

/// All studies, in the order of the page.
pub const STUDIES: [Study; 9] = [
    cloth::HANG,
    cloth::SWING,
    cloth::DRAPE,
    cloth::HEAVY,
    links::CHAIN,
    links::ROPE,
    links::ROD,
    soft::JELLY,
    soft::CUBES,
];

/// Errors of the parts of a thing, in the unit of their study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// 99 of 100 parts err by less.
    pub p99: f64,
    /// The largest.
    pub largest: f64,
}

/// Errors that one method leaves with one number of substeps, and its time.
#[derive(Debug, Clone, Serialize)]
pub struct CurvePoint {
    /// Name of the method.
    pub method: &'static str,
    /// Substeps of a frame.
    pub substeps: u32,
    /// Time of a frame on one thread \[ms\].
    pub ms_per_frame: Times,
    /// Errors after the last frame.
    pub at_end: Errors,
    /// The largest of each after any frame.
    pub on_the_way: Errors,
}

/// A world whose errors are measured after each frame.
struct Trial {
    world: World,
    frames: u32,
    /// Edits the world before each frame, given the time \[s\].
    drive: Box<Drive>,
    errors: Box<Measure>,
}

/// An edit of the world before a frame.
type Drive = dyn FnMut(&mut World, f32) -> Result<(), WorldError>;

/// Errors of a world as it is.
type Measure = dyn Fn(&World) -> Result<Errors, WorldError>;

impl Errors {
    /// Nothing errs.
    const NONE: Self = Self { p99: 0.0, largest: 0.0 };

    /// Sorts the errors of all parts; what is not a number counts as infinite.
    fn of(parts: impl Iterator<Item = f64>) -> Self {
        let mut parts: Vec<f64> = parts.map(|part| if part.is_nan() { f64::INFINITY } else { part }).collect();
        parts.sort_unstable_by(f64::total_cmp);
        let at = |hundredth: usize| {
            let place = (parts.len() * hundredth / 100).min(parts.len().saturating_sub(1));
            parts.get(place).copied().unwrap_or(0.0)
        };
        Self { p99: at(99), largest: at(100) }
    }

    /// Returns the larger of each.
    fn max(self, other: Self) -> Self {
        Self { p99: self.p99.max(other.p99), largest: self.largest.max(other.largest) }
    }
}

impl Trial {
    /// Creates a trial of a world that is left alone.
    fn new(world: World, frames: u32, errors: impl Fn(&World) -> Result<Errors, WorldError> + 'static) -> Self {
        Self { world, frames, drive: Box::new(|_, _| Ok(())), errors: Box::new(errors) }
    }

    /// Edits the world before each frame, given the time \[s\].
    fn driven(self, drive: impl FnMut(&mut World, f32) -> Result<(), WorldError> + 'static) -> Self {
        Self { drive: Box::new(drive), ..self }
    }
}

impl Study {
    /// Solves the study by each of its methods.
    ///
    /// # Errors
    /// A world cannot be built or stepped.
    pub fn measure(&self) -> Result<Vec<CurvePoint>, SceneError> {
        let mut points = Vec::new();
        for (k, &method) in self.methods.iter().enumerate() {
            for &substeps in self.substeps {
                let Trial { mut world, frames, mut drive, errors } = (self.build)(k, substeps)?;
                let mut backend = CpuBackend::new(Threads::Exactly(1));
                let (mut times, mut at_end, mut on_the_way) = (Vec::new(), Errors::NONE, Errors::NONE);
                for frame in 0..frames {
                    drive(&mut world, frame as f32 * FRAME)?;
                    let start = Instant::now();
                    world.step(&mut backend, FRAME)?;
                    times.push(1e3 * start.elapsed().as_secs_f64());
                    at_end = errors(&world)?;
                    on_the_way = on_the_way.max(at_end);
                }
                points.push(CurvePoint { method, substeps, ms_per_frame: Times::of(times), at_end, on_the_way });
            }
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_errors_have_their_order_statistics() {
        assert_eq!(Errors::of((0..200).rev().map(f64::from)), Errors { p99: 198.0, largest: 199.0 });
        assert_eq!(Errors::of([1.0, f64::NAN].into_iter()).largest, f64::INFINITY);
        assert_eq!(Errors::of(std::iter::empty()), Errors::NONE);
    }

    #[test]
    fn every_study_can_be_stepped_by_every_method() {
        for study in &STUDIES {
            for (k, method) in study.methods.iter().enumerate() {
                let mut trial = (study.build)(k, 20).expect(study.name);
                (trial.drive)(&mut trial.world, 0.0).expect(study.name);
                trial.world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).expect(study.name);
                let errors = (trial.errors)(&trial.world).expect(study.name);
                assert!(errors.p99 <= errors.largest && errors.largest.is_finite(), "{} by {method}", study.name);
            }
        }
    }
}
