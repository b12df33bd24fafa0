//! Checks of the quantities that joints constrain and conserve.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::BodyHandle;
use xpbd_rigid::joint::{
    BallJoint, CylindricalJoint, DistanceJoint, FixedJoint, HingeJoint, Joint, JointAxis, PointOnLineJoint,
    PointOnPlaneJoint, SliderJoint, SpringJoint, UniversalJoint,
};

use super::lab::{G, Lab, built, passes, weightless};
use super::probe::{End, Probe};
use super::yard::cuboid;
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] = rows![
    ball,
    hinge,
    slider,
    cylindrical,
    universal,
    fixed,
    point_on_line,
    point_on_plane,
    distance,
    linear_momentum,
    angular_momentum,
    boxes_on_links,
    boxes_in_a_row,
    spin_is_kept,
];

/// The largest error of a swinging joint \[m or rad\]: a substep is a step of Newton's method, and leaves
/// about (ω h)² = 1e-5 of an arm of 0.4 m.
const HELD: f64 = 5e-6;

/// Anchor of the joint \[m\], and how its axes are turned.
const ANCHOR: Vec3 = Vec3::new(0.4, 0.1, -0.1);
const TURNED: Quat = Quat::from_xyzw(0.297, -0.198, 0.495, 0.792);

fn axes() -> [Vec3; 2] {
    let turned = TURNED.normalize();
    [turned * Vec3::X, turned * Vec3::Y]
}

/// Returns a box of 2 kg and unequal sides.
fn brick(place: Vec3) -> Body {
    cuboid(Pose::from_translation(place), Vec3::new(0.3, 0.2, 0.1), 2.0)
}

/// The quantities that a joint keeps at 0, from the ends on its two bodies.
type Held = fn(End, End) -> Vec<f64>;

fn points([x0, ..]: End, [x1, ..]: End) -> Vec<f64> {
    (x1 - x0).to_array().into()
}

fn on_axis([x0, _, b0, c0]: End, [x1, ..]: End) -> Vec<f64> {
    vec![(x1 - x0).dot(b0), (x1 - x0).dot(c0)]
}

fn parallel([_, a0, ..]: End, [_, a1, ..]: End) -> Vec<f64> {
    a0.cross(a1).to_array().into()
}

fn aligned([_, a0, b0, c0]: End, [_, a1, b1, c1]: End) -> Vec<f64> {
    [a1 - a0, b1 - b0, c1 - c0].iter().flat_map(DVec3::to_array).collect()
}

/// Returns the largest error in a second in which a brick swings on a body that spins; no number if it does not.
fn swing<J: Joint>(device: &Device, joint: J, held: Held) -> Result<f64, SceneError> {
    let mut lab = Lab::new(device, passes(20, 1))?;
    let stand = lab.world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(50.0, 1.0)).gravity_scale(0.0))?;
    let start = Vec3::new(0.7, 0.3, 0.1);
    let brick = lab.world.add_body(brick(start).angular_velocity(Vec3::new(1.0, 3.0, -2.0)).velocity(Vec3::Z))?;
    let joint = built(joint.add(&mut lab.world, stand, brick))?;
    let probe = Probe::new(&lab.world, &joint, ANCHOR, axes())?;
    // The velocities that it starts with do not fit the joint.
    lab.steps(6)?;
    let mut largest = 0.0_f64;
    for _ in 6..60 {
        lab.step()?;
        let [a, b] = probe.ends(&lab.world)?;
        largest = held(a, b).into_iter().fold(largest, |largest, row| largest.max(row.abs()));
    }
    let way = lab.place(brick)?.distance(start.as_dvec3());
    Ok(if way > 0.05 { largest } else { f64::NAN })
}

fn holds<J: Joint>(device: &Device, name: &'static str, joint: J, held: Held) -> Outcome {
    Check::at_most(name, HELD, swing(device, joint, held)?)
}

/// Checks that d is 0.
pub fn ball(device: &Device) -> Outcome {
    holds(device, "ball joint: error of a swing [m]", BallJoint::new(ANCHOR), points)
}

/// Checks that d is 0 and the axes are parallel.
pub fn hinge(device: &Device) -> Outcome {
    let held = |a, b| [points(a, b), parallel(a, b)].concat();
    holds(device, "hinge: error of a swing [m, rad]", HingeJoint::new(ANCHOR, axes()[0]), held)
}

/// Checks that d across the axis is 0 and the rotations are equal.
pub fn slider(device: &Device) -> Outcome {
    let held = |a, b| [on_axis(a, b), aligned(a, b)].concat();
    holds(device, "slider: error of a swing [m, rad]", SliderJoint::new(ANCHOR, axes()[0]), held)
}

