//! A frame of a kinematic character: velocities, motion, pushes.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use serde::{Deserialize, Serialize};
use xpbd_core::bodies::{Body, BodyKind, Mass};
use xpbd_core::force_region::ForceRegion;
use xpbd_core::number::NumberError;
use xpbd_core::query::{QueryFilter, QueryHit, SpatialQuery};
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{BodyHandle, ColliderHandle, World, WorldError};

use super::controller::{CharacterController, check_vector};
use super::error::CharacterError;
use super::force::{effective_mass, force_of_particles, force_of_regions, velocity_at};
use super::ground::{CharacterGround, Ride, along_ground, body_of};
use super::movement::CharacterMovement;
use super::slide::{Sweep, clip};

/// Orders to a character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct CharacterInput {
    /// The velocity that is wished for, relative to the ground \[m/s\]. Its part along the way up has no effect. On a slope it is
    /// the speed along the slope.
    pub velocity: Vec3,
    /// The speed with which it leaves the ground \[m/s\]; 0 for no jump. It has no effect in the air.
    pub jump_speed: f32,
}

/// The state of a character, which is kept from frame to frame and is a part of every saved game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CharacterState {
    /// Velocity in the world \[m/s\].
    pub velocity: Vec3,
    /// The ground on which it stands.
    pub ground: Option<CharacterGround>,
}

/// A force of a character on a body in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CharacterPush {
    /// The body.
    pub body: BodyHandle,
    /// The force \[N\].
    pub force: Vec3,
    /// The point at which it acts \[m\].
    pub point: Vec3,
}

/// The next frame of a character, before anything is changed.
#[derive(Debug, Clone, PartialEq)]
pub struct CharacterStep {
    /// The body of the character.
    pub body: BodyHandle,
    /// The pose to which the body moves in the frame.
    pub target: Pose,
    /// The state at the end of the frame.
    pub state: CharacterState,
    /// Its motion relative to the ground.
    pub movement: CharacterMovement,
    /// The forces on bodies in its way and under it.
    pub pushes: Vec<CharacterPush>,
}

impl CharacterStep {
    /// Moves the body of the character in the next frame of the world, and pushes others.
    ///
    /// # Errors
    /// A stale handle, or a body that has become dynamic.
    pub fn apply(&self, world: &mut World) -> Result<(), WorldError> {
        world.move_body(self.body, self.target)?;
        self.pushes.iter().try_for_each(|push| world.add_body_force_at(push.body, push.force, push.point))
    }
}

/// The velocity of a character relative to its ground in a frame.
struct Gait {
    is_grounded: bool,
    /// Velocity at the end of the frame, if nothing is in the way \[m/s\].
    velocity: Vec3,
    /// Displacement in the frame \[m\].
    displacement: Vec3,
}

impl CharacterController {
    /// Returns the next frame, of length `dt` \[s\], of the character whose shape is this collider, on a kinematic body. It is
    /// asked once before each step, after other kinematic bodies have got their targets, and [applied](CharacterStep::apply).
    /// Colliders are in its way if they collide with its own. The regions push it if it is in them.
    ///
    /// # Errors
    /// The first number that is not valid, a stale handle, or a collider that is on no kinematic body.
    pub fn step(
        &self,
        space: &SpatialQuery<'_>,
        collider: ColliderHandle,
        state: &CharacterState,
        input: &CharacterInput,
        regions: &[ForceRegion],
        dt: f32,
    ) -> Result<CharacterStep, CharacterError> {
        self.check()?;
        check_vector("velocity", state.velocity)?;
        check_vector("wished velocity", input.velocity)?;
        NumberError::check_not_negative("jump_speed of a character", input.jump_speed)?;
        NumberError::check_positive("length of a frame", dt)?;
        let (world, up) = (space.world(), self.up());
        let shape = world.state().colliders.get(collider).ok_or(WorldError::StaleHandle("collider"))?;
        let handle = shape.body.ok_or(CharacterError::NotOnBody("kinematic"))?;
        let body = world.body(handle)?;
        if body.kind != BodyKind::Kinematic {
            return Err(CharacterError::NotOnBody("kinematic"));
        }
        let as_dynamic = Body { velocity: state.velocity, mass: Mass::new(self.mass, Vec3::ONE), ..body };
        let force =
            force_of_particles(world, collider, dt) + force_of_regions(world, collider, &as_dynamic, regions, dt)?;
        let acceleration = world.settings().gravity * body.gravity_scale + force / self.mass;
        let ride = state.ground.map_or_else(Ride::default, |ground| ground.ride(world, up, dt));
        let gait = self.gait(state, input, acceleration, &ride, dt);

        let excluded = [handle];
        let filter = QueryFilter::colliders().layers(shape.collision_layers).exclude_bodies(&excluded);
        let at = body.pose * shape.pose;
        let mut sweep = self.sweep(*space, &*shape.shape, at, filter);
        let ground = self.walk(&mut sweep, gait.displacement, gait.is_grounded)?;
        let (pose, collisions) = (sweep.pose, sweep.collisions);
        let movement = CharacterMovement { translation: pose.translation - at.translation, ground, collisions };

        let carried = if state.ground.is_some() { ride.translation / dt } else { Vec3::ZERO };
        let (velocity, mut pushes) = self.push_bodies(world, &movement, &gait, carried, dt);
        pushes.extend(self.weigh_down(world, &movement, &gait, acceleration, carried, dt));
        let ground = ground.map(|hit| CharacterGround::new(world, &hit, pose.translation, up, dt));
        let end = self.state_after(ground, &gait, velocity + carried);

        let under = [Some(handle), state.ground.and_then(|ground| ground.body())];
        let excluded: Vec<BodyHandle> = under.into_iter().flatten().collect();
        let mut sweep = self.sweep(*space, &*shape.shape, pose, filter.exclude_bodies(&excluded));
        sweep.slide(ride.translation, false)?;
        let rotation = normalized(ride.yaw * body.pose.rotation);
        // The shape turns about its own origin.
        let target = Pose::from_parts(sweep.pose.translation - rotation * shape.pose.translation, rotation);
        Ok(CharacterStep { body: handle, target, state: end, movement, pushes })
    }

