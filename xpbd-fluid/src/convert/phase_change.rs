//! Heat: a temperature for each particle of a solid and of the liquid that it melts to.
//!
//! Each goes to that of its surroundings, T′ = k (Tₐ − T), which is solved exactly over a frame:
//!
//! ```text
//! T ← Tₐ + (T − Tₐ) exp(−k dt)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | T, Tₐ | temperature of a particle, of its surroundings | any scale of degrees |
//! | k | rate at which it takes that on | 1/s |

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use super::{Conversion, ConversionReport, SlotSelection};
use crate::flow::{Region, SpawnError, check, check_frame};

/// A part of space with a temperature of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TemperatureRegion {
    /// Where.
    pub region: Region,
    /// Temperature of the surroundings \[degrees\].
    pub temperature: f32,
    /// How fast particles take it on \[1/s\]: a part of 63 % in the inverse of it.
    pub exchange_rate: f32,
}

/// The temperatures of a solid and its liquid, which melt and freeze by them. Those that change keep theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseChange {
    conversion: Conversion,
    /// Melts above, freezes below \[degrees\].
    melting_point: f32,
    freezing_point: f32,
    surroundings: TemperatureRegion,
    regions: Vec<TemperatureRegion>,
    solid: ParticleTemperatures,
    liquid: ParticleTemperatures,
}

/// What has melted and frozen in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseChangeReport {
    /// From the solid to the liquid.
    pub melted: ConversionReport,
    /// From the liquid to the solid.
    pub frozen: ConversionReport,
}

/// Temperatures of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ParticleTemperatures {
    /// Of those that come from elsewhere \[degrees\].
    initial: f32,
    /// Of each particle \[degrees\].
    values: Vec<f32>,
    /// The life of each particle that has it.
    generations: Vec<u32>,
}

impl TemperatureRegion {
    fn check(&self) -> Result<(), SpawnError> {
        self.region.check()?;
        check("the temperature of the surroundings", self.temperature, "finite", true)?;
        check("the rate at which heat passes", self.exchange_rate, "finite and not negative", self.exchange_rate >= 0.0)
    }
}

impl ParticleTemperatures {
    fn new(fresh: f32) -> Self {
        Self { initial: fresh, values: Vec::new(), generations: Vec::new() }
    }

    /// Follows the particles of an object: others than there were are fresh.
    fn update_particles(&mut self, world: &World, object: ObjectHandle) -> Result<(), SpawnError> {
        let count = world.positions(object)?.len();
        self.values.resize(count, self.initial);
        let known = self.generations.len();
        self.generations.resize(count, 0);
        for k in 0..count {
            let life = world.generation(object, k)?;
            if k >= known || self.generations[k] != life {
                (self.values[k], self.generations[k]) = (self.initial, life);
            }
        }
        Ok(())
    }

    /// Gives particles that have come the temperatures that they had.
    fn set_moved(&mut self, world: &World, object: ObjectHandle, moved: &[(u32, f32)]) -> Result<(), SpawnError> {
        for &(particle, temperature) in moved {
            let k = particle as usize;
            (self.values[k], self.generations[k]) = (temperature, world.generation(object, k)?);
        }
        Ok(())
    }
}

impl PhaseChange {
    /// Melts a solid above a temperature into a liquid that freezes below another one, no higher \[degrees\].
    /// The solid has at first that at which the liquid freezes, the liquid that at which the solid melts, and
    /// neither takes that of its surroundings on.
    ///
    /// # Errors
    /// What [`Conversion::new`] refuses, or a temperature that is not valid.
    pub fn new(
        world: &World,
        [solid, liquid]: [ObjectHandle; 2],
        [freezes, melts]: [f32; 2],
    ) -> Result<Self, SpawnError> {
        let melting = Conversion::new(world, solid, liquid)?;
        check("the melting temperature", melts, "finite", true)?;
        check("the freezing temperature", freezes, "finite and no higher than that of melting", freezes <= melts)?;
        let everywhere = Region::ball(Vec3::ZERO, 0.0).inverted();
        let surroundings = TemperatureRegion { region: everywhere, temperature: freezes, exchange_rate: 0.0 };
        let (solid, liquid) = (ParticleTemperatures::new(freezes), ParticleTemperatures::new(melts));
        Ok(Self {
            conversion: melting,
            melting_point: melts,
            freezing_point: freezes,
            surroundings,
            regions: Vec::new(),
            solid,
            liquid,
        })
    }

    /// The temperatures that the solid and the liquid have now, and those of their particles that come from
    /// elsewhere \[degrees\].
    ///
    /// # Errors
    /// A temperature that is not finite.
    pub fn initial_temperatures(mut self, [solid, liquid]: [f32; 2]) -> Result<Self, SpawnError> {
        check("the temperature of the solid", solid, "finite", true)?;
        check("the temperature of the liquid", liquid, "finite", true)?;
        (self.solid, self.liquid) = (ParticleTemperatures::new(solid), ParticleTemperatures::new(liquid));
        Ok(self)
    }