/// Checks that d across the axis is 0 and the axes are parallel.
pub fn cylindrical(device: &Device) -> Outcome {
    let held = |a, b| [on_axis(a, b), parallel(a, b)].concat();
    holds(device, "cylindrical joint: error of a swing [m, rad]", CylindricalJoint::new(ANCHOR, axes()[0]), held)
}

/// Checks that d is 0 and the axes stay at a right angle.
pub fn universal(device: &Device) -> Outcome {
    let [first, second] = axes();
    let held = |a: End, b: End| [points(a, b), vec![a[1].dot(b[2])]].concat();
    holds(device, "universal joint: error of a swing [m, rad]", UniversalJoint::new(ANCHOR, first, second), held)
}

/// Checks that d is 0 and the rotations are equal.
pub fn fixed(device: &Device) -> Outcome {
    let held = |a, b| [points(a, b), aligned(a, b)].concat();
    holds(device, "fixed joint: error of a swing [m, rad]", FixedJoint::new(ANCHOR), held)
}

/// Checks that d across the line is 0.
pub fn point_on_line(device: &Device) -> Outcome {
    holds(device, "point on line: error of a swing [m]", PointOnLineJoint::new(ANCHOR, axes()[0]), on_axis)
}

/// Checks that d along the normal is 0.
pub fn point_on_plane(device: &Device) -> Outcome {
    let held = |a: End, b: End| vec![(b[0] - a[0]).dot(a[1])];
    holds(device, "point on plane: error of a swing [m]", PointOnPlaneJoint::new(ANCHOR, axes()[0]), held)
}

/// Checks that a rod keeps |d| of two points, for 2 s.
pub fn distance(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, passes(20, 1))?;
    let stand = lab.world.add_body(Body::fixed(Pose::IDENTITY))?;
    let start = Vec3::new(0.7, 0.3, 0.1);
    let brick = lab.world.add_body(brick(start).angular_velocity(Vec3::new(1.0, 3.0, -2.0)))?;
    let (on_stand, on_brick) = (Vec3::NEG_Y * 0.5, ANCHOR - start);
    let length = ANCHOR.distance(on_stand);
    built(DistanceJoint::new(on_stand, on_brick, length, length).add(&mut lab.world, stand, brick))?;
    let mut worst = 0.0_f64;
    for _ in 0..120 {
        lab.step()?;
        let end = lab.world.body_pose(brick)?.transform_point(on_brick);
        worst = worst.max(f64::from(end.distance(on_stand) - length).abs());
    }
    Check::at_most("distance joint: error of a swing [m]", HELD, worst)
}

/// Returns the relative changes of linear and angular momentum in 2 s, of a brick and a ball in free space that a joint
/// connects: the largest per second over joints of all kinds.
///
/// Backward Euler takes ω² h of the angular momentum a second, so the pair turns slowly.
fn changes(device: &Device) -> Result<[f64; 2], SceneError> {
    type Tie = fn(&mut Lab, BodyHandle, BodyHandle) -> Result<(), SceneError>;
    const AXIS: Vec3 = Vec3::new(0.6, 0.8, 0.0);
    fn tie<J: Joint>(joint: J, lab: &mut Lab, a: BodyHandle, b: BodyHandle) -> Result<(), SceneError> {
        built(joint.add(&mut lab.world, a, b)).map(drop)
    }
    let ties: [Tie; 10] = [
        |lab, a, b| tie(BallJoint::new(Vec3::ZERO), lab, a, b),
        |lab, a, b| tie(BallJoint::new(Vec3::ZERO).axis(AXIS).swing_limit(0.5).twist_limit(-0.1, 0.1), lab, a, b),
        |lab, a, b| tie(HingeJoint::new(Vec3::ZERO, AXIS), lab, a, b),
        |lab, a, b| tie(UniversalJoint::new(Vec3::ZERO, AXIS, Vec3::Z), lab, a, b),
        |lab, a, b| tie(FixedJoint::new(Vec3::ZERO), lab, a, b),
        |lab, a, b| tie(SliderJoint::new(Vec3::ZERO, AXIS), lab, a, b),
        |lab, a, b| tie(CylindricalJoint::new(Vec3::ZERO, AXIS), lab, a, b),
        |lab, a, b| tie(PointOnLineJoint::new(Vec3::ZERO, AXIS), lab, a, b),
        |lab, a, b| tie(PointOnPlaneJoint::new(Vec3::ZERO, AXIS), lab, a, b),
        |lab, a, b| tie(DistanceJoint::new(Vec3::ZERO, Vec3::Y * 0.2, 0.3, 0.9), lab, a, b),
    ];
    let mut worst = [0.0_f64; 2];
    for tie in ties {
        let mut lab = Lab::new(device, weightless(20, 1))?;
        let a = brick(Vec3::new(-0.4, 0.1, 0.0)).angular_velocity(Vec3::new(0.02, 0.04, 0.01));
        let b = Body::dynamic(Pose::translation(0.4, 0.0, 0.1), Mass::ball(1.0, 0.3));
        let a = lab.world.add_body(a.can_sleep(false))?;
        let b = lab.world.add_body(b.velocity(Vec3::new(0.006, 0.02, 0.004)).can_sleep(false))?;
        tie(&mut lab, a, b)?;
        let before = lab.world.momentum();
        lab.steps(120)?;
        let after = lab.world.momentum();
        let change = |before: DVec3, after: DVec3| before.distance(after) / before.length() / 2.0;
        worst[0] = worst[0].max(change(before.linear, after.linear));
        worst[1] = worst[1].max(change(before.angular, after.angular));
    }
    Ok(worst)
}

