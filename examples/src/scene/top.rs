//! A top on its tip in steady precession.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BodyHandle, StepReport, World, WorldError};
use xpbd_rigid::joint::{BallJoint, Joint};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Picture, hex};

/// Mass of the disc, which is all that weighs \[kg\].
const MASS: f32 = 0.5;
/// Radius and half the thickness of the disc \[m\].
const DISC: (f32, f32) = (0.08, 0.01);
/// Distance from the tip to the centre of mass \[m\].
const ARM: f32 = 0.1;

pub(super) const RECIPE: Recipe = Recipe {
    name: "top",
    summary: "a spinning top precesses steadily about its tip",
    frames: 600,
    substeps: 20,
    keys: &[
        OptionKey { name: "spin", default: "100", help: "angular velocity about its axis [rad/s], from 70 to 300" },
        OptionKey { name: "deg", default: "30", help: "how far it leans [degrees], from 5 to 80" },
    ],
    takes_mesh: false,
    build,
};

struct Top {
    top: BodyHandle,
    lean: f64,
    rate: f64,
    azimuth: f64,
    turned: f64,
    nutation: f64,
}

/// Steady precession at Ω: I₁ Ω² cos θ − I₃ ω₃ Ω + m g l = 0, with I₁ about the tip and ω₃ along the axis.
fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let spin = setup.number("spin", "from 70 to 300", |value| (70.0..=300.0).contains(&value))?;
    let degrees = setup.number("deg", "from 5 to 80", |value| (5.0..=80.0).contains(&value))?;
    let lean = degrees.to_radians();
    let mut world = World::new(setup.settings())?;
    xpbd_rigid::register(world.registry_mut())?;
    let (radius, half) = DISC;
    let along = 0.5 * MASS * radius * radius;
    let across = MASS * (0.25 * radius * radius + half * half / 3.0);
    let load = MASS * world.settings().gravity.length() * ARM;
    let axis = Vec3::new(trig::sin(lean), trig::cos(lean), 0.0);
    let momentum = along * spin;
    let root = momentum * momentum - 4.0 * (across + MASS * ARM * ARM) * axis.y * load;
    let rate = 2.0 * load / (momentum + root.sqrt());
    let turning = Vec3::Y * rate + axis * (spin - rate * axis.y);
    let pose = Pose::from_parts(axis * ARM, solid::rotation_between(Vec3::Y, axis));
    let body = Body::dynamic(pose, Mass::new(MASS, Vec3::new(across, along, across))).angular_velocity(turning);
    let top =
        solid::add(&mut world, body.velocity(turning.cross(axis * ARM)), SharedShape::cylinder(half, radius), 0.5)?;
    let tip = Pose::from_parts(Vec3::NEG_Y * (0.5 * (ARM + half)), Quat::from_xyzw(1.0, 0.0, 0.0, 0.0));
    let cone = SharedShape::compound(vec![
        (tip, SharedShape::cone(0.5 * (ARM - half), 0.3 * radius)),
        (Pose::translation(0.0, 0.4 * ARM, 0.0), SharedShape::cylinder(0.4 * ARM, 0.06 * radius)),
    ]);
    world.add_collider(Collider::new(cone).attached_to(top))?;
    BallJoint::new(Vec3::ZERO).add_to_world(&mut world, top)?;
    let (lean, rate) = (f64::from(lean), f64::from(rate));
    let top = Top { top, lean, rate, azimuth: 0.0, turned: 0.0, nutation: 0.0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(top) })
}

impl Observer for Top {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let axis = (world.body_pose(self.top)?.rotation * Vec3::Y).as_dvec3();
        let azimuth = libm::atan2(-axis.z, axis.x);
        let way = azimuth - self.azimuth;
        self.turned += way - std::f64::consts::TAU * (way / std::f64::consts::TAU).round();
        self.azimuth = azimuth;
        let lean = libm::atan2(libm::hypot(axis.x, axis.z), axis.y);
        self.nutation = self.nutation.max((lean - self.lean).abs());
        Ok(())
    }

    /// `precession_error`: how much slower or faster than Ω it went round, as a part of it \[1\];
    /// `precession_rad_s`: Ω \[rad/s\]; `nutation_rad`: how far its lean has strayed at most \[rad\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let time = world.state().frames as f64 * f64::from(FRAME);
        let error = (self.turned / (time * self.rate) - 1.0).abs();
        Ok(vec![("precession_error", error), ("precession_rad_s", self.rate), ("nutation_rad", self.nutation)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        Ok(solid::draw(world, picture, |_| hex(0xC8553D)).ground(0.0).rotated(20.0, 14.0))
    }
}
