//! Checks of motors, springs and limits of joints.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::{BodyHandle, World};
use xpbd_rigid::joint::{BallJoint, HingeJoint, Joint, JointAxis, JointError, JointHandle, JointMotor, SliderJoint};

use super::lab::{G, Lab, built, passes, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] = rows![
    motor_speed,
    motor_torque,
    motor_stalls,
    motor_off_the_axis,
    brake_holds,
    servo_sags,
    hinge_stops,
    slider_stops,
    cone_and_twist,
    torque_of_a_stop,
    torque_of_a_cone,
];

/// Distance from the hinge to the centre of the arm \[m\].
const ARM: f32 = 0.5;

fn brick() -> Mass {
    Mass::cuboid(2.0, Vec3::new(0.3, 0.2, 0.1))
}

/// Returns the inertia of the arm about its hinge \[kg m²\].
fn inertia() -> f64 {
    f64::from(brick().principal_inertia.z + brick().mass * ARM * ARM)
}

/// A world with a body that a joint ties to it.
struct Rig {
    lab: Lab,
    body: BodyHandle,
    joint: JointHandle,
}

impl Rig {
    fn new(
        device: &Device,
        gravity: bool,
        body: Body,
        add: impl FnOnce(&mut World, BodyHandle) -> Result<JointHandle, JointError>,
    ) -> Result<Self, SceneError> {
        let settings = if gravity { passes(20, 1) } else { weightless(20, 1) };
        let mut lab = Lab::new(device, settings)?;
        let body = lab.world.add_body(body.can_sleep(false))?;
        let joint = built(add(&mut lab.world, body))?;
        Ok(Self { lab, body, joint })
    }

    /// Creates a brick on a hinge about z, to its right.
    fn arm(device: &Device, gravity: bool, motor: JointMotor) -> Result<Self, SceneError> {
        let body = Body::dynamic(Pose::translation(ARM, 0.0, 0.0), brick());
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).motor(motor);
        Self::new(device, gravity, body, |world, body| hinge.add_to_world(world, body))
    }

    fn coordinate(&self, freedom: JointAxis) -> Result<f64, SceneError> {
        Ok(f64::from(built(self.joint.coordinate(&self.lab.world, freedom))?))
    }

    /// Returns how fast it turns about z \[rad/s\].
    fn spin(&self) -> Result<f64, SceneError> {
        Ok(f64::from(self.lab.world.body(self.body)?.angular_velocity.z))
    }

    /// Returns the smallest and the largest coordinate of the frames that follow.
    fn range(&mut self, freedom: JointAxis, frames: u32) -> Result<[f64; 2], SceneError> {
        let mut range = [f64::MAX, f64::MIN];
        for _ in 0..frames {
            self.lab.step()?;
            let now = self.coordinate(freedom)?;
            range = [range[0].min(now), range[1].max(now)];
        }
        Ok(range)
    }
}

/// Measures the largest deviation of the speed of a strong motor over two turns against gravity.
pub fn motor_speed(device: &Device) -> Outcome {
    let mut arm = Rig::arm(device, true, JointMotor::velocity(3.0))?;
    let mut worst = 3.0_f64;
    for _ in 0..240 {
        arm.lab.step()?;
        let spin = arm.spin()?;
        worst = if (spin - 3.0).abs() > (worst - 3.0).abs() { spin } else { worst };
    }
    Check::relative("motor: its speed against gravity [rad/s]", 3.0, worst, 1e-3)
}

/// Compares the motion under a motor that does not reach its speed with ω = τ t/(I + m r²) after 1 s.
pub fn motor_torque(device: &Device) -> Outcome {
    let mut arm = Rig::arm(device, false, JointMotor::velocity(1e3).max_torque(0.8))?;
    arm.lab.steps(60)?;
    Check::relative("motor at its limit: speed after 1 s [rad/s]", 0.8 / inertia(), arm.spin()?, 1e-3)
}

