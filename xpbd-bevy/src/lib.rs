//! The plugin of **xpbd** for Bevy: cloth, ropes, liquids, soft and rigid bodies that push on each other.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default()));
//! app.update();
//! assert_eq!(app.world().resource::<Physics>().world().objects().len(), 0);
//! ```
//!
//! Components describe what there is; a system makes it in the [`Physics`] world before the next step. Numbers of a component
//! that change are written to what is there; where more changes, that is made anew. Removing the component or despawning its
//! entity takes it out.
//!
//! A step is one run of the fixed schedule, in [`XpbdSystems`]: forces and edits belong before it, in
//! `FixedUpdate`; what reads the outcome, after it. Between steps everything drawn is interpolated.
//!
//! | where to look | for what |
//! |---|---|
//! | [`plugin`] | the plugins of the group, schedules |
//! | [`physics`] | the world behind the components |
//! | [`body`] | rigid bodies |
//! | [`collider`] | shapes that collide |
//! | `character` | characters that walk |
//! | `joint` | hinges and other joints |
//! | [`message`] | what touched, tore, broke, fell asleep |
//! | [`object`] | cloth, ropes, rods and all else that is made of particles; pins, clamps, winches, skins |
//! | [`material`] | friction, groups, density |
//! | `emitter` | what lets liquid come and go |
//! | `phase_change` | melting and freezing |
//! | [`force`] | wind, accelerations |
//! | [`constraint`] | constraints of one's own |
//! | [`query`] | rays, moving shapes, overlaps, closest points |
//! | `picking` | what pointers of Bevy's picking are on |
//! | [`drag`] | dragging with the mouse |
//! | `debug`, [`diagnostic`] | gizmos, times and counts |
//! | [`teleport`] | moving things at once |
//! | [`time`] | pause, slow motion, single steps |
//! | [`snapshot`] | saved games, rollback |
//! | `gltf` | bodies, joints, cloth and more from glTF files |

pub mod backend;
pub mod body;
#[cfg(feature = "rigid")]
pub mod character;
pub mod collider;
pub mod constraint;
#[cfg(feature = "debug")]
pub mod debug;
pub mod diagnostic;
pub mod drag;
#[cfg(feature = "render")]
pub mod draw;
#[cfg(feature = "fluid")]
pub mod emitter;
pub mod force;
#[cfg(feature = "gltf")]
pub mod gltf;
mod handle;
#[cfg(feature = "rigid")]
pub mod joint;
pub mod material;
mod mesh;
pub mod message;
pub mod migration;
pub mod object;
#[cfg(feature = "fluid")]
pub mod phase_change;
pub mod physics;
#[cfg(feature = "picking")]
pub mod picking;
pub mod plugin;
mod pose;
pub mod query;
mod report;
pub mod schedule;
pub mod snapshot;
pub mod teleport;
pub mod time;

pub use backend::BackendKind;
pub use physics::Physics;
pub use plugin::XpbdPlugins;
pub use report::PhysicsError;
pub use schedule::XpbdSystems;

