//! Worlds for tests, and where joints stand in them.

use std::cell::RefCell;

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

pub const FRAME: f32 = 1.0 / 60.0;
pub const G: f32 = 9.81;

pub fn world(gravity: f32) -> World {
    World::new(Settings { gravity: Vec3::NEG_Y * gravity, sleep_speed: 0.0, ..Settings::default() }).unwrap()
}

thread_local! {
    /// The back end of a test, which compiles its programs once and not for every frame after which the test looks.
    static CPU: RefCell<CpuBackend> = RefCell::new(CpuBackend::new(Threads::Exactly(1)));
}

pub fn frames(world: &mut World, count: usize) {
    CPU.with_borrow_mut(|cpu| (0..count).for_each(|_| drop(world.step(cpu, FRAME).unwrap())));
}

/// Returns a box of 2 kg and unequal sides.
pub fn brick() -> Mass {
    Mass::cuboid(2.0, Vec3::new(0.3, 0.2, 0.1))
}

pub fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::translation(x, y, z)
}

/// The anchor and the three axes of one end of a joint, in the world.
pub type End = [DVec3; 4];

/// The two ends of a joint that was given by one frame in the world, told from the bodies' poses alone.
pub struct Probe {
    bodies: [BodyHandle; 2],
    locals: [[Vec3; 4]; 2],
}

impl Probe {
    pub fn new(world: &World, joint: &JointHandle, anchor: Vec3, axis: Vec3, across: Vec3) -> Self {
        let bodies = joint.bodies();
        let locals = bodies.map(|body| {
            let pose = world.body_pose(body).unwrap();
            let axes = [axis, across, axis.cross(across)].map(|axis| pose.rotation.inverse() * axis);
            let point = pose.rotation.inverse() * (anchor - pose.translation);
            [point, axes[0], axes[1], axes[2]]
        });
        Self { bodies, locals }
    }

    pub fn ends(&self, world: &World) -> [End; 2] {
        std::array::from_fn(|side| {
            let pose = world.body_pose(self.bodies[side]).unwrap();
            let turn = pose.rotation.as_dquat().normalize();
            let [point, a, b, c] = self.locals[side].map(|local| turn * local.as_dvec3());
            [pose.translation.as_dvec3() + point, a, b, c]
        })
    }
}

/// Returns an orientation that is along no axis.
pub fn skew() -> Quat {
    Quat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize()
}

#[track_caller]
pub fn assert_near(found: f32, expected: f32, part: f32) {
    assert!((found - expected).abs() <= part * expected.abs(), "{found} is not {expected}");
}
