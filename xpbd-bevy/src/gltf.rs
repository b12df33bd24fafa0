//! Physics in glTF files.
//!
//! Scenes that Bevy loads from glTF files get bodies, colliders, sensors and joints from the extension
//! [`KHR_physics_rigid_bodies`](https://github.com/KhronosGroup/glTF/pull/2424), and any component of this crate
//! from the extras of their nodes. A file is loaded as any other:
//!
//! ```no_run
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn main() {
//!     App::new().add_plugins((DefaultPlugins, XpbdPlugins::default())).add_systems(Startup, spawn).run();
//! }
//!
//! fn spawn(mut commands: Commands, assets: Res<AssetServer>) {
//!     commands.spawn(WorldAssetRoot(assets.load(GltfAssetLabel::Scene(0).from_asset("harbour.glb"))));
//! }
//! ```
//!
//! Whatever a file says that is unknown, wrong or unsupported is a warning, which names the node: a line of the log,
//! and a [`PhysicsError`](crate::PhysicsError) once the scene is spawned. The rest of the node takes effect.
//!
//! # Extras
//!
//! The property `xpbd` of a node's extras holds components by their names, with the fields of the documentation. Fields
//! that are left out have their defaults. The object may also be written as a text, for tools whose custom properties
//! are numbers and texts alone.
//!
//! ```json
//! {
//!     "name": "flag", "mesh": 0,
//!     "extras": {
//!         "xpbd": {
//!             "Cloth": { "density": 0.2, "air": {} },
//!             "Pinned": [{ "group": "_PIN", "held_by": "pole" }],
//!             "LinearDamping": 0.1
//!         }
//!     }
//! }
//! ```
//!
//! - `Cloth`, `SoftBody`, `Cluster` and `ColliderFromMesh` are built from the mesh of the node, which has one material.
//!   They and all components beside them are on the entity of the mesh, below that of the node.
//! - `Rope` on a node whose mesh is a line has the vertices of the line as its path. `Tube` beside it draws it.
//! - `Pinned` is a pin or a list of pins. A pin has `vertices`, a list of indices; or `color`, linear red, green and
//!   blue between 0 and 1; or `group`, an attribute of the mesh of one float, whose name begins with an underscore, and
//!   which is 0.5 or more where vertices are pinned. `held_by` is the name of the node that holds them.
//! - Components without a default, such as `Collider` and `Mass`, need all of their fields. Those that name other
//!   entities, such as `Joint`, cannot be described.
//!
//! # Rigid bodies
//!
//! | in the file | here |
//! |---|---|
//! | `motion` | [`RigidBody::Dynamic`]; with `isKinematic` or an infinite `mass` (0) [`RigidBody::Kinematic`] |
//! | `mass`, `inertiaDiagonal`, `centerOfMass` | [`Mass`](crate::body::Mass); without `mass` that of the colliders |
//! | `inertiaOrientation` | products of inertia are left out |
//! | an infinite `inertiaDiagonal` (0, 0, 0) | [`LockedAxes::ROTATION_LOCKED`](crate::body::LockedAxes::ROTATION_LOCKED) |
//! | `linearVelocity`, `angularVelocity`, `gravityFactor` | [`LinearVelocity`], [`AngularVelocity`], [`GravityScale`](crate::material::GravityScale) |
//! | `collider` with a `shape` | [`Collider`](crate::collider::Collider); planes of a size have two sides, others are solid below |
//! | `collider` with a `mesh` or `node` | its triangles, or with `convexHull` their hull |
//! | `physicsMaterial` | [`Friction`](crate::material::Friction), [`Restitution`](crate::material::Restitution); the rules of combination are those of this crate |
//! | `collisionFilter` | [`CollisionLayers`](crate::material::CollisionLayers): the bits of [`GltfPhysicsPlugin::collision_systems`]; of several systems one that matches is enough |
//! | `trigger` | [`Sensor`](crate::collider::Sensor), below the node if it has a collider too |
//! | `joint` | [`Joint`] on the entity of the node, by its limits a hinge, a slider, a ball, a fixed, a distance or a six-axis joint |
//! | `limits` of several axes | a distance, a cone, or a lock; others limit each axis by itself |
//! | `drives` | [`JointMotor`](xpbd_rigid::joint::JointMotor): with `stiffness` a spring to `positionTarget`, else one that keeps `velocityTarget` with up to `maxForce` |
//!
//! A side of a joint without `motion` becomes a [`RigidBody::Fixed`]. Bevy refuses files that list the extension under
//! `extensionsRequired`, unless they are loaded with `GltfLoaderSettings { validate: false, .. }`.

mod document;
mod extras;
mod fields;
mod handler;
mod joint;
mod rigid_body;
mod shape;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::gltf::extensions::GltfExtensionHandlers;
use bevy::prelude::*;
use xpbd_rigid::joint::JointPlacement;

use crate::body::RigidBody;
use crate::joint::Joint;
use crate::material::{AngularVelocity, LinearVelocity};
use crate::pose::PoseQuery;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems};
use handler::PhysicsHandler;

