//! Emitters and sinks of fluids.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn tap(mut commands: Commands) {
//!     let water = commands.spawn(Fluid::empty(4000).material(FluidMaterial::WATER)).id();
//!     let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.03 }, 1.0).lifetime(10.0);
//!     let at = Transform::from_xyz(0.0, 2.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::X);
//!     commands.spawn((Emitter::new(water, nozzle), at));
//!     commands.spawn(Sink::new(Region::half_space(Vec3::NEG_Y, Vec3::Y)));
//! }
//! ```

mod sink;

pub use sink::{Sink, SinkCount};
pub use xpbd_fluid::Region;
pub use xpbd_fluid::emitter::{Nozzle, NozzleShape, WhenFull};

use bevy::ecs::entity::MapEntities;
use bevy::ecs::intern::Interned;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::math::Pose;
use xpbd_core::world::{ObjectHandle, World as Core};
use xpbd_fluid::SpawnError;

use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use crate::time::StepLength;

/// Lets particles come into a fluid, out of an opening that looks where its entity does (along −z) and moves with
/// it.
///
/// They come as long as the fluid has room, [`spare`](crate::object::fluid::Fluid::capacity). The speed of the nozzle and
/// `running` may be changed at any time; a change of anything else starts it anew.
#[derive(Component, MapEntities, Debug, Clone, PartialEq, Reflect)]
#[component(map_entities)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, EmitterOutput)]
pub struct Emitter {
    /// The fluid that it fills.
    #[entities]
    pub fluid: Entity,
    /// The nozzle; its position and direction are those of the entity.
    pub nozzle: Nozzle,
    /// True if it lets particles come.
    pub running: bool,
}

impl Emitter {
    /// Creates a nozzle into a fluid, running.
    pub fn new(fluid: Entity, nozzle: Nozzle) -> Self {
        Self { fluid, nozzle, running: true }
    }

    fn source(&self, world: &Core, object: ObjectHandle) -> Result<xpbd_fluid::Emitter, SpawnError> {
        let mut source = self.nozzle.clone().emitter(world, object)?;
        if !self.running {
            source.stop();
        }
        Ok(source)
    }

    /// Returns whether it differs from another in no more than can be changed as it runs.
    fn resembles(&self, other: &Self) -> bool {
        let mut like = self.clone();
        (like.nozzle.speed, like.running) = (other.nozzle.speed, other.running);
        like == *other
    }
}

/// The output of an emitter.
#[derive(Component, Debug, Default, Clone)]
pub struct EmitterOutput {
    source: Option<xpbd_fluid::Emitter>,
    /// The description that the source was built from, or was refused.
    of: Option<(Emitter, ObjectHandle)>,
    missing: u64,
}

impl EmitterOutput {
    /// Returns how many particles have come since it was made or changed.
    pub fn emitted(&self) -> u64 {
        self.source.as_ref().map_or(0, xpbd_fluid::Emitter::emitted)
    }

    /// Returns how many of them have gone, at the end of their lifetime or for others.
    pub fn deactivated(&self) -> u64 {
        self.source.as_ref().map_or(0, xpbd_fluid::Emitter::deactivated)
    }

    /// Returns how many found no room.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Makes the source be what the emitter says.
    fn renew(&mut self, emitter: &Emitter, world: &Core, object: ObjectHandle) -> Result<(), SpawnError> {
        let before = self.of.replace((emitter.clone(), object));
        if let (Some(source), Some((before, into))) = (&mut self.source, before)
            && into == object
            && emitter.resembles(&before)
        {
            match (before.running, emitter.running) {
                (false, true) => source.start(),
                (true, false) => source.stop(),
                _ => {}
            }
            return source.set_speed(emitter.nozzle.speed);
        }
        self.missing = 0;
        self.source = None;
        self.source = Some(emitter.source(world, object)?);
        Ok(())
    }

    fn step(&mut self, world: &mut Core, pose: GlobalTransform, dt: f32) -> Result<(), SpawnError> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let (_, rotation, position) = pose.to_scale_rotation_translation();
        source.move_to(Pose::from_parts(position, rotation * BACKWARD))?;
        self.missing += source.step(world, dt)?.rejected;
        Ok(())
    }
}

/// Half a turn about y: particles leave along z of what is turned by it.
const BACKWARD: Quat = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);

/// Emitters and sinks of fluids.
#[derive(Debug, Clone)]
pub struct EmitterPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for EmitterPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Emitter>().register_type::<Sink>().register_type::<SinkCount>();
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, (sink::drain, emit));
        app.add_observer(forget);
        save_required_component::<EmitterOutput>(app);
        save_required_component::<SinkCount>(app);
    }
}

fn forget(removed: On<Remove, Emitter>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<EmitterOutput>();
}

fn emit(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut emitters: Query<(Entity, &Emitter, &mut EmitterOutput)>,
    objects: Query<&ObjectId>,
    transforms: TransformHelper,
    mut problems: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    for (entity, emitter, mut outflow) in emitters.iter_mut().sort::<Entity>() {
        // The fluid may be gone, or come yet.
        let Ok(object) = objects.get(emitter.fluid) else { continue };
        let (object, world) = (object.handle(), physics.world_mut());
        let mut result = Ok(());
        if outflow.of.as_ref().is_none_or(|(of, into)| of != emitter || *into != object) {
            result = outflow.renew(emitter, world, object);
        }
        let pose = transforms.compute_global_transform(entity).unwrap_or_default();
        if let Err(problem) = result.and_then(|()| outflow.step(world, pose, dt)) {
            problems.report(entity, "emitter", problem);
        }
    }
}
