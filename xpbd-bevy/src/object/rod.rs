//! Rods: lines that resist bending and twist.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! /// A spring that hangs from its entity, as a tube, with a lamp at its lower end.
//! fn spring(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
//!     let coil = Rod { radius: 0.005, youngs_modulus: 5e7, ..Rod::helix(0.1, -0.04, 6.0, 96) };
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

pub use clamp::{Clamp, Clamped, RodEnd};
pub use segment::SegmentAttachment;

use bevy::ecs::intern::Interned;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use xpbd_cloth::{RodAttachment, RodHandle};
use xpbd_core::world::World as PhysicsWorld;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::handle::ObjectId;
use crate::mesh::VertexMap;
use crate::physics::{Physics, PhysicsHandle};
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};

/// A round rod through a line of points, which bends and twists, at the scale of its entity's transform
/// ([`xpbd_cloth::Rod`]).
///
/// Beside it [`Clamped`] holds its ends as they are turned, [`Pinned`](super::pin::Pinned) holds points by their number
/// or place, and [`Friction`](crate::material::Friction), [`CollisionLayers`](crate::material::CollisionLayers),
/// [`GravityScale`](crate::material::GravityScale) and [`LinearVelocity`](crate::material::LinearVelocity) apply as on any other object.
/// `Tube` of `draw` draws it, and [`SegmentAttachment`] lets entities ride on it.
///
/// A substep bears no more than about E r²/ρ < l⁴/(3 h²), with segments of length l \[m\] and substeps of h \[s\]: a
/// stiffer rod is as soft as that. It takes more substeps or fewer segments.
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Rod {
    /// Its points \[m\] in the frame of its entity, at least two, with a segment between each two.
    pub points: Vec<Vec3>,
    /// True if it is straight without forces; otherwise it is bent at rest as it is given, without twist.
    pub straight_at_rest: bool,
    /// The first axis across the first segment, in the frame of its entity; any if nothing is said. It matters to those
    /// who ask how segments are turned.
    pub normal: Option<Vec3>,
    /// Radius of its cross-section \[m\]. Its particles collide with the radius of the world's.
    pub radius: f32,
    /// Density of its material \[kg/m³\].
    pub density: f32,
    /// Young's modulus of its material \[Pa\]; usually 10⁶ (soft rubber) to 10⁹ (plastic).
    pub youngs_modulus: f32,
    /// Shear modulus of its material \[Pa\]; a third of Young's if nothing is said.
    pub shear_modulus: Option<f32>,
    /// Damping time of stretch, bending and twist \[s\].
    pub damping_time: f32,
    /// Drag by still air \[1/s\]: velocities and angular velocities decay by about this part of themselves a second. In
    /// [wind](crate::force::Wind), velocity relative to it does.
    pub linear_damping: f32,
    /// True if it collides with itself.
    pub self_collision: bool,
}

impl Rod {
    /// Creates a rod through points \[m\] of the frame of its entity.
    pub fn through(points: impl IntoIterator<Item = Vec3>) -> Self {
        Self { points: points.into_iter().collect(), ..Self::default() }
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

/// A metre of hard rubber, 2 cm thick, in 20 segments along x.
impl Default for Rod {
    fn default() -> Self {
        Self {
            points: xpbd_cloth::Rod::between(Vec3::ZERO, Vec3::X, 20).points,
            straight_at_rest: false,
            normal: None,
            radius: 0.01,
            density: 1100.0,
            youngs_modulus: 1e7,
            shear_modulus: None,
            damping_time: 0.0,
            linear_damping: 0.0,
            self_collision: false,
        }
    }
}

impl ObjectSource for Rod {
    const NAME: &'static str = "rod";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let points: Vec<_> = self.points.iter().map(|&x| site.transform.transform_point(x)).collect();
        let particles = (0..points.len() as u32).collect();
        let vertices = VertexMap { particles, rest: self.points.clone(), ..VertexMap::default() };
        let mut rod = xpbd_cloth::Rod::from_points(&points)
            .name(site.name.clone())
            .radius(self.radius)
            .density(self.density)
            .youngs_modulus(self.youngs_modulus)
            .damping_time(self.damping_time)
            .linear_damping(self.linear_damping)
            .pin(site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices)))
            .self_collision(self.self_collision);
        if self.straight_at_rest {
            rod = rod.straight_at_rest();
        }
        if let Some(normal) = self.normal {
            rod = rod.normal(site.transform.affine().transform_vector3(normal));
        }
        if let Some(modulus) = self.shear_modulus {
            rod = rod.shear_modulus(modulus);
        }
        let (object, parts) = rod.build()?;
        let (place, linear, angular) = (site.transform.translation(), site.linear_velocity, site.angular_velocity);
        Ok(Some(BuiltObject::from_vertex_map(object, vertices).and_then(move |world, object| {
            let rod = parts.add_to(world, object)?;
            align_segments(world, &rod)?;
            if angular != Vec3::ZERO {
                rod.set_motion(world, place, linear, angular)?;
            }
            Ok(RodId(rod))
        })))
    }

    fn has_same_parts(&self, before: &Self) -> bool {
        self == before
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

/// The rod that an entity is in the physics world: it tells frames, bends and twist of its segments, and cuts them.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable, on_insert = Self::enter, on_discard = Self::leave)]
pub struct RodId(RodHandle);

impl RodId {
    /// Returns the handle.
    pub fn handle(&self) -> &RodHandle {
        &self.0
    }

    fn enter(mut world: DeferredWorld, at: HookContext) {
        let Some(Self(rod)) = world.get::<Self>(at.entity).cloned() else { return };
        let Some(mut physics) = world.get_resource_mut::<Physics>() else { return };
        for batch in [Some(rod.stretch_batch()), rod.bend_batch()].into_iter().flatten() {
            physics.set_owner(PhysicsHandle::Batch(batch), at.entity);
        }
    }

    fn leave(mut world: DeferredWorld, at: HookContext) {
        let Some(Self(rod)) = world.get::<Self>(at.entity).cloned() else { return };
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
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), clamp::hold);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, clamp::follow);
        app.add_observer(clamp::let_go).add_observer(clamp::let_go_of_none);
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, segment::ride);
    }
}

/// Lets go of an end that something holds; that may have gone.
fn release(physics: &mut Physics, tie: &RodAttachment) {
    for &batch in tie.batches() {
        physics.world_mut().remove_batch(batch).ok();
    }
}