/// Checks that a motor that is too weak lets the arm fall, at first with (m g r − τ)/(I + m r²): for 0.1 s, in which
/// cos θ falls by 0.5 %.
pub fn motor_stalls(device: &Device) -> Outcome {
    let mut arm = Rig::arm(device, true, JointMotor::velocity(2.0).max_torque(4.0))?;
    arm.lab.steps(6)?;
    let expected = -(f64::from(brick().mass * ARM) * G - 4.0) / inertia() * 0.1;
    Check::relative("motor that is too weak: speed after 0.1 s [rad/s]", expected, arm.spin()?, 0.01)
}

/// Measures the largest deviation of the speed of a lift from 0.05 s on, whose load of 10 kg is 3 m off its rail: 500 N
/// against 98 N reach 1 m/s in 0.025 s.
pub fn motor_off_the_axis(device: &Device) -> Outcome {
    let body = Body::dynamic(Pose::translation(3.0, 0.0, 0.0), Mass::cuboid(10.0, Vec3::splat(0.5)));
    let lift = SliderJoint::new(Vec3::ZERO, Vec3::Y).motor(JointMotor::velocity(1.0).max_force(500.0));
    let mut rig = Rig::new(device, true, body, |world, body| lift.add_to_world(world, body))?;
    rig.lab.steps(3)?;
    let mut worst = 1.0_f64;
    for _ in 0..120 {
        let speed = f64::from(rig.lab.world.body(rig.body)?.velocity.y);
        worst = if (speed - 1.0).abs() > (worst - 1.0).abs() { speed } else { worst };
        rig.lab.step()?;
    }
    Check::relative("motor with a load off its axis: its speed [m/s]", 1.0, worst, 0.02)
}

/// Measures the creep of the arm in 10 s under a strong motor of speed 0.
pub fn brake_holds(device: &Device) -> Outcome {
    let mut arm = Rig::arm(device, true, JointMotor::velocity(0.0).max_torque(20.0))?;
    arm.lab.steps(600)?;
    Check::at_most("brake: creep in 10 s [rad]", 1e-3, arm.coordinate(JointAxis::Angular)?)
}

/// Compares with k (q* − q) = m g r cos q.
pub fn servo_sags(device: &Device) -> Outcome {
    let (stiffness, target) = (100.0_f32, 0.5_f32);
    let mut arm = Rig::arm(device, true, JointMotor::position(target).spring(stiffness, 20.0))?;
    arm.lab.steps(600)?;
    let angle = arm.coordinate(JointAxis::Angular)?;
    let load = f64::from(brick().mass * ARM) * G * libm::cos(angle);
    Check::relative("springy motor: its torque [N m]", load, f64::from(stiffness) * (f64::from(target) - angle), 1e-3)
}

/// Allowed excess over a stop \[rad or m\]: a substep leaves what is of second order, (ω h)² = 2.5e-5 at
/// 6 rad/s.
const OVER: f64 = 1e-4;

/// Returns how far a number is outside of bounds.
fn outside([low, high]: [f64; 2], bounds: [f32; 2]) -> f64 {
    (f64::from(bounds[0]) - low).max(high - f64::from(bounds[1])).max(0.0)
}

/// Measures how far an arm that falls to either stop of its hinge rests past it \[rad\]. The result is NaN if it does
/// not get there.
pub fn hinge_stops(device: &Device) -> Outcome {
    let mut worst = 0.0_f64;
    for side in [1.0, -1.0_f32] {
        let body = Body::dynamic(Pose::translation(side * ARM, 0.0, 0.0), brick()).angular_velocity(Vec3::Z * side);
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-0.5, 0.5);
        let mut rig = Rig::new(device, true, body, |world, body| hinge.add_to_world(world, body))?;
        let over = outside(rig.range(JointAxis::Angular, 300)?, [-0.5, 0.5]);
        let rests = (rig.coordinate(JointAxis::Angular)? + f64::from(side) * 0.5).abs() < OVER;
        worst = if rests { worst.max(over) } else { f64::NAN };
    }
    Check::at_most("hinge: past its stops [rad]", OVER, worst)
}

