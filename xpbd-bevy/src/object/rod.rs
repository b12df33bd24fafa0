//! Rods: lines that resist bending and twist.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! /// A spring that hangs from its entity, as a tube, with a lamp at its lower end.
//! fn spring(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
//!     let steel = RodSettings { radius: 0.005, youngs_modulus: 5e7, ..default() };
//!     let coil = Rod { settings: steel, ..Rod::helix(0.1, -0.04, 6.0, 96) };
//!     let look = (Tube { radius: 0.005, ..default() }, MeshMaterial3d(materials.add(Color::srgb(0.7, 0.7, 0.8))));
//!     let rod = commands.spawn((coil, Clamped::first(), look, Transform::from_xyz(0.0, 2.0, 0.0))).id();
//!     commands.spawn((SegmentAttachment { rod, segment: 95 }, PointLight::default()));
//! }
//!
//! /// How far it is twisted \[rad\].
//! fn twist(physics: Res<Physics>, rods: Query<&RodId>) -> Result {
//!     for rod in &rods {
//!         info!("{}", rod.handle().twist(physics.world())?);
//!     }
//!     Ok(())
//! }
//! ```

mod clamp;
mod segment;

pub use clamp::{Clamp, Clamped};
pub use segment::SegmentAttachment;
pub use xpbd_cloth::{RodEnd, RodSettings};

use bevy::ecs::intern::Interned;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use xpbd_cloth::{RodAttachment, RodHandle};
use xpbd_core::world::{UpdateOutcome, World as PhysicsWorld};

use super::build::ObjectPlugin;
use super::material::ObjectMaterial;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::handle::ObjectId;
use crate::mesh::VertexMap;
use crate::physics::{Physics, PhysicsHandle};
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;

/// A round rod through a line of points, which bends and twists, at the scale of its entity's transform
/// ([`xpbd_cloth::Rod`]).
///
/// Beside it [`Clamped`] holds its ends as they are turned, [`Pinned`](super::pin::Pinned) holds points by their number
/// or place, and the components of a [material](crate::material) apply as on any other object. `Tube` of `draw` draws it, and
/// [`SegmentAttachment`] lets entities ride on it.
///
/// A rod that is swept, as in a wide net, is no stiffer than about E r²/ρ = l⁴/(3 h²), with segments of length l \[m\] and
/// substeps of h \[s\]: a stiffer one takes more substeps or fewer segments. By default it is solved directly, without such
/// a bound.
#[derive(Component, Debug, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Rod {
    /// Its points \[m\] in the frame of its entity, at least two, with a segment between each two.
    pub points: Vec<Vec3>,
    /// The first axis across the first segment, in the frame of its entity; any if there is none. It matters only for the
    /// rotations of [`SegmentAttachment`] and of [`RodHandle::segment_pose`].
    pub normal: Option<Vec3>,
    /// The settings apart from its points.
    #[deref]
    pub settings: RodSettings,
}

impl Rod {
    /// Creates a rod through points \[m\] of the frame of its entity.
    pub fn through(points: impl IntoIterator<Item = Vec3>) -> Self {
        Self { points: points.into_iter().collect(), normal: None, settings: RodSettings::default() }
    }

    /// Creates a straight rod of this many equal segments from `a` to `b` \[m\], in the frame of its entity.
    pub fn between(a: Vec3, b: Vec3, segments: u32) -> Self {
        Self::through(xpbd_cloth::Rod::between(a, b, segments).points)
    }

    /// Creates a helix of this radius \[m\], rise a turn \[m\] and number of turns \[1\] about the y axis, from
    /// (radius, 0, 0) up, by segments of equal length.
    pub fn helix(radius: f32, pitch: f32, turns: f32, segments: u32) -> Self {
        Self::through(xpbd_cloth::Rod::helix(radius, pitch, turns, segments).points)
    }
}

/// A metre of rod along x, in 20 segments.
impl Default for Rod {
    fn default() -> Self {
        Self::between(Vec3::ZERO, Vec3::X, 20)
    }
}

impl ObjectSource for Rod {
    const NAME: &'static str = "rod";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let points: Vec<_> = self.points.iter().map(|&x| site.transform.transform_point(x)).collect();
        let particles = (0..points.len() as u32).collect();
        let vertices = VertexMap { particles, rest: self.points.clone(), ..VertexMap::default() };
        let normal = self.normal.map(|normal| site.transform.affine().transform_vector3(normal));
        let settings = self.settings.clone();
        let rod = xpbd_cloth::Rod { normal, settings, ..xpbd_cloth::Rod::from_points(&points) };
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let described = rod.name(site.name.clone()).pin(pins);
        let (object, parts) = described.build()?;
        let (place, linear, angular) = (site.transform.translation(), site.linear_velocity, site.angular_velocity);
        Ok(Some(BuiltObject::from_vertex_map(object, vertices).and_then(move |world, object| {
            let rod = parts.add_to(world, object)?;
            align_segments(world, &rod)?;
            if angular != Vec3::ZERO {
                rod.set_motion(world, place, linear, angular)?;
            }
            Ok(RodId { handle: rod, described })
        })))
    }

    fn has_same_parts(&self, before: &Self) -> bool {
        let shape = |rod: &Self| (rod.points.clone(), rod.normal, rod.straight_at_rest);
        shape(self) == shape(before)
    }
}

