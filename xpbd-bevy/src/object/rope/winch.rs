//! Winches: ropes that are paid out and reeled in.

use bevy::ecs::entity::MapEntities;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::prelude::*;
use xpbd_cloth::WinchError;
use xpbd_core::world::{ObjectHandle, World as Core};

use super::Rope;
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::time::StepLength;

/// Pays out and reels in the rope of its entity at its last point until so much is out; all of this may be changed at
/// any time.
///
/// It takes a rope of equal links with a [`spool`](xpbd_cloth::RopeSettings::spool), or one without tethers, and holds its last point where
/// it is, so that this need not be pinned. That moves with the transform of its entity, or of another.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// // Half a metre of rope below its entity, with room for four more.
/// fn crane(mut commands: Commands) {
///     let mut rope = Rope::between(Vec3::NEG_Y * 0.5, Vec3::ZERO, 5, 0.5);
///     rope.spool = 40;
///     commands.spawn((rope, Winch { length: 2.0, speed: 0.5, ..default() }, Transform::from_xyz(0.0, 5.0, 0.0)));
/// }
///
/// fn lower(mut cranes: Query<&mut Winch>) {
///     for mut crane in &mut cranes {
///         crane.length = 4.0;
///     }
/// }
///
/// fn is_down(cranes: Query<(&Winch, &WinchDrum)>) -> bool {
///     cranes.iter().all(|(winch, drum)| drum.paid_out() >= winch.length)
/// }
/// ```
#[derive(Component, MapEntities, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, MapEntities)]
#[component(map_entities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(WinchDrum)]
pub struct Winch {
    /// Length of rope to be paid out \[m\], at most what the spool has; 0.4 links always stay out.
    pub length: f32,
    /// Speed of paying out and reeling in \[m/s\], at least 0; a few links per second run smoothly.
    pub speed: f32,
    /// The entity that the winch moves with; none for the entity of the rope. The rope does not pull on it.
    #[entities]
    pub attached_to: Option<Entity>,
}

/// A metre, at half a metre a second.
impl Default for Winch {
    fn default() -> Self {
        Self { length: 1.0, speed: 0.5, attached_to: None }
    }
}

/// The state of a winch.
#[derive(Component, Debug, Default, Clone)]
pub struct WinchDrum {
    winch: Option<xpbd_cloth::Winch>,
    /// The rope that it was made for, or could not be.
    of: Option<ObjectHandle>,
    /// Where the rope leaves it, in the frame of what it moves with, and where that was last.
    place: Option<(Option<Entity>, Vec3, GlobalTransform)>,
    out: f32,
}

impl WinchDrum {
    /// Returns how much rope is out, without tension \[m\].
    pub fn paid_out(&self) -> f32 {
        self.out
    }

    /// Returns the winch in the physics world, once there is one.
    pub fn handle(&self) -> Option<&xpbd_cloth::Winch> {
        self.winch.as_ref()
    }

    /// Moves where the rope leaves the winch with an entity that now is there.
    fn follow(&mut self, world: &mut Core, on: Option<Entity>, now: GlobalTransform) -> Result<(), WinchError> {
        let (Some(winch), Some(rope)) = (&self.winch, self.of) else { return Ok(()) };
        match &mut self.place {
            Some((entity, place, last)) if *entity == on => {
                if *last != now {
                    *last = now;
                    winch.move_to(world, now.transform_point(*place))?;
                }
            }
            place => {
                let fairlead = world.position(rope, winch.fairlead(world)?)?;
                *place = Some((on, now.affine().inverse().transform_point3(fairlead), now));
            }
        }
        Ok(())
    }

    /// Pays out or reels in what is due in a step of this length \[s\].
    fn turn(&mut self, world: &mut Core, winch: Winch, dt: f32) -> Result<(), WinchError> {
        let Some(handle) = &self.winch else { return Ok(()) };
        self.out = handle.length(world)?;
        let most = (winch.speed * dt).max(0.0);
        let due = (winch.length - self.out).clamp(-most, most);
        // A number that is not one is refused with its name.
        if due != 0.0 {
            self.out += handle.pay_out(world, due)?;
        }
        Ok(())
    }
}

/// Ropes with winches.
type Wound = (With<Winch>, With<Rope>);

/// Makes winches of ropes that are new.
pub(super) fn make(
    mut physics: ResMut<Physics>,
    mut winches: Query<(Entity, &ObjectId, &mut WinchDrum), Wound>,
    mut problems: EntityErrors,
) {
    let mut waiting: Vec<_> = winches.iter_mut().filter(|(_, id, reel)| reel.of != Some(id.handle())).collect();
    // The order of edits is that of entities, not of archetypes.
    waiting.sort_unstable_by_key(|all| all.0);
    for (entity, id, mut reel) in waiting {
        *reel = WinchDrum { of: Some(id.handle()), ..WinchDrum::default() };
        match xpbd_cloth::Winch::new(physics.world_mut(), id.handle()) {
            Ok(winch) => {
                reel.out = winch.length(physics.world()).unwrap_or_default();
                reel.winch = Some(winch);
            }
            Err(problem) => problems.report(entity, "winch", problem),
        }
    }
}

/// Lets winches run.
pub(super) fn run(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut winches: Query<(Entity, &Winch, &ObjectId, &mut WinchDrum)>,
    transforms: TransformHelper,
    mut problems: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    for (entity, winch, rope, mut reel) in winches.iter_mut().sort::<Entity>() {
        if reel.winch.is_none() || reel.of != Some(rope.handle()) {
            continue;
        }
        // The winch stays where it is when its holder was despawned.
        let moved = match transforms.compute_global_transform(winch.attached_to.unwrap_or(entity)) {
            Ok(now) => reel.follow(physics.world_mut(), winch.attached_to, now),
            Err(_) => Ok(()),
        };
        let turned = moved.and_then(|()| reel.turn(physics.world_mut(), *winch, dt));
        if let Err(problem) = turned {
            problems.report(entity, "winch", problem);
        }
    }
}

/// Lets the rope go of a winch that is taken away.
pub(super) fn let_go(
    removed: On<Remove, Winch>,
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    reels: Query<&WinchDrum>,
) {
    if let Ok(WinchDrum { winch: Some(winch), of: Some(rope), .. }) = reels.get(removed.entity)
        && let Ok(fairlead) = winch.fairlead(physics.world())
    {
        // The rope may be gone.
        physics.world_mut().set_pinned(*rope, fairlead, false).ok();
    }
    commands.entity(removed.entity).try_remove::<WinchDrum>();
}
