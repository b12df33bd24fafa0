//! The settings that all objects of particles share, and the builder methods that set them.

use glam::{Affine3A, Quat, Vec3};
use parry3d::math::Pose;
use serde::{Deserialize, Serialize};

use super::Object;
use crate::friction::Friction;
use crate::layers::CollisionLayers;
use crate::number::NumberError;
use crate::scalar::rotation::normalized;

/// The shortest quaternion that is taken for a rotation \[1\].
const SHORTEST_ROTATION: f32 = 1e-6;

/// The settings of an object of particles that do not depend on what holds its particles together.
///
/// Cloth, ropes, rods, soft bodies and clusters each embed them, and get their builder methods from
/// [`particle_setters!`](crate::particle_setters).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParticleSettings {
    /// Name in errors and reports.
    pub name: String,
    /// Pose of the object's frame in the world \[m\].
    pub pose: Pose,
    /// Velocity \[m/s\] of the centre of the particles.
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\] about the centre of the particles.
    pub angular_velocity: Vec3,
    /// Particles that do not move, in any order.
    pub pins: Vec<u32>,
    /// Collision layers of the particles.
    pub collision_layers: CollisionLayers,
    /// True if the particles collide with each other.
    pub self_collision: bool,
    /// Friction against colliders and other particles.
    pub friction: Friction,
    /// Coefficient of restitution against colliders and other particles \[1\], from 0 to 1.
    pub restitution: f32,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Linear damping \[1/s\]: the part of the velocity that is lost in a second.
    pub linear_damping: f32,
    /// True if the object may fall asleep when it has come to rest.
    pub can_sleep: bool,
}

impl ParticleSettings {
    /// Creates the settings of an object of this name: at rest at the origin, without pins, without collision among its
    /// own particles, under full gravity and without damping.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            pose: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            pins: Vec::new(),
            collision_layers: CollisionLayers::default(),
            self_collision: false,
            friction: Friction::default(),
            restitution: 0.0,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            can_sleep: false,
        }
    }

    /// Checks the pose and the numbers; the pins are checked by [`ParticleSettings::sorted_pins`].
    ///
    /// # Errors
    /// The first number that is out of range.
    pub fn check(&self) -> Result<(), NumberError> {
        let vectors = [
            ("translation of the pose", self.pose.translation),
            ("velocity", self.velocity),
            ("angular velocity", self.angular_velocity),
        ];
        for (name, vector) in vectors {
            vector.to_array().into_iter().try_for_each(|component| NumberError::check_finite(name, component))?;
        }
        let length = self.pose.rotation.length();
        let is_rotation = length.is_finite() && length > SHORTEST_ROTATION;
        NumberError::check("length of the pose's rotation", length, "1", is_rotation)?;
        self.friction.check()?;
        NumberError::check_restitution(self.restitution)?;
        NumberError::check_finite("gravity scale", self.gravity_scale)?;
        NumberError::check_not_negative("linear damping", self.linear_damping)
    }

    /// Returns the pins in ascending order, each once.
    ///
    /// # Errors
    /// The first pin that is not below `count`.
    pub fn sorted_pins(&self, count: usize) -> Result<Vec<u32>, u32> {
        if let Some(&pin) = self.pins.iter().find(|&&pin| pin as usize >= count) {
            return Err(pin);
        }
        let mut sorted = self.pins.clone();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(sorted)
    }

    /// Returns the pose \[m\] with a rotation of unit length.
    pub fn unit_pose(&self) -> Pose {
        Pose::from_parts(self.pose.translation, normalized(self.pose.rotation))
    }

    /// Returns points of the object's frame \[m\] at their positions in the world \[m\].
    pub fn placed(&self, points: &[Vec3]) -> Vec<Vec3> {
        let pose = self.unit_pose();
        points.iter().map(|&point| pose.transform_point(point)).collect()
    }

    /// Pins the particles for whose index and position in the world \[m\] a predicate holds; `points` are the particles in
    /// the object's frame \[m\].
    pub fn pin_where(&mut self, points: &[Vec3], holds: impl Fn(u32, Vec3) -> bool) {
        let placed = (0..).zip(self.placed(points));
        self.pins.extend(placed.filter(|&(index, x)| holds(index, x)).map(|(index, _)| index));
    }

    /// Transforms an object about the origin of the world: its points, which are given in its frame \[m\], take the
    /// rotation and the scale, and the pose takes the translation.
    pub fn transform(&mut self, points: &mut [Vec3], transform: Affine3A) {
        let Pose { rotation, translation, .. } = self.unit_pose();
        points.iter_mut().for_each(|x| *x = transform.transform_vector3(rotation * *x));
        self.pose = Pose::from_translation(transform.transform_point3(translation));
    }

    /// Creates an object of particles at these points of its frame \[m\], with these masses \[kg\] and these pins, which
    /// are those of [`ParticleSettings::sorted_pins`]. It has no constraints, and no rest shape of its own.
    pub fn object(&self, points: &[Vec3], masses: Vec<f32>, pins: Vec<u32>) -> Object {
        let mut object = Object::new(self.name.clone(), self.placed(points), 0.0);
        if self.velocity != Vec3::ZERO || self.angular_velocity != Vec3::ZERO {
            let centre = self.unit_pose().transform_point(points.iter().sum::<Vec3>() / points.len() as f32);
            let velocity = |&x: &Vec3| self.velocity + self.angular_velocity.cross(x - centre);
            object.velocities = object.positions.iter().map(velocity).collect();
        }
        object.masses = masses;
        object.pins = pins;
        object.collision_layers = CollisionLayers { self_collision: self.self_collision, ..self.collision_layers };
        object.friction = self.friction;
        object.restitution = self.restitution;
        object.gravity_scale = self.gravity_scale;
        object.linear_damping = self.linear_damping;
        object.can_sleep = self.can_sleep;
        object
    }
}

