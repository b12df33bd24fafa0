//! Bodies under constraints, that of colours and of the remainder.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Parameters, Points};
use xpbd_core::scalar::Real;
use xpbd_core::world::{Integrator, Object, Settings};

use super::stage::{Stage, brick, settings};

/// C = x₀ − x₁: a ball joint, or a particle held at a point.
pub struct Coincide;

impl Constraint<2, 3> for Coincide {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-coincide";

    fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 3] {
        (x.now[0] - x.now[1]).to_array()
    }
}

/// Cosine between two axes.
struct Across;

impl Constraint<2, 1> for Across {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-across";

    fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 1] {
        [x.now[0].axis().dot(x.now[1].axis())]
    }
}

/// A string that is never longer than `rest` and gives back a part of the speed at which it is stretched.
struct Tether;

impl Constraint<2, 1> for Tether {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "test-tether";

    fn value<S: Real>(x: &Points<S, 2>, [rest, _]: [S; 2]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.min(S::zero())]
    }

    fn target_rates<S: Real>(
        _: &Points<S, 2>,
        [rate]: [S; 1],
        [lambda]: [S; 1],
        [_, restitution]: [S; 2],
    ) -> Option<[S; 1]> {
        let back = S::zero().select_lt(rate, -rate * restitution, rate);
        Some([lambda.select_lt(S::zero(), back, rate)])
    }
}

const BODIES: [Connector; 2] = [Connector::BodyPoint { node: 0 }, Connector::BodyPoint { node: 1 }];
const BODY_AND_PARTICLE: [Connector; 2] = [Connector::BodyPoint { node: 0 }, Connector::Particle { node: 1 }];

/// Returns the constraints between points: nodes, and a local vector for each point on a body.
fn batch<K, const N: usize, const M: usize>(
    constraint: K,
    connectors: &[Connector],
    nodes: Vec<u32>,
    locals: Vec<Vec3>,
    parameters: K::Parameters<f32>,
) -> Result<Batch, Failed>
where
    K: Constraint<N, M>,
{
    let (kind, connectors) = (ConstraintType::of(constraint)?, Connectors::new(connectors)?);
    let count = nodes.len() / connectors.nodes().len();
    Ok(Batch::from_parts(kind, connectors, nodes, locals, parameters.to_numbers().repeat(count))?)
}

/// Half of the way from one link of a chain to the next.
const HALF: Vec3 = Vec3::new(0.1, 0.0, 0.0);

fn links(settings: Settings, count: usize, compliance: f32, damping: f32) -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings)?;
    stage.add(Body::fixed(Pose::IDENTITY))?;
    for k in 1..=count {
        let pose = Pose::from_parts(2.0 * HALF * k as f32, Quat::from_rotation_x(0.2 * k as f32));
        stage.add(Body::dynamic(pose, brick(0.2 + 0.1 * k as f32)))?;
    }
    let nodes = (0..count as u32).flat_map(|k| [k, k + 1]).collect();
    let joints = batch(Coincide, &BODIES, nodes, [HALF, -HALF].repeat(count), [])?;
    let joints = joints.compliance(compliance).damping(damping);
    let handle = stage.world.add_batch(&[], &stage.bodies.clone(), joints)?;
    stage.batches.push(handle);
    Ok(stage)
}

/// Links on ball joints, hanging from a fixed body.
pub fn chain() -> Result<Stage, Failed> {
    links(settings(), 12, 0.0, 0.0)
}

/// Returns the same with soft, damped joints and three iterations.
pub fn iterated() -> Result<Stage, Failed> {
    links(Settings { iterations: 3, ..settings() }, 7, 1e-5, 20.0)
}

/// Points around a ring, for things that are hung on a wheel.
fn rim(count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |k| Quat::from_rotation_z(0.7 + 6.0 * k as f32 / count as f32) * Vec3::X)
}

/// Returns a wheel, with more pendulums than a sweep bears: their joints are the remainder.
fn wheel(locked: LockedAxes) -> Result<(Stage, usize), Failed> {
    let (mut stage, count) = (Stage::new(settings())?, 80);
    stage.remainder = count;
    stage.add(
        Body::dynamic(Pose::IDENTITY, brick(5.0)).angular_velocity(Vec3::new(0.0, 0.3, 2.0)).locked_axes(locked),
    )?;
    for place in rim(count) {
        stage.add(Body::dynamic(Pose::from_translation(place + HALF), Mass::ball(0.1, 0.05)))?;
    }
    Ok((stage, count))
}

pub fn hub() -> Result<Stage, Failed> {
    let (mut stage, count) = wheel(LockedAxes { translation: [false, true, false], rotation: [true, false, false] })?;
    let nodes = (1..=count as u32).flat_map(|k| [0, k]).collect();
    let locals = rim(count).flat_map(|place| [place, -HALF]).collect();
    stage.world.add_batch(&[], &stage.bodies.clone(), batch(Coincide, &BODIES, nodes, locals, [])?)?;
    Ok(stage)
}

