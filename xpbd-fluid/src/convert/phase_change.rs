//! Melting and freezing by a temperature of each particle of a solid and of its liquid.
//!
//! The temperature approaches that of the surroundings, T′ = k (Tₐ − T), which is solved exactly over a frame:
//!
//! ```text
//! T ← Tₐ + (T − Tₐ) exp(−k dt)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | T, Tₐ | temperature of a particle, of its surroundings | any scale of degrees |
//! | k | exchange rate | 1/s |

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use super::{Conversion, ConversionReport, SlotSelection};
use crate::error::{SpawnError, check, check_frame};
use crate::region::Region;

/// A region of space with a temperature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TemperatureRegion {
    /// The region in which particles change.
    pub region: Region,
    /// Temperature of the surroundings \[degrees\].
    pub temperature: f32,
    /// Rate at which particles approach the temperature \[1/s\]: by 63 % in the inverse of it.
    pub exchange_rate: f32,
}

/// A solid and its liquid, which melt and freeze by the temperatures of their particles. A particle that changes keeps
/// its temperature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseChange {
    conversion: Conversion,
    /// The solid melts above this temperature \[degrees\].
    melting_point: f32,
    /// The liquid freezes below this temperature \[degrees\].
    freezing_point: f32,
    surroundings: TemperatureRegion,
    regions: Vec<TemperatureRegion>,
    solid: ParticleTemperatures,
    liquid: ParticleTemperatures,
}

/// The particles that melted and froze in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseChangeReport {
    /// Particles that changed from the solid to the liquid.
    pub melted: ConversionReport,
    /// Particles that changed from the liquid to the solid.
    pub frozen: ConversionReport,
}

/// The temperatures of the particles of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ParticleTemperatures {
    /// Temperature of particles that are activated elsewhere \[degrees\].
    initial: f32,
    /// Temperature of each particle \[degrees\].
    values: Vec<f32>,
    /// Generation of each particle that has the temperature.
    generations: Vec<u32>,
}

impl TemperatureRegion {
    /// Checks the numbers of the region.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), SpawnError> {
        self.region.check()?;
        check("the temperature of the surroundings", self.temperature, "finite", true)?;
        check("the exchange rate", self.exchange_rate, "finite and not negative", self.exchange_rate >= 0.0)
    }
}

impl ParticleTemperatures {
    fn new(initial: f32) -> Self {
        Self { initial, values: Vec::new(), generations: Vec::new() }
    }

    /// Gives particles of the object that are new since the last call the initial temperature.
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

    /// Sets the temperatures of particles that changed.
    fn set_moved(&mut self, world: &World, object: ObjectHandle, moved: &[(u32, f32)]) -> Result<(), SpawnError> {
        for &(particle, temperature) in moved {
            let k = particle as usize;
            (self.values[k], self.generations[k]) = (temperature, world.generation(object, k)?);
        }
        Ok(())
    }
}

impl PhaseChange {
    /// Returns a phase change of a solid that melts above a temperature into a liquid that freezes below another one, no
    /// higher \[degrees\]. At first the solid is at the freezing point and the liquid at the melting point, and neither
    /// exchanges heat with its surroundings.
    ///
    /// # Errors
    /// [`Conversion::new`] refuses the objects, or a temperature is not valid.
    pub fn new(
        world: &World,
        [solid, liquid]: [ObjectHandle; 2],
        [freezes, melts]: [f32; 2],
    ) -> Result<Self, SpawnError> {
        let melting = Conversion::new(world, solid, liquid)?;
        check_transition([freezes, melts])?;
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

    /// Sets the present temperatures of the solid and of the liquid, which are also those of particles that are activated
    /// elsewhere \[degrees\].
    ///
    /// # Errors
    /// A temperature is not finite.
    pub fn initial_temperatures(mut self, [solid, liquid]: [f32; 2]) -> Result<Self, SpawnError> {
        check("the temperature of the solid", solid, "finite", true)?;
        check("the temperature of the liquid", liquid, "finite", true)?;
        (self.solid, self.liquid) = (ParticleTemperatures::new(solid), ParticleTemperatures::new(liquid));
        Ok(self)
    }

    /// Sets the temperature \[degrees\] outside of all regions, and the rate at which particles approach it \[1/s\].
    ///
    /// # Errors
    /// A number is not valid.
    pub fn surroundings(mut self, temperature: f32, rate: f32) -> Result<Self, SpawnError> {
        self.set_surroundings(temperature, rate)?;
        Ok(self)
    }

    /// Changes the temperature \[degrees\] outside of all regions, and the rate at which particles approach it \[1/s\].
    ///
    /// # Errors
    /// A number is not valid.
    pub fn set_surroundings(&mut self, temperature: f32, rate: f32) -> Result<(), SpawnError> {
        let surroundings = TemperatureRegion { temperature, exchange_rate: rate, ..self.surroundings };
        surroundings.check()?;
        self.surroundings = surroundings;
        Ok(())
    }

    /// Changes the temperatures below which the liquid freezes and above which the solid melts \[degrees\].
    ///
    /// # Errors
    /// A temperature is not valid.
    pub fn set_transition_temperatures(&mut self, [freezes, melts]: [f32; 2]) -> Result<(), SpawnError> {
        check_transition([freezes, melts])?;
        (self.freezing_point, self.melting_point) = (freezes, melts);
        Ok(())
    }

    /// Changes the regions that have a temperature; where several overlap the first counts.
    ///
    /// # Errors
    /// A region or a number is not valid.
    pub fn set_regions(&mut self, zones: Vec<TemperatureRegion>) -> Result<(), SpawnError> {
        zones.iter().try_for_each(TemperatureRegion::check)?;
        self.regions = zones;
        Ok(())
    }

    /// Returns the temperature of a particle of the solid or the liquid after the last step \[degrees\].
    pub fn temperature(&self, object: ObjectHandle, particle: usize) -> Option<f32> {
        self.temperatures_of(object)?.values.get(particle).copied()
    }

    /// Sets the temperature of a particle of the solid or the liquid \[degrees\].
    ///
    /// # Errors
    /// The temperature is not finite, the object is another one, or there is no such particle.
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

    /// Updates temperatures over a frame of `dt` \[s\], then melts particles that are too warm and freezes those that are
    /// too cold, into the numbers of the solid that `slots` selects. A world on a device is synchronized first.
    ///
    /// # Errors
    /// `dt` is negative or not finite, or [`Conversion::step`] refuses.
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

    /// Moves the temperatures of active particles toward those of their surroundings.
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

/// Checks the temperatures of freezing and melting \[degrees\].
fn check_transition([freezes, melts]: [f32; 2]) -> Result<(), SpawnError> {
    check("the melting temperature", melts, "finite", true)?;
    check("the freezing temperature", freezes, "finite and no higher than that of melting", freezes <= melts)
}

/// Returns the new number and the temperature of each particle that changed.
fn moved_temperatures(converted: &ConversionReport, warmth: &ParticleTemperatures) -> Vec<(u32, f32)> {
    converted.to.iter().zip(&converted.from).map(|(&to, &from)| (to, warmth.values[from as usize])).collect()
}
