//! Joints of `xpbd-rigid` on the device: where they move, what they bear, and when they break.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{BodyHandle, Settings, World};
use xpbd_rigid::prelude::{
    BallJoint, FixedJoint, HingeJoint, Joint, JointAxis, JointCoupling, JointFrame, JointHandle, JointLimits,
    JointMotor, RotationMotor, SixAxisJoint, SliderJoint,
};

use crate::{Test, backend, ensure, ensure_equal, is_exact};

pub const TESTS: &[Test] = &[
    ("joints::reactions_are_those_of_the_cpu", reactions),
    ("joints::motors_of_rotations_and_six_axes_move_bodies_as_on_the_cpu", || compare(limbs, 30).map(drop)),
    ("joints::coupled_joints_move_as_on_the_cpu", || compare(drive_train, 40).map(drop)),
    ("joints::a_joint_breaks_in_the_frame_in_which_it_does_on_the_cpu", breaking),
];

const FRAME: f32 = 1.0 / 60.0;

/// A world with joints.
struct Stage {
    world: World,
    joints: Vec<JointHandle>,
}

impl Stage {
    fn new() -> Result<Self, Failed> {
        let world = World::new(Settings { substeps: 5, sleep_speed: 0.0, ..Settings::default() })?;
        Ok(Self { world, joints: Vec::new() })
    }

    /// Adds a box at a position.
    fn brick(&mut self, position: Vec3) -> Result<BodyHandle, Failed> {
        let mass = Mass::cuboid(2.0, Vec3::new(0.05, 0.1, 0.2));
        Ok(self.world.add_body(Body::dynamic(Pose::from_translation(position), mass))?)
    }

    /// Hangs a body from the world.
    fn hang(&mut self, joint: impl Joint, body: BodyHandle) -> Result<(), Failed> {
        self.joints.push(joint.add_to_world(&mut self.world, body)?);
        Ok(())
    }
}

/// Returns a chain of a weld, a hinge with a motor and a ball, of which the weld breaks under more than `bears` \[N\].
fn chain(bears: f32) -> Result<Stage, Failed> {
    let mut stage = Stage::new()?;
    let [a, b, c] = [0.2, 0.6, 1.0].map(|x| stage.brick(Vec3::new(x, 0.0, 0.0)));
    let [a, b, c] = [a?, b?, c?];
    stage.hang(FixedJoint::new(Vec3::ZERO).break_force(bears), a)?;
    let motor = JointMotor::velocity(1.0).max_torque(3.0);
    let hinge = HingeJoint::new(Vec3::new(0.4, 0.0, 0.0), Vec3::Z).limits(-0.3, 0.6).motor(motor);
    stage.joints.push(hinge.add(&mut stage.world, a, b)?);
    let ball = BallJoint::new(Vec3::new(0.8, 0.0, 0.0)).axis(Vec3::X).swing_limit(0.5);
    stage.joints.push(ball.add(&mut stage.world, b, c)?);
    Ok(stage)
}

/// Returns an arm with motors of rotations, a suspension of six axes and a bushing.
fn limbs() -> Result<Stage, Failed> {
    let mut stage = Stage::new()?;
    let upper = stage.brick(Vec3::new(0.0, -0.2, 0.0))?;
    let lower = stage.brick(Vec3::new(0.0, -0.6, 0.0))?;
    let raised = RotationMotor::rotation(Quat::from_rotation_x(1.2)).max_torque(30.0).max_speed(4.0);
    stage.hang(BallJoint::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing_limit(0.8).motor(raised), upper)?;
    let spring = RotationMotor::rotation(Quat::from_rotation_z(-0.4)).spring(20.0, 1.0);
    let elbow = BallJoint::new(Vec3::new(0.0, -0.4, 0.0)).motor(spring);
    stage.joints.push(elbow.add(&mut stage.world, upper, lower)?);
    let wheel = stage.brick(Vec3::new(2.0, 0.0, 0.0))?;
    let frame = JointFrame::new(Vec3::new(2.0, 0.1, 0.0), Vec3::X).reference_axis(Vec3::Y);
    let suspension = SixAxisJoint::new(frame)
        .motor(JointAxis::Twist, JointMotor::velocity(8.0).max_torque(2.0))
        .limits(JointAxis::SecondLinear, -0.05, 0.1)
        .motor(JointAxis::SecondLinear, JointMotor::position(0.02).spring(300.0, 20.0));
    stage.hang(suspension, wheel)?;
    let engine = stage.brick(Vec3::new(2.0, 0.5, 0.4))?;
    let soft = JointLimits::new(-0.02, 0.02).soft(1e-2, 0.5);
    let mount = SixAxisJoint::new(frame).compliance(1e-4).rotational_compliance(1e-2).damping_coefficient(3.0);
    stage.joints.push(mount.joint_limits(JointAxis::FirstSwing, soft).add(&mut stage.world, wheel, engine)?);
    Ok(stage)
}

/// Returns a motor that drives a rack through two wheels and a pinion.
fn drive_train() -> Result<Stage, Failed> {
    let mut stage = Stage::new()?;
    for (x, motor) in [(0.0, JointMotor::velocity(9.0).max_torque(4.0)), (1.0, JointMotor::off())] {
        let body = stage.brick(Vec3::new(x, 0.0, 0.0))?;
        stage.hang(HingeJoint::new(Vec3::X * x, Vec3::Z).motor(motor), body)?;
    }
    let rack = stage.brick(Vec3::new(1.2, 0.0, 0.0))?;
    stage.hang(SliderJoint::new(Vec3::X * 1.2, Vec3::Y), rack)?;
    let Stage { world, joints } = &mut stage;
    JointCoupling::gear(12, 30).add(world, [&joints[0], &joints[1]])?;
    JointCoupling::rack(0.2).soft(1e-4, 20.0).add(world, [&joints[1], &joints[2]])?;
    Ok(stage)
}

/// Steps the same world on both back ends and compares its joints after every frame.
fn compare(build: fn() -> Result<Stage, Failed>, frames: u32) -> Result<[Stage; 2], Failed> {
    let [mut a, mut b] = [build()?, build()?];
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    for frame in 0..frames {
        a.world.step(&mut cpu, FRAME)?;
        b.world.step(&mut gpu, FRAME)?;
        let broken = [&a, &b].map(|stage| stage.world.broken().to_vec());
        ensure(broken[0] == broken[1], || format!("frame {frame}: {broken:?}"))?;
        b.world.synchronize()?;
        ensure_equal(&gpu, &a.world, &b.world, 1e-3)?;
        for (k, (one, other)) in a.joints.iter().zip(&b.joints).enumerate() {
            let [on_cpu, on_gpu] = [one.reaction(&a.world)?, other.reaction(&b.world)?];
            let apart = (on_cpu.force - on_gpu.force).length() + (on_cpu.torque - on_gpu.torque).length();
            let most = if is_exact(&gpu) { 0.0 } else { 0.05 * (on_cpu.force.length() + on_cpu.torque.length()) + 0.5 };
            ensure(apart <= most, || format!("frame {frame}, joint {k}: {on_cpu:?} and {on_gpu:?}"))?;
        }
    }
    Ok([a, b])
}

fn reactions() -> Result<(), Failed> {
    compare(|| chain(f32::INFINITY), 40)?;
    Ok(())
}

fn breaking() -> Result<(), Failed> {
    let [on_cpu, on_gpu] = compare(|| chain(90.0), 40)?;
    let broken = [on_cpu, on_gpu].map(|stage| stage.joints[0].is_broken(&stage.world));
    ensure(broken == [Ok(true), Ok(true)], || format!("{broken:?}"))
}
