//! Damping relative to something that moves.

use bevy::ecs::entity::MapEntities;
use bevy::ecs::intern::Interned;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_cloth::ReferenceFrame;
use xpbd_core::bodies::BodyKind;
use xpbd_core::scalar::trig;
use xpbd_core::world::ObjectHandle;

use crate::handle::ObjectId;
use crate::physics::{Physics, PhysicsHandle};
use crate::pose::{FASTEST_HOLDER, PoseQuery};
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use crate::time::StepLength;

/// Damps the cloth, rope or other particles of an entity relative to a frame that moves: a cape on a character that runs
/// and turns comes to rest as it would on one that stands.
///
/// Velocities v become (v + rate h u)/(1 + rate h) in a substep h, with the velocity u that a particle would have as a
/// part of the frame. That is the motion of an entity's transform from step to step, or of its body if that is dynamic.
/// All but `rate` may be changed at no cost.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands, cape: Entity, hips: Entity) {
/// commands.entity(cape).insert(FrameDamping { frame_entity: Some(hips), rate: 3.0, linear_factor: 0.8, angular_factor: 1.0 });
/// # }
/// ```
#[derive(Component, MapEntities, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, MapEntities)]
#[component(map_entities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(FrameDampingState)]
pub struct FrameDamping {
    /// The entity that moves; none for the entity of the object itself.
    #[entities]
    pub frame_entity: Option<Entity>,
    /// Rate \[1/s\], positive.
    pub rate: f32,
    /// The part of its velocity that is followed \[1\], from 0, where inertia is felt in full, to 1.
    pub linear_factor: f32,
    /// The part of its angular velocity that is followed \[1\].
    pub angular_factor: f32,
}

/// Two a second, with all of the motion.
impl Default for FrameDamping {
    fn default() -> Self {
        Self { frame_entity: None, rate: 2.0, linear_factor: 1.0, angular_factor: 1.0 }
    }
}

/// The damping in the physics world.
#[derive(Component, Debug, Default, Clone)]
struct FrameDampingState {
    made: Option<(ObjectHandle, f32, xpbd_cloth::FrameDamping)>,
    /// The entity that moves, and its pose before the last step.
    last: Option<(Entity, Vec3, Quat)>,
}

/// Damping relative to frames.
#[derive(Debug, Clone)]
pub struct FrameDampingPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for FrameDampingPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FrameDamping>();
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), damp);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, follow);
        app.add_observer(let_go);
        save_required_component::<FrameDampingState>(app);
    }
}

/// Ends it with the component that described it.
fn let_go(removed: On<Remove, FrameDamping>, mut damped: Query<&mut FrameDampingState>, mut physics: ResMut<Physics>) {
    if let Ok(mut damped) = damped.get_mut(removed.entity) {
        damped.release(&mut physics);
    }
}

impl FrameDampingState {
    fn release(&mut self, physics: &mut Physics) {
        if let Some((.., damping)) = self.made.take() {
            physics.remove(PhysicsHandle::Batch(damping.batch()));
        }
        self.last = None;
    }

    /// Returns how the frame moves in a step of this length \[s\]; at rest where that is not known yet.
    fn frame(&mut self, of: Entity, physics: &Physics, poses: &PoseQuery, dt: f32) -> Option<ReferenceFrame> {
        if let Some(body) = physics.body_of(of).and_then(|body| physics.world().body(body).ok())
            && body.kind == BodyKind::Dynamic
        {
            let frame = ReferenceFrame {
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                ..ReferenceFrame::default()
            };
            return Some(ReferenceFrame { centre: body.pose.translation, ..frame });
        }
        let Transform { translation: centre, rotation, .. } = poses.in_world(of)?;
        // A frame that has jumped begins anew.
        let is_near = |last: &(Entity, Vec3, Quat)| last.0 == of && last.1.distance(centre) <= FASTEST_HOLDER * dt;
        let last = self.last.replace((of, centre, rotation)).filter(is_near);
        let (_, before, turned) = last.unwrap_or((of, centre, rotation));
        let spin = rotation_vector(rotation * turned.inverse()) / dt;
        Some(ReferenceFrame {
            centre,
            velocity: (centre - before) / dt,
            angular_velocity: spin,
            ..ReferenceFrame::default()
        })
    }
}

/// Returns the axis of a rotation times its angle \[rad\], the shorter way round.
fn rotation_vector(rotation: Quat) -> Vec3 {
    let sine = rotation.xyz() * rotation.w.signum();
    let length = sine.length();
    // Twice the half angle; of a small one the sine.
    if length > 1e-6 { sine * (2.0 * trig::atan2(length, rotation.w.abs()) / length) } else { 2.0 * sine }
}

/// Selects changed damping and new objects.
type NewlyDamped = Or<(Changed<FrameDamping>, Changed<ObjectId>)>;

fn damp(
    mut physics: ResMut<Physics>,
    mut damped: Query<(Entity, &FrameDamping, &ObjectId, &mut FrameDampingState), NewlyDamped>,
    mut problems: EntityErrors,
) {
    for (entity, damping, id, mut damped) in damped.iter_mut().sort::<Entity>() {
        let rate = damping.rate;
        if damped.made.is_some_and(|(object, of, _)| object == id.handle() && of == rate) {
            continue;
        }
        damped.release(&mut physics);
        match xpbd_cloth::FrameDamping::new(physics.world_mut(), id.handle(), rate) {
            Ok(made) => damped.made = Some((id.handle(), rate, made)),
            Err(problem) => problems.report(entity, "damping", problem),
        }
    }
}

fn follow(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut all: Query<(Entity, &FrameDamping, &ObjectId, &mut FrameDampingState)>,
    poses: PoseQuery,
    mut problems: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    for (
        entity,
        &FrameDamping { frame_entity: of, linear_factor: linear, angular_factor: angular, .. },
        id,
        mut damped,
    ) in &mut all
    {
        let Some((.., damping)) = damped.made.filter(|made| made.0 == id.handle()) else { continue };
        // The frame of a despawned entity is at rest.
        let frame = damped.frame(of.unwrap_or(entity), &physics, &poses, dt).unwrap_or_default();
        if let Err(problem) = damping
            .set_frame(physics.world_mut(), ReferenceFrame { linear_factor: linear, angular_factor: angular, ..frame })
        {
            problems.report(entity, "damping", problem);
        }
    }
}
