//! Regions of space that push what is in them: wind, vortices, magnets and blasts, drag, water.
//!
//! A [`ForceRegion`] is applied before each step, as other forces are, and pushes particles and dynamic bodies in the next
//! frame. It has no state: nothing of it is part of a snapshot.
//!
//! With the mass m, the velocity v, and the length Δt of the frame, the force on matter at x is
//!
//! F = m (a(x) + d/(1 + d Δt) (u(x) − v))
//!
//! - a: acceleration \[m/s²\] of the field, as of [`ForceField::Radial`]
//! - u: velocity \[m/s\] of what flows there
//! - d: rate \[1/s\] at which matter takes on that velocity
//!
//! The drag is that of backward Euler over the frame, v' − u = (v − u)/(1 + d Δt), so that no rate makes anything overshoot.
//! Forces are constant over a frame, which moves things by v Δt + F/m (Δt + h) Δt/2 with substeps of the length h. They are
//! evaluated at x + v (Δt − h)/2, the only choice with which one frame maps positions and velocities in a linear field without
//! a change of volume: what swings there neither gains nor loses energy.
//!
//! A body has the field of its centre of mass, and a torque that gives it the rotation of the flow by the same rule, with its
//! inertia in place of its mass. Water acts on a body where its colliders are under the surface: there it lifts the body by the
//! weight of the water that they displace, and its drag is that of a body as a whole in proportion to the part under water.
//! Bodies in a region stay awake.
//!
//! ```
//! use glam::Vec3;
//! use parry3d::math::Pose;
//! use parry3d::shape::SharedShape;
//! use xpbd_core::force_region::{ForceField, ForceRegion};
//! use xpbd_core::prelude::*;
//!
//! let mut world = World::default();
//! let half = Vec3::new(1.0, 0.25, 1.0);
//! let raft = world.add_body(Body::dynamic(Pose::from_translation(0.1 * Vec3::Y), Mass::cuboid(1000.0, half)))?;
//! world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(raft))?;
//! // A lake below y = 0.
//! let (density, particle_density) = (1000.0, 500.0);
//! let water =
//!     ForceField::Buoyancy { density, particle_density, damping: 2.0, velocity: Vec3::ZERO, surface: 0.0 };
//! let lake = ForceRegion::new(SharedShape::halfspace(Vec3::Y), water);
//! let mut cpu = CpuBackend::default();
//! for _ in 0..600 {
//!     lake.apply(&mut world, 1.0 / 60.0)?;
//!     world.step(&mut cpu, 1.0 / 60.0)?;
//! }
//! // Half of it is under water.
//! assert!(world.body(raft)?.pose.translation.y.abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod field;
mod submerged;

pub use field::ForceField;

use glam::{Quat, Vec3, Vec4Swizzles};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;

use crate::bodies::{Body, BodyKind, rotated_by};
use crate::handle::{BodyHandle, ObjectHandle};
use crate::number::NumberError;
use crate::scalar::rotation::normalized;
use crate::world::{World, WorldError};
use field::Flow;
use submerged::{Submerged, WaterLevel};

/// A region of space that pushes what is in it.
#[derive(Clone)]
pub struct ForceRegion {
    /// Shape of the region. What has no inside, such as a mesh that is open, contains nothing.
    pub shape: SharedShape,
    /// Pose of shape and field in the world.
    pub pose: Pose,
    /// The field, in the frame of the region.
    pub field: ForceField,
}

impl ForceRegion {
    /// Creates a region about the origin.
    pub fn new(shape: SharedShape, field: ForceField) -> Self {
        Self { shape, pose: Pose::IDENTITY, field }
    }

    /// Puts the region at a pose in the world.
    #[must_use]
    pub fn at(self, pose: Pose) -> Self {
        Self { pose, ..self }
    }

    /// Adds the forces of the region on all particles and dynamic bodies in it, for the next frame of length `dt` \[s\]. It is
    /// called once before each step. On a device, positions and velocities are those of the last frame that came back.
    ///
    /// # Errors
    /// The first number of the field, the pose or the shape that is not valid; nothing is pushed then. A force that is not finite; only
    /// what comes before it is pushed then.
    pub fn apply(&self, world: &mut World, dt: f32) -> Result<(), WorldError> {
        let placed = self.placed(world, dt)?;
        for k in 0..world.objects().len() {
            placed.push_particles(world, world.objects()[k])?;
        }
        placed.push_bodies(world)
    }

