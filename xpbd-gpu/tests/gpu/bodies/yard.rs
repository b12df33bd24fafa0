//! Bodies that collide.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_cloth::{Cloth, SoftBody, TetraMesh};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, Friction, Integrator, Object, Settings};

use super::stage::{Stage, settings};

impl Stage {
    fn block(&mut self, pose: Pose, half: Vec3, mass: f32) -> Result<BodyHandle, Failed> {
        let body = self.add(Body::dynamic(pose, Mass::cuboid(mass, half)))?;
        let shape = SharedShape::cuboid(half.x, half.y, half.z);
        self.world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(0.5)))?;
        Ok(body)
    }

    fn ball(&mut self, place: Vec3, radius: f32, restitution: f32) -> Result<BodyHandle, Failed> {
        let body = self.add(Body::dynamic(Pose::from_translation(place), Mass::ball(1.0, radius)))?;
        let collider = Collider::new(SharedShape::ball(radius)).attached_to(body).friction(Friction::new(0.4));
        self.world.add_collider(collider.restitution(restitution))?;
        Ok(body)
    }
}

/// Returns the plane y = 0, turned.
fn ground(settings: Settings, turned: Quat, friction: f32) -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings)?;
    let plane = Collider::new(SharedShape::halfspace(Vec3::Y)).rotation(turned).friction(Friction::new(friction));
    stage.world.add_collider(plane)?;
    Ok(stage)
}

fn flat() -> Result<Stage, Failed> {
    ground(settings(), Quat::IDENTITY, 0.5)
}

/// Five boxes on each other.
pub fn tower() -> Result<Stage, Failed> {
    let mut stage = flat()?;
    for k in 0..5 {
        let pose = Pose::from_parts(Vec3::new(0.0, 0.5 + k as f32, 0.0), Quat::from_rotation_y(0.1 * k as f32));
        stage.block(pose, Vec3::splat(0.5), 1.0)?;
    }
    Ok(stage)
}

/// Boxes and balls that bounce, far from the origin.
pub fn heap() -> Result<Stage, Failed> {
    let mut stage = flat()?;
    let far = Vec3::new(100.0, 0.0, -300.0);
    for k in 0..15 {
        let place = far + Vec3::new(0.13 * (k % 3) as f32, 0.2 + 0.22 * k as f32, 0.11 * (k % 2) as f32);
        if k % 3 == 0 {
            stage.ball(place, 0.1, 0.6)?;
        } else {
            let turn = Quat::from_rotation_x(0.3 * k as f32);
            stage.block(Pose::from_parts(place, turn), Vec3::new(0.1, 0.08, 0.12), 1.0)?;
        }
    }
    let gate = || Collider::new(SharedShape::cuboid(0.3, 0.2, 0.3));
    stage.world.add_sensor(gate().at(far + Vec3::Y))?;
    stage.world.add_sensor(gate().attached_to(stage.bodies[0]))?;
    Ok(stage)
}

/// Returns the twice the work a substep.
pub fn iterated() -> Result<Stage, Failed> {
    let mut stage = heap()?;
    let settings = Settings { iterations: 2, ..stage.world.settings().clone() };
    stage.world.set_settings(settings)?;
    Ok(stage)
}

