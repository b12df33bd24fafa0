//! Checks of contact and friction.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{CollisionLayers, Friction, Object, Settings};

use super::lab::{G, Lab, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Recipe, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![
    depenetration_from_a_shape,
    depenetration_of_particles,
    slip_angle,
    slide_acceleration,
    creep,
    stopping_distance,
    repose_is_monotone,
    repose_is_near_the_friction_angle,
];

/// Fastest separation \[m/s\].
const CAP: f32 = 0.1;

fn capped() -> Settings {
    Settings { particle_radius: 0.1, contact_margin: 0.1, max_depenetration_speed: CAP, ..weightless(20, 1) }
}

/// Returns by how much the speed exceeds the limit (\[SmallSteps19\] eq. 10), relative to the limit, and
/// whether the overlap is gone in the end.
fn excess(
    mut lab: Lab,
    separation: impl Fn(&Lab) -> Result<[f64; 2], SceneError>,
    wanted: f64,
) -> Result<f64, SceneError> {
    let mut fastest = 0.0_f64;
    for _ in 0..150 {
        lab.step()?;
        fastest = fastest.max(separation(&lab)?[1]);
    }
    let resolved = separation(&lab)?[0] > wanted * (1.0 - 1e-4);
    Ok(if resolved { (fastest / f64::from(CAP) - 1.0).max(0.0) } else { f64::NAN })
}

/// Measures how fast a particle leaves a floor in which it is half sunk.
pub fn depenetration_from_a_shape(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, capped())?;
    lab.world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)))?;
    let particle = lab.world.add(Object::new("particle", vec![Vec3::ZERO], 1.0))?;
    let height = |lab: &Lab| {
        let speed = lab.world.velocity(particle, 0)?.y;
        Ok([lab.at(particle, 0)?.y, f64::from(speed)])
    };
    Check::at_most("depenetration from a shape: speed over the cap [1]", 1e-3, excess(lab, height, 0.1)?)
}

/// Measures how fast two particles that overlap by a radius separate.
pub fn depenetration_of_particles(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, capped())?;
    let mut pair = Object::new("pair", vec![Vec3::ZERO, Vec3::X * 0.1], 1.0);
    pair.collision_layers = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
    pair.rest_positions = vec![Vec3::ZERO, Vec3::X];
    let pair = lab.world.add(pair)?;
    let gap = |lab: &Lab| {
        let speed = lab.world.velocity(pair, 1)?.x - lab.world.velocity(pair, 0)?.x;
        Ok([lab.at(pair, 0)?.distance(lab.at(pair, 1)?), f64::from(speed)])
    };
    Check::at_most("depenetration of particles: speed over the cap [1]", 1e-3, excess(lab, gap, 0.2)?)
}

/// Returns the scene `incline` after it has run.
fn incline(device: &Device, degrees: f64, mu: f64, frames: u32) -> Result<Scene, SceneError> {
    let options = Options::default().with("deg", degrees).with("mu", mu).frames(frames);
    let mut scene = Recipe::find("incline")?.build(&options)?;
    scene.run(&mut device.stepper())?;
    Ok(scene)
}

/// Compares the slope at which particles begin to slide, found by bisection, with tan θ = μ.
pub fn slip_angle(device: &Device) -> Outcome {
    let (mut sticks, mut slips) = (10.0, 45.0);
    while slips - sticks > 0.05 {
        let middle = 0.5 * (sticks + slips);
        let slid = incline(device, middle, 0.5, 120)?.metric("slid_m")?;
        *(if slid > 1e-3 { &mut slips } else { &mut sticks }) = middle;
    }
    Check::near("incline: slope at which μ = 0.5 slips [degrees]", libm::atan(0.5).to_degrees(), slips, 1.5)
}

/// Compares with a = g (sin θ − μ cos θ).
pub fn slide_acceleration(device: &Device) -> Outcome {
    let angle = 30.0_f64.to_radians();
    let expected = G * (libm::sin(angle) - 0.3 * libm::cos(angle));
    let measured = incline(device, 30.0, 0.3, 120)?.metric("acceleration_m_s2")?;
    Check::relative("incline: acceleration at 30 degrees, μ = 0.3 [m/s²]", expected, measured, 0.03)
}

/// Measures the creep in 10 s at tan θ = 0.8 μ, where nothing should move.
pub fn creep(device: &Device) -> Outcome {
    let degrees = libm::atan(0.8 * 0.5).to_degrees();
    let slid = incline(device, degrees, 0.5, 600)?.metric("slid_m")?;
    Check::at_most("incline: creep in 10 s at 0.8 μ [m]", 1e-3, slid)
}

/// Compares with v₀²/(2 μ g).
pub fn stopping_distance(device: &Device) -> Outcome {
    let (speed, mu) = (2.0_f32, 0.4_f32);
    let mut lab = Lab::new(device, passes(40, 1))?;
    let radius = lab.world.settings().particle_radius;
    let floor = Collider::new(SharedShape::halfspace(Vector::Y));
    lab.world.add_collider(floor.friction(Friction::new(mu)))?;
    let mut puck = Object::new("puck", vec![Vec3::Y * radius], 1.0).velocity(Vec3::X * speed);
    puck.friction = Friction::new(mu);
    let puck = lab.world.add(puck)?;
    lab.steps(120)?;
    let expected = f64::from(speed * speed) / (2.0 * f64::from(mu) * G);
    Check::relative("sliding puck: stopping distance [m]", expected, lab.at(puck, 0)?.x, 0.01)
}

/// Returns the slopes of heaps \[degrees\] for friction coefficients \[1\].
fn heaps(device: &Device, coefficients: &[f64]) -> Result<Vec<f64>, SceneError> {
    let heap = |mu: &f64| {
        let mut scene = Recipe::find("pile")?.build(&Options::default().with("n", 400).with("mu", mu))?;
        scene.run(&mut device.stepper())?;
        scene.metric("repose_deg")
    };
    coefficients.iter().map(heap).collect()
}

/// Counts how often more friction gives a flatter heap.
pub fn repose_is_monotone(device: &Device) -> Outcome {
    let slopes = heaps(device, &[0.1, 0.3, 0.5])?;
    let wrong = slopes.windows(2).filter(|pair| pair[0].partial_cmp(&pair[1]) != Some(std::cmp::Ordering::Less));
    Check::at_most("heap: times that more friction is less steep [1]", 0.0, wrong.count() as f64)
}

/// Checks that the slope over atan μ is between 0.6 and 1.1. For smaller μ the slope is steeper than that: spheres
/// without any friction hold about 6 degrees.
pub fn repose_is_near_the_friction_angle(device: &Device) -> Outcome {
    let coefficients = [0.4, 0.5, 0.6];
    let ratios = heaps(device, &coefficients)?.into_iter().zip(coefficients);
    let ratios = ratios.map(|(slope, mu)| slope / libm::atan(mu).to_degrees());
    let farthest = |worst: f64, ratio: f64| if (ratio - 0.85).abs() > (worst - 0.85).abs() { ratio } else { worst };
    Check::near("heap: slope over atan μ, for μ from 0.4 to 0.6 [1]", 0.85, ratios.fold(0.85, farthest), 0.25)
}
