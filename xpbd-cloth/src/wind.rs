//! Wind for cloth in [air](crate::Air), constant or with gusts.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::constraint::{Constraint, Parameters};
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use crate::constraint::{Aerodynamics, AerodynamicsParameters};

/// A wind with gusts: smooth noise in space that drifts with the mean velocity (frozen
/// turbulence, \[Taylor38\] The Spectrum of Turbulence).
///
/// The same numbers give the same wind on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct Wind {
    /// Mean velocity \[m/s\].
    pub velocity: Vec3,
    /// Largest gust in each direction, relative to the mean speed \[1\]; 0 for a steady wind.
    pub gust_strength: f32,
    /// Size of a gust \[m\], positive.
    pub gust_size: f32,
    /// Seed of the gusts.
    pub seed: u32,
}

/// No wind; with a velocity and gusts, these are 2 m large.
impl Default for Wind {
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, gust_strength: 0.0, gust_size: 2.0, seed: 0 }
    }
}

impl Wind {
    /// Creates a steady wind \[m/s\].
    pub fn new(velocity: Vec3) -> Self {
        Self { velocity, ..Self::default() }
    }

    /// Returns the wind \[m/s\] at a position \[m\] and a time \[s\].
    pub fn velocity_at(&self, place: Vec3, time: f64) -> Vec3 {
        if self.gust_strength == 0.0 {
            return self.velocity;
        }
        let carried = place.as_dvec3() - self.velocity.as_dvec3() * time;
        let carried = carried / f64::from(self.gust_size.max(f32::MIN_POSITIVE));
        let strength = self.gust_strength * self.velocity.length();
        let gust = [0, 1, 2].map(|axis| noise(carried, self.seed.wrapping_mul(3).wrapping_add(axis)));
        self.velocity + Vec3::from_array(gust) * strength
    }
}

/// Sets the wind \[m/s\] on all of an object's triangles, until it is set again. A device receives it with the
/// next frame, without a wait.
///
/// # Errors
/// The handle is stale, the object is not in [air](crate::Cloth::air), or the wind is not finite.
pub fn set_wind(world: &mut World, object: ObjectHandle, wind: Vec3) -> Result<(), WorldError> {
    let batch = in_air(world, object)?;
    let blow = |air: &mut AerodynamicsParameters| air.wind = wind.into();
    world.edit_parameters(batch, |air| air.for_each_parameters(|_, air| AerodynamicsParameters::edit(air, blow)))
}

/// Sets the wind \[m/s\] on each of an object's triangles as a function of its centre \[m\]. On a device, the
/// centres are those of the last frame that came back.
///
/// # Errors
/// Those of [`set_wind`].
pub fn set_wind_field(world: &mut World, object: ObjectHandle, wind: impl Fn(Vec3) -> Vec3) -> Result<(), WorldError> {
    let batch = in_air(world, object)?;
    let positions = world.packed_positions(object)?;
    let traced = world.batch(batch)?.traced().ok_or(WorldError::StaleHandle("traced batch"))?;
    let at = |&corner: &u32| positions[corner as usize].truncate();
    let centre = |k: usize| traced.node_indices(k).iter().map(at).sum::<Vec3>() / 3.0;
    let winds: Vec<Vec3> = (0..traced.len()).map(|k| wind(centre(k))).collect();
    let blow = |k: usize, air: &mut AerodynamicsParameters| air.wind = winds[k].into();
    world.edit_parameters(batch, |air| {
        air.for_each_parameters(|k, air| AerodynamicsParameters::edit(air, |air| blow(k, air)))
    })
}

/// Returns the batch of an object's triangles in the air.
fn in_air(world: &World, object: ObjectHandle) -> Result<BatchHandle, WorldError> {
    let is_air = |&batch: &BatchHandle| world.batch(batch).is_ok_and(|batch| batch.name() == Aerodynamics::NAME);
    world.batches_of(object).into_iter().find(is_air).ok_or(WorldError::StaleHandle("object in air"))
}

/// Returns smooth noise in \[−1, 1\] with a lattice of unit cells: random numbers at its points, blended by
/// t³ (6 t² − 15 t + 10).
fn noise(place: DVec3, seed: u32) -> f32 {
    let cell = place.floor();
    let blend = (place - cell).to_array().map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let [x, y, z] = cell.to_array().map(|corner| corner as i64);
    let mut sum = 0.0;
    for corner in 0..8 {
        let [dx, dy, dz] = [0, 1, 2].map(|axis| (corner >> axis) & 1);
        let weight = |d: i64, t: f64| if d == 1 { t } else { 1.0 - t };
        let weights = weight(dx, blend[0]) * weight(dy, blend[1]) * weight(dz, blend[2]);
        sum += weights * random([x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)], seed);
    }
    sum as f32
}

/// Returns a number in \[−1, 1\] for a point of the lattice (the finalizer of SplitMix64).
fn random(point: [i64; 3], seed: u32) -> f64 {
    let mut bits = u64::from(seed).wrapping_add(0x9E37_79B9_7F4A_7C15);
    for coordinate in point {
        bits = (bits ^ coordinate as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
    }
    (bits >> 11) as f64 * (2.0 / (1u64 << 53) as f64) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_are_bounded_smooth_and_carried_by_the_wind() {
        let wind = Wind { velocity: Vec3::new(4.0, 0.0, 3.0), gust_strength: 0.5, gust_size: 0.7, seed: 7 };
        let mut last = wind.velocity_at(Vec3::ZERO, 0.0);
        let (mut least, mut most) = (f32::MAX, f32::MIN);
        for k in 1..4000 {
            let now = wind.velocity_at(Vec3::ZERO, f64::from(k) * 1e-3);
            assert!((now - wind.velocity).abs().max_element() <= 2.5);
            // The steepest blend is 15/8, over numbers 2 apart, in a cell passed in 0.14 s.
            assert!((now - last).abs().max_element() < 3.0 * 2.5 * 3.75 * 1e-3 / 0.14);
            (least, most, last) = (least.min(now.x), most.max(now.x), now);
        }
        assert!(most - least > 1.0, "there are gusts: {least} to {most}");
        assert_eq!(Wind::new(Vec3::X).velocity_at(Vec3::Y, 3.0), Vec3::X);
        let carried = wind.velocity_at(Vec3::new(1.0, 2.0, 3.0) + wind.velocity * 2.0, 12.0);
        assert!(carried.distance(wind.velocity_at(Vec3::new(1.0, 2.0, 3.0), 10.0)) < 1e-4);
    }
}
