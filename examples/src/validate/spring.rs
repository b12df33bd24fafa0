//! Checks of springs: their motion, their rest and their damping.

use glam::Vec3;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::world::Object;

use super::lab::{G, Lab, Pair, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![
    closed_form,
    iterations_agree,
    static_stretch,
    static_force,
    boxes_on_links,
    damping_gains_nothing,
    overdamped_does_not_oscillate,
];

/// Compliance of the spring \[m/N\].
const COMPLIANCE: f32 = 1e-3;
/// Substeps that the motion is compared at.
const SUBSTEPS: [u32; 4] = [1, 4, 10, 40];

/// Returns where a spring of rest length 1 m, let go at 1.5 m, is after each of 60 frames \[m\].
fn motion(device: &Device, substeps: u32, iterations: u32) -> Result<Vec<f64>, SceneError> {
    let mut spring = Pair::new(device, weightless(substeps, iterations), Vec3::X * 1.5, COMPLIANCE, 0.0)?;
    let place = |_| {
        spring.lab.step()?;
        Ok(spring.place()?.x)
    };
    (0..60).map(place).collect()
}

/// Compares with x_k = 1 + 0.5 ρᵏ cos(kφ), ρ = (1 + ω²h²)^(−1/2), φ = atan(ωh), ω² = 1/(α m) (\[XPBD16\]).
pub fn closed_form(device: &Device) -> Outcome {
    let mut worst = 0.0_f64;
    for substeps in SUBSTEPS {
        let h = f64::from(FRAME) / f64::from(substeps);
        let wh = h / f64::from(COMPLIANCE).sqrt();
        for (frame, x) in motion(device, substeps, 1)?.into_iter().enumerate() {
            let k = (frame + 1) as f64 * f64::from(substeps);
            let expected = 1.0 + 0.5 * libm::pow(1.0 + wh * wh, -0.5 * k) * libm::cos(k * libm::atan(wh));
            worst = worst.max((x - expected).abs());
        }
    }
    Check::at_most("spring: distance from the closed form [m]", 1e-4, worst)
}

/// Checks that ten iterations give the motion of one (\[XPBD16\]).
pub fn iterations_agree(device: &Device) -> Outcome {
    let mut worst = 0.0_f64;
    for substeps in SUBSTEPS {
        let both = motion(device, substeps, 1)?.into_iter().zip(motion(device, substeps, 10)?);
        worst = both.fold(worst, |worst, (one, ten)| worst.max((one - ten).abs()));
    }
    Check::at_most("spring: 10 iterations from 1 [m]", 1e-5, worst)
}

/// Returns a spring that has come to rest under the weight of 1 kg.
fn hung(device: &Device) -> Result<Pair, SceneError> {
    let mut spring = Pair::new(device, passes(4, 1), -Vec3::Y, COMPLIANCE, 10.0)?;
    spring.lab.steps(600)?;
    Ok(spring)
}

/// Compares with the stretch α m g.
pub fn static_stretch(device: &Device) -> Outcome {
    let stretch = hung(device)?.place()?.length() - 1.0;
    Check::relative("spring: static stretch [m]", f64::from(COMPLIANCE) * G, stretch, 1e-3)
}

/// Compares with the force λ/h² = m g, which pulls.
pub fn static_force(device: &Device) -> Outcome {
    let spring = hung(device)?;
    let force = -f64::from(spring.lab.world.row_forces(spring.batch, 0)?[0]);
    Check::relative("spring: static force [N]", G, force, 1e-3)
}

/// Measures the largest deviation of elongations from α F, relative to them, for any substeps (\[Rigid20\] fig. 4).
/// Boxes of 1 kg and 2 kg hang on links of 0.01 m/N.
pub fn boxes_on_links(device: &Device) -> Outcome {
    let compliance = 0.01;
    let mut worst = 0.0_f64;
    for substeps in [1, 5, 20, 50] {
        let mut lab = Lab::new(device, passes(substeps, 1))?;
        let links = Batch::new(
            Distance,
            &[[0, 2], [1, 3]],
            &[DistanceParameters { rest_length: 0.5 }, DistanceParameters { rest_length: 0.5 }],
        )?
        .compliance(compliance)
        .damping(10.0);
        let places = vec![Vec3::ZERO, Vec3::X, -Vec3::Y * 0.5, Vec3::X - Vec3::Y * 0.5];
        let mut boxes = Object::new("boxes", places, 1.0).pin([0, 1]).with(links);
        boxes.masses[3] = 2.0;
        let boxes = lab.world.add(boxes)?;
        lab.steps(1200)?;
        for (k, mass) in [(0, 1.0), (1, 2.0)] {
            let elongation = lab.at(boxes, k)?.distance(lab.at(boxes, k + 2)?) - 0.5;
            worst = worst.max((elongation / (f64::from(compliance) * mass * G) - 1.0).abs());
        }
    }
    Check::at_most("two boxes: elongation from α F, over substeps [1]", 1e-3, worst)
}

/// Measures the largest rise of the energy in a frame for any damping, relative to its start.
pub fn damping_gains_nothing(device: &Device) -> Outcome {
    let mut rise = 0.0_f64;
    for damping in [0.0, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e6] {
        let mut spring = Pair::new(device, weightless(4, 1), Vec3::X * 1.5, COMPLIANCE, damping)?;
        let energy = |spring: &Pair| -> Result<f64, SceneError> {
            let stretch = spring.place()?.length() - 1.0;
            Ok(0.5 * spring.velocity()?.length_squared() + 0.5 * stretch * stretch / f64::from(COMPLIANCE))
        };
        let before = energy(&spring)?;
        let mut last = before;
        for _ in 0..300 {
            spring.lab.step()?;
            let now = energy(&spring)?;
            rise = rise.max((now - last) / before);
            last = now;
        }
    }
    Check::at_most("damping: rise of the energy in a frame / E₀ [1]", 1e-6, rise)
}

/// Measures how far an overdamped spring swings past its rest \[m\]; critical damping is 2 √(m/α).
pub fn overdamped_does_not_oscillate(device: &Device) -> Outcome {
    let critical = 2.0 / COMPLIANCE.sqrt();
    let mut past = 0.0_f64;
    for factor in [2.0, 10.0, 100.0] {
        let mut spring = Pair::new(device, weightless(10, 1), Vec3::X * 1.5, COMPLIANCE, factor * critical)?;
        for _ in 0..300 {
            spring.lab.step()?;
            past = past.max(1.0 - spring.place()?.x);
        }
    }
    Check::at_most("overdamped spring: swing past its rest [m]", 1e-6, past)
}
