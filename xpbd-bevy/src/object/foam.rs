//! Spray, foam and bubbles of liquids.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_fluid::render::{Foam as CoreFoam, OptionError};
pub use xpbd_fluid::render::{FoamKind, FoamOptions, FoamParticle, FoamPotential};

use super::fluid::Fluid;
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use crate::time::StepLength;

/// Lets a [`Fluid`] make spray, foam and bubbles, which go with it and never act on it. They are [`FoamParticles`], and
/// drawn with `DrawFoam`. The options may be changed at any time, except for the seed.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands) {
/// commands.spawn((Fluid::block(Vec3::splat(0.5)).material(FluidMaterial::WATER), Foam::default()));
/// # }
/// ```
#[derive(Component, Debug, Default, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(FoamParticles)]
pub struct Foam(pub FoamOptions);

/// The spray, foam and bubbles of a [`Foam`].
#[derive(Component, Debug, Default, Clone)]
pub struct FoamParticles {
    foam: Option<CoreFoam>,
    /// The options that it has, or that were refused.
    options: Option<FoamOptions>,
    /// The length of the last step \[s\].
    step_length: f32,
}

impl FoamParticles {
    /// Returns the particles after the last step, in an order without meaning.
    pub fn particles(&self) -> &[FoamParticle] {
        self.foam.as_ref().map_or(&[], CoreFoam::particles)
    }

    /// Returns the length of the last step \[s\], in which they moved by their velocities; 0 in a pause.
    pub fn step_length(&self) -> f32 {
        self.step_length
    }

    /// Follows the options.
    fn update(&mut self, options: FoamOptions) -> Result<(), OptionError> {
        if self.options.replace(options) == Some(options) {
            return Ok(());
        }
        match &mut self.foam {
            Some(foam) => foam.set_options(options)?,
            none => *none = Some(CoreFoam::new(options)?),
        }
        Ok(())
    }
}

/// Spray, foam and bubbles.
#[derive(Debug, Clone)]
pub struct FoamPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for FoamPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Foam>();
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, step);
        app.add_observer(forget);
        save_required_component::<FoamParticles>(app);
    }
}

fn forget(removed: On<Remove, Foam>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<FoamParticles>();
}

/// Moves foam with its liquid, as the liquid is after the step.
fn step(
    physics: Res<Physics>,
    length: Res<StepLength>,
    mut foams: Query<(Entity, &Foam, &ObjectId, &mut FoamParticles), With<Fluid>>,
    mut errors: EntityErrors,
) {
    let world = physics.world();
    let (spacing, gravity) = (2.0 * world.settings().particle_radius, world.settings().gravity);
    for (entity, foam, object, mut particles) in &mut foams {
        particles.step_length = length.get().unwrap_or(0.0);
        let Some(dt) = length.get() else { continue };
        if let Err(problem) = particles.update(foam.0) {
            errors.report(entity, "foam", problem);
        }
        let Ok(active) = world.active_particles(object.handle()) else { continue };
        let state = |k: u32| {
            let (object, k) = (object.handle(), k as usize);
            Some((world.position(object, k).ok()?, world.velocity(object, k).ok()?))
        };
        let (positions, velocities): (Vec<Vec3>, Vec<Vec3>) = active.filter_map(state).unzip();
        if let Some(foam) = &mut particles.foam {
            foam.step(&positions, &velocities, spacing, gravity, dt);
        }
    }
}