/// Damps the segments of rods that are new or whose damping has changed as their particles are damped.
fn damp_segments(mut physics: ResMut<Physics>, rods: Query<(&RodId, &ObjectMaterial), Changed<ObjectMaterial>>) {
    for (rod, material) in &rods {
        // An invalid damping has been reported with the material.
        rod.handle().set_linear_damping(physics.world_mut(), material.linear_damping()).ok();
    }
}

/// Turns the segments of a rod along their links, whose particles may have been carried over from a rod before.
fn align_segments(world: &mut PhysicsWorld, rod: &RodHandle) -> Result<(), BevyError> {
    for (k, &segment) in rod.segments().iter().enumerate() {
        let [a, b] = [world.position(rod.object(), k)?, world.position(rod.object(), k + 1)?];
        let (mut pose, direction) = (world.body_pose(segment)?, (b - a).normalize_or_zero());
        let axis = pose.rotation * Vec3::Z;
        if direction != Vec3::ZERO && axis.distance(direction) > 1e-4 {
            pose.rotation = (Quat::from_rotation_arc(axis, direction) * pose.rotation).normalize();
            world.set_body_pose(segment, pose)?;
        }
    }
    Ok(())
}

/// Writes the numbers of rods that have changed to their segments and constraints. Other changes have built another rod.
fn update_rods(mut physics: ResMut<Physics>, mut rods: Query<(&Rod, &mut RodId), Changed<Rod>>) {
    for (rod, mut id) in &mut rods {
        // What holds the ends of the rod stays.
        let RodId { handle, described } = id.bypass_change_detection();
        let after = xpbd_cloth::Rod { settings: rod.settings.clone(), ..described.clone() };
        // An invalid description has been reported with the object.
        let (Ok((_, was)), Ok((_, is))) = (described.build(), after.build()) else { continue };
        if handle.update(physics.world_mut(), &was, &is) == Ok(UpdateOutcome::Updated) {
            *described = after;
        }
    }
}

/// The rod that an entity is in the physics world: it tells frames, bends and twist of its segments, and cuts them.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(on_insert = Self::enter, on_discard = Self::leave)]
pub struct RodId {
    handle: RodHandle,
    /// The description whose numbers the rod has.
    described: xpbd_cloth::Rod,
}

impl RodId {
    /// Returns the handle.
    pub fn handle(&self) -> &RodHandle {
        &self.handle
    }

    fn enter(mut world: DeferredWorld, at: HookContext) {
        let Some(Self { handle: rod, .. }) = world.get::<Self>(at.entity).cloned() else { return };
        let Some(mut physics) = world.get_resource_mut::<Physics>() else { return };
        for batch in [Some(rod.stretch_batch()), rod.bend_batch()].into_iter().flatten() {
            physics.set_owner(PhysicsHandle::Batch(batch), at.entity);
        }
    }

    fn leave(mut world: DeferredWorld, at: HookContext) {
        let Some(Self { handle: rod, .. }) = world.get::<Self>(at.entity).cloned() else { return };
        let Some(mut physics) = world.get_resource_mut::<Physics>() else { return };
        for batch in [Some(rod.stretch_batch()), rod.bend_batch()].into_iter().flatten() {
            physics.remove(PhysicsHandle::Batch(batch));
        }
        for &segment in rod.segments() {
            physics.remove(PhysicsHandle::Body(segment));
        }
    }
}

/// Rods, what holds their ends, and what rides on them.
#[derive(Debug, Clone)]
pub struct RodPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for RodPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ObjectPlugin::<Rod>::in_schedule(self.0));
        app.register_type::<Rod>().register_type::<Clamped>().register_type::<SegmentAttachment>();
        app.add_observer(|removed: On<Remove, ObjectId>, mut commands: Commands| {
            commands.entity(removed.entity).try_remove::<RodId>();
        });
        let constraints = XpbdSystems::Prepare(PrepareSystems::Constraints);
        add_ordered_systems(app, self.0, constraints, (update_rods, damp_segments, clamp::hold));
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, clamp::follow);
        app.add_observer(clamp::let_go).add_observer(clamp::let_go_of_none);
        save_component::<RodId>(app);
        save_component::<clamp::ClampState>(app);
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, segment::ride);
    }
}

/// Lets go of an end that something holds; that may have gone.
fn release(physics: &mut Physics, tie: &RodAttachment) {
    for &batch in tie.batches() {
        physics.world_mut().remove_batch(batch).ok();
    }
}
