//! Characters on dynamic bodies.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::bodies::BodyKind;
use xpbd_core::number::NumberError;
use xpbd_core::query::{QueryFilter, QueryHit, ShapeCast, SpatialQuery};
use xpbd_core::world::{BodyHandle, ColliderHandle, World, WorldError};

use super::controller::{check_up, check_vector, is_walkable};
use super::error::CharacterError;
use super::ground::{CharacterGround, along_ground, body_of};
use super::step::{CharacterInput, CharacterPush};

/// Settings of a character on a dynamic body: it is driven by forces of bounded size, stands on slopes and jumps. Everything that
/// pushes bodies pushes it.
///
/// Its body has its rotation locked, and its collider has no friction: it holds itself on a slope by the force with which it
/// walks. Its ground is pushed back by the same force.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct DynamicCharacter {
    /// Direction up, of any length but 0.
    pub up: Vec3,
    /// The angle of the steepest slope on which it stands and walks \[rad\].
    pub max_slope_angle: f32,
    /// The gap to the ground \[m\] up to which it stands there.
    pub ground_distance: f32,
    /// The rate at which it takes on the velocity that is wished for on the ground \[1/s\].
    pub ground_response: f32,
    /// The same in the air \[1/s\].
    pub air_response: f32,
    /// The greatest force with which it drives itself along the ground \[N\].
    pub max_force: f32,
}

impl Default for DynamicCharacter {
    fn default() -> Self {
        Self {
            up: Vec3::Y,
            max_slope_angle: std::f32::consts::FRAC_PI_4,
            ground_distance: 0.05,
            ground_response: 15.0,
            air_response: 1.0,
            max_force: 2000.0,
        }
    }
}

/// The forces of a dynamic character in a frame, before anything is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicCharacterStep {
    /// The ground on which it stands.
    pub ground: Option<CharacterGround>,
    /// The force that drives it and the one back on its ground.
    pub forces: Vec<CharacterPush>,
    /// The body of the character.
    body: BodyHandle,
    /// The change of its velocity by a jump \[m/s\].
    jump: Vec3,
    /// The impulse of the jump on its ground \[N s\], at a point \[m\].
    kick: Option<(BodyHandle, Vec3, Vec3)>,
}

impl DynamicCharacterStep {
    /// Applies the forces and the jump to the world before its next step.
    ///
    /// # Errors
    /// A stale handle.
    pub fn apply(&self, world: &mut World) -> Result<(), WorldError> {
        if self.jump != Vec3::ZERO {
            world.edit_body(self.body, |body| body.velocity += self.jump)?;
        }
        if let Some((body, impulse, point)) = self.kick {
            world.add_body_impulse_at(body, impulse, point)?;
        }
        self.forces.iter().try_for_each(|push| match push.body == self.body {
            true => world.add_body_force(push.body, push.force),
            false => world.add_body_force_at(push.body, push.force, push.point),
        })
    }
}

impl DynamicCharacter {
    /// Returns the forces of the next frame, of length `dt` \[s\], on the character whose shape is this collider, on a
    /// dynamic body. It keeps nothing from frame to frame.
    ///
    /// # Errors
    /// The first number that is not valid, a stale handle, or a collider that is on no dynamic body.
    pub fn step(
        &self,
        space: &SpatialQuery<'_>,
        collider: ColliderHandle,
        input: &CharacterInput,
        dt: f32,
    ) -> Result<DynamicCharacterStep, CharacterError> {
        self.check()?;
        check_vector("wished velocity", input.velocity)?;
        NumberError::check_not_negative("jump_speed of a character", input.jump_speed)?;
        NumberError::check_positive("length of a frame", dt)?;
        let world = space.world();
        let shape = world.state().colliders.get(collider).ok_or(WorldError::StaleHandle("collider"))?;
        let handle = shape.body.ok_or(CharacterError::NotOnBody("dynamic"))?;
        let body = world.body(handle)?;
        if body.kind != BodyKind::Dynamic {
            return Err(CharacterError::NotOnBody("dynamic"));
        }
        let up = self.up.normalize_or(Vec3::Y);
        let excluded = [handle];
        let filter = QueryFilter::default().layers(shape.collision_layers).exclude_bodies(&excluded);
        // From a little above, as the solver may let it sink in.
        let mut pose = body.pose * shape.pose;
        pose.translation += up * self.ground_distance;
        let (direction, max_distance) = (-up, 2.0 * self.ground_distance);
        let cast = ShapeCast { shape: &*shape.shape, pose, direction, max_distance, target_distance: 0.0 };
        let is_ground = |hit: &QueryHit| hit.distance > 0.0 && is_walkable(hit.normal, up, self.max_slope_angle);
        let ground = space.shape_hits(&cast, &filter)?.into_iter().find(is_ground);
        let ground = ground.map(|hit| CharacterGround::new(world, &hit, pose.translation, up, dt));

        let mut step = DynamicCharacterStep { ground, forces: Vec::new(), body: handle, jump: Vec3::ZERO, kick: None };
        let wish = input.velocity.reject_from_normalized(up);
        let (normal, carried) = ground.map_or((up, Vec3::ZERO), |ground| (ground.normal, ground.velocity));
        let relative = body.velocity - carried;
        // Who rises faster than the ground has left it.
        let is_jumping = input.jump_speed > 0.0 && ground.is_some() && relative.dot(up) < 0.5 * input.jump_speed;
        let rate = if ground.is_some() { self.ground_response } else { self.air_response };
        let missing = (along_ground(wish, normal, up) - relative).reject_from_normalized(normal);
        let drive = missing * (body.mass.mass * rate / (1.0 + rate * dt));
        let gravity = world.settings().gravity * (body.gravity_scale * body.mass.mass);
        let hold = if ground.is_some() { -gravity.reject_from_normalized(normal) } else { Vec3::ZERO };
        let force = (drive + hold).clamp_length_max(self.max_force);
        let point = ground.map_or(Vec3::ZERO, |ground| ground.point);
        let under = ground.and_then(|ground| body_of(ground.target));
        step.forces.push(CharacterPush { body: handle, force, point });
        step.forces.extend(under.map(|body| CharacterPush { body, force: -force, point }));
        if is_jumping {
            let speed = input.jump_speed - relative.dot(up);
            step.jump = up * speed;
            let impulse = -step.jump * body.mass.mass;
            step.kick = under.map(|below| (below, impulse, point));
        }
        Ok(step)
    }

    /// Refuses settings with which no character could move.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), CharacterError> {
        check_up(self.up)?;
        let is_angle = (0.0..std::f32::consts::FRAC_PI_2).contains(&self.max_slope_angle);
        NumberError::check("max_slope_angle of a character", self.max_slope_angle, "from 0 to below π/2", is_angle)?;
        NumberError::check_positive("ground_distance of a character", self.ground_distance)?;
        NumberError::check_not_negative("ground_response of a character", self.ground_response)?;
        NumberError::check_not_negative("air_response of a character", self.air_response)?;
        Ok(NumberError::check_not_negative("max_force of a character", self.max_force)?)
    }
}
