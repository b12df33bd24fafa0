//! Changes of the gas while a world runs.

use std::any::Any;

use glam::Vec3;
use xpbd_core::batch::BatchError;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::{Inflation, NAME, SMALLEST_VOLUME};
use crate::mesh;

/// Sets the target volume of the gas in a closed cloth to `ratio` \[1\] times that of its rest shape, until it is
/// changed again. A device receives it with the next frame, without a wait or a new plan.
///
/// Gas without compliance follows a jump within one substep; let the volume change over some frames.
///
/// # Errors
/// The handle is stale, the object has no gas or its rest shape encloses nothing, or the ratio is not positive and
/// finite; the gas is then unchanged.
pub fn set_gas_volume_ratio(world: &mut World, cloth: ObjectHandle, ratio: f32) -> Result<(), WorldError> {
    let Gas { batch, rest, area } = gas(world, cloth)?;
    if rest.abs() <= SMALLEST_VOLUME * area * area.sqrt() {
        return Err(refused("the volume at rest", rest as f32, "more than rounding, or be filled"));
    }
    let volume = (rest * f64::from(positive("the ratio of volumes", ratio)?)) as f32;
    world.edit_parameters(batch, |gas| gas.inputs_mut()[0] = volume)
}

/// Sets the target volume \[m³\] of the gas in a closed cloth, as [`set_gas_volume_ratio`] does.
///
/// # Errors
/// Those of [`set_gas_volume_ratio`], except for the rest shape.
pub fn set_gas_volume(world: &mut World, cloth: ObjectHandle, volume: f32) -> Result<(), WorldError> {
    let Gas { batch, rest, .. } = gas(world, cloth)?;
    let volume = positive("the volume", volume)? * if rest < 0.0 { -1.0 } else { 1.0 };
    world.edit_parameters(batch, |gas| gas.inputs_mut()[0] = volume)
}

/// The gas of an object.
struct Gas {
    batch: BatchHandle,
    /// Volume \[m³\] and area \[m²\] of the rest shape.
    rest: f64,
    area: f64,
}

fn gas(world: &World, cloth: ObjectHandle) -> Result<Gas, WorldError> {
    world.is_frozen(cloth)?;
    let state = world.state();
    let none = WorldError::StaleHandle("object with gas");
    let range = state.objects.get(cloth).map(|object| object.range.clone()).ok_or(none.clone())?;
    let rest = &state.particles.rest_positions[range];
    for handle in world.batches_of(cloth) {
        let Some(batch) = state.batches.get(handle).filter(|batch| batch.objects.as_slice() == [cloth]) else {
            continue;
        };
        let batch: &dyn Any = batch.batch.as_ref();
        if let Some(gas) = batch.downcast_ref::<Inflation>().filter(|gas| !gas.triangles().is_empty()) {
            let twice = |[a, b, c]: [Vec3; 3]| f64::from((b - a).cross(c - a).length());
            let area = gas.triangles().iter().map(|t| twice(t.map(|k| rest[k as usize])) / 2.0).sum();
            return Ok(Gas { batch: handle, rest: mesh::volume(rest, gas.triangles()), area });
        }
    }
    Err(none)
}

fn refused(what: &'static str, value: f32, must: &'static str) -> WorldError {
    BatchError::Number { name: NAME.into(), constraint: 0, what, value, must }.into()
}

fn positive(what: &'static str, value: f32) -> Result<f32, WorldError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(refused(what, value, "positive and finite")) }
}