    /// Returns the force \[N\] of the region in the next frame of length `dt` \[s\] on a body of any kind, as if it were dynamic
    /// with the pose, the velocities and the mass of `body`. Its colliders are those of the handle.
    ///
    /// # Errors
    /// The first number of the field, the pose or the shape that is not valid.
    pub fn force_on_body(&self, world: &World, handle: BodyHandle, body: &Body, dt: f32) -> Result<Vec3, WorldError> {
        let placed = self.placed(world, dt)?;
        let submerged = placed.water().map(|level| placed.submerged(world, handle, body, level));
        Ok(placed.push_on_body(body, submerged.as_ref()).map_or(Vec3::ZERO, |(force, _)| force))
    }

    /// Checks the region and prepares it for a frame.
    fn placed(&self, world: &World, dt: f32) -> Result<PlacedRegion, WorldError> {
        self.field.check()?;
        let Pose { translation, rotation, .. } = self.pose;
        if !(translation.is_finite() && rotation.is_finite() && rotation.length() > 1e-6) {
            let (what, must) = ("the pose of a force region", "finite, with a rotation that is not zero");
            return Err(WorldError::InvalidValue { what, value: format!("{:?}", self.pose), must });
        }
        let is_length = dt.is_finite() && dt > 0.0;
        NumberError::check("the length of a frame", dt, "finite and positive", is_length)?;
        let region = Self { pose: Pose::from_parts(translation, normalized(rotation)), ..self.clone() };
        let bounds = region.shape.compute_aabb(&region.pose);
        if !(bounds.mins.is_finite() && bounds.maxs.is_finite()) {
            let (what, value) = ("the shape of a force region", format!("{:?}", region.shape.shape_type()));
            return Err(WorldError::InvalidValue { what, value, must: "of a finite size" });
        }
        let (gravity, substeps) = (world.settings().gravity, world.settings().substeps as f32);
        let ahead = 0.5 * (dt - dt / substeps);
        Ok(PlacedRegion { region, bounds, gravity, dt, ahead })
    }
}

/// A region while it is applied.
struct PlacedRegion {
    region: ForceRegion,
    bounds: Aabb,
    gravity: Vec3,
    dt: f32,
    /// The time ahead \[s\] at which forces are evaluated, (Δt − h)/2.
    ahead: f32,
}

impl PlacedRegion {
    fn contains(&self, x: Vec3) -> bool {
        let ForceRegion { shape, pose, .. } = &self.region;
        self.bounds.contains_local_point(x) && shape.contains_point(pose, x)
    }

    /// Returns the rate \[1/s\] that drag has over a whole frame.
    fn rate(&self, damping: f32) -> f32 {
        damping / (1.0 + damping * self.dt)
    }

    fn flow(&self, x: Vec3) -> Flow {
        self.region.field.flow(&self.region.pose, x)
    }

    /// Returns the level of the water, where there is any.
    fn water(&self) -> Option<WaterLevel> {
        let ForceField::Buoyancy { surface, .. } = self.region.field else { return None };
        let up = self.region.pose.rotation * Vec3::Y;
        Some(WaterLevel { point: self.region.pose.translation + up * surface, up })
    }

    fn push_particles(&self, world: &mut World, object: ObjectHandle) -> Result<(), WorldError> {
        let range = world.state().objects.get(object).ok_or(WorldError::StaleHandle("object"))?.range.clone();
        let level = self.water();
        for (k, i) in range.enumerate() {
            let particles = &world.state().particles;
            let (position, velocity) = (particles.position(i), particles.velocity[i].xyz());
            let x = position + velocity * self.ahead;
            let is_dry = level.is_some_and(|level| level.depth(x) <= 0.0);
            if particles.anchor[i].w == 0.0 || is_dry || !self.contains(x) {
                continue;
            }
            let Flow { acceleration, velocity: flow, damping, .. } = self.flow(x);
            let lift = match self.region.field {
                ForceField::Buoyancy { density, particle_density, .. } => self.gravity * -(density / particle_density),
                _ => Vec3::ZERO,
            };
            let force = particles.mass[i] * (acceleration + lift + self.rate(damping) * (flow - velocity));
            world.add_force(object, k, force)?;
        }
        Ok(())
    }

