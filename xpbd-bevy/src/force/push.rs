//! Impulses and forces that act once.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::bodies::BodyKind;
use xpbd_core::world::{BodyHandle, ObjectHandle, World as Core, WorldError};

use crate::handle::{BodyId, ObjectId};
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;
use crate::time::StepLength;

/// Pushes a dynamic body or an object of particles by an impulse, with the next step, and wakes the body.
///
/// A body of mass m and inertia I gains the velocity J/m and the angular velocity I⁻¹ (r × J + L), with the impulse J, the
/// lever arm r from the centre of mass to the point, and the angular impulse L. An impulse without a point gives all free
/// particles of an object the same velocity. At a point it acts on the free particle that is nearest. Only bodies take an
/// angular impulse.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// fn kick(mut commands: Commands, balls: Query<Entity, With<RigidBody>>) {
///     for ball in &balls {
///         commands.trigger(ApplyImpulse::new(ball, Vec3::new(0.0, 2.0, 5.0)));
///     }
/// }
/// ```
#[derive(EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct ApplyImpulse {
    /// The entity that is pushed.
    pub entity: Entity,
    /// The impulse \[N s\], in the world.
    pub impulse: Vec3,
    /// The angular impulse \[N m s\], in the world, besides that by the lever arm of the impulse.
    pub angular_impulse: Vec3,
    /// The point at which the impulse acts \[m\], in the world; none for the centre of mass.
    pub point: Option<Vec3>,
}

impl ApplyImpulse {
    /// Creates an impulse \[N s\] at the centre of mass.
    pub fn new(entity: Entity, impulse: Vec3) -> Self {
        Self { entity, impulse, angular_impulse: Vec3::ZERO, point: None }
    }

    /// Creates an impulse \[N s\] at a point \[m\] of the world.
    pub fn at_point(entity: Entity, impulse: Vec3, point: Vec3) -> Self {
        Self { point: Some(point), ..Self::new(entity, impulse) }
    }

    /// Creates an angular impulse \[N m s\].
    pub fn angular(entity: Entity, angular_impulse: Vec3) -> Self {
        Self { angular_impulse, ..Self::new(entity, Vec3::ZERO) }
    }
}

/// Pushes a dynamic body or an object of particles by a force in the whole of the next step, and wakes the body. It acts as
/// an [`ApplyImpulse`] does that is spread over the step.
///
/// A force that is to act in every step is triggered once for each, in [`FixedUpdate`], or is the component
/// [`ExternalForce`](crate::body::ExternalForce). Forces that wait for the same step add up.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # #[derive(Component)]
/// # struct Thruster { rocket: Entity, power: f32 }
/// fn burn(mut commands: Commands, thrusters: Query<(&Thruster, &GlobalTransform)>) {
///     for (thruster, place) in &thrusters {
///         let force = place.up() * thruster.power;
///         commands.trigger(ApplyForce::at_point(thruster.rocket, force, place.translation()));
///     }
/// }
/// ```
#[derive(EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct ApplyForce {
    /// The entity that is pushed.
    pub entity: Entity,
    /// The force \[N\], in the world.
    pub force: Vec3,
    /// The torque \[N m\], in the world, besides that by the lever arm of the force.
    pub torque: Vec3,
    /// The point at which the force acts \[m\], in the world; none for the centre of mass.
    pub point: Option<Vec3>,
}

impl ApplyForce {
    /// Creates a force \[N\] at the centre of mass.
    pub fn new(entity: Entity, force: Vec3) -> Self {
        Self { entity, force, torque: Vec3::ZERO, point: None }
    }

    /// Creates a force \[N\] at a point \[m\] of the world.
    pub fn at_point(entity: Entity, force: Vec3, point: Vec3) -> Self {
        Self { point: Some(point), ..Self::new(entity, force) }
    }

    /// Creates a torque \[N m\].
    pub fn torque(entity: Entity, torque: Vec3) -> Self {
        Self { torque, ..Self::new(entity, Vec3::ZERO) }
    }
}

/// The impulses and forces that the next step applies to an entity.
#[derive(Component, Debug, Default, Clone)]
struct PendingPushes(Vec<Push>);

/// An impulse or a force.
#[derive(Debug, Clone, Copy)]
struct Push {
    kind: PushKind,
    linear: Vec3,
    angular: Vec3,
    point: Option<Vec3>,
}

#[derive(Debug, Clone, Copy)]
enum PushKind {
    Impulse,
    Force,
}