    /// The temperature \[degrees\] outside all zones, and how fast particles take it on \[1/s\].
    ///
    /// # Errors
    /// A number that is not valid.
    pub fn surroundings(mut self, temperature: f32, rate: f32) -> Result<Self, SpawnError> {
        let surroundings = TemperatureRegion { temperature, exchange_rate: rate, ..self.surroundings };
        surroundings.check()?;
        self.surroundings = surroundings;
        Ok(self)
    }

    /// Changes the parts of space with a temperature of their own; of several in one place the first counts.
    ///
    /// # Errors
    /// A region or a number that is not valid.
    pub fn set_regions(&mut self, zones: Vec<TemperatureRegion>) -> Result<(), SpawnError> {
        zones.iter().try_for_each(TemperatureRegion::check)?;
        self.regions = zones;
        Ok(())
    }

    /// Returns the temperature of a particle of the solid or the liquid as of the last step \[degrees\].
    pub fn temperature(&self, object: ObjectHandle, particle: usize) -> Option<f32> {
        self.temperatures_of(object)?.values.get(particle).copied()
    }

    /// Warms or cools a particle of the solid or the liquid.
    ///
    /// # Errors
    /// A temperature that is not finite, another object, or no such particle.
    pub fn set_temperature(
        &mut self,
        world: &World,
        object: ObjectHandle,
        particle: usize,
        temperature: f32,
    ) -> Result<(), SpawnError> {
        check("the temperature", temperature, "finite", true)?;
        world.is_active(object, particle)?;
        self.update_particles(world)?;
        let of = if object == self.conversion.from() {
            &mut self.solid.values
        } else if object == self.conversion.to() {
            &mut self.liquid.values
        } else {
            let name = world.state().objects.get(object).map_or(String::new(), |object| object.name.clone());
            return Err(SpawnError::OtherObject(name));
        };
        // They follow the particles, of which this is one.
        of.get_mut(particle).into_iter().for_each(|of| *of = temperature);
        Ok(())
    }

    fn temperatures_of(&self, object: ObjectHandle) -> Option<&ParticleTemperatures> {
        if object == self.conversion.from() {
            return Some(&self.solid);
        }
        (object == self.conversion.to()).then_some(&self.liquid)
    }

    fn update_particles(&mut self, world: &World) -> Result<(), SpawnError> {
        self.solid.update_particles(world, self.conversion.from())?;
        self.liquid.update_particles(world, self.conversion.to())
    }

    /// Changes temperatures over a frame of `dt` \[s\], then melts what is too warm and freezes what is too
    /// cold, into the numbers of the solid that `slots` finds. A world on a device is synchronized first.
    ///
    /// # Errors
    /// A `dt` that is negative or not finite, or what [`Conversion::step`] refuses.
    pub fn step(
        &mut self,
        world: &mut World,
        dt: f32,
        slots: SlotSelection<'_>,
    ) -> Result<PhaseChangeReport, SpawnError> {
        check_frame(dt)?;
        slots.free_slots(world, self.conversion.from())?;
        world.synchronize()?;
        self.update_particles(world)?;
        self.exchange_heat(world, dt)?;
        let (melts, freezes) = (self.melting_point, self.freezing_point);
        let Self { conversion: melting, solid, liquid, .. } = self;
        let freezing = melting.reversed();
        let melted =
            melting.step(world, SlotSelection::Lowest, |particle| solid.values[particle.index as usize] > melts)?;
        let moved = moved_temperatures(&melted, solid);
        liquid.set_moved(world, melting.to(), &moved)?;
        let frozen = freezing.step(world, slots, |particle| liquid.values[particle.index as usize] < freezes)?;
        let moved = moved_temperatures(&frozen, liquid);
        solid.set_moved(world, melting.from(), &moved)?;
        Ok(PhaseChangeReport { melted, frozen })
    }

    /// Lets particles that are present take the temperatures of their surroundings on.
    fn exchange_heat(&mut self, world: &World, dt: f32) -> Result<(), SpawnError> {
        let Self { conversion: melting, regions: zones, surroundings, solid, liquid, .. } = self;
        for (object, warmth) in [(melting.from(), solid), (melting.to(), liquid)] {
            for k in world.active_particles(object)? {
                let x = world.position(object, k as usize)?;
                let zone = zones.iter().find(|zone| zone.region.contains(x)).unwrap_or(surroundings);
                let part = -libm::expm1f(-zone.exchange_rate * dt);
                let of = &mut warmth.values[k as usize];
                *of += (zone.temperature - *of) * part;
            }
        }
        Ok(())
    }
}

/// Returns the new number and the temperature of each particle that has changed.
fn moved_temperatures(converted: &ConversionReport, warmth: &ParticleTemperatures) -> Vec<(u32, f32)> {
    converted.to.iter().zip(&converted.from).map(|(&to, &from)| (to, warmth.values[from as usize])).collect()
}