/// Physics from glTF files.
#[derive(Debug, Clone)]
pub struct GltfPhysicsPlugin {
    schedule: Interned<dyn ScheduleLabel>,
    /// The collision systems of files that have a bit of [`CollisionLayers`](crate::material::CollisionLayers) of their own: the
    /// first one the second bit, and so on. Systems that are not listed get the bits behind, in the order in which files are
    /// loaded.
    pub collision_systems: Vec<String>,
}

impl GltfPhysicsPlugin {
    /// Returns the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), collision_systems: Vec::new() }
    }
}

impl Default for GltfPhysicsPlugin {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl Plugin for GltfPhysicsPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<SpawnedNode>();
        app.add_systems(self.schedule, finish_nodes.before(XpbdSystems::Prepare(PrepareSystems::Bodies)));
    }

    fn finish(&self, app: &mut App) {
        let world = app.world();
        // An app without Bevy's glTF plugin loads no files.
        let Some(handlers) = world.get_resource::<GltfExtensionHandlers>() else { return };
        let registry = world.resource::<AppTypeRegistry>().clone();
        match handlers.0.try_write() {
            Some(mut handlers) => {
                handlers.push(Box::new(PhysicsHandler::new(registry, self.collision_systems.clone())))
            }
            None => error!("glTF files bring no physics: one was loaded before the app was finished"),
        }
    }
}

/// A node of a scene that has just been spawned: what depends on where that is, and the warnings about the node.
#[derive(Component, Debug, Clone, Default, PartialEq, Reflect)]
#[reflect(Component, Clone, Default)]
struct SpawnedNode {
    name: String,
    /// Linear velocity in the frame of the node \[m/s\].
    linear_velocity: Vec3,
    /// Angular velocity in the frame of the node \[rad/s\].
    angular_velocity: Vec3,
    warnings: Vec<String>,
}

impl SpawnedNode {
    fn new(name: &str) -> Self {
        Self { name: name.to_string(), ..Self::default() }
    }
}

/// The components of a new node that depend on where it is.
type Placed<'a> = (&'a mut LinearVelocity, &'a mut AngularVelocity);

/// Turns the velocities of new bodies into the world, scales the anchors of new joints, and reports warnings.
fn finish_nodes(
    mut commands: Commands,
    nodes: Query<(Entity, &SpawnedNode)>,
    mut velocities: Query<Placed<'static>, With<RigidBody>>,
    mut joints: Query<&mut Joint>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    let mut new: Vec<_> = nodes.iter().collect();
    new.sort_unstable_by_key(|&(entity, _)| entity);
    for (entity, node) in new {
        if let (Ok((mut linear, mut angular)), Some(at)) = (velocities.get_mut(entity), poses.in_world(entity)) {
            linear.0 += at.rotation * node.linear_velocity;
            angular.0 += at.rotation * node.angular_velocity;
        }
        if let Ok(mut joint) = joints.get_mut(entity) {
            let scales = [joint.a, Some(joint.b)].map(|body| poses.in_world(body?).map(|at| at.scale));
            if let JointPlacement::Bodies(frames) = joint.kind.placement() {
                frames.iter_mut().zip(scales).for_each(|(frame, scale)| frame.anchor *= scale.unwrap_or(Vec3::ONE));
            }
        }
        for warning in &node.warnings {
            errors.warn(entity, &format!("glTF node \"{}\"", node.name), warning);
        }
        commands.entity(entity).try_remove::<SpawnedNode>();
    }
}