/// Boxes and balls on a slope, and a capsule and a hull that are each a body's only one of two colliders.
fn slope(friction: f32) -> Result<Stage, Failed> {
    let turned = Quat::from_rotation_z(-0.4);
    let mut stage = ground(settings(), turned, friction)?;
    stage.block(Pose::from_parts(turned * Vec3::new(0.0, 0.25, 0.0), turned), Vec3::new(0.5, 0.25, 0.5), 1.0)?;
    stage.ball(turned * Vec3::new(2.0, 0.1, 0.0), 0.1, 0.0)?;
    let pose = Pose::from_parts(turned * Vec3::new(0.0, 0.6, 3.0), Quat::from_rotation_x(1.0));
    let mass = Mass { center_of_mass: Vec3::new(0.0, -0.05, 0.02), ..Mass::cuboid(2.0, Vec3::new(0.2, 0.4, 0.2)) };
    let body = stage.add(Body::dynamic(pose, mass).damping(0.1, 0.2).angular_velocity(Vec3::new(0.3, 2.0, 0.0)))?;
    for (shape, place) in
        [(SharedShape::capsule_y(0.2, 0.15), Vec3::ZERO), (SharedShape::cone(0.2, 0.2), Vec3::X * 0.3)]
    {
        stage.world.add_collider(Collider::new(shape).attached_to(body).at(place).friction(Friction::new(0.3)))?;
    }
    Ok(stage)
}

/// Returns a block on which a cylinder, a cone and a compound of cylinders tumble: from their ends to their sides, which are
/// round, and off the block.
pub fn tumbling() -> Result<Stage, Failed> {
    let mut stage = flat()?;
    stage.block(Pose::translation(0.0, 0.1, 0.0), Vec3::new(0.6, 0.1, 0.6), 5.0)?;
    let halves = [-0.05, 0.05].map(|y| (Pose::translation(0.0, y, 0.0), SharedShape::cylinder(0.04, 0.08)));
    let shapes = [SharedShape::cylinder(0.06, 0.1), SharedShape::cone(0.1, 0.08), SharedShape::compound(halves.into())];
    for (k, shape) in shapes.into_iter().enumerate() {
        let pose = Pose::from_parts(Vec3::new(0.35 * k as f32 - 0.35, 0.4, 0.0), Quat::from_rotation_x(1.2));
        let mass = Mass::from_shape(&*shape, 1000.0)?;
        let body = stage.add(Body::dynamic(pose, mass).angular_velocity(Vec3::new(3.0, 9.0, 6.0)))?;
        stage.world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(0.5)))?;
    }
    Ok(stage)
}

pub fn sticking() -> Result<Stage, Failed> {
    slope(1.2)
}

pub fn sliding() -> Result<Stage, Failed> {
    slope(0.1)
}

/// Returns a cart whose top is a belt on a slope that is one too, a box and a ball on the cart, a platform that lets bodies
/// through from below, a bullet, and particles on the slope and on a lift with a belt.
pub fn belts() -> Result<Stage, Failed> {
    let turned = Quat::from_rotation_z(0.2);
    let mut stage = Stage::new(Settings { particle_radius: 0.02, ..settings() })?;
    let plane = Collider::new(SharedShape::halfspace(Vec3::Y)).rotation(turned).friction(Friction::new(0.5));
    stage.world.add_collider(plane.surface_velocity(Vec3::new(0.8, 0.0, 0.3)))?;
    let on_slope = |x: f32, y: f32| Pose::from_parts(turned * Vec3::new(x, y, 0.0), turned);
    let cart = stage.add(Body::dynamic(on_slope(0.0, 0.1), Mass::cuboid(3.0, Vec3::new(1.0, 0.1, 0.4))))?;
    let top = Collider::new(SharedShape::cuboid(1.0, 0.1, 0.4)).friction(Friction::new(0.6));
    stage.world.add_collider(top.surface_velocity(Vec3::X * -0.5).attached_to(cart))?;
    stage.block(on_slope(0.3, 0.32), Vec3::new(0.2, 0.1, 0.1), 1.0)?;
    stage.ball(turned * Vec3::new(-0.4, 0.31, 0.1), 0.1, 0.3)?;
    let platform = Collider::new(SharedShape::cuboid(1.0, 0.05, 1.0)).at(Vec3::new(-4.0, 1.0, 0.0));
    stage.world.add_collider(platform.one_way(Vec3::Y))?;
    for (place, velocity) in [(Vec3::new(-4.0, 0.5, 0.0), Vec3::Y * 5.0), (Vec3::new(-9.0, 3.0, 0.0), Vec3::X * 250.0)]
    {
        let ball = stage.ball(place, 0.05, 0.5)?;
        stage.world.edit_body(ball, |ball| ball.velocity = velocity)?;
    }
    stage.block(Pose::translation(0.0, 3.0, 0.0), Vec3::new(0.005, 0.5, 0.5), 1.0)?;
    let lift = stage.add(Body::kinematic(Pose::from_parts(Vec3::new(5.0, 0.0, 0.0), turned)))?;
    let slab = Collider::new(SharedShape::cuboid(0.5, 0.05, 0.5)).surface_velocity(Vec3::new(0.2, 0.3, 0.1));
    stage.world.add_collider(slab.attached_to(lift))?;
    let grains = (0..12).map(|k| match k % 2 {
        0 => turned * Vec3::new(2.0 + 0.1 * k as f32, 0.03, 0.0),
        _ => Vec3::new(4.8, 0.1, 0.0) + Vec3::new(0.03, 0.0, 0.04) * k as f32,
    });
    let mut grains = Object::new("grains", grains.collect(), 0.1);
    grains.restitution = 0.7;
    stage.world.add(grains)?;
    Ok(stage)
}

