//! Checks of the invariance under translation, rotation and motion of the frame.

use glam::{Quat, Vec3};
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_cloth::{Bending, Cloth, Rope, Stretch};
use xpbd_core::batch::Batch;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{Object, ObjectHandle};

use super::lab::{Lab, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![linear_momentum, angular_momentum, rotated_rest, shifted, moving];

fn built(cloth: Cloth) -> Result<Object, SceneError> {
    cloth.build().map_err(|error| SceneError::Object(error.to_string()))
}

/// Measures the change of Σ m v per second, relative to Σ m |v|, of a free sheet with random velocities, for 10 s.
pub fn linear_momentum(device: &Device) -> Outcome {
    let mut object = built(Cloth::grid(9, 9, 1.0, 1.0).stretch(Stretch::Edges { stiffness: 1e3 }))?;
    let mut random = Random::new(7);
    object.velocities = object.positions.iter().map(|_| random.vector()).collect();
    let momenta = object.masses.iter().zip(&object.velocities).map(|(mass, velocity)| mass * velocity.length());
    let size = f64::from(momenta.sum::<f32>());
    let mut lab = Lab::new(device, weightless(20, 1))?;
    lab.world.add(object)?;
    let before = lab.world.momentum().linear;
    lab.steps(600)?;
    let change = (lab.world.momentum().linear - before).length() / size / 10.0;
    Check::at_most("momentum: change a second [1]", 1e-5, change)
}

/// Measures the deviation of Σ x × m v per second from that of backward Euler, for two masses that rotate about each
/// other at 2 rad/s, for 10 s.
///
/// A substep turns the link by θₖ. The next prediction is 2 xₖ − xₖ₋₁, of length r √(5 − 4 cos θₖ), so
/// sin θₖ₊₁ = sin θₖ/√(5 − 4 cos θₖ), from tan θ₁ = ω h, and L = Σ m r² sin θₖ/h.
pub fn angular_momentum(device: &Device) -> Outcome {
    let (substeps, frames, spin) = (20, 600, 2.0_f32);
    let link = Batch::new(Distance, &[[0, 1]], &[DistanceParameters { rest_length: 1.0 }])?;
    let mut pair = Object::new("pair", vec![Vec3::X * 0.5, Vec3::NEG_X * 0.5], 1.0).with(link);
    pair.velocities = pair.positions.iter().map(|x| Vec3::Y.cross(*x) * spin).collect();
    let mut lab = Lab::new(device, weightless(substeps, 1))?;
    lab.world.add(pair)?;
    let before = lab.world.momentum().angular.length();
    lab.steps(frames)?;
    let turn = f64::from(spin) * f64::from(FRAME) / f64::from(substeps);
    let first = turn / (1.0 + turn * turn).sqrt();
    let next = |sine: f64, _| sine / (5.0 - 4.0 * (1.0 - sine * sine).sqrt()).sqrt();
    let expected = before * (1..substeps * frames).fold(first, next) / turn;
    let change = (lab.world.momentum().angular.length() - expected).abs() / before / 10.0;
    Check::at_most("angular momentum: change a second from the discrete one [1]", 1e-5, change)
}

const WOVEN: Stretch = Stretch::Woven { warp_modulus: 1e7, weft_modulus: 4e6, shear_modulus: 5e5, poisson_ratio: 0.3 };
const FOIL: Plasticity = Plasticity { yield_strain: 0.1, creep: 60.0, limit: 0.5 };

/// Measures the largest motion of a particle in a frame of rotated sheets and a rope at rest, with every kind of
/// constraint, relative to their size of 1 m.
pub fn rotated_rest(device: &Device) -> Outcome {
    let sheet = || Cloth::grid(9, 9, 1.0, 1.0);
    let strain = Stretch::Strain { youngs_modulus: 1e7, poisson_ratio: 0.3 };
    let line = [Vec3::NEG_X * 0.5, Vec3::ZERO, Vec3::X * 0.5];
    let rope = Rope::from_points(&line).bending(1.0).build();
    let objects = [
        built(sheet().bending(Bending::Distance { stiffness: 1e5 }))?,
        built(sheet().bending(Bending::Dihedral { stiffness: 1.0 }))?,
        built(sheet().bending(Bending::Isometric { stiffness: 1.0 }).stretch(strain))?,
        built(sheet().bending(Bending::None).stretch(WOVEN).warp_along(Vec3::new(1.0, 0.0, 0.7)))?,
        built(sheet().bending_plasticity(FOIL).stretch_plasticity(FOIL))?,
        rope.map_err(|error| SceneError::Object(error.to_string()))?,
    ];
    let mut farthest = 0.0_f32;
    for object in objects {
        for turn in [Quat::from_xyzw(0.3, -0.5, 0.2, 0.7), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)] {
            farthest = farthest.max(wander(device, &object, turn.normalize())?);
        }
    }
    Check::at_most("rest shape, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}

/// Returns how far particles of an object move in a frame when it has been turned.
fn wander(device: &Device, object: &Object, turn: Quat) -> Result<f32, SceneError> {
    let mut turned = Object::new("turned", object.positions.iter().map(|&x| turn * x).collect(), 1.0);
    turned.masses.clone_from(&object.masses);
    let batches = object.batches.iter().filter_map(|batch| batch.traced());
    turned = batches.fold(turned, |turned, batch| turned.with(batch.clone()));
    let start = turned.positions.clone();
    let mut lab = Lab::new(device, weightless(20, 1))?;
    let handle = lab.world.add(turned)?;
    lab.step()?;
    let ways = lab.world.positions(handle)?.zip(start).map(|(now, start)| now.distance(start));
    Ok(ways.fold(0.0, f32::max))
}

/// Particles a side of the sheet that is shifted; its squares are sixteenths of a metre, which are
/// exact far from the origin too.
const SIDE: u32 = 17;

/// Returns where a swinging sheet is after a second, seen from its pins \[m\].
fn swing(device: &Device, place: Vec3, velocity: Vec3) -> Result<Vec<Vec3>, SceneError> {
    let cloth = Cloth::grid(SIDE, SIDE, 1.0, 1.0).stretch(Stretch::Edges { stiffness: 1e3 }).at(place);
    let object = built(cloth.bending(Bending::Isometric { stiffness: 1e-3 }).pin([0, SIDE - 1]))?.velocity(velocity);
    let pins = [0, SIDE as usize - 1].map(|pin| (pin, object.positions[pin]));
    let mut lab = Lab::new(device, passes(20, 1))?;
    let sheet: ObjectHandle = lab.world.add(object)?;
    for frame in 1..=60_u8 {
        for (pin, start) in pins.into_iter().filter(|_| velocity != Vec3::ZERO) {
            lab.world.move_pinned(sheet, pin, start + velocity * (f32::from(frame) * FRAME))?;
        }
        lab.step()?;
    }
    let pin = lab.world.position(sheet, 0)?;
    Ok(lab.world.positions(sheet)?.map(|x| x - pin).collect())
}

/// Returns the farthest that two sheets are apart.
fn apart(one: &[Vec3], other: &[Vec3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a.distance(*b))).fold(0.0, f64::max)
}

/// Compares a world at 1000 m from the origin with one at the origin.
pub fn shifted(device: &Device) -> Outcome {
    let (here, there) =
        (swing(device, Vec3::ZERO, Vec3::ZERO)?, swing(device, Vec3::new(1000.0, -1000.0, 1000.0), Vec3::ZERO)?);
    Check::at_most("shift by 1000 m: difference / size [1]", 1e-3, apart(&here, &there))
}

/// Compares a world that moves at 50 m/s with one at rest.
pub fn moving(device: &Device) -> Outcome {
    let (rest, moving) = (swing(device, Vec3::ZERO, Vec3::ZERO)?, swing(device, Vec3::ZERO, Vec3::X * 50.0)?);
    Check::at_most("motion at 50 m/s: difference / size [1]", 1e-3, apart(&rest, &moving))
}