/// A position \[m\], a position and a rotation, or a pose: what places an object in the world.
pub trait IntoPose {
    /// Returns the pose \[m\].
    fn into_pose(self) -> Pose;
}

impl IntoPose for Pose {
    fn into_pose(self) -> Pose {
        self
    }
}

impl IntoPose for Vec3 {
    fn into_pose(self) -> Pose {
        Pose::from_translation(self)
    }
}

impl IntoPose for (Vec3, Quat) {
    fn into_pose(self) -> Pose {
        Pose::from_parts(self.0, self.1)
    }
}

/// Writes the builder methods of [`ParticleSettings`] for a description that embeds them in a field `particles`.
#[macro_export]
macro_rules! particle_setters {
    ($object:ty) => {
        impl $object {
            /// Sets the name, which errors and reports mention.
            #[must_use]
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.particles.name = name.into();
                self
            }

            /// Places the object: rotates it about the origin, then moves it by the translation \[m\].
            ///
            /// `pose` is a position, a position and a rotation, or a pose. Several calls act one after the other.
            #[must_use]
            pub fn at(mut self, pose: impl $crate::object::IntoPose) -> Self {
                self.particles.pose = pose.into_pose() * self.particles.pose;
                self
            }

            /// Sets the velocity \[m/s\] of the centre of the particles, and the angular velocity \[rad/s\] about it.
            #[must_use]
            pub fn velocity(mut self, linear: glam::Vec3, angular: glam::Vec3) -> Self {
                self.particles.velocity = linear;
                self.particles.angular_velocity = angular;
                self
            }

            /// Pins particles: they do not move.
            #[must_use]
            pub fn pin(mut self, particles: impl IntoIterator<Item = u32>) -> Self {
                self.particles.pins.extend(particles);
                self
            }

            /// Sets which other objects and colliders the particles collide with; all of them by default.
            #[must_use]
            pub fn collision_layers(mut self, layers: $crate::layers::CollisionLayers) -> Self {
                self.particles.collision_layers = layers;
                self
            }

            /// Sets whether the particles collide with each other; they do not by default.
            #[must_use]
            pub fn self_collision(mut self, self_collision: bool) -> Self {
                self.particles.self_collision = self_collision;
                self
            }

            /// Sets the friction against colliders and other particles.
            #[must_use]
            pub fn friction(mut self, friction: $crate::friction::Friction) -> Self {
                self.particles.friction = friction;
                self
            }

            /// Sets the coefficient of restitution against colliders and other particles \[1\], from 0, the default, to 1: the
            /// speed at which they rebound over that at which they met. Of two surfaces the larger one counts.
            #[must_use]
            pub fn restitution(mut self, restitution: f32) -> Self {
                self.particles.restitution = restitution;
                self
            }

            /// Sets the factor of gravity \[1\]; 1 by default.
            #[must_use]
            pub fn gravity_scale(mut self, scale: f32) -> Self {
                self.particles.gravity_scale = scale;
                self
            }

            /// Sets the linear damping \[1/s\]: the part of the velocity that is lost in a second; 0 by default.
            #[must_use]
            pub fn linear_damping(mut self, damping: f32) -> Self {
                self.particles.linear_damping = damping;
                self
            }

            /// Sets whether the object may [fall asleep](xpbd_core::world::World::set_can_sleep) when it has come to rest, which it
            /// may not by default.
            #[must_use]
            pub fn can_sleep(mut self, can_sleep: bool) -> Self {
                self.particles.can_sleep = can_sleep;
                self
            }
        }
    };
}

/// Writes a builder method for each of these fields of the settings that a description embeds in a field `settings`. The
/// documentation of a field says what it means; `=> Some` wraps the value of an optional one.
#[macro_export]
macro_rules! setters {
    ($object:ty: $settings:ident { $($field:ident: $type:ty $(=> $wrap:ident)?),+ $(,)? }) => {
        impl $object {
            $(
                #[doc = concat!("Sets [`", stringify!($settings), "::", stringify!($field), "`].")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    $(let $field = $wrap($field);)?
                    self.settings.$field = $field;
                    self
                }
            )+
        }
    };
}