/// Measures the change of Σ m v.
pub fn linear_momentum(device: &Device) -> Outcome {
    Check::at_most("jointed bodies: change of momentum a second [1]", 1e-5, changes(device)?[0])
}

/// Measures the change of Σ x × m v + I ω.
pub fn angular_momentum(device: &Device) -> Outcome {
    Check::at_most("jointed bodies: change of angular momentum a second [1]", 1e-5, changes(device)?[1])
}

/// Compliance of the links \[m/N\].
const COMPLIANCE: f32 = 0.01;

/// Returns the largest deviation of elongations from α F for 1, 5, 20 and 50 substeps, relative to the elongation.
/// Links connect `ends`, of which the first is fixed.
fn links(device: &Device, ends: [(usize, usize, f32); 2], iterations: u32) -> Result<f64, SceneError> {
    let mut worst = 0.0_f64;
    for substeps in [1, 5, 20, 50] {
        let mut lab = Lab::new(device, passes(substeps, iterations))?;
        let mut bodies = vec![lab.world.add_body(Body::fixed(Pose::IDENTITY))?];
        for k in 1..3_u8 {
            let mut body = brick(Vec3::NEG_Y * f32::from(k));
            body.mass = body.mass.with_mass(f32::from(k));
            bodies.push(lab.world.add_body(body.can_sleep(false))?);
        }
        let mut made = Vec::new();
        for (a, b, load) in ends {
            let rest = lab.place(bodies[a])?.distance(lab.place(bodies[b])?) as f32;
            let link = SpringJoint::new(Vec3::ZERO, Vec3::ZERO, rest).compliance(COMPLIANCE).damping_coefficient(20.0);
            made.push((built(link.add(&mut lab.world, bodies[a], bodies[b]))?, rest, load));
        }
        lab.steps(1200)?;
        for (link, rest, load) in made {
            let length = built(link.coordinate(&lab.world, JointAxis::Distance))?;
            let expected = f64::from(COMPLIANCE * load) * G;
            worst = worst.max((f64::from(length - rest) / expected - 1.0).abs());
        }
    }
    Ok(worst)
}

/// Checks boxes of 1 kg and 2 kg, each on a link of its own (\[Rigid20\] fig. 4).
pub fn boxes_on_links(device: &Device) -> Outcome {
    let worst = links(device, [(0, 1, 1.0), (0, 2, 2.0)], 1)?;
    Check::at_most("two rigid boxes: elongation from α F, over substeps [1]", 1e-3, worst)
}

/// Checks two boxes that hang in a row. One sweep over two links on a body leaves (1 + γ) g h² of an error, 9 % in
/// a single substep: a few iterations.
pub fn boxes_in_a_row(device: &Device) -> Outcome {
    let worst = links(device, [(0, 1, 3.0), (1, 2, 2.0)], 8)?;
    Check::at_most("two rigid boxes in a row: elongation from α F [1]", 1e-3, worst)
}

/// Measures what a top leaning on its tip, a ball joint, keeps in 10 s of its spin of 50 rad/s about its axis.
pub fn spin_is_kept(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, passes(20, 1))?;
    let lean = Quat::from_rotation_z(0.3);
    let axis = lean * Vec3::Y;
    let mass = Mass::new(0.5, Vec3::new(0.0009, 0.0016, 0.0009));
    let body = Body::dynamic(Pose::from_parts(axis * 0.1, lean), mass).angular_velocity(axis * 50.0);
    let top = lab.world.add_body(body)?;
    built(BallJoint::new(Vec3::ZERO).add_to_world(&mut lab.world, top))?;
    lab.steps(600)?;
    let top = lab.world.body(top)?;
    let spin = top.angular_velocity.dot(top.pose.rotation * Vec3::Y);
    Check::relative("top on a ball joint: spin after 10 s [rad/s]", 50.0, f64::from(spin), 0.01)
}