/// Returns two bricks that carry the ends of a net, and a plate that carries many particles.
fn carrying(settings: Settings) -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings)?;
    stage.remainder = 70;
    for (k, mass) in [0.5, 2.0, 4.0].into_iter().enumerate() {
        let pose = Pose::from_parts(Vec3::new(0.0, k as f32, 0.0), Quat::from_rotation_y(0.3));
        stage.add(Body::dynamic(pose, brick(mass)).angular_velocity(Vec3::Z * k as f32))?;
    }
    let place = |k: u32| Vec3::new(0.1 * (k % 80) as f32, 0.4, (k / 80) as f32);
    let rows: Vec<[u32; 2]> = (0..159).map(|k| [k, k + 1]).collect();
    let net = Batch::new(Distance, &rows, &vec![DistanceParameters { rest_length: 0.1 }; rows.len()])?.compliance(1e-6);
    let object = stage.world.add(Object::new("net", (0..160).map(place).collect(), 0.5).pin([90]).with(net))?;
    stage.objects.push(object);
    let ends = [[0, 0], [0, 3], [1, 40], [1, 44]];
    let plate = (0..70).map(|k| [2, 85 + k]);
    let nodes: Vec<[u32; 2]> = ends.into_iter().chain(plate).collect();
    let local = |k: usize| Vec3::new(0.02 * k as f32 - 0.5, 0.3, 0.01 * (k % 7) as f32);
    let locals = (0..nodes.len()).map(local).collect();
    let held = batch(Coincide, &BODY_AND_PARTICLE, nodes.into_flattened(), locals, [])?.compliance(1e-5);
    let handle = stage.world.add_batch(&[object], &stage.bodies.clone(), held)?;
    stage.batches.push(handle);
    Ok(stage)
}

pub fn attached() -> Result<Stage, Failed> {
    carrying(settings())
}

pub fn second_order() -> Result<Stage, Failed> {
    carrying(Settings { integrator: Integrator::SecondOrder, ..settings() })
}

/// Returns the axes held at a right angle, between bodies of which some are locked.
pub fn axes() -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings())?;
    let locks = [
        LockedAxes::default(),
        LockedAxes::PLANAR,
        LockedAxes { rotation: [true, false, false], ..LockedAxes::default() },
    ];
    for k in 0..9 {
        let pose = Pose::from_parts(Vec3::splat(k as f32), Quat::from_rotation_y(0.4 * k as f32));
        stage.add(
            Body::dynamic(pose, brick(1.0)).angular_velocity(Vec3::new(0.3, 2.0, -1.0)).locked_axes(locks[k % 3]),
        )?;
    }
    let connectors = [Connector::BodyAxis { node: 0 }, Connector::BodyAxis { node: 1 }];
    let nodes = (0..8).flat_map(|k| [k, k + 1]).collect();
    let rows = batch(Across, &connectors, nodes, [Vec3::X, Vec3::Y].repeat(8), [])?.compliance(1e-3);
    stage.world.add_batch(&[], &stage.bodies.clone(), rows)?;
    Ok(stage)
}

/// Returns the bodies and particles on strings that bounce when they are taut.
pub fn bouncing() -> Result<Stage, Failed> {
    let mut stage = links(settings(), 4, 0.0, 0.0)?;
    for k in 0..4 {
        let pose = Pose::from_translation(Vec3::new(0.2 * k as f32, -0.3, 0.1));
        stage
            .add(Body::dynamic(pose, brick(0.3)).velocity(Vec3::new(0.1, -1.0, 0.0)).locked_axes(LockedAxes::PLANAR))?;
    }
    let places = (0..6).map(|k| Vec3::new(0.1 * k as f32, 1.0 - 0.2 * k as f32, 2.0)).collect();
    let row: Vec<[u32; 2]> = (0..5).map(|k| [k, k + 1]).collect();
    let strings = Batch::new(Tether, &row, &[[0.25, 0.8]; 5])?;
    let object = stage.world.add(Object::new("beads", places, 0.3).pin([0]).with(strings))?;
    let nodes = (0..4).flat_map(|k| [k, 5 + k]).collect();
    let strings = batch(Tether, &BODIES, nodes, [HALF, 0.5 * HALF].repeat(4), [0.4, 0.9])?;
    stage.world.add_batch(&[], &stage.bodies.clone(), strings)?;
    let nodes = vec![5, 3, 6, 4, 7, 5];
    let strings = batch(Tether, &BODY_AND_PARTICLE, nodes, vec![HALF; 3], [1.5, 0.5])?;
    stage.world.add_batch(&[object], &stage.bodies.clone(), strings)?;
    Ok(stage)
}

pub fn bouncing_hub() -> Result<Stage, Failed> {
    let (mut stage, count) = wheel(LockedAxes { translation: [false, true, false], rotation: [true, false, false] })?;
    let nodes = (1..=count as u32).flat_map(|k| [0, k]).collect();
    let locals = rim(count).flat_map(|place| [place, Vec3::ZERO]).collect();
    stage.world.add_batch(&[], &stage.bodies.clone(), batch(Tether, &BODIES, nodes, locals, [0.11, 0.6])?)?;
    Ok(stage)
}

/// Grains that fall on boxes of which one moves on its own and one follows a target.
pub fn carried() -> Result<Stage, Failed> {
    let mut stage = Stage::new(Settings { particle_radius: 0.02, ..settings() })?;
    let shape = || SharedShape::cuboid(0.4, 0.05, 0.4);
    let tray = Body::dynamic(Pose::from_rotation(Quat::from_rotation_z(0.2)), Mass::ball(1.0, 0.3));
    let tray = stage.add(tray.gravity_scale(0.1).velocity(Vec3::new(0.2, 0.1, 0.0)).angular_velocity(Vec3::Y))?;
    stage.world.add_collider(Collider::new(shape()).attached_to(tray))?;
    let other = stage.add(Body::kinematic(Pose::translation(0.6, 0.0, 0.0)))?;
    stage.world.add_collider(Collider::new(shape()).attached_to(other))?;
    let place = |k: usize| Vec3::new(0.1 * (k % 10) as f32 - 0.3, 0.2 + 0.01 * (k % 3) as f32, 0.05 * (k / 10) as f32);
    stage.world.add(Object::new("grains", (0..60).map(place).collect(), 0.1))?;
    Ok(stage)
}
