//! Random edits of objects, particles, colliders, bodies and batches.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, BodyKind, LockedAxes, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::world::{Object, ObjectHandle, ParticleSpawn};

use super::Fuzz;
use crate::contact_shapes::shapes;
use crate::snapshot::Huddle;
use crate::support::{Coincide, Distance, Volume, chain, sheet};

impl Fuzz {
    pub(super) fn pose(&mut self) -> Pose {
        let q = [(); 4].map(|()| self.random.range(-1.0, 1.0));
        let rotation = Quat::from_array(q);
        let rotation = if rotation.length() > 0.1 { rotation } else { Quat::IDENTITY };
        Pose::from_parts(self.random.vector(1.5), rotation)
    }

    /// Returns an object of the world and one of its particles.
    pub(super) fn particle(&mut self) -> Option<(ObjectHandle, usize)> {
        let (object, count) = *self.held.objects.get(self.random.below(self.held.objects.len()))?;
        (count > 0).then(|| (object, self.random.below(count)))
    }

    pub(super) fn add(&mut self) {
        let random = &mut self.random;
        let start = random.vector(1.0) + Vec3::Y;
        let mut object = match random.below(6) {
            0 => chain("chain", start, 2 + random.below(20) as u32, 0.05),
            1 => sheet("sheet", start, 2 + random.below(4) as u32, 0.04),
            2 => {
                let grains = (0..1 + random.below(30)).map(|_| start + random.vector(0.1)).collect();
                Object::new("grains", grains, 0.01)
            }
            3 => {
                let corners = vec![start, start + Vec3::X, start + Vec3::Y, start + Vec3::Z];
                let volume = Batch::new(Volume, &[[0, 1, 2, 3]], &[[0.2]]).unwrap();
                Object::new("tetrahedron", corners, 1.0).with(volume.compliance(random.range(0.0, 1e-3)))
            }
            4 => {
                let points: Vec<_> = (0..8).map(|_| start + random.vector(0.3)).collect();
                Object::new("huddle", points, 0.1).with(Huddle::new(8, random.range(0.0, 0.5)))
            }
            _ => {
                // Any particles, any lengths, some of them impossible, at one point perhaps.
                let spread = [0.0, 0.5][random.below(2)];
                let points = (0..6).map(|_| start + random.vector(spread)).collect();
                let edges = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [0, 5]];
                let params = edges.map(|_| [random.range(-1.0, 2.0)]);
                let soft = Batch::new(Distance, &edges, &params).unwrap();
                let soft = soft.compliance([0.0, 1e-6, 1.0][random.below(3)]).damping([0.0, 1.0, 1e6][random.below(3)]);
                Object::new("tangle", points, [1e-6, 1.0, 1e6][random.below(3)]).with(soft)
            }
        };
        let spare = random.below(3) * random.below(6);
        let count = object.positions.len();
        object.collision_layers.self_collision = random.below(2) == 0;
        object.restitution = random.range(-0.5, 1.0).max(0.0);
        if random.below(3) == 0 {
            object.velocities = (0..count).map(|_| random.vector(5.0)).collect();
        }
        if random.below(3) == 0 {
            object = object.pin([random.below(count) as u32]);
        }
        let huddles = object.name == "huddle";
        let spare = if huddles { 0 } else { spare };
        let handle = self.world.add(object.capacity(spare, 0.01)).unwrap();
        self.held.objects.push((handle, count + spare));
    }

    pub(super) fn remove(&mut self) {
        if self.held.objects.is_empty() {
            return;
        }
        let (object, _) = self.held.objects.remove(self.random.below(self.held.objects.len()));
        self.world.remove(object).unwrap();
        self.gone.push(object);
    }

    pub(super) fn edit_particle(&mut self) {
        let Some((object, particle)) = self.particle() else { return };
        let x = self.world.position(object, particle).unwrap();
        let random = &mut self.random;
        let size = [0.1, 1.0, 10.0][random.below(3)];
        let vector = random.vector(size);
        let world = &mut self.world;
        if !world.is_active(object, particle).unwrap() {
            let spawns = vec![ParticleSpawn { position: x + vector, velocity: vector }; random.below(4)];
            world.spawn(object, &spawns).unwrap();
            return;
        }
        match random.below(9) {
            8 => world.deactivate(object, &[particle as u32]).unwrap(),
            0 => world.set_pinned(object, particle, true).unwrap(),
            1 => world.set_pinned(object, particle, false).unwrap(),
            2 => world.move_pinned(object, particle, x + vector).unwrap(),
            3 => world.add_force(object, particle, vector).unwrap(),
            4 => world.add_impulse(object, particle, vector * 0.01).unwrap(),
            5 => world.set_position(object, particle, vector, Vec3::ZERO).unwrap(),
            6 => world.set_position(object, particle, x, vector * [1.0, 1e3, 1e30][random.below(3)]).unwrap(),
            _ => world.unfreeze(object).unwrap(),
        }
    }

    pub(super) fn edit_collider(&mut self) {
        let (kind, pose) = (self.random.below(shapes().len()), self.pose());
        if self.world.state().sensors.len() < 3 && self.random.below(8) == 0 {
            let sensor = Collider { pose, ..Collider::new(shapes().swap_remove(kind).1) };
            self.world.add_sensor(sensor).unwrap();
        }
        if self.held.colliders.len() < 5 && self.chance(2) {
            let mut collider = Collider::new(shapes().swap_remove(kind).1);
            collider.pose = pose;
            collider.body = self.held.bodies.get(self.random.below(4)).copied().filter(|_| kind % 2 == 0 && kind < 8);
            collider.restitution = self.random.range(0.0, 1.0);
            if self.chance(3) {
                collider.surface_velocity = self.random.vector(2.0);
            }
            if self.chance(4) {
                collider.one_way = Some(Vec3::Y + self.random.vector(0.5));
            }
            self.held.colliders.push(self.world.add_collider(collider).unwrap());
        } else if let Some(&collider) = self.held.colliders.get(self.random.below(5)) {
            if self.chance(2) {
                self.world.remove_collider(collider).unwrap();
                self.held.colliders.retain(|&other| other != collider);
            } else {
                self.world.edit_collider(collider, |collider| collider.pose = pose).unwrap();
            }
        }
    }

    /// Returns a body of any kind.
    fn body(&mut self, pose: Pose) -> Body {
        let random = &mut self.random;
        let mass = Mass::cuboid([1e-3, 1.0, 1e3][random.below(3)], Vec3::new(0.1, 0.2, 0.3));
        let locked = LockedAxes {
            translation: [(); 3].map(|()| random.below(8) == 0),
            rotation: [(); 3].map(|()| random.below(8) == 0),
        };
        match random.below(6) {
            0 => Body::kinematic(pose),
            1 => Body::fixed(pose),
            2 => Body::dynamic(pose, mass).velocity(random.vector(10.0)).angular_velocity(random.vector(50.0)),
            3 => Body::dynamic(pose, mass).locked_axes(locked).damping(random.range(0.0, 5.0), 0.1),
            _ => Body::dynamic(pose, mass),
        }
    }

    pub(super) fn edit_body(&mut self) {
        let pose = self.pose();
        let chosen = self.held.bodies.get(self.random.below(4)).copied();
        let random = &mut self.random;
        let size = [0.1, 10.0, 1e4][random.below(3)];
        let vector = random.vector(size);
        match (chosen, random.below(10)) {
            (None, _) => {
                let body = self.body(pose);
                self.held.bodies.push(self.world.add_body(body).unwrap());
            }
            (Some(body), 2) => self.world.add_body_force_at(body, vector, pose.translation).unwrap(),
            (Some(body), 3) => self.world.add_body_impulse_at(body, vector * 0.01, pose.translation).unwrap(),
            (Some(body), 4) => self.world.wake(body).unwrap(),
            (Some(body), 5) => {
                let other = self.held.bodies[self.random.below(self.held.bodies.len())];
                self.world.set_contacts_between(body, other, self.random.below(2) == 0).unwrap();
            }
            (Some(body), 6) => {
                let changed = self.body(pose);
                self.world.edit_body(body, |body| *body = changed).unwrap();
            }
            (Some(body), 0) => self.world.set_body_pose(body, pose).unwrap(),
            (Some(body), 1) => {
                self.world.remove_body(body).unwrap();
                self.held.bodies.retain(|&other| other != body);
                let world = &mut self.world;
                self.held.colliders.retain(|&collider| world.edit_collider(collider, |_| ()).is_ok());
            }
            (Some(body), _) if self.world.body(body).unwrap().kind != BodyKind::Dynamic => {
                self.world.move_body(body, pose).unwrap();
            }
            _ => {}
        }
    }

    pub(super) fn edit_batch(&mut self) {
        let (Some((a, i)), Some((b, j))) = (self.particle(), self.particle()) else { return };
        let body = self.held.bodies.get(self.random.below(2)).copied();
        let batches = self.world.batches_of(a);
        let chosen = batches.get(self.random.below(4)).copied();
        match (self.random.below(4), chosen, body) {
            (0, ..) if a != b => {
                let first = self.world.positions(a).unwrap().len();
                let edge = [i as u32, (first + j) as u32];
                let batch = Batch::new(Distance, &[edge], &[[0.3]]).unwrap().compliance(1e-4);
                self.world.add_batch(&[a, b], &[], batch).unwrap();
            }
            (1, _, Some(body)) => {
                let points = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
                let (connectors, kind) = (Connectors::new(&points).unwrap(), ConstraintType::of(Coincide).unwrap());
                let local = self.random.vector(0.5);
                let batch = Batch::from_parts(kind, connectors, vec![i as u32, 0], vec![local], Vec::new()).unwrap();
                self.world.add_batch(&[a], &[body], batch).unwrap();
            }
            (2, Some(batch), _) => self.world.remove_batch(batch).unwrap(),
            (3, Some(batch), _) if self.world.batch(batch).unwrap().traced().is_some() => {
                let alpha = self.random.range(0.0, 1e-2);
                self.world.edit_batch(batch, |batch| *batch = batch.clone().compliance(alpha)).unwrap();
            }
            _ => {}
        }
    }
}
