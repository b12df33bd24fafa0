//! Checks of rods against beam theory and the elastica.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E I, G J | bending and twisting stiffness | N m² |
//! | L, P, M | length, load, moment | m, N, N m |

use std::f32::consts::PI;

use glam::{Quat, Vec3};
use xpbd_cloth::{Rod, RodEnd, RodHandle};

use super::lab::{Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::{Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] = rows![
    cantilever,
    thin_cantilever,
    elastica,
    half_circle,
    buckling,
    twist,
    helical_spring,
    rotated_rest,
    linear_momentum,
    angular_momentum,
];

/// Returns a metric of a scene.
fn scene(device: &Device, name: &str, metric: &str) -> Result<f64, SceneError> {
    let mut scene = Recipe::find(name)?.build(&Options::default())?;
    scene.run(&mut device.stepper())?;
    scene.metric(metric)
}

/// Compares with P L³/(3 E I), for a deflection of 4 % of L.
pub fn cantilever(device: &Device) -> Outcome {
    Check::at_most(
        "rod: deflection of a cantilever, off / P L³/(3 E I) [1]",
        0.03,
        scene(device, "cantilever", "tip_error_ratio")?,
    )
}

/// Compares the deflection of 100 thin segments by 4 substeps with that of the beam, whose first joint is half a segment from
/// the clamp.
pub fn thin_cantilever(device: &Device) -> Outcome {
    let (segments, load) = (100, 0.05 * STIFFNESS / 16.0);
    let mut lab = Lab::new(device, weightless(4, 1))?;
    let rod = Rod::between(Vec3::ZERO, Vec3::X, segments).radius(0.5 * RADIUS).density(1000.0).youngs_modulus(MODULUS);
    let rod = rod.linear_damping(3.0).clamp(RodEnd::First);
    let rod = built(rod.add_to(&mut lab.world))?;
    for _ in 0..300 {
        lab.world.add_force(rod.object(), segments as usize, Vec3::NEG_Y * load)?;
        lab.step()?;
    }
    let beam = f64::from(load / (3.0 * STIFFNESS / 16.0)) * (1.0 + 0.5 / f64::from(segments * segments));
    let tip = -lab.at(rod.object(), segments as usize)?.y;
    Check::relative("rod: deflection of 100 thin segments at 4 substeps [m]", beam, tip, 0.01)
}

/// Compares with T L/(G J), for two turns.
pub fn twist(device: &Device) -> Outcome {
    Check::at_most("rod: twist through 720°, off / T L/(G J) [1]", 0.01, scene(device, "twist", "angle_error_ratio")?)
}

/// Compares with F/δ = 1/(s R² (cos² α/(G J) + sin² α/(E I))) with the length s of the wire and its rise α.
pub fn helical_spring(device: &Device) -> Outcome {
    Check::near(
        "rod: stiffness of a helical spring / closed form [1]",
        1.0,
        scene(device, "helix", "stiffness_ratio")?,
        0.03,
    )
}

/// Radius \[m\] and Young's modulus \[Pa\] of a rod of 1 m with E I = 0.4π N m².
const RADIUS: f32 = 0.02;
const MODULUS: f32 = 1e7;
const STIFFNESS: f32 = 0.4 * PI;

/// Segments of a rod that stands up from a clamp.
const SEGMENTS: u32 = 12;

/// Returns a rod of 1 m along y, clamped at its foot, with this drag \[1/s\].
fn standing(device: &Device, drag: f32) -> Result<(Lab, RodHandle), SceneError> {
    let mut lab = Lab::new(device, weightless(100, 1))?;
    let rod = Rod::between(Vec3::ZERO, Vec3::Y, SEGMENTS).radius(RADIUS).youngs_modulus(MODULUS).density(1000.0);
    let rod = rod.linear_damping(drag).clamp(RodEnd::First).add_to(&mut lab.world)?;
    Ok((lab, rod))
}

/// Pushes the tip for some frames.
fn push(lab: &mut Lab, rod: &RodHandle, force: Vec3, frames: u32) -> Result<(), SceneError> {
    for _ in 0..frames {
        lab.world.add_force(rod.object(), SEGMENTS as usize, force)?;
        lab.step()?;
    }
    Ok(())
}

fn tip(lab: &Lab, rod: &RodHandle) -> Result<glam::DVec3, SceneError> {
    lab.at(rod.object(), SEGMENTS as usize)
}

/// Compares the tip's displacement across with 0.49346 L at P L²/(E I) = 2 (\[Mattiasson81\] Numerical results from
/// large
/// deflection beam and frame problems analysed by means of elliptic integrals).
pub fn elastica(device: &Device) -> Outcome {
    let (mut lab, rod) = standing(device, 8.0)?;
    push(&mut lab, &rod, Vec3::X * (2.0 * STIFFNESS), 180)?;
    Check::relative("rod: elastica, tip at P L²/(E I) = 2 [L]", 0.493_46, tip(&lab, &rod)?.x, 0.01)
}

/// Measures the distance of the end of a rod from that of a half circle, 2 L/π wide, under the moment M = π E I/L. A
/// whole circle is not stable: it leaves its plane.
pub fn half_circle(device: &Device) -> Outcome {
    let (mut lab, rod) = standing(device, 8.0)?;
    for _ in 0..120 {
        lab.world.add_body_torque(rod.segments()[SEGMENTS as usize - 1], Vec3::Z * (PI * STIFFNESS))?;
        lab.step()?;
    }
    let end = glam::DVec3::NEG_X * (2.0 / std::f64::consts::PI);
    Check::at_most(
        "rod: end of a rod that π E I/L bends to half a circle, off [L]",
        0.012,
        tip(&lab, &rod)?.distance(end),
    )
}

/// Compares the tip of a buckled column with the closed form. A column buckles at P = π² E I/(4 L²). With 1.152 times
/// as much it leans over until its tip is 0.593 L from the line, and with 1.063 times 0.422 L (\[Timoshenko61\] Theory
/// of Elastic Stability, §2.7): an error of 3 % there is one of 1 % of the load.
pub fn buckling(device: &Device) -> Outcome {
    let (mut lab, rod) = standing(device, 4.0)?;
    let load = Vec3::NEG_Y * (1.152 * 0.25 * PI * PI * STIFFNESS);
    push(&mut lab, &rod, load + Vec3::X * STIFFNESS, 40)?;
    push(&mut lab, &rod, load, 200)?;
    Check::relative("rod: tip of a column at 1.152 P of Euler [L]", 0.593, tip(&lab, &rod)?.x, 0.03)
}

/// Measures the largest motion of a particle in a frame of a helix that is rotated with all its frames, relative to its
/// size.
pub fn rotated_rest(device: &Device) -> Outcome {
    let mut farthest = 0.0_f32;
    for turn in [Quat::from_xyzw(0.3, -0.5, 0.2, 0.7), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)] {
        let (turn, points) = (turn.normalize(), helix());
        let mut lab = Lab::new(device, weightless(20, 1))?;
        let rod = Rod::from_points(&points).add_to(&mut lab.world)?;
        for (particle, &point) in points.iter().enumerate() {
            lab.world.set_position(rod.object(), particle, turn * point, Vec3::ZERO)?;
        }
        for &segment in rod.segments() {
            lab.world.edit_body(segment, |body| body.pose.rotation = turn * body.pose.rotation)?;
        }
        lab.step()?;
        let ways = lab.world.positions(rod.object())?.zip(&points).map(|(now, &start)| now.distance(turn * start));
        farthest = ways.fold(farthest, f32::max);
    }
    Check::at_most("rod: rest shape, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}

/// Returns a helix 1 m high.
fn helix() -> Vec<Vec3> {
    let point = |k: u8| {
        let (sine, cosine) = libm::sincosf(0.3 * f32::from(k));
        Vec3::new(0.2 * cosine, 0.025 * f32::from(k), 0.2 * sine)
    };
    (0..=40).map(point).collect()
}

/// Returns a free rod that waves and turns.
fn free(device: &Device) -> Result<(Lab, f64), SceneError> {
    let mut lab = Lab::new(device, weightless(20, 1))?;
    let rod = Rod::from_points(&helix()).density(1000.0).youngs_modulus(3e6).add_to(&mut lab.world)?;
    rod.set_motion(&mut lab.world, Vec3::ZERO, Vec3::ZERO, Vec3::new(0.3, 0.2, 0.5))?;
    let mut random = Random::new(5);
    let mut size = 0.0;
    for particle in 0..=40 {
        let impulse = random.vector() * 1e-3;
        size += f64::from(impulse.length());
        lab.world.add_impulse(rod.object(), particle, impulse)?;
    }
    Ok((lab, size))
}

/// Measures the change of Σ m v per second of a rod that waves, for 2 s, relative to Σ m |v|.
pub fn linear_momentum(device: &Device) -> Outcome {
    let (mut lab, size) = free(device)?;
    let before = lab.world.momentum().linear;
    lab.steps(120)?;
    let change = (lab.world.momentum().linear - before).length() / size / 2.0;
    Check::at_most("rod: change of momentum a second [1]", 1e-5, change)
}

/// Measures the relative change of Σ x × m v + I ω. It is of first order in a substep, within which particles move on
/// while
/// they push each other: 1.8e-5 with 80 of them.
pub fn angular_momentum(device: &Device) -> Outcome {
    let (mut lab, _) = free(device)?;
    let before = lab.world.momentum().angular;
    lab.steps(120)?;
    let change = (lab.world.momentum().angular - before).length() / before.length() / 2.0;
    Check::at_most("rod: change of angular momentum a second [1]", 2e-4, change)
}