/// The items that most games need.
pub mod prelude {
    pub use crate::backend::BackendKind;
    #[cfg(feature = "gpu")]
    pub use crate::backend::GpuReadback;
    pub use crate::body::{
        ExternalForce, LockedAxes, Mass, NoTransformEasing, RigidBody, Sleeping, SleepingDisabled,
        TransformInterpolation,
    };
    #[cfg(feature = "rigid")]
    pub use crate::character::{CharacterController, CharacterInput, CharacterOutput, DynamicCharacter};
    pub use crate::collider::{Collider, ColliderFromMesh, Sensor};
    pub use crate::constraint::{ConstraintApp, Constraints};
    #[cfg(all(feature = "fluid", feature = "render"))]
    pub use crate::draw::DrawFoam;
    #[cfg(feature = "render")]
    pub use crate::draw::{DrawParticles, FluidSurface, Tube};
    #[cfg(feature = "fluid")]
    pub use crate::emitter::{Emitter, Nozzle, NozzleShape, Region, Sink, WhenFull};
    #[cfg(feature = "cloth")]
    pub use crate::force::Wind;
    pub use crate::force::{ApplyForce, ApplyImpulse, ConstantAcceleration, ForceField, ForceRegion};
    #[cfg(feature = "gltf")]
    pub use crate::gltf::GltfPhysicsPlugin;
    #[cfg(feature = "rigid")]
    pub use crate::joint::{AxisLimits, AxisMotor, Coupling, CouplingId, Joint, JointId, JointKind};
    pub use crate::material::{
        AngularDamping, AngularVelocity, ColliderDensity, CollisionLayers, Friction, GravityScale, LinearDamping,
        LinearVelocity, OneWayPlatform, Restitution, SelfCollision, SleepingEnabled, SurfaceVelocity,
    };
    #[cfg(feature = "rigid")]
    pub use crate::message::JointBroken;
    #[cfg(feature = "cloth")]
    pub use crate::message::{ClothTorn, CutCloth, CutRope, RopeCut, RopeCutPlace};
    pub use crate::message::{
        CollidingEntities, CollisionEnded, CollisionStarted, ConstraintBroken, FellAsleep, Frozen, SensorEntered,
        SensorExited, WokeUp,
    };
    #[cfg(feature = "cloth")]
    pub use crate::object::cloth::{Cloth, ClothSettings};
    #[cfg(feature = "rigid")]
    pub use crate::object::cluster::{Cluster, ClusterOverlap, ClusterSettings};
    #[cfg(feature = "fluid")]
    pub use crate::object::fluid::{Fluid, FluidMaterial};
    #[cfg(feature = "fluid")]
    pub use crate::object::foam::{Foam, FoamOptions, FoamParticles};
    #[cfg(feature = "cloth")]
    pub use crate::object::frame_damping::FrameDamping;
    pub use crate::object::pin::Pinned;
    #[cfg(feature = "cloth")]
    pub use crate::object::rod::{Clamped, Rod, RodId, RodSettings, SegmentAttachment};
    #[cfg(feature = "cloth")]
    pub use crate::object::rope::{Rope, RopeSettings, Winch, WinchDrum};
    #[cfg(feature = "cloth")]
    pub use crate::object::skin_attachment::SkinAttachment;
    #[cfg(feature = "cloth")]
    pub use crate::object::soft_body::{SoftBody, SoftBodySettings};
    #[cfg(feature = "fluid")]
    pub use crate::phase_change::{PhaseChange, PhaseChangeState, TemperatureRegion};
    pub use crate::physics::{Physics, PhysicsSettings};
    pub use crate::plugin::XpbdPlugins;
    pub use crate::query::{QueryFilter, RayCaster, RayHits, ShapeCaster, ShapeHits, SpatialQuery};
    pub use crate::report::PhysicsError;
    pub use crate::schedule::XpbdSystems;
    pub use crate::snapshot::{PhysicsSnapshot, RestoredEntities};
    pub use crate::teleport::Teleport;
    pub use crate::time::PhysicsTime;
    #[cfg(feature = "cloth")]
    pub use xpbd_cloth::{
        Air, AirSides, Bending, Blade, Elasticity, Gas, GasAmount, Plate, Stretch, TearSettings, Tethers,
        bending_stiffness,
    };
    pub use xpbd_core::plasticity::Plasticity;
    pub use xpbd_core::world::Settings;
    #[cfg(feature = "rigid")]
    pub use xpbd_rigid::joint::{
        BallJoint, CylindricalJoint, DistanceJoint, HingeJoint, Joint as _, JointAxis, JointCoupling, JointFrame,
        JointLimits, JointMotor, PointOnLineJoint, PointOnPlaneJoint, RotationMotor, SixAxisJoint, SliderJoint,
        SpringJoint, UniversalJoint,
    };
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
