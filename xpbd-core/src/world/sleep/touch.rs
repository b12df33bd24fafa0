//! What wakes because something will touch it in the frame that begins.

use std::mem;

use glam::{Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};

use crate::collide::DetectionContext;
use crate::collide::shape_contacts::PlacedCollider;
use crate::handle::ObjectHandle;
use crate::object::ObjectState;
use crate::world::state::State;

impl State {
    /// Wakes the islands that a body or fast particles will touch in the frame of `dt` \[s\] that begins; the motions of bodies
    /// are known.
    pub(crate) fn wake_touched(&mut self, dt: f32) {
        if !self.has_sleepers() {
            return;
        }
        let mut contacts = mem::take(&mut self.contacts);
        let mut bodies = contacts.bodies.touched_sleepers(&self.detection_context(dt));
        self.contacts = contacts;
        let mut objects = Vec::new();
        if !self.objects.is_empty() {
            let touch = ParticleTouch::new(self.detection_context(dt));
            bodies.extend(touch.touched_bodies());
            objects = touch.touched_objects();
        }
        if bodies.is_empty() && objects.is_empty() {
            return;
        }
        let slept: Vec<bool> = self.bodies.sleep.iter().map(|sleep| sleep.asleep).collect();
        bodies.into_iter().for_each(|k| self.wake_island(k as usize));
        objects.into_iter().for_each(|object| self.wake_object(object));
        for (k, slept) in slept.into_iter().enumerate() {
            if slept && !self.bodies.sleep[k].asleep {
                self.bodies.begin_body_frame(k, self.settings.gravity, dt);
            }
        }
    }
}

/// Particles and colliders that may touch in a frame, one of them asleep.
struct ParticleTouch<'a> {
    context: DetectionContext<'a>,
    placed: Vec<PlacedCollider<'a>>,
}

impl<'a> ParticleTouch<'a> {
    fn new(context: DetectionContext<'a>) -> Self {
        Self { placed: PlacedCollider::all(&context), context }
    }

    /// Returns the sleeping bodies that fast particles will touch.
    fn touched_bodies(&self) -> Vec<u32> {
        let DetectionContext { bodies, settings, body_handles, dt, .. } = self.context;
        let slow = settings.sleep_speed * dt;
        let mut touched = Vec::new();
        for placed in &self.placed {
            let body = placed.collider.body.and_then(|body| body_handles.index_of(body));
            let Some(body) = body.filter(|&k| bodies.sleep[k].asleep) else { continue };
            let is_hit = self.objects_at(placed, |object| object.is_live()).any(|(_, object)| {
                object.range.clone().any(|i| {
                    let (place, way) = (self.place(i), self.context.particles.velocity[i].xyz() * dt);
                    let reach = self.reach(object) + way.length();
                    way.length_squared() > slow * slow
                        && is_in(&placed.bounds.loosened(reach), place)
                        && distance(placed, place) <= reach
                })
            });
            if is_hit {
                touched.push(body as u32);
            }
        }
        touched
    }

    /// Returns the sleeping objects that bodies will touch.
    fn touched_objects(&self) -> Vec<ObjectHandle> {
        let mut touched = Vec::new();
        for placed in self.placed.iter().filter(|placed| placed.body.is_some()) {
            let sphere = placed.collider.shape.compute_local_bounding_sphere();
            let [from, to] = [placed.from, placed.to].map(|pose| pose.transform_point(sphere.center));
            let turned = 2.0 * (placed.to.rotation * placed.from.rotation.inverse()).xyz().length() * sphere.radius;
            let way = from.distance(to) + turned;
            let is_hit = |object: &ObjectState| {
                let reach = self.reach(object);
                let bounds = placed.bounds.loosened(reach);
                let by_particle = object.range.clone().any(|i| {
                    let place = self.place(i);
                    is_in(&bounds, place) && distance(placed, place) <= reach + way
                });
                by_particle || self.triangles(object).any(|triangle| triangle.intersects(&bounds))
            };
            let sleeping = self.objects_at(placed, |object| object.sleep.asleep);
            touched.extend(sleeping.filter(|(_, object)| is_hit(object)).map(|(handle, _)| handle));
        }
        touched
    }

    /// Returns the objects of this kind whose particles meet a collider if they are near it.
    fn objects_at(
        &self,
        placed: &PlacedCollider<'_>,
        is_wanted: impl Fn(&ObjectState) -> bool,
    ) -> impl Iterator<Item = (ObjectHandle, &'a ObjectState)> {
        let layers = placed.collider.collision_layers;
        let meets = move |object: &ObjectState| is_wanted(object) && object.collision_layers.interacts_with(layers);
        self.context.objects.iter().filter(move |(_, object)| meets(object))
    }

    fn place(&self, particle: usize) -> Vec3 {
        self.context.particles.position(particle)
    }

    /// Returns the distance at which the particles of an object touch \[m\].
    fn reach(&self, object: &ObjectState) -> f32 {
        let thickness = object.surface.as_ref().map_or(0.0, |surface| surface.thickness);
        self.context.settings.particle_radius.max(thickness)
    }

    /// Returns boxes around the triangles with which an object collides.
    fn triangles(&self, object: &ObjectState) -> impl Iterator<Item = Aabb> {
        let first = object.range.start;
        let triangles = object.surface.iter().flat_map(|surface| &surface.triangles);
        triangles.map(move |corners| Aabb::from_points(corners.map(|corner| self.place(first + corner as usize))))
    }
}

fn is_in(bounds: &Aabb, point: Vec3) -> bool {
    bounds.contains_local_point(point)
}

/// Returns how far a point is from a collider at the start of the frame \[m\].
fn distance(placed: &PlacedCollider<'_>, point: Vec3) -> f32 {
    placed.collider.shape.distance_to_local_point(placed.from.inverse_transform_point(point), true)
}
