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

use super::{Conversion, Converted, Slots};
use crate::flow::{FlowError, Region, check, check_frame};

/// A part of space with a temperature of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Where.
    pub region: Region,
    /// Temperature of the surroundings \[degrees\].
    pub temperature: f32,
    /// How fast particles take it on \[1/s\]: a part of 63 % in the inverse of it.
    pub rate: f32,
}

/// The temperatures of a solid and its liquid, which melt and freeze by them. Those that change keep theirs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    melting: Conversion,
    /// Melts above, freezes below \[degrees\].
    melts: f32,
    freezes: f32,
    surroundings: Zone,
    zones: Vec<Zone>,
    solid: Warmth,
    liquid: Warmth,
}

/// What has melted and frozen in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thawing {
    /// From the solid to the liquid.
    pub melted: Converted,
    /// From the liquid to the solid.
    pub frozen: Converted,
}

/// Temperatures of an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Warmth {
    /// Of those that come from elsewhere \[degrees\].
    fresh: f32,
    /// Of each particle \[degrees\].
    of: Vec<f32>,
    /// The life of each particle that has it.
    lives: Vec<u32>,
}

impl Zone {
    fn check(&self) -> Result<(), FlowError> {
        self.region.check()?;
        check("the temperature of the surroundings", self.temperature, "finite", true)?;
        check("the rate at which heat passes", self.rate, "finite and not negative", self.rate >= 0.0)
    }
}

impl Warmth {
    fn new(fresh: f32) -> Self {
        Self { fresh, of: Vec::new(), lives: Vec::new() }
    }

    /// Follows the particles of an object: others than there were are fresh.
    fn follow(&mut self, world: &World, object: ObjectHandle) -> Result<(), FlowError> {
        let count = world.positions(object)?.len();
        self.of.resize(count, self.fresh);
        let known = self.lives.len();
        self.lives.resize(count, 0);
        for k in 0..count {
            let life = world.life(object, k)?;
            if k >= known || self.lives[k] != life {
                (self.of[k], self.lives[k]) = (self.fresh, life);
            }
        }
        Ok(())
    }

    /// Gives particles that have come the temperatures that they had.
    fn take(&mut self, world: &World, object: ObjectHandle, moved: &[(u32, f32)]) -> Result<(), FlowError> {
        for &(particle, temperature) in moved {
            let k = particle as usize;
            (self.of[k], self.lives[k]) = (temperature, world.life(object, k)?);
        }
        Ok(())
    }
}