    fn sweep<'a>(
        &'a self,
        space: SpatialQuery<'a>,
        shape: &'a dyn Shape,
        pose: Pose,
        filter: QueryFilter<'a>,
    ) -> Sweep<'a> {
        Sweep { controller: self, space, shape, filter, pose, collisions: Vec::new() }
    }

    /// Returns the velocity of the next frame, relative to the ground.
    fn gait(&self, state: &CharacterState, input: &CharacterInput, acceleration: Vec3, ride: &Ride, dt: f32) -> Gait {
        let up = self.up();
        let wish = input.velocity.reject_from_normalized(up);
        let approach = |velocity: Vec3, rate: f32| {
            let pushed = velocity + acceleration.reject_from_normalized(up) * dt;
            (pushed + wish * (rate * dt)) / (1.0 + rate * dt)
        };
        let ground_velocity = state.ground.map_or(Vec3::ZERO, |ground| ground.velocity);
        let relative = ride.yaw * (state.velocity - ground_velocity);
        let is_lifted = acceleration.dot(up) > 0.0;
        if let Some(ground) = state.ground.filter(|_| input.jump_speed == 0.0 && !is_lifted) {
            let level = relative.reject_from_normalized(up).normalize_or_zero() * relative.length();
            let velocity = along_ground(approach(level, self.ground_response), ground.normal, up);
            return Gait { is_grounded: true, velocity, displacement: velocity * dt };
        }
        let carried = ride.translation / dt;
        let jumps = state.ground.is_some() && input.jump_speed > 0.0;
        let rise = carried.dot(up) + if jumps { input.jump_speed } else { relative.dot(up) };
        let rise_after = rise + acceleration.dot(up) * dt;
        let level = approach((relative + carried).reject_from_normalized(up), self.air_response);
        // The mean of both velocities is exact under gravity. What carries it in this frame is added later.
        let displacement = (level + up * (0.5 * (rise + rise_after)) - carried) * dt;
        Gait { is_grounded: false, velocity: level + up * rise_after - carried, displacement }
    }

    /// Returns the velocity \[m/s\] relative to the ground that surfaces in the way leave, and the pushes on bodies in the way.
    fn push_bodies(
        &self,
        world: &World,
        movement: &CharacterMovement,
        &Gait { is_grounded, velocity, .. }: &Gait,
        carried: Vec3,
        dt: f32,
    ) -> (Vec3, Vec<CharacterPush>) {
        let (mut planes, mut bodies, mut pushes) = (Vec::new(), Vec::new(), Vec::<CharacterPush>::new());
        for hit in &movement.collisions {
            let body = body_of(hit.target).and_then(|handle| Some((handle, world.body(handle).ok()?)));
            let Some((handle, body)) = body.filter(|(_, body)| body.kind == BodyKind::Dynamic) else {
                // A walkable slope turns the velocity of who walks, and does not stop it.
                if !(is_grounded && self.is_walkable(hit.normal)) {
                    self.add_planes(hit.normal, &mut planes);
                }
                continue;
            };
            let along = -hit.normal;
            let Some(mass) = effective_mass(&body, hit.point, along) else { continue };
            let speed = velocity_at(&body, hit.point).dot(along);
            let wanted = (velocity + carried).dot(along);
            let force = (mass * (wanted - speed) / dt).clamp(0.0, self.max_push_force);
            bodies.push((hit.normal, speed + force * dt / mass));
            let is_new = pushes.iter().all(|push| push.body != handle);
            if force > 0.0 && is_new && !self.is_walkable(hit.normal) {
                pushes.push(CharacterPush { body: handle, force: along * force, point: hit.point });
            }
        }
        let mut velocity = clip(velocity, &planes);
        for (normal, speed) in bodies {
            let excess = -(velocity + carried).dot(normal) - speed;
            velocity += normal * excess.max(0.0);
        }
        (velocity, pushes)
    }

    /// Returns the weight of the character on the body on which it stands, and its impact if it has just landed there.
    fn weigh_down(
        &self,
        world: &World,
        movement: &CharacterMovement,
        gait: &Gait,
        acceleration: Vec3,
        carried: Vec3,
        dt: f32,
    ) -> Option<CharacterPush> {
        let QueryHit { target, point, .. } = movement.ground?;
        let handle = body_of(target)?;
        let (body, down) = (world.body(handle).ok()?, -self.up());
        let mass = effective_mass(&body, point, down)?;
        let weight = self.mass * acceleration.dot(down).max(0.0);
        let approach = (gait.velocity + carried - velocity_at(&body, point)).dot(down);
        let shared = mass * self.mass / (mass + self.mass);
        let impact = if gait.is_grounded { 0.0 } else { shared * approach.max(0.0) / dt };
        Some(CharacterPush { body: handle, force: down * (weight + impact), point })
    }

    /// Returns the state of who has this velocity in the world \[m/s\] before it lands.
    fn state_after(&self, ground: Option<CharacterGround>, gait: &Gait, velocity: Vec3) -> CharacterState {
        let up = self.up();
        let landed = ground.filter(|_| !gait.is_grounded);
        // Who lands keeps the horizontal velocity.
        let velocity =
            landed.map_or(velocity, |ground| velocity.reject_from_normalized(up) + up * ground.velocity.dot(up));
        CharacterState { velocity, ground }
    }
}
