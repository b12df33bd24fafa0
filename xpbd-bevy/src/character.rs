//! Characters: capsules that walk, climb steps, push things and ride on what moves.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn spawn(mut commands: Commands) {
//!     let mut controller = CharacterController::default();
//!     controller.max_slope_angle = 0.9;
//!     commands.spawn((controller, Collider::capsule(0.6, 0.3), Transform::from_xyz(0.0, 1.0, 0.0)));
//! }
//!
//! fn steer(keys: Res<ButtonInput<KeyCode>>, mut characters: Query<(&mut CharacterInput, &CharacterOutput)>) {
//!     for (mut input, output) in &mut characters {
//!         input.velocity = if keys.pressed(KeyCode::KeyW) { Vec3::NEG_Z * 3.0 } else { Vec3::ZERO };
//!         input.jump_speed = if keys.pressed(KeyCode::Space) && output.is_grounded() { 5.0 } else { 0.0 };
//!     }
//! }
//! ```
//!
//! A [`CharacterController`] moves a kinematic body by casting its shape through the world: it slides along walls, climbs steps, follows
//! the ground, and never tips or bounces. A [`DynamicCharacter`] drives a dynamic body by forces. How both move is in
//! [`xpbd_rigid::character`].

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_transform_interpolation::interpolation::TranslationInterpolation;
use parry3d::math::Pose;
use xpbd_core::force_region::ForceRegion as CoreRegion;
use xpbd_core::query::QueryHit;
use xpbd_core::world::{BodyHandle, ColliderHandle, WorldError};
use xpbd_rigid::character::{CharacterGround, CharacterState, CharacterStep, DynamicCharacterStep};

use crate::body::{BodySync, InterpolateBodies, LockedAxes, RigidBody, insert_interpolation};
use crate::force::ForceRegion;
use crate::handle::BodyId;
use crate::material::Friction;
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::query::Hit;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use crate::time::StepLength;

/// The motion of a transform \[m\] below which it is that of its body, up to the rounding of parents.
const LEAST_TELEPORT: f32 = 1e-4;

/// A character on a kinematic body, whose shape is the [`Collider`](crate::collider::Collider) of its entity.
///
/// It walks as its [`CharacterInput`] says, and [`CharacterOutput`] says where that led. The other fields are settings that
/// may be changed at any time. A change of its transform teleports it. Colliders are in its way if their
/// [`CollisionLayers`](crate::material::CollisionLayers) let them collide. Cloth, ropes and soft bodies are pushed aside by its body, and push
/// back. [`ForceRegion`]s act on it; of water it is slowed and lifted.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(RigidBody = RigidBody::Kinematic, CharacterInput, CharacterOutput, CharacterMemory)]
pub struct CharacterController(pub xpbd_rigid::character::CharacterController);

/// A character on a dynamic body, driven by forces: it stands on slopes, jumps, and is pushed by what pushes bodies.
///
/// It needs a collider with a mass and without friction, and no rotation, which it brings along.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(RigidBody, LockedAxes = LockedAxes::ROTATION_LOCKED, Friction = Friction::new(0.0), CharacterInput, CharacterOutput)]
pub struct DynamicCharacter(pub xpbd_rigid::character::DynamicCharacter);

/// Orders to a character, followed in every step until they are changed.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct CharacterInput(pub xpbd_rigid::character::CharacterInput);

/// The motion of a character in the last step.
#[derive(Component, Debug, Default, Clone, PartialEq)]
pub struct CharacterOutput {
    /// Velocity in the world \[m/s\].
    pub velocity: Vec3,
    /// The ground on which it stands.
    pub ground: Option<Hit>,
    /// Velocity at which its ground carries it \[m/s\].
    pub ground_velocity: Vec3,
    /// The surfaces that were in its way, in order. A [`DynamicCharacter`] leaves them to its
    /// [collisions](crate::message::CollidingEntities).
    pub collisions: Vec<Hit>,
}

impl CharacterOutput {
    /// Returns whether it stands on the ground.
    pub fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }
}

/// The state of a character that the library keeps from step to step.
#[derive(Component, Debug, Default, Clone, Copy)]
struct CharacterMemory(CharacterState);

/// Moves characters.
#[derive(Debug, Clone)]
pub struct CharacterPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for CharacterPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<CharacterController>().register_type::<DynamicCharacter>();
        app.register_type::<CharacterInput>();
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, (walk, drive));
        save_required_component::<CharacterMemory>(app);
        save_required_component::<CharacterOutput>(app);
    }
}

/// A kinematic character.
type Walker<'a> = (
    Entity,
    &'a CharacterController,
    &'a CharacterInput,
    &'a BodyId,
    &'a mut CharacterMemory,
    &'a mut CharacterOutput,
    &'a mut BodySync,
    Has<TranslationInterpolation>,
);

