//! A rod on a hinge: an undamped compound pendulum.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::scalar::trig;
use xpbd_core::world::{BodyHandle, StepReport, World, WorldError};
use xpbd_rigid::joint::{HingeJoint, Joint};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex};

/// Half extents of the rod \[m\], which hangs by one end of the first.
const HALF: Vec3 = Vec3::new(0.5, 0.03, 0.05);
/// Mass of the bob \[kg\].
const MASS: f32 = 2.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "pendulum",
    summary: "a rod swings on a hinge: energy and period",
    frames: 600,
    substeps: 20,
    keys: &[OptionKey { name: "deg", default: "60", help: "how far it is raised at the start [degrees]" }],
    takes_mesh: false,
    build,
};

struct Pendulum {
    rod: BodyHandle,
    raised: f64,
    gravity: f64,
    energy: f64,
    angle: f64,
    /// Times of the first and the last passage of the lowest point in one direction, and the number of passages
    /// between.
    passed: Option<(f64, f64, u32)>,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let degrees = setup.number("deg", "above 0 and below 180", |value| value > 0.0 && value < 180.0)?;
    let raised = degrees.to_radians();
    let mut world = World::new(setup.settings())?;
    xpbd_rigid::register(world.registry_mut())?;
    let down = Vec3::new(trig::sin(raised), -trig::cos(raised), 0.0);
    let pose = Pose::from_parts(down * HALF.x, solid::rotation_between(Vec3::X, down));
    // It never rests, but is slow where it turns back.
    let body = Body::dynamic(pose, Mass::cuboid(MASS, HALF)).can_sleep(false);
    let rod = solid::add(&mut world, body, SharedShape::cuboid(HALF.x, HALF.y, HALF.z), 0.5)?;
    HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut world, rod)?;
    let gravity = f64::from(world.settings().gravity.length());
    let (raised, energy) = (f64::from(raised), energy(&world));
    let pendulum = Pendulum { rod, raised, gravity, energy, angle: raised, passed: None };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(pendulum) })
}

/// Returns the energy above that of the rod at rest \[J\].
fn energy(world: &World) -> f64 {
    world.energy().total() + f64::from(MASS * HALF.x) * f64::from(world.settings().gravity.length())
}

impl Pendulum {
    /// T = 2π √(I/(m g l)) / agm(1, cos θ₀/2), with the moment of inertia about the hinge \[s\].
    fn expected(&self) -> f64 {
        let arm = f64::from(HALF.x);
        let inertia = f64::from(Mass::cuboid(MASS, HALF).principal_inertia.z) / f64::from(MASS) + arm * arm;
        let (mut a, mut g) = (1.0, libm::cos(0.5 * self.raised));
        for _ in 0..8 {
            (a, g) = (0.5 * (a + g), f64::sqrt(a * g));
        }
        std::f64::consts::TAU * (inertia / (self.gravity * arm)).sqrt() / a
    }
}

impl Observer for Pendulum {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let along = (world.body_pose(self.rod)?.rotation * Vec3::X).as_dvec3();
        let angle = libm::atan2(along.x, -along.y);
        if self.angle < 0.0 && angle >= 0.0 {
            let part = angle / (angle - self.angle);
            let time = (world.state().frames as f64 - part) * f64::from(FRAME);
            self.passed = Some(self.passed.map_or((time, time, 0), |(first, _, count)| (first, time, count + 1)));
        }
        self.angle = angle;
        Ok(())
    }

    /// `energy_ratio`: energy over that at the start \[1\]; `period_s` and `expected_period_s`: that of the
    /// swing, and of a rod without friction raised as far \[s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let whole = self.passed.filter(|&(_, _, count)| count > 0);
        let period = whole.map_or(f64::NAN, |(first, last, count)| (last - first) / f64::from(count));
        Ok(vec![
            ("energy_ratio", energy(world) / self.energy),
            ("period_s", period),
            ("expected_period_s", self.expected()),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let post = [Vec3::new(0.0, -1.3, -0.16), Vec3::new(0.0, 0.0, -0.16)];
        let picture = picture.tube(&post, 0.035, Material::matte(hex(0x44484F)));
        let picture = picture.tube(&[post[1], Vec3::Z * 0.08], 0.02, Material::polished(hex(0xB8B2A6)));
        Ok(solid::draw(world, picture, |_| hex(0xC8553D)).ground(-1.3).rotated(25.0, 12.0))
    }
}
