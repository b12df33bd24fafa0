//! Thousands of random edits of a world of bodies, joints, couplings, clusters, colliders and sensors between steps:
//! nothing panics, poses stay poses, every contact that began ends once, and threads and snapshots change no bit.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_rigid::prelude::*;

use crate::random::Random;
use crate::support::FRAME;

struct Fuzz {
    random: Random,
    world: World,
    cpu: CpuBackend,
    bodies: Vec<BodyHandle>,
    joints: Vec<JointHandle>,
    couplings: Vec<CouplingHandle>,
    colliders: Vec<ColliderHandle>,
    clusters: Vec<ObjectHandle>,
    touching: BTreeSet<[ColliderHandle; 2]>,
}

impl Fuzz {
    fn below(&mut self, bound: usize) -> usize {
        (self.random.unit() * bound as f32) as usize % bound.max(1)
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        let k = self.below(list.len());
        list.get(k).cloned()
    }

    fn shape(&mut self) -> SharedShape {
        match self.below(5) {
            0 => SharedShape::ball(0.15),
            1 => SharedShape::capsule_y(0.15, 0.1),
            2 => SharedShape::cylinder(0.15, 0.1),
            _ => SharedShape::cuboid(0.2, 0.1, 0.15),
        }
    }

    fn add_body(&mut self) {
        let pose = Pose::from_parts(self.random.vector() + Vec3::Y * 1.5, self.random.rotation());
        let shape = self.shape();
        let mass = Mass::from_shape(&*shape, 500.0).unwrap();
        let body = match self.below(6) {
            0 => Body::kinematic(pose),
            1 => Body::fixed(pose),
            2 => Body::dynamic(pose, mass).angular_velocity(self.random.vector() * 20.0),
            _ => Body::dynamic(pose, mass),
        };
        let body = self.world.add_body(body).unwrap();
        let friction = Friction::new(self.random.unit());
        let mut collider = Collider::new(shape).attached_to(body).friction(friction).restitution(self.random.unit());
        match self.below(8) {
            0 => collider.surface_velocity = self.random.vector(),
            1 => collider.one_way = Some(Vec3::Y + self.random.vector() * 0.3),
            2 => drop(self.world.add_sensor(collider.clone()).unwrap()),
            _ => {}
        }
        self.colliders.push(self.world.add_collider(collider).unwrap());
        self.bodies.push(body);
    }

    fn remove_body(&mut self) {
        let bodies = self.bodies.clone();
        let Some(body) = self.pick(&bodies) else { return };
        self.world.remove_body(body).unwrap();
        self.bodies.retain(|&other| other != body);
        let world = &mut self.world;
        self.colliders.retain(|&collider| world.edit_collider(collider, |_| ()).is_ok());
        self.joints.retain(|joint| !joint.bodies().contains(&body));
        self.couplings.retain(|coupling| coupling.joints().iter().all(|joint| !joint.bodies().contains(&body)));
    }

    fn add_joint(&mut self) {
        let bodies = self.bodies.clone();
        let (Some(a), Some(b)) = (self.pick(&bodies), self.pick(&bodies)) else { return };
        let anchor = self.world.body_pose(a).unwrap().translation;
        let axis = self.random.rotation() * Vec3::X;
        let across = axis.any_orthonormal_vector();
        let kind = self.below(11);
        let rotation = self.random.rotation();
        let world = &mut self.world;
        let motor = JointMotor::velocity(3.0).max_torque(5.0);
        let added = match kind {
            0 => BallJoint::new(anchor).swing_limit(0.5).break_force(200.0).add(world, a, b),
            1 => HingeJoint::new(anchor, axis).limits(-0.5, 0.5).add(world, a, b),
            2 => HingeJoint::new(anchor, axis).motor(motor).contacts_enabled(true).add(world, a, b),
            3 => SliderJoint::new(anchor, axis).limits(-0.2, 0.3).compliance(1e-4).add(world, a, b),
            4 => UniversalJoint::new(anchor, axis, across).add(world, a, b),
            5 => FixedJoint::new(anchor).break_torque(20.0).add(world, a, b),
            6 => SixAxisJoint::new(JointFrame::new(anchor, axis).reference_axis(across))
                .free(JointAxis::Twist)
                .limits(JointAxis::FirstSwing, -0.3, 0.4)
                .motor(JointAxis::Linear, JointMotor::velocity(0.5).max_force(20.0))
                .add(world, a, b),
            7 => BallJoint::new(anchor).motor(RotationMotor::rotation(rotation).max_torque(10.0)).add(world, a, b),
            8 => BallJoint::new(anchor)
                .motor(RotationMotor::angular_velocity(axis * 4.0).spring(5.0, 0.1))
                .add(world, a, b),
            9 => DistanceJoint::new(anchor, anchor + Vec3::X, 0.1, 0.5).add(world, a, b),
            _ => SpringJoint::new(anchor, anchor + Vec3::Y, 0.4)
                .stiffness(100.0)
                .damping_coefficient(2.0)
                .add(world, a, b),
        };
        match added {
            Ok(joint) => self.joints.push(joint),
            Err(error) => assert!(a == b || !error.to_string().is_empty(), "{error}"),
        }
    }

    fn remove_joint(&mut self) {
        if !self.joints.is_empty() {
            let k = self.below(self.joints.len());
            let removed = self.joints.swap_remove(k);
            for coupling in self.couplings.extract_if(.., |coupling| coupling.joints().contains(&&removed)) {
                coupling.remove(&mut self.world).unwrap();
            }
            removed.remove(&mut self.world).unwrap();
        }
    }