/// Returns a row of touching balls into which another one comes, and grains that fall on them, on the ground and on each
/// other, all with restitution.
pub fn rebounds() -> Result<Stage, Failed> {
    let mut stage = Stage::new(Settings { particle_radius: 0.04, ..settings() })?;
    stage.world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).restitution(0.5))?;
    for k in 0..6 {
        let apart = if k == 0 { -0.06 } else { 0.0 };
        stage.ball(Vec3::new(apart + 0.2 * k as f32, 0.1, 0.0), 0.1, 1.0)?;
    }
    stage.world.edit_body(stage.bodies[0], |ball| ball.velocity = Vec3::X * 2.0)?;
    let place =
        |k: u32| Vec3::new(0.09 * (k % 12) as f32 - 0.05, 0.25 + 0.085 * (k / 12) as f32, 0.01 * (k % 5) as f32);
    let mut grains = Object::new("grains", (0..60).map(place).collect(), 0.05).velocity(Vec3::Y * -1.0);
    grains.collision_layers.self_collision = true;
    grains.restitution = 0.8;
    stage.world.add(grains)?;
    Ok(stage)
}

/// Returns a plate with more balls on it than a sweep bears.
pub fn tray() -> Result<Stage, Failed> {
    let mut stage = flat()?;
    stage.block(Pose::translation(0.0, 0.1, 0.0), Vec3::new(2.0, 0.1, 2.0), 5.0)?;
    for k in 0..81 {
        let place = Vec3::new(0.4 * (k % 9) as f32 - 1.6, 0.298, 0.4 * (k / 9) as f32 - 1.6);
        stage.ball(place, 0.1, 0.3)?;
    }
    Ok(stage)
}

/// Returns two boxes on a lift, and one that does not touch another.
pub fn lift() -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings())?;
    let lift = stage.add(Body::kinematic(Pose::translation(0.0, -0.1, 0.0)))?;
    stage.world.add_collider(Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0)).attached_to(lift).restitution(0.2))?;
    stage.block(Pose::translation(0.0, 0.2, 0.0), Vec3::splat(0.2), 1.0)?;
    stage.block(Pose::translation(0.0, 0.6, 0.0), Vec3::splat(0.2), 1.0)?;
    let [a, b] =
        [0.5, 0.6].map(|x| Pose::translation(x, 0.2, 0.6)).map(|pose| stage.block(pose, Vec3::splat(0.15), 1.0));
    stage.world.set_contacts_between(a?, b?, false)?;
    Ok(stage)
}

