//! Chains, ropes and rods.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_cloth::{Rod, RodEnd, Rope};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::settings::{ConstraintSolver, Settings};
use xpbd_core::world::{BodyHandle, World, WorldError};
use xpbd_rigid::joint::{BallJoint, Joint, JointFrame};

use super::{Errors, Study, Trial};
use crate::scene::SceneError;

const METHODS: &[&str] = &["sweep", "direct"];
const SOLVERS: [ConstraintSolver; 2] = [ConstraintSolver::Sweep, ConstraintSolver::Direct];

pub(super) const CHAIN: Study = Study {
    name: "chain",
    title: "A chain with a weight",
    text: "A hundred links of 1 kg with a weight of 1000 kg at the end swing down from level for 5 s. The gaps of the joints \
           on the way are drawn. A sweep flies apart with few substeps.",
    error: "gap of joints [mm]",
    moves: true,
    methods: METHODS,
    substeps: &[1, 2, 4, 10, 20, 40, 100],
    build: chain,
};

pub(super) const ROPE: Study = Study {
    name: "rope",
    title: "An elastic rope",
    text: "A rope of 40 links with E A = 200 N, without weight, is pulled by 10 N at its end. The error is that of its \
           elongation at rest, F L/(E A).",
    error: "error of the elongation [%]",
    moves: false,
    methods: METHODS,
    substeps: &[1, 2, 4, 10, 20, 40, 100],
    build: rope,
};

pub(super) const ROD: Study = Study {
    name: "rod",
    title: "A clamped rod",
    text: "A rod of 100 segments, clamped at one end, bends under a load at its tip to 4 % of its length. The error is that \
           of the deflection at rest, P L³/(3 E I).",
    error: "error of the deflection [%]",
    moves: false,
    methods: METHODS,
    substeps: &[1, 2, 4, 10, 20, 40, 100],
    build: rod,
};

fn chain(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    const LINKS: usize = 100;
    const LENGTH: f32 = 0.1;
    const WEIGHT: f32 = 1000.0;
    let mut world = World::new(Settings { substeps, ..Settings::default() })?;
    xpbd_rigid::register(world.registry_mut())?;
    let level = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let [up, down] = [Vec3::Y, Vec3::NEG_Y].map(|end| end * (0.5 * LENGTH));
    let mut bodies = vec![world.add_body(Body::fixed(Pose::from_parts(level * up, level)))?];
    for k in 1..=LINKS {
        let mass = Mass::cuboid(if k == LINKS { WEIGHT } else { 1.0 }, Vec3::new(0.02, 0.5 * LENGTH, 0.02));
        let pose = Pose::from_parts(level * (down * (2.0 * k as f32 - 1.0)), level);
        bodies.push(world.add_body(Body::dynamic(pose, mass).can_sleep(false))?);
    }
    let frame = |place: Vec3| JointFrame::new(place, Vec3::X);
    let joint = || BallJoint::between(frame(down), frame(up)).solver(SOLVERS[method]);
    BallJoint::add_all(&mut world, bodies.windows(2).map(|pair| (joint(), pair[0], pair[1])).collect::<Vec<_>>())?;
    Ok(Trial::new(world, 300, move |world| {
        let gap = |pair: &[BodyHandle]| -> Result<f64, WorldError> {
            let [above, below] = [world.body_pose(pair[0])?, world.body_pose(pair[1])?];
            Ok(1e3 * f64::from(above.transform_point(down).distance(below.transform_point(up))))
        };
        let gaps: Vec<f64> = bodies.windows(2).map(gap).collect::<Result<_, _>>()?;
        Ok(Errors::of(gaps.into_iter()))
    }))
}

/// Returns the error of a number relative to what it should be \[%\].
fn relative(measured: f32, expected: f32) -> Errors {
    Errors::of([100.0 * f64::from(measured / expected - 1.0).abs()].into_iter())
}

fn rope(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    let (force, stiffness, links) = (10.0, 200.0, 40);
    let mut world = World::new(Settings { substeps, gravity: Vec3::ZERO, ..Settings::default() })?;
    let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y, links, 1.0).stretch(stiffness).linear_damping(4.0).pin([0]);
    let rope = rope.solver(SOLVERS[method]).build().map_err(|error| SceneError::Object(error.to_string()))?;
    let rope = world.add(rope)?;
    let end = links as usize;
    let trial =
        Trial::new(world, 600, move |world| Ok(relative(-world.position(rope, end)?.y - 1.0, force / stiffness)));
    Ok(trial.driven(move |world, _| world.add_force(rope, end, Vec3::NEG_Y * force)))
}

fn rod(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    const LENGTH: f32 = 1.0;
    const RADIUS: f32 = 0.01;
    const MODULUS: f32 = 1e7;
    const SAG: f32 = 0.04;
    let stiffness = 0.25 * MODULUS * std::f32::consts::PI * RADIUS * RADIUS * RADIUS * RADIUS;
    let load = SAG * 3.0 * stiffness / (LENGTH * LENGTH * LENGTH);
    let segments = 100;
    let mut world = World::new(Settings { substeps, gravity: Vec3::ZERO, ..Settings::default() })?;
    xpbd_cloth::register(world.registry_mut())?;
    let rod = Rod::between(Vec3::ZERO, Vec3::X * LENGTH, segments).radius(RADIUS).youngs_modulus(MODULUS);
    let rod = rod.linear_damping(3.3).solver(SOLVERS[method]).clamp(RodEnd::First).add_to(&mut world)?.object();
    let tip = segments as usize;
    let trial = Trial::new(world, 420, move |world| Ok(relative(-world.position(rod, tip)?.y, SAG)));
    Ok(trial.driven(move |world, _| world.add_force(rod, tip, Vec3::NEG_Y * load)))
}