fn walk(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    (length, interpolate): (Res<StepLength>, Res<InterpolateBodies>),
    mut walkers: Query<Walker<'static>>,
    regions: Query<(Entity, &ForceRegion)>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    if walkers.is_empty() {
        return;
    }
    for (_, _, _, body, ..) in &walkers {
        teleport(&mut physics, body.handle());
    }
    let regions = valid_regions(&regions, &poses);
    // All look at the same world before the first of them changes it.
    let mut steps = Vec::new();
    for (entity, controller, input, body, memory, ..) in walkers.iter().sort::<Entity>() {
        let step = collider_of(&physics, body.handle()).and_then(|collider| {
            let step =
                physics.with_queries(|space| controller.0.step(&space, collider, &memory.0, &input.0, &regions, dt));
            Ok(step?)
        });
        steps.push((entity, step));
    }
    for (entity, step) in steps {
        let Ok((_, _, _, _, mut memory, mut output, mut sync, is_eased)) = walkers.get_mut(entity) else { continue };
        let applied = step.and_then(|step: CharacterStep| {
            step.apply(physics.world_mut())?;
            Ok(step)
        });
        match applied {
            Ok(step) => {
                (memory.0, sync.target, sync.is_carried) = (step.state, step.target, true);
                let CharacterState { velocity, ground } = step.state;
                let collisions = step.movement.collisions.into_iter().map(|hit| physics.hit(hit)).collect();
                output.set_if_neq(CharacterOutput { velocity, collisions, ..output_of(&physics, ground) });
                if interpolate.0 && !is_eased {
                    commands.entity(entity).queue_silenced(insert_interpolation);
                }
            }
            Err(problem) => errors.report(entity, "character controller", problem),
        }
    }
}

fn drive(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut drivers: Query<(Entity, &DynamicCharacter, &CharacterInput, &BodyId, &mut CharacterOutput)>,
    mut errors: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    let mut steps = Vec::new();
    for (entity, character, input, body, _) in drivers.iter().sort::<Entity>() {
        let step = collider_of(&physics, body.handle())
            .and_then(|collider| Ok(physics.with_queries(|space| character.0.step(&space, collider, &input.0, dt))?));
        steps.push((entity, body.handle(), step));
    }
    for (entity, body, step) in steps {
        let Ok((.., mut output)) = drivers.get_mut(entity) else { continue };
        let applied = step.and_then(|step: DynamicCharacterStep| {
            step.apply(physics.world_mut())?;
            Ok((step, physics.world().body(body)?.velocity))
        });
        match applied {
            Ok((step, velocity)) => {
                output.set_if_neq(CharacterOutput { velocity, ..output_of(&physics, step.ground) });
            }
            Err(problem) => errors.report(entity, "dynamic character", problem),
        }
    }
}

/// Puts a character where its transform was written to, which others have made the target of its body.
fn teleport(physics: &mut Physics, body: BodyHandle) {
    let state = physics.world().state();
    let target = state.body_handles.index_of(body).and_then(|k| state.bodies.target[k]);
    let (Some(target), Ok(pose)) = (target, physics.world().body_pose(body)) else { return };
    if target.translation.distance(pose.translation) > LEAST_TELEPORT
        || target.rotation.angle_between(pose.rotation) > LEAST_TELEPORT.sqrt()
    {
        // The pose of a target has been checked.
        physics.world_mut().set_body_pose(body, target).ok();
    }
}

/// Returns the first collider of a body.
fn collider_of(physics: &Physics, body: BodyHandle) -> Result<ColliderHandle, BevyError> {
    let mut colliders = physics.world().state().colliders.iter();
    let found = colliders.find(|(_, collider)| collider.body == Some(body)).map(|(handle, _)| handle);
    found.ok_or_else(|| "it has no collider; add a `Collider` beside it, such as a capsule".into())
}

/// Returns the regions that the library does not refuse; the others are reported where they are applied.
fn valid_regions(regions: &Query<(Entity, &ForceRegion)>, poses: &PoseQuery) -> Vec<CoreRegion> {
    let of_library = |(entity, region): (Entity, &ForceRegion)| {
        let pose: Pose = poses.pose(entity)?;
        let is_valid: Result<(), WorldError> = region.field.check();
        (is_valid.is_ok() && pose.is_finite()).then(|| region.to_library(pose))
    };
    regions.iter().sort::<Entity>().filter_map(of_library).collect()
}

fn output_of(physics: &Physics, ground: Option<CharacterGround>) -> CharacterOutput {
    let hit = |ground: CharacterGround| {
        let CharacterGround { target, point, normal, .. } = ground;
        physics.hit(QueryHit { target, point, normal, distance: 0.0, barycentrics: Vec3::ZERO })
    };
    let ground_velocity = ground.map_or(Vec3::ZERO, |ground| ground.velocity);
    CharacterOutput { ground: ground.map(hit), ground_velocity, ..CharacterOutput::default() }
}