/// Measures how far a brick that moves up and down along a slanted slider passes its stops \[m\].
pub fn slider_stops(device: &Device) -> Outcome {
    let axis = Quat::from_rotation_x(0.6) * Vec3::Y;
    let body = Body::dynamic(Pose::IDENTITY, brick()).velocity(axis * 9.0);
    let slider = SliderJoint::new(Vec3::ZERO, axis).limits(-0.3, 0.2);
    let mut rig = Rig::new(device, true, body, |world, body| slider.add_to_world(world, body))?;
    let range = rig.range(JointAxis::Linear, 180)?;
    // It falls by up to 1.4 mm before it is seen.
    let reached = range[1] > 0.198 && (rig.coordinate(JointAxis::Linear)? + 0.3).abs() < OVER;
    let over = if reached { outside(range, [-0.3, 0.2]) } else { f64::NAN };
    Check::at_most("slider: past its stops [m]", OVER, over)
}

/// Measures how far a ball joint that swings and twists passes the bounds of both \[rad\].
pub fn cone_and_twist(device: &Device) -> Outcome {
    let body = Body::dynamic(Pose::translation(0.0, -ARM, 0.0), brick()).velocity(Vec3::new(4.0, 0.0, 3.0));
    let ball = BallJoint::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing_limit(0.6).twist_limit(-0.3, 0.4);
    let mut rig =
        Rig::new(device, true, body.angular_velocity(Vec3::Y * 6.0), |world, body| ball.add_to_world(world, body))?;
    let (mut swing, mut twist) = (0.0_f64, [0.0_f64; 2]);
    for _ in 0..180 {
        rig.lab.step()?;
        swing = swing.max(rig.coordinate(JointAxis::Swing)?);
        let now = rig.coordinate(JointAxis::Twist)?;
        twist = [twist[0].min(now), twist[1].max(now)];
    }
    let reached = swing > 0.6 - 5e-3 && twist[0] < -0.25;
    let over = if reached { outside([0.0, swing], [0.0, 0.6]).max(outside(twist, [-0.3, 0.4])) } else { f64::NAN };
    Check::at_most("ball joint: past its cone and its twist [rad]", OVER, over)
}

/// Returns the torque [N m] about z of an arm of 4 kg that rests on a limit at −0.3: of 60 single substeps, the one that
/// is farthest from m g r cos 0.3, and that number.
fn torque_at_rest<J: Joint>(device: &Device, joint: J) -> Result<[f64; 2], SceneError> {
    let arm = Body::dynamic(Pose::translation(ARM, 0.0, 0.0), Mass::cuboid(4.0, Vec3::new(ARM, 0.05, 0.05)));
    let mut rig = Rig::new(device, true, arm, |world, body| joint.add_to_world(world, body))?;
    rig.lab.steps(120)?;
    let expected = f64::from(4.0 * ARM) * G * libm::cos(0.3);
    rig.lab.world.set_settings(passes(1, 1))?;
    let mut worst = expected;
    for _ in 0..60 {
        rig.lab.step()?;
        let torque = f64::from(built(rig.joint.reaction(&rig.lab.world))?.torque.z);
        worst = if (torque - expected).abs() > (worst - expected).abs() { torque } else { worst };
    }
    Ok([expected, worst])
}

/// Checks that a hinge bears the load on its stop in every substep.
pub fn torque_of_a_stop(device: &Device) -> Outcome {
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-0.3, 1.0);
    let [expected, worst] = torque_at_rest(device, hinge)?;
    Check::relative("hinge: torque of a stop in any substep [N m]", expected, worst, 0.01)
}

/// Checks that a cone bears the load in every substep.
pub fn torque_of_a_cone(device: &Device) -> Outcome {
    let ball = BallJoint::new(Vec3::ZERO).axis(Vec3::X).swing_limit(0.3).twist_limit(-0.5, 0.5);
    let [expected, worst] = torque_at_rest(device, ball)?;
    Check::relative("ball joint: torque of its cone in any substep [N m]", expected, worst, 0.01)
}
