//! Checks of chains of twenty particles: \[SmallSteps19\] §6.1 and \[XPBD16\].

use glam::Vec3;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::settings::ScheduleOrder;
use xpbd_core::world::{Object, Settings};

use super::lab::{Lab, passes};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] = rows![
    top_force,
    bottom_error_top_down,
    bottom_error_bottom_up,
    error_falls_with_the_square,
    heavy_end,
    compliant_at_50,
    compliant_at_100,
    compliant_at_1000,
    compliant_is_monotone,
];

/// Returns a metric of the scene `chain`.
fn scene(device: &Device, options: &Options, metric: &str) -> Result<f64, SceneError> {
    let mut chain = Recipe::find("chain")?.build(options)?;
    chain.run(&mut device.stepper())?;
    chain.metric(metric)
}

/// Compares the force in the top link with the weight of 19 kg at g = 10.
pub fn top_force(device: &Device) -> Outcome {
    let force = scene(device, &Options::default(), "top_force_n")?;
    Check::relative("chain: force in the top link [N]", 190.0, force, 1e-3)
}

/// Compares with g h² n (n − 1)/2 for n = 19 free particles, at 10 substeps.
pub fn bottom_error_top_down(device: &Device) -> Outcome {
    let h = 1.0 / 600.0;
    let expected = 10.0 * h * h * 171.0;
    let error = scene(device, &Options::default(), "final_error_m")?;
    Check::relative("chain: bottom error of a top-down sweep [m]", expected, error, 0.01)
}

/// Compares with 5.25 mm: each link but the last carries one substep's fall more than top-down.
pub fn bottom_error_bottom_up(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, sequential(10, 1))?;
    let links: Vec<[u32; 2]> = (1..20).rev().map(|k| [k - 1, k]).collect();
    let places = (0..20).map(|k| Vec3::Y * (-0.01 * k as f32)).collect();
    let chain = Object::new("chain", places, 1.0).pin([0]).with(Batch::new(
        Distance,
        &links,
        &[DistanceParameters { rest_length: 0.01 }; 19],
    )?);
    let chain = lab.world.add(chain)?;
    lab.steps(1000)?;
    Check::relative("chain: bottom error of a bottom-up sweep [m]", 5.25e-3, -lab.at(chain, 19)?.y - 0.19, 0.01)
}

/// Measures the spread of e S², which should be constant, over 10, 20, 40 and 100 substeps, relative to its mean.
pub fn error_falls_with_the_square(device: &Device) -> Outcome {
    let mut scaled = Vec::new();
    for substeps in [10, 20, 40, 100] {
        let error = scene(device, &Options::default().steps(substeps, 1), "final_error_m")?;
        scaled.push(error * f64::from(substeps * substeps));
    }
    let (least, most) = scaled.iter().fold((f64::MAX, 0.0_f64), |(least, most), &x| (least.min(x), most.max(x)));
    Check::at_most("chain: spread of e S² [1]", 0.02, (most - least) / (0.5 * (most + least)))
}

/// Compares the largest errors of 100 iterations and of 100 substeps with 1e5 kg at the end. The paper gives 322.1 m
/// and 3.2 m.
pub fn heavy_end(device: &Device) -> Outcome {
    let heavy = Options::default().with("end_mass", 1e5);
    let iterations = scene(device, &heavy.clone().steps(1, 100), "max_error_m")?;
    let substeps = scene(device, &heavy.steps(100, 1), "max_error_m")?;
    Check::near("chain, heavy end: error of 1 × 100 over 100 × 1 [1]", 100.0, iterations / substeps, 10.0)
}

fn sequential(substeps: u32, iterations: u32) -> Settings {
    let mut settings = Settings { gravity: Vec3::NEG_Y * 10.0, ..passes(substeps, iterations) };
    settings.schedule.order = ScheduleOrder::Sequential;
    settings
}

/// Iterations of the reference; more change it by 2e-5 of itself, which is single precision.
const CONVERGED: u32 = 2000;
/// Frames compared.
const FRAMES: u32 = 30;

/// Returns the force in the top link in each frame \[N\], of a chain with compliance 1e-8 m/N that is released.
fn compliant(device: &Device, iterations: u32) -> Result<Vec<f64>, SceneError> {
    let mut lab = Lab::new(device, sequential(1, iterations))?;
    let links: Vec<[u32; 2]> = (1..20).map(|k| [k - 1, k]).collect();
    let places = (0..20).map(|k| Vec3::Y * (-0.05 * k as f32)).collect();
    let batch = Batch::new(Distance, &links, &[DistanceParameters { rest_length: 0.05 }; 19])?.compliance(1e-8);
    let chain = lab.world.add(Object::new("chain", places, 1.0).pin([0]).with(batch))?;
    let batch = lab.world.batches_of(chain)[0];
    let force = |_| {
        lab.step()?;
        Ok(-f64::from(lab.world.row_forces(batch, 0)?[0]))
    };
    (0..FRAMES).map(force).collect()
}

/// Returns how far the force is from the converged one: the mean deviation as a part of the mean force.
fn deviations(device: &Device, iterations: &[u32]) -> Result<Vec<f64>, SceneError> {
    let reference = compliant(device, CONVERGED)?;
    let size: f64 = reference.iter().sum();
    let deviation = |&iterations: &u32| {
        let off = compliant(device, iterations)?
            .into_iter()
            .zip(&reference)
            .map(|(force, reference)| (force - reference).abs());
        Ok(off.sum::<f64>() / size)
    };
    iterations.iter().map(deviation).collect()
}

/// Compares 50 iterations with the converged chain of \[XPBD16\].
pub fn compliant_at_50(device: &Device) -> Outcome {
    Check::at_most("XPBD chain: top force at 50 iterations, off by [1]", 0.15, deviations(device, &[50])?[0])
}

/// Compares 100 iterations with the converged chain of \[XPBD16\].
pub fn compliant_at_100(device: &Device) -> Outcome {
    Check::at_most("XPBD chain: top force at 100 iterations, off by [1]", 0.05, deviations(device, &[100])?[0])
}

/// Compares 1000 iterations with the converged chain of \[XPBD16\].
pub fn compliant_at_1000(device: &Device) -> Outcome {
    Check::at_most("XPBD chain: top force at 1000 iterations, off by [1]", 0.005, deviations(device, &[1000])?[0])
}

/// Counts how often more iterations give a larger error.
pub fn compliant_is_monotone(device: &Device) -> Outcome {
    let off = deviations(device, &[20, 50, 100, 200, 500, 1000])?;
    let worse = off.windows(2).filter(|pair| pair[1] > pair[0]).count();
    Check::at_most("XPBD chain: times that more iterations are worse [1]", 0.0, worse as f64)
}