/// Returns a crate that falls on a sheet of particles.
fn sheet(settings: Settings, self_collision: bool) -> Result<Stage, Failed> {
    let mut stage = Stage::new(Settings { particle_radius: 0.03, ..settings })?;
    let n = 12_u32;
    let place = |k: u32| Vec3::new(0.07 * (k % n) as f32 - 0.4, 0.0, 0.07 * (k / n) as f32 - 0.4);
    let right = (0..n * n).filter(|k| k % n + 1 < n).map(|k| [k, k + 1]);
    let down = (0..n * (n - 1)).map(|k| [k, k + n]);
    let links: Vec<[u32; 2]> = right.chain(down).collect();
    let net =
        Batch::new(Distance, &links, &vec![DistanceParameters { rest_length: 0.07 }; links.len()])?.compliance(1e-6);
    let mut object = Object::new("sheet", (0..n * n).map(place).collect(), 0.5).pin([0, 11, 132, 143]).with(net);
    object.collision_layers.self_collision = self_collision;
    object.restitution = 0.4;
    let object = stage.world.add(object)?;
    stage.objects.push(object);
    stage.world.add_collider(Collider::new(SharedShape::cuboid(0.1, 0.1, 2.0)).at(Vec3::new(0.5, -0.2, 0.0)))?;
    let body = stage.block(
        Pose::from_parts(Vec3::new(0.05, 0.25, 0.0), Quat::from_rotation_x(0.3)),
        Vec3::splat(0.15),
        2.0,
    )?;
    stage.world.edit_body(body, |body| body.velocity = Vec3::new(0.3, -2.0, 0.0))?;
    stage.block(Pose::translation(0.05, 0.6, 0.0), Vec3::splat(0.1), 1.0)?;
    Ok(stage)
}

pub fn crate_on_sheet() -> Result<Stage, Failed> {
    sheet(settings(), false)
}

pub fn crate_on_sheet_that_meets_itself() -> Result<Stage, Failed> {
    sheet(Settings { iterations: 2, ..settings() }, true)
}

pub fn crate_on_second_order_sheet() -> Result<Stage, Failed> {
    sheet(Settings { integrator: Integrator::SecondOrder, ..settings() }, true)
}

/// Returns a sheet of 36 g whose rim is pinned, under a crate of 20 kg and a ball.
pub fn crate_on_pinned_sheet() -> Result<Stage, Failed> {
    let mut stage = Stage::new(Settings { particle_radius: 0.02, ..settings() })?;
    let on_rim = |_: u32, x: Vec3| x.x.abs().max(x.z.abs()) > 0.299;
    let cloth = Cloth::grid(13, 13, 0.6, 0.6).density(0.1).pin_where(on_rim);
    let object = stage.world.add(cloth.build()?)?;
    stage.objects.push(object);
    let tilted = Pose::from_parts(Vec3::new(0.05, 0.17, 0.0), Quat::from_rotation_x(0.3));
    stage.block(tilted, Vec3::splat(0.1), 20.0)?;
    stage.ball(Vec3::new(-0.15, 0.12, 0.1), 0.08, 0.3)?;
    Ok(stage)
}

/// Returns a block of foam of 64 g that a crate of 20 kg falls on, beside grains of 2 kg.
pub fn crate_on_foam() -> Result<Stage, Failed> {
    let mut stage = Stage::new(Settings { particle_radius: 0.04, ..settings() })?;
    stage.world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
    let mesh = TetraMesh::block([3; 3], Vec3::splat(0.4))?;
    let foam = SoftBody::new(&mesh).density(1.0).damping_time(2e-3).at(Vec3::Y * 0.24);
    let object = stage.world.add(foam.build()?)?;
    stage.objects.push(object);
    stage.block(Pose::translation(0.08, 0.6, 0.0), Vec3::splat(0.1), 20.0)?;
    let place = |k: u32| Vec3::new(-0.15, 0.53 + 0.001 * k as f32, 0.09 * k as f32 - 0.1);
    stage.world.add(Object::new("grains", (0..3).map(place).collect(), 2.0))?;
    Ok(stage)
}