impl Heat {
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
    ) -> Result<Self, FlowError> {
        let melting = Conversion::new(world, solid, liquid)?;
        check("the melting temperature", melts, "finite", true)?;
        check("the freezing temperature", freezes, "finite and no higher than that of melting", freezes <= melts)?;
        let everywhere = Region::ball(Vec3::ZERO, 0.0).outside();
        let surroundings = Zone { region: everywhere, temperature: freezes, rate: 0.0 };
        let (solid, liquid) = (Warmth::new(freezes), Warmth::new(melts));
        Ok(Self { melting, melts, freezes, surroundings, zones: Vec::new(), solid, liquid })
    }

    /// The temperatures that the solid and the liquid have now, and those of their particles that come from
    /// elsewhere \[degrees\].
    ///
    /// # Errors
    /// A temperature that is not finite.
    pub fn starting(mut self, [solid, liquid]: [f32; 2]) -> Result<Self, FlowError> {
        check("the temperature of the solid", solid, "finite", true)?;
        check("the temperature of the liquid", liquid, "finite", true)?;
        (self.solid, self.liquid) = (Warmth::new(solid), Warmth::new(liquid));
        Ok(self)
    }

    /// The temperature \[degrees\] outside all zones, and how fast particles take it on \[1/s\].
    ///
    /// # Errors
    /// A number that is not valid.
    pub fn surroundings(mut self, temperature: f32, rate: f32) -> Result<Self, FlowError> {
        let surroundings = Zone { temperature, rate, ..self.surroundings };
        surroundings.check()?;
        self.surroundings = surroundings;
        Ok(self)
    }

    /// Changes the parts of space with a temperature of their own; of several in one place the first counts.
    ///
    /// # Errors
    /// A region or a number that is not valid.
    pub fn set_zones(&mut self, zones: Vec<Zone>) -> Result<(), FlowError> {
        zones.iter().try_for_each(Zone::check)?;
        self.zones = zones;
        Ok(())
    }

    /// The temperature of a particle of the solid or the liquid as of the last step \[degrees\].
    pub fn temperature(&self, object: ObjectHandle, particle: usize) -> Option<f32> {
        self.warmth(object)?.of.get(particle).copied()
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
    ) -> Result<(), FlowError> {
        check("the temperature", temperature, "finite", true)?;
        world.is_present(object, particle)?;
        self.follow(world)?;
        let of = if object == self.melting.from() {
            &mut self.solid.of
        } else if object == self.melting.to() {
            &mut self.liquid.of
        } else {
            let name = world.state().objects.get(object).map_or(String::new(), |object| object.name.clone());
            return Err(FlowError::OtherObject(name));
        };
        // They follow the particles, of which this is one.
        of.get_mut(particle).into_iter().for_each(|of| *of = temperature);
        Ok(())
    }

    fn warmth(&self, object: ObjectHandle) -> Option<&Warmth> {
        if object == self.melting.from() {
            return Some(&self.solid);
        }
        (object == self.melting.to()).then_some(&self.liquid)
    }

    fn follow(&mut self, world: &World) -> Result<(), FlowError> {
        self.solid.follow(world, self.melting.from())?;
        self.liquid.follow(world, self.melting.to())
    }

    /// Changes temperatures over a frame of `dt` \[s\], then melts what is too warm and freezes what is too
    /// cold, into the numbers of the solid that `slots` finds. A world on a device is synchronized first.
    ///
    /// # Errors
    /// A `dt` that is negative or not finite, or what [`Conversion::step`] refuses.
    pub fn step(&mut self, world: &mut World, dt: f32, slots: Slots<'_>) -> Result<Thawing, FlowError> {
        check_frame(dt)?;
        slots.free(world, self.melting.from())?;
        world.synchronize()?;
        self.follow(world)?;
        self.warm(world, dt)?;
        let (melts, freezes) = (self.melts, self.freezes);
        let Self { melting, solid, liquid, .. } = self;
        let freezing = melting.reversed();
        let melted = melting.step(world, Slots::Lowest, |particle| solid.of[particle.index as usize] > melts)?;
        let moved = pairs(&melted, solid);
        liquid.take(world, melting.to(), &moved)?;
        let frozen = freezing.step(world, slots, |particle| liquid.of[particle.index as usize] < freezes)?;
        let moved = pairs(&frozen, liquid);
        solid.take(world, melting.from(), &moved)?;
        Ok(Thawing { melted, frozen })
    }

    /// Lets particles that are present take the temperatures of their surroundings on.
    fn warm(&mut self, world: &World, dt: f32) -> Result<(), FlowError> {
        let Self { melting, zones, surroundings, solid, liquid, .. } = self;
        for (object, warmth) in [(melting.from(), solid), (melting.to(), liquid)] {
            for k in world.present(object)? {
                let x = world.position(object, k as usize)?;
                let zone = zones.iter().find(|zone| zone.region.contains(x)).unwrap_or(surroundings);
                let part = -libm::expm1f(-zone.rate * dt);
                let of = &mut warmth.of[k as usize];
                *of += (zone.temperature - *of) * part;
            }
        }
        Ok(())
    }
}

/// The new number and the temperature of each particle that has changed.
fn pairs(converted: &Converted, warmth: &Warmth) -> Vec<(u32, f32)> {
    converted.to.iter().zip(&converted.from).map(|(&to, &from)| (to, warmth.of[from as usize])).collect()
}