    /// Adds a coupling of two joints if they have the free axes for it.
    fn add_coupling(&mut self) {
        let joints = self.joints.clone();
        let (Some(a), Some(b)) = (self.pick(&joints), self.pick(&joints)) else { return };
        let coupling = match self.below(3) {
            0 => JointCoupling::gear(10, 25),
            1 => JointCoupling::belt(12, 12),
            _ => JointCoupling::rack(0.2),
        };
        match coupling.add(&mut self.world, [&a, &b]) {
            Ok(coupling) => self.couplings.push(coupling),
            Err(error) => assert!(!error.to_string().is_empty(), "{error}"),
        }
    }

    fn edit_cluster(&mut self) {
        if self.clusters.len() < 3 {
            let pose = Pose::from_parts(self.random.vector() + Vec3::Y, Quat::IDENTITY);
            let cluster = Cluster::from_shape(&*SharedShape::cuboid(0.1, 0.1, 0.1), 0.04).at(pose);
            self.clusters.push(self.world.add(cluster.build().unwrap()).unwrap());
        } else {
            let k = self.below(self.clusters.len());
            self.world.remove(self.clusters.swap_remove(k)).unwrap();
        }
    }

    fn edit_body(&mut self) {
        let bodies = self.bodies.clone();
        let Some(body) = self.pick(&bodies) else { return };
        let (at, push) = (self.random.vector() + Vec3::Y, self.random.vector() * 50.0);
        match self.below(5) {
            0 => self.world.set_body_pose(body, Pose::from_translation(at)).unwrap(),
            1 => self.world.add_body_impulse_at(body, push * 0.1, at).unwrap(),
            2 => self.world.add_body_force_at(body, push, at).unwrap(),
            3 if self.world.body(body).unwrap().kind == BodyKind::Kinematic => {
                self.world.move_body(body, Pose::from_translation(at)).unwrap();
            }
            _ => self.world.edit_body(body, |body| body.can_sleep = !body.can_sleep).unwrap(),
        }
    }

    fn edit_collider(&mut self) {
        let colliders = self.colliders.clone();
        let Some(collider) = self.pick(&colliders) else { return };
        if self.below(3) == 0 {
            self.world.remove_collider(collider).unwrap();
            self.colliders.retain(|&other| other != collider);
        } else {
            let shape = self.shape();
            self.world.edit_collider(collider, |collider| collider.shape = shape).unwrap();
        }
    }

    fn save_and_restore(&mut self) {
        let saved = self.world.snapshot().unwrap();
        self.world.restore(&saved).unwrap();
    }

    /// Does one random thing.
    fn operate(&mut self, restores: bool) {
        match self.below(17) {
            0 if self.bodies.len() < 14 => self.add_body(),
            1 if self.below(3) == 0 => self.remove_body(),
            2 if self.joints.len() < 12 => self.add_joint(),
            3 => self.remove_joint(),
            4 if self.below(4) == 0 => self.edit_cluster(),
            5 => self.edit_body(),
            6 if self.below(4) == 0 => self.edit_collider(),
            7 if self.below(8) == 0 => {
                if restores {
                    self.save_and_restore();
                }
            }
            8 if self.couplings.len() < 4 => self.add_coupling(),
            _ => self.step(),
        }
    }

    /// A step, after which contacts that touch, touched before or begin; others have ended.
    fn step(&mut self) {
        self.world.step(&mut self.cpu, FRAME).unwrap();
        let mut seen = BTreeSet::new();
        for collision in self.world.collisions() {
            let key = collision.colliders;
            assert!(seen.insert(key), "a pair is told of once a frame");
            match collision.phase {
                ContactPhase::Begin => assert!(self.touching.insert(key), "it had begun already"),
                ContactPhase::Stay => assert!(self.touching.contains(&key), "it never began"),
                ContactPhase::End => assert!(self.touching.remove(&key), "it had ended already"),
            }
        }
        assert!(self.touching.iter().all(|key| seen.contains(key)), "contacts stay or end");
        let known = |key: &[ColliderHandle; 2]| key.iter().all(|collider| self.colliders.contains(collider));
        assert!(self.touching.iter().all(known), "what was removed has ended");
        for &body in &self.bodies {
            let pose = self.world.body_pose(body).unwrap();
            assert!(pose.translation.is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-4, "{pose:?}");
        }
    }
}

/// Returns an empty world with a ground, to be stepped by so many threads.
fn fuzz(seed: u64, threads: usize) -> Fuzz {
    let mut world = World::new(Settings { substeps: 4, particle_radius: 0.02, ..Settings::default() }).unwrap();
    xpbd_rigid::register(world.registry_mut()).unwrap();
    let ground = world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    Fuzz {
        random: Random(seed),
        world,
        cpu: CpuBackend::new(Threads::Exactly(threads)),
        bodies: Vec::new(),
        joints: Vec::new(),
        couplings: Vec::new(),
        colliders: vec![ground],
        clusters: Vec::new(),
        touching: BTreeSet::new(),
    }
}

#[test]
fn edits_at_any_moment_are_safe() {
    for seed in [1, 2, 3] {
        let mut fuzz = fuzz(seed, 1);
        (0..4000).for_each(|_| fuzz.operate(true));
    }
}

#[test]
fn edits_have_the_same_bits_for_any_number_of_threads_and_after_snapshots() {
    let hashes = |threads: usize, restores: bool| {
        let mut fuzz = fuzz(4, threads);
        let hash = |_| {
            (0..100).for_each(|_| fuzz.operate(restores));
            fuzz.world.state_hash()
        };
        (0..8).map(hash).collect::<Vec<_>>()
    };
    let expected = hashes(1, false);
    for (threads, restores) in [(1, true), (2, false), (7, true)] {
        assert_eq!(hashes(threads, restores), expected, "{threads} threads");
    }
}
