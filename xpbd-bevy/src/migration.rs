//! The components of avian and bevy_rapier, and what stands for them here.
//!
//! An entity with a [`RigidBody`](crate::body::RigidBody) is a body, and its [`Collider`](crate::collider::Collider)s are on itself
//! or on its children, as in both other plugins. What differs most:
//!
//! - [`Collider::cuboid`](crate::collider::Collider::cuboid) takes half extents, as in bevy_rapier; avian takes whole lengths.
//!   `Collider::capsule(half_height, radius)`, `cylinder` and `cone` take half of the height, then the radius; avian takes the radius,
//!   then the height.
//! - A step runs in `FixedPostUpdate`, as in avian. Bodies are interpolated between steps from the start, unless they have
//!   [`NoTransformEasing`](crate::body::NoTransformEasing).
//! - A body without a [`ColliderDensity`](crate::material::ColliderDensity) has the density of water, 1000 kg/m³.
//! - Writing the `Transform` of a dynamic body teleports it, and that of a kinematic body moves it there in the course of the next step.
//!   [`Teleport`](crate::teleport::Teleport) takes along what is pinned to it.
//! - Fast bodies need no mark for continuous collision detection.
//! - Errors in descriptions are messages, [`PhysicsError`](crate::PhysicsError), besides lines of the log.
//!
//! # Bodies
//!
//! | avian | bevy_rapier | here |
//! |---|---|---|
//! | `PhysicsPlugins` | `RapierPhysicsPlugin` | [`XpbdPlugins`](crate::plugin::XpbdPlugins) |
//! | `RigidBody::Dynamic` | `RigidBody::Dynamic` | [`RigidBody::Dynamic`](crate::body::RigidBody::Dynamic) |
//! | `RigidBody::Static` | `RigidBody::Fixed` | [`RigidBody::Fixed`](crate::body::RigidBody::Fixed), or a collider without a body |
//! | `RigidBody::Kinematic` | `RigidBody::KinematicPositionBased`, `KinematicVelocityBased` | [`RigidBody::Kinematic`](crate::body::RigidBody::Kinematic), moved by its `Transform` or its velocity |
//! | `LinearVelocity`, `AngularVelocity` | `Velocity` | [`LinearVelocity`](crate::material::LinearVelocity), [`AngularVelocity`](crate::material::AngularVelocity) |
//! | `LinearDamping`, `AngularDamping` | `Damping` | [`LinearDamping`](crate::material::LinearDamping), [`AngularDamping`](crate::material::AngularDamping) |
//! | `Mass`, `AngularInertia`, `CenterOfMass` | `AdditionalMassProperties` | [`Mass`](crate::body::Mass) |
//! | `GravityScale` | `GravityScale` | [`GravityScale`](crate::material::GravityScale) |
//! | `LockedAxes` | `LockedAxes` | [`LockedAxes`](crate::body::LockedAxes) |
//! | `Sleeping`, `SleepingDisabled` | `Sleeping` | [`Sleeping`](crate::body::Sleeping), [`SleepingDisabled`](crate::body::SleepingDisabled) |
//! | `Forces`: `apply_force`, `apply_force_at_point`, `apply_torque` | `ExternalForce` | [`ApplyForce`](crate::force::ApplyForce) for a step, [`ExternalForce`](crate::body::ExternalForce) for as long as it is there |
//! | `Forces`: `apply_linear_impulse`, `apply_angular_impulse` | `ExternalImpulse` | [`ApplyImpulse`](crate::force::ApplyImpulse) |
//! | `ConstantForce`, `ConstantTorque` | `ExternalForce` | [`ExternalForce`](crate::body::ExternalForce) |
//! | `ConstantLinearAcceleration` | | [`ConstantAcceleration`](crate::force::ConstantAcceleration) |
//! | | | [`ForceRegion`](crate::force::ForceRegion): wind, vortices, water |
//! | `TransformInterpolation` | `TransformInterpolation` | on by itself; [`NoTransformEasing`](crate::body::NoTransformEasing) turns it off |
//! | `SweptCcd` | `Ccd` | not needed |
//! | `Dominance` | `Dominance` | none |
//!
//! # Colliders and contacts
//!
//! | avian | bevy_rapier | here |
//! |---|---|---|
//! | `Collider::sphere` | `Collider::ball` | [`Collider::ball`](crate::collider::Collider::ball) |
//! | `Collider::half_space` | `Collider::halfspace` | [`Collider::half_space`](crate::collider::Collider::half_space) |
//! | `Collider::trimesh`, `convex_hull`, `convex_decomposition`, `heightfield`, `compound` | the same | [`Collider::triangles`](crate::collider::Collider::triangles), `convex_hull`, `convex_decomposition`, `height_field`, `compound` |
//! | `ColliderConstructor` | `AsyncCollider` | [`ColliderFromMesh`](crate::collider::ColliderFromMesh) |
//! | `ColliderDensity` | `ColliderMassProperties::Density` | [`ColliderDensity`](crate::material::ColliderDensity) |
//! | `Friction`, `Restitution` | `Friction`, `Restitution` | [`Friction`](crate::material::Friction), [`Restitution`](crate::material::Restitution); the rule of combination is fixed |
//! | `CollisionLayers` | `CollisionGroups` | [`CollisionLayers`](crate::material::CollisionLayers) |
//! | `Sensor` | `Sensor` | [`Sensor`](crate::collider::Sensor) |
//! | `CollisionStart`, `CollisionEnd`, for entities with `CollisionEventsEnabled` | `CollisionEvent`, with `ActiveEvents` | [`CollisionStarted`](crate::message::CollisionStarted), [`CollisionEnded`](crate::message::CollisionEnded), and of sensors [`SensorEntered`](crate::message::SensorEntered), [`SensorExited`](crate::message::SensorExited); always sent, as messages and as events |
//! | `CollidingEntities` | `CollidingEntities` | [`CollidingEntities`](crate::message::CollidingEntities) |
//! | | | [`SurfaceVelocity`](crate::material::SurfaceVelocity) of belts, [`OneWayPlatform`](crate::material::OneWayPlatform) |
//! | `CollisionHooks` | `BevyPhysicsHooks` | none |
//!
//! # Joints
//!
//! A [`Joint`](crate::joint::Joint) is on an entity of its own. Anchors and axes are given in the world, for the poses that the
//! bodies have when it is made.
//!
//! | avian | bevy_rapier | here |
//! |---|---|---|
//! | `RevoluteJoint` | `RevoluteJointBuilder` | `HingeJoint` |
//! | `PrismaticJoint` | `PrismaticJointBuilder` | `SliderJoint` |
//! | `SphericalJoint` | `SphericalJointBuilder` | `BallJoint` |
//! | `FixedJoint`, `DistanceJoint` | `FixedJointBuilder`, `RopeJointBuilder` | `FixedJoint`, `DistanceJoint` |
//! | | `GenericJointBuilder` | `SixAxisJoint` |
//! | | `SpringJointBuilder` | `SpringJoint` |
//! | motors and limits of joints | `set_motor`, `limits` of builders | [`AxisMotor`](crate::joint::AxisMotor), [`AxisLimits`](crate::joint::AxisLimits), or in the joint |
//! | `JointCollisionDisabled` | `contacts_enabled` | bodies of a joint do not collide with each other, unless the joint says so |
//! | | `MultibodyJoint` | trees of joints are solved directly by default (`ConstraintSolver::Automatic`) |
//!
//! # Queries and the world
//!
//! | avian | bevy_rapier | here |
//! |---|---|---|
//! | `SpatialQuery` | `ReadRapierContext` | [`SpatialQuery`](crate::query::SpatialQuery); cloth and soft bodies are hit too |
//! | `RayCaster`, `RayHits`, `ShapeCaster`, `ShapeHits` | | [`RayCaster`](crate::query::RayCaster), [`RayHits`](crate::query::RayHits), [`ShapeCaster`](crate::query::ShapeCaster), [`ShapeHits`](crate::query::ShapeHits) |
//! | `SpatialQueryFilter` | `QueryFilter` | [`QueryFilter`](crate::query::QueryFilter) |
//! | `PhysicsPickingPlugin`, `PhysicsPickable` | `RapierPickingPlugin`, `RapierPickable` | `PhysicsPickingPlugin`, `PhysicsPickable` of the module `picking` |
//! | `Gravity`, `SubstepCount` | `RapierConfiguration` | [`PhysicsSettings`](crate::physics::PhysicsSettings) |
//! | `Time<Physics>`: `pause`, `set_relative_speed` | `TimestepMode` | [`PhysicsTime`](crate::time::PhysicsTime) |
//! | `PhysicsDebugPlugin` | `RapierDebugRenderPlugin` | `DebugPlugin` of the module `debug` |
//! | | `DynamicRayCastVehicleController` | the demo `vehicle` |
//! | | | the module `gltf`: physics from glTF files |
//! | `PhysicsDiagnosticsUiPlugin` | | `DiagnosticsOverlayPlugin` of the module [`diagnostic`](crate::diagnostic) |
//! | | `KinematicCharacterController` | `CharacterController`, with `CharacterInput` and `CharacterOutput` |