pub(super) fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.add_observer(|push: On<ApplyImpulse>, mut commands: Commands| {
        let ApplyImpulse { entity, impulse: linear, angular_impulse: angular, point } = *push;
        queue(&mut commands, entity, Push { kind: PushKind::Impulse, linear, angular, point });
    });
    app.add_observer(|push: On<ApplyForce>, mut commands: Commands| {
        let ApplyForce { entity, force: linear, torque: angular, point } = *push;
        queue(&mut commands, entity, Push { kind: PushKind::Force, linear, angular, point });
    });
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, apply);
    save_component::<PendingPushes>(app);
}

/// Lets a push wait for the next step. The entity may be built by then, and no force adds up in a pause.
fn queue(commands: &mut Commands, entity: Entity, push: Push) {
    commands.entity(entity).queue_silenced(move |mut entity: EntityWorldMut| {
        entity.entry::<PendingPushes>().or_default().get_mut().0.push(push);
    });
}

fn apply(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut pushed: Query<(Entity, &mut PendingPushes, Option<&BodyId>, Option<&ObjectId>)>,
    mut errors: EntityErrors,
) {
    if length.get().is_none() {
        return;
    }
    for (entity, mut pushes, body, object) in pushed.iter_mut().filter(|(_, pushes, ..)| !pushes.0.is_empty()) {
        for push in std::mem::take(&mut pushes.0) {
            let world = physics.world_mut();
            let applied = match (body, object) {
                (Some(body), _) => push.apply_to_body(world, body.handle()),
                (None, Some(object)) => push.apply_to_object(world, object.handle()),
                (None, None) => Err("it is neither a body nor an object of particles, or is not built yet".into()),
            };
            if let Err(problem) = applied {
                errors.report(entity, push.kind.name(), problem);
            }
        }
    }
}

impl PushKind {
    fn name(self) -> &'static str {
        match self {
            Self::Impulse => "impulse",
            Self::Force => "force",
        }
    }
}

impl Push {
    fn apply_to_body(self, world: &mut Core, body: BodyHandle) -> Result<(), BevyError> {
        let kind = world.body(body)?.kind;
        if kind != BodyKind::Dynamic {
            return Err(format!("its body is {kind:?}, and only dynamic ones are pushed").into());
        }
        let Self { linear, angular, point, .. } = self;
        match (self.kind, point) {
            (PushKind::Impulse, None) => world.add_body_impulse(body, linear)?,
            (PushKind::Impulse, Some(point)) => world.add_body_impulse_at(body, linear, point)?,
            (PushKind::Force, None) => world.add_body_force(body, linear)?,
            (PushKind::Force, Some(point)) => world.add_body_force_at(body, linear, point)?,
        }
        if angular != Vec3::ZERO {
            match self.kind {
                PushKind::Impulse => world.add_body_torque_impulse(body, angular)?,
                PushKind::Force => world.add_body_torque(body, angular)?,
            }
        }
        Ok(())
    }

    fn apply_to_object(self, world: &mut Core, object: ObjectHandle) -> Result<(), BevyError> {
        if self.angular != Vec3::ZERO {
            return Err("it has no body that would take an angular impulse or a torque".into());
        }
        let masses = free_masses(world, object)?;
        match self.point {
            None => {
                let total: f32 = masses.iter().map(|&(_, mass)| mass).sum();
                for (particle, mass) in masses {
                    self.apply_to_particle(world, object, particle, mass / total)?;
                }
            }
            Some(point) => {
                let distance = |particle: usize| Ok(world.position(object, particle)?.distance_squared(point));
                let distances: Result<Vec<f32>, WorldError> = masses.iter().map(|&(k, _)| distance(k)).collect();
                let nearest = distances?.into_iter().zip(masses).min_by(|a, b| a.0.total_cmp(&b.0));
                nearest.map_or(Ok(()), |(_, (k, _))| self.apply_to_particle(world, object, k, 1.0))?;
            }
        }
        Ok(())
    }

    /// Pushes a particle by a part of the whole.
    fn apply_to_particle(
        self,
        world: &mut Core,
        object: ObjectHandle,
        particle: usize,
        part: f32,
    ) -> Result<(), WorldError> {
        match self.kind {
            PushKind::Impulse => world.add_impulse(object, particle, self.linear * part),
            PushKind::Force => world.add_force(object, particle, self.linear * part),
        }
    }
}

/// Returns the particles of an object that can be pushed, with their masses \[kg\].
fn free_masses(world: &Core, object: ObjectHandle) -> Result<Vec<(usize, f32)>, BevyError> {
    let state = world.state();
    let range = state.objects.get(object).ok_or(WorldError::StaleHandle("object"))?.range.clone();
    let is_free = |&(_, i): &(usize, usize)| state.particles.anchor[i].w > 0.0;
    let free: Vec<_> = range.enumerate().filter(is_free).map(|(k, i)| (k, state.particles.mass[i])).collect();
    if free.is_empty() {
        return Err("all its particles are held, and nothing pushes them".into());
    }
    Ok(free)
}