    fn push_bodies(&self, world: &mut World) -> Result<(), WorldError> {
        let submerged = self.water().map(|level| self.all_submerged(world, level)).unwrap_or_default();
        for k in 0..world.state().bodies.len() {
            let handle = world.state().body_handles.keys()[k];
            let body = world.body(handle)?;
            if body.kind != BodyKind::Dynamic || world.state().bodies.records[k].frozen {
                continue;
            }
            if let Some((force, torque)) = self.push_on_body(&body, submerged.get(k)) {
                world.add_body_force(handle, force)?;
                world.add_body_torque(handle, torque)?;
            }
        }
        Ok(())
    }

    /// Returns the force \[N\] on a body and the torque \[N m\] about its centre of mass, if it is in the region.
    fn push_on_body(&self, body: &Body, submerged: Option<&Submerged>) -> Option<(Vec3, Vec3)> {
        let centre = self.pose_ahead(body).transform_point(body.mass.center_of_mass);
        let (part, place) = match submerged {
            None => (1.0, centre),
            Some(submerged) if submerged.volume <= 0.0 => return None,
            // What floats may have its centre above the water.
            Some(submerged) => (submerged.volume / submerged.whole, submerged.centre()),
        };
        if !self.contains(place) {
            return None;
        }
        let (drag, turning) = self.drag(body, centre, part as f32);
        let lift = match (submerged, self.region.field) {
            (Some(submerged), ForceField::Buoyancy { density, .. }) => {
                -self.gravity * (density * submerged.volume as f32)
            }
            _ => Vec3::ZERO,
        };
        Some((lift + drag, (place - centre).cross(lift) + turning))
    }

    /// Returns where a body is when forces are evaluated.
    fn pose_ahead(&self, body: &Body) -> Pose {
        let centre = body.pose.transform_point(body.mass.center_of_mass) + body.velocity * self.ahead;
        let rotation: Quat = rotated_by(body.pose.rotation, body.angular_velocity * self.ahead);
        Pose::from_parts(centre - rotation * body.mass.center_of_mass, rotation)
    }

    /// Returns the force and the torque of the field and its drag on a body, of which this part is in the region.
    fn drag(&self, body: &Body, x: Vec3, part: f32) -> (Vec3, Vec3) {
        let Flow { acceleration, velocity, angular_velocity, damping } = self.flow(x);
        let rate = self.rate(damping * part);
        let axes = body.pose.rotation * body.mass.principal_axes;
        let lag = axes.inverse() * (angular_velocity - body.angular_velocity);
        let torque = axes * (body.mass.principal_inertia * lag) * rate;
        (body.mass.mass * (acceleration + rate * (velocity - body.velocity)), torque)
    }

    /// Returns what of each dynamic body is under water when forces are evaluated.
    fn all_submerged(&self, world: &World, level: WaterLevel) -> Vec<Submerged> {
        let state = world.state();
        let mut all = vec![Submerged::default(); state.bodies.len()];
        for (_, collider) in state.colliders.iter() {
            let Some(k) = collider.body.and_then(|body| state.body_handles.index_of(body)) else { continue };
            let body = state.bodies.body(k);
            if body.kind == BodyKind::Dynamic {
                all[k].add(&*collider.shape, &(self.pose_ahead(&body) * collider.pose), level);
            }
        }
        all
    }

    /// Returns what of a body is under water when forces are evaluated.
    fn submerged(&self, world: &World, handle: BodyHandle, body: &Body, level: WaterLevel) -> Submerged {
        let mut sum = Submerged::default();
        let ahead = self.pose_ahead(body);
        for (_, collider) in world.state().colliders.iter().filter(|(_, collider)| collider.body == Some(handle)) {
            sum.add(&*collider.shape, &(ahead * collider.pose), level);
        }
        sum
    }
}
