//! Chains of rigid bodies on ball joints, the last of each far heavier than the others.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{CollisionLayers, StepReport, World, WorldError};
use xpbd_rigid::joint::{BallJoint, Joint};

use super::gap::{self, Gap};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Picture, hex};

/// Length of a body \[m\].
const LINK: f32 = 0.1;
/// Half extents of a body \[m\], the second along the chain.
const HALF: Vec3 = Vec3::new(0.02, 0.5 * LINK, 0.02);
/// Distance of two chains \[m\].
const SPACING: f32 = 0.25;

pub(super) const RECIPE: Recipe = Recipe {
    name: "chain-rigid",
    summary: "a hundred bodies on ball joints, the last a thousand times heavier: the gaps of the joints",
    frames: 300,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "100", help: "bodies of a chain" },
        OptionKey { name: "chains", default: "1", help: "chains side by side" },
        OptionKey { name: "end_mass", default: "1000", help: "mass of the last body [kg]; the others have 1 kg" },
        OptionKey { name: "swing", default: "0", help: "1 to start level, 0 to start hanging" },
    ],
    takes_mesh: false,
    build,
};

struct Chains {
    gaps: Vec<Gap>,
    length: usize,
    largest: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let length = setup.count("n", 1, 10_000)?;
    let chains = setup.count("chains", 1, 1000)?;
    let end_mass = setup.positive("end_mass")?;
    let way = setup.choice("swing", &[("0", Vec3::NEG_Y), ("1", Vec3::X)])?;
    let mut world = World::new(setup.settings())?;
    xpbd_rigid::register(world.registry_mut())?;
    let ceiling = world.add_body(Body::fixed(Pose::IDENTITY))?;
    let turned = solid::rotation_between(Vec3::NEG_Y, way);
    let side = (chains as f32).sqrt().ceil() as usize;
    let (mut joints, mut gaps) = (Vec::new(), Vec::new());
    for chain in 0..chains {
        let top = Vec3::new(0.0, (chain / side) as f32, (chain % side) as f32) * SPACING;
        let mut upper = ceiling;
        for k in 0..length {
            let end = (k + 1 == length).then_some(end_mass);
            let pose = Pose::from_parts(top + way * (LINK * (k as f32 + 0.5)), turned);
            let lower = world.add_body(Body::dynamic(pose, Mass::cuboid(end.unwrap_or(1.0), HALF)).can_sleep(false))?;
            world.add_collider(untouchable(end).attached_to(lower))?;
            let anchor = top + way * (LINK * k as f32);
            joints.push((BallJoint::new(anchor), upper, lower));
            gaps.push(Gap::at(&world, [upper, lower], anchor)?);
            upper = lower;
        }
    }
    BallJoint::add_all(&mut world, joints)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Chains { gaps, length, largest: 0.0 }) })
}

/// Returns the shape of a body, which touches nothing: the last one is drawn as a ball of iron.
fn untouchable(iron: Option<f32>) -> Collider {
    const IRON: f32 = 7800.0;
    let thin = SharedShape::capsule_y(0.3 * LINK, 0.3 * LINK);
    let ball = |mass: f32| SharedShape::ball(libm::cbrtf(0.75 * mass / (std::f32::consts::PI * IRON)).max(0.4 * LINK));
    Collider {
        collision_layers: CollisionLayers { filters: 0, ..CollisionLayers::default() },
        ..Collider::new(iron.map_or(thin, ball))
    }
}

impl Observer for Chains {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.largest = self.largest.max(gap::largest(world, &self.gaps)?);
        Ok(())
    }

    /// `max_joint_error_m`: how far a joint has gaped at most \[m\]; `joint_error_percent`: how far one gapes
    /// now, of the length of a body \[%\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let now = 100.0 * gap::largest(world, &self.gaps)? / f64::from(LINK);
        Ok(vec![("max_joint_error_m", self.largest), ("joint_error_percent", now)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let color = |k: usize| match (k.saturating_sub(1) % self.length, self.length) {
            (k, length) if k + 1 == length => hex(0x2F4858),
            (k, _) if k % 2 == 0 => hex(0xC8553D),
            _ => hex(0xE0A458),
        };
        Ok(solid::draw(world, picture, color).rotated(20.0, 8.0))
    }
}
