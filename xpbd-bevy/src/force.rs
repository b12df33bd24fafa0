//! Impulses, forces, wind and regions of forces.

mod push;
mod region;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as Core};

pub use push::{ApplyForce, ApplyImpulse};
pub use region::{ForceField, ForceRegion};

use crate::handle::{BodyId, ObjectId};
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
#[cfg(feature = "cloth")]
use crate::time::PhysicsTime;
use crate::time::StepLength;

/// Moving air: it pushes particles by their linear damping, and the triangles of cloth in [air](xpbd_cloth::Air).
///
/// The force on a particle is m d (u − v), with its mass m, the linear damping d \[1/s\] of its object, the wind u, and its velocity v. A cloth that hangs tilts by the angle whose tangent is d u/g. A wind that is not finite does
/// not blow.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// let mut wind = Wind::new(Vec3::X * 4.0);
/// wind.gust_strength = 0.3;
/// App::new().insert_resource(wind);
/// ```
#[cfg(feature = "cloth")]
#[derive(Resource, Debug, Default, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Wind(pub xpbd_cloth::Wind);

#[cfg(feature = "cloth")]
impl Wind {
    /// Creates a steady wind \[m/s\].
    pub fn new(velocity: Vec3) -> Self {
        Self(xpbd_cloth::Wind::new(velocity))
    }
}

/// Accelerates a dynamic body, or all particles of a cloth, rope, liquid or soft body alike \[m/s²\], besides gravity. A body does
/// not sleep while it is not zero.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct ConstantAcceleration(pub Vec3);

/// Impulses, forces, wind and regions of forces.
#[derive(Debug, Clone)]
pub struct ForcePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for ForcePlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<ConstantAcceleration>();
        #[cfg(feature = "cloth")]
        {
            app.init_resource::<Wind>().register_type::<Wind>();
            add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, blow);
        }
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, apply_accelerations);
        push::build(app, self.0);
        region::build(app, self.0);
    }
}

/// Adds the force m a on each particle of an object; an acceleration that is not finite adds none.
fn push(world: &mut Core, object: ObjectHandle, acceleration: impl Fn(Vec3) -> Vec3) {
    let Some(range) = world.state().objects.get(object).map(|object| object.range.clone()) else { return };
    for (k, i) in range.enumerate() {
        let particles = &world.state().particles;
        if particles.anchor[i].w > 0.0 {
            let force = particles.mass[i] * acceleration(particles.position(i));
            // A force that is not finite is the only error left.
            world.add_force(object, k, force).ok();
        }
    }
}

#[cfg(feature = "cloth")]
fn blow(
    mut physics: ResMut<Physics>,
    wind: Res<Wind>,
    time: Res<PhysicsTime>,
    length: Res<StepLength>,
    mut blew: Local<bool>,
) {
    let blows = wind.velocity != Vec3::ZERO;
    if length.get().is_none() || !(blows || *blew) {
        return;
    }
    *blew = blows;
    let world = physics.world_mut();
    for k in 0..world.objects().len() {
        let handle = world.objects()[k];
        let drag = world.state().objects.get(handle).map_or(0.0, |object| object.linear_damping);
        if drag > 0.0 && blows {
            push(world, handle, |place| drag * wind.velocity_at(place, time.elapsed));
        }
        // Most things are in no air; a wind that is not finite does not blow.
        xpbd_cloth::set_wind_field(world, handle, |place| wind.velocity_at(place, time.elapsed)).ok();
    }
}

fn apply_accelerations(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    accelerated: Query<(Entity, Option<&BodyId>, Option<&ObjectId>, &ConstantAcceleration)>,
    mut problems: EntityErrors,
) {
    if length.get().is_none() {
        return;
    }
    for (entity, body, object, &ConstantAcceleration(acceleration)) in accelerated.iter().sort::<Entity>() {
        if !acceleration.is_finite() {
            problems.report(entity, "acceleration", "it must be finite");
        } else if acceleration != Vec3::ZERO {
            let world = physics.world_mut();
            if let Some(object) = object {
                push(world, object.handle(), |_| acceleration);
            }
            if let Some(body) = body.map(|id| id.handle())
                && let Ok(of_body) = world.body(body)
            {
                // A force that is not finite is the only error left.
                world.add_body_force(body, of_body.mass.mass * acceleration).ok();
            }
        }
    }
}
