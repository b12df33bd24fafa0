//! One ragdoll: eleven bodies and ten joints.
//!
//! ```text
//!            head
//!             ○            ball joints at neck, waist, shoulders and hips,
//!   ══•══•══╔═•═╗══•══•══  hinges at elbows and knees, all with limits
//!   fore upper║ chest║
//!           ╚═•═╝
//!           ╔═══╗ pelvis
//!           ╚•═•╝
//!            ║ ║ thighs
//!            • •
//!            ║ ║ shins
//! ```

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::{BodyHandle, World, WorldError};
use xpbd_rigid::joint::{BallJoint, HingeJoint, Joint};

use crate::scene::gap::Gap;
use crate::scene::{SceneError, solid};

/// Bodies of a ragdoll.
pub(super) const PARTS: usize = 11;
/// Index of the head among the parts.
pub(super) const HEAD: usize = 2;

const PELVIS: usize = 0;
const CHEST: usize = 1;
/// The first of each pair of limbs; the other one follows.
const UPPER_ARMS: usize = 3;
const FOREARMS: usize = 5;
const THIGHS: usize = 7;
const SHINS: usize = 9;

/// Adds a ragdoll that would stand upright with its arms out at the origin, placed and moving at
/// `velocity` \[m/s\], and notes its joints.
pub(super) fn add(
    world: &mut World,
    place: Pose,
    velocity: Vec3,
    friction: f32,
    gaps: &mut Vec<Gap>,
) -> Result<(), SceneError> {
    let mut bodies = Vec::with_capacity(PARTS);
    for (center, shape, mass) in parts() {
        let mass = Mass::from_shape(&*shape, 1000.0)?.with_mass(mass);
        let body = Body::dynamic(place * Pose::from_translation(center), mass).velocity(velocity);
        bodies.push(solid::add(world, body.damping(0.05, 0.5), shape, friction)?);
    }
    let mut joints = Joints { world, place, bodies, gaps, balls: Vec::new(), hinges: Vec::new() };
    joints.ball([PELVIS, CHEST], Vec3::new(0.0, 1.11, 0.0), Vec3::Y, [0.5, 0.4])?;
    joints.ball([CHEST, HEAD], Vec3::new(0.0, 1.5, 0.0), Vec3::Y, [0.6, 0.8])?;
    for (k, side) in [(0, 1.0), (1, -1.0)] {
        let out = Vec3::X * side;
        joints.ball([CHEST, UPPER_ARMS + k], out * 0.21 + Vec3::Y * 1.4, out, [1.3, 0.8])?;
        joints.ball([PELVIS, THIGHS + k], out * 0.1 + Vec3::Y * 0.91, Vec3::NEG_Y, [0.9, 0.4])?;
        joints.hinge([UPPER_ARMS + k, FOREARMS + k], out * 0.5 + Vec3::Y * 1.4, Vec3::NEG_Y * side)?;
        joints.hinge([THIGHS + k, SHINS + k], out * 0.1 + Vec3::Y * 0.5, Vec3::X)?;
    }
    let Joints { world, balls, hinges, .. } = joints;
    BallJoint::add_all(world, balls)?;
    HingeJoint::add_all(world, hinges)?;
    Ok(())
}

/// The joints of a ragdoll, before they are added.
struct Joints<'a> {
    world: &'a mut World,
    place: Pose,
    bodies: Vec<BodyHandle>,
    gaps: &'a mut Vec<Gap>,
    balls: Vec<(BallJoint, BodyHandle, BodyHandle)>,
    hinges: Vec<(HingeJoint, BodyHandle, BodyHandle)>,
}

impl Joints<'_> {
    /// A ball joint with these bounds of swing and twist \[rad\].
    fn ball(
        &mut self,
        parts: [usize; 2],
        anchor: Vec3,
        axis: Vec3,
        [swing, twist]: [f32; 2],
    ) -> Result<(), WorldError> {
        let (anchor, [a, b]) = self.note(parts, anchor)?;
        let joint =
            BallJoint::new(anchor).axis(self.place.rotation * axis).swing_limit(swing).twist_limit(-twist, twist);
        self.balls.push((joint, a, b));
        Ok(())
    }

    /// A hinge that bends one way.
    fn hinge(&mut self, parts: [usize; 2], anchor: Vec3, axis: Vec3) -> Result<(), WorldError> {
        let (anchor, [a, b]) = self.note(parts, anchor)?;
        self.hinges.push((HingeJoint::new(anchor, self.place.rotation * axis).limits(0.0, 2.2), a, b));
        Ok(())
    }

    /// Notes a joint; gives its place \[m\] in the world and its bodies.
    fn note(&mut self, parts: [usize; 2], anchor: Vec3) -> Result<(Vec3, [BodyHandle; 2]), WorldError> {
        let (anchor, bodies) = (self.place.transform_point(anchor), parts.map(|part| self.bodies[part]));
        self.gaps.push(Gap::at(self.world, bodies, anchor)?);
        Ok((anchor, bodies))
    }
}

/// Centre \[m\], shape and mass \[kg\] of each part.
fn parts() -> [(Vec3, SharedShape, f32); PARTS] {
    let limb_x = |x: f32, half: f32, radius: f32| (Vec3::new(x, 1.4, 0.0), SharedShape::capsule_x(half, radius));
    let limb_y = |x: f32, y: f32, half: f32, radius: f32| (Vec3::new(x, y, 0.0), SharedShape::capsule_y(half, radius));
    let with = |(center, shape): (Vec3, SharedShape), mass: f32| (center, shape, mass);
    [
        (Vec3::new(0.0, 1.0, 0.0), SharedShape::cuboid(0.15, 0.09, 0.09), 10.0),
        (Vec3::new(0.0, 1.3, 0.0), SharedShape::cuboid(0.18, 0.17, 0.1), 18.0),
        (Vec3::new(0.0, 1.64, 0.0), SharedShape::ball(0.12), 4.5),
        with(limb_x(0.355, 0.1, 0.045), 2.0),
        with(limb_x(-0.355, 0.1, 0.045), 2.0),
        with(limb_x(0.64, 0.1, 0.04), 1.5),
        with(limb_x(-0.64, 0.1, 0.04), 1.5),
        with(limb_y(0.1, 0.7, 0.14, 0.065), 7.0),
        with(limb_y(-0.1, 0.7, 0.14, 0.065), 7.0),
        with(limb_y(0.1, 0.28, 0.16, 0.05), 4.0),
        with(limb_y(-0.1, 0.28, 0.16, 0.05), 4.0),
    ]
}
