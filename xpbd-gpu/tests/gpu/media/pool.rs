//! Worlds with fluids.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{CollisionLayers, Integrator, Object, Settings, World};
use xpbd_fluid::{Fluid, FluidMaterial};

/// Radius of a particle \[m\].
pub const RADIUS: f32 = 0.025;
/// Distance of particles at rest \[m\].
pub const D: f32 = 2.0 * RADIUS;

pub fn settings() -> Settings {
    Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, substeps: 6, ..Settings::default() }
}

/// Five half-spaces around a basin of this many particles along x and z.
pub fn open_basin(settings: Settings, at: Vec3, [x, z]: [f32; 2]) -> Result<World, Failed> {
    let mut world = World::new(settings)?;
    let far = at + Vec3::new(x, 0.0, z) * D;
    for (normal, at) in [(Vec3::Y, at), (Vec3::X, at), (Vec3::NEG_X, far), (Vec3::Z, at), (Vec3::NEG_Z, far)] {
        world.add_collider(Collider::new(SharedShape::halfspace(normal)).at(at))?;
    }
    Ok(world)
}

fn block(low: [f32; 3], size: [f32; 3]) -> Fluid {
    let low = Vec3::from(low) * D;
    Fluid::block(low, low + Vec3::from(size) * D)
}

/// Returns a column let go in a corner.
fn dam(settings: Settings, at: Vec3) -> Result<World, Failed> {
    let mut world = open_basin(settings, at, [14.0, 5.0])?;
    Fluid::block(at, at + Vec3::new(5.0, 8.0, 5.0) * D).add_to_world(&mut world)?;
    Ok(world)
}

pub fn basin() -> Result<World, Failed> {
    dam(settings(), Vec3::ZERO)
}

pub fn iterations() -> Result<World, Failed> {
    dam(Settings { iterations: 3, substeps: 3, ..settings() }, Vec3::ZERO)
}

pub fn second_order() -> Result<World, Failed> {
    dam(Settings { integrator: Integrator::SecondOrder, ..settings() }, Vec3::ZERO)
}

/// Returns a basin one and a half kilometres off.
pub fn far() -> Result<World, Failed> {
    dam(settings(), Vec3::new(1000.0, -50.0, 1100.0))
}

/// Drops too far from each other for a table of their box.
pub fn scattered() -> Result<World, Failed> {
    let mut world = World::new(settings())?;
    for k in 0..12 {
        let place = Vec3::new(170.0, -90.0, 330.0) * (k * k) as f32;
        Fluid::block(place, place + Vec3::splat(3.3 * D))
            .velocity(Vec3::X * 0.1 * k as f32)
            .add_to_world(&mut world)?;
    }
    // Two drops fall into each other.
    Fluid::block(Vec3::Y * 3.0 * D, Vec3::new(3.0, 6.0, 3.0) * D).velocity(Vec3::NEG_Y).add_to_world(&mut world)?;
    Ok(world)
}

/// Returns a cube of eight particles of which each is three at one place. What parts grows exponentially at first, and
/// so do differences of rounding: there is one substep.
pub fn at_one_place() -> Result<World, Failed> {
    let mut world = World::new(Settings { substeps: 1, ..settings() })?;
    let corner = |k: u32| Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2 & 1) as f32) * D;
    Fluid::particles((0..24).map(|k| corner(k % 8)).collect()).add_to_world(&mut world)?;
    Ok(world)
}

pub fn two_fluids() -> Result<World, Failed> {
    let mut world = open_basin(settings(), Vec3::ZERO, [8.0, 4.0])?;
    block([0.0, 3.0, 0.0], [8.0, 3.0, 4.0]).add_to_world(&mut world)?;
    block([0.0, 0.0, 0.0], [8.0, 3.0, 4.0]).material(FluidMaterial::new(300.0)).add_to_world(&mut world)?;
    Ok(world)
}

/// Returns a chain hangs in a fluid and grains fall into it; nobody of a third kind meets it.
pub fn solids() -> Result<World, Failed> {
    let mut world = open_basin(settings(), Vec3::ZERO, [8.0, 5.0])?;
    block([0.0, 0.0, 0.0], [8.0, 4.0, 5.0]).add_to_world(&mut world)?;
    let places: Vec<Vec3> = (0..7).map(|k| Vec3::new(0.9 + k as f32, 4.4, 2.5) * D).collect();
    let links: Vec<[u32; 2]> = (0..6).map(|k| [k, k + 1]).collect();
    let batch = Batch::new(Distance, &links, &vec![DistanceParameters { rest_length: D }; links.len()])?;
    world.add(Object::new("chain", places.clone(), 0.3).pin([0]).with(batch))?;
    let above = |by: f32| places.iter().map(|&x| x + Vec3::new(0.2 * D, by * D, 0.3 * D)).collect::<Vec<_>>();
    let mut grains = Object::new("grains", [above(1.2), above(2.4)].concat(), 0.2).velocity(Vec3::NEG_Y);
    grains.collision_layers.self_collision = true;
    world.add(grains)?;
    let mut ghosts = Object::new("ghosts", above(-2.0), 0.2);
    ghosts.collision_layers = CollisionLayers { filters: 0, ..ghosts.collision_layers };
    world.add(ghosts)?;
    Ok(world)
}

/// Returns a fluid some of whose particles hang in the air.
pub fn pinned() -> Result<World, Failed> {
    let mut world = open_basin(settings(), Vec3::ZERO, [6.0, 4.0])?;
    let mut object = block([0.0, 0.0, 0.0], [6.0, 6.0, 4.0]).build(D)?;
    object = object.pin([40, 41, 47]);
    world.add(object)?;
    Ok(world)
}

/// Returns a box falls into a fluid, and another one follows its path through it.
pub fn body() -> Result<World, Failed> {
    let mut world = open_basin(settings(), Vec3::ZERO, [8.0, 6.0])?;
    block([0.0, 0.0, 0.0], [8.0, 4.0, 6.0]).add_to_world(&mut world)?;
    let half = Vec3::new(1.5, 1.0, 1.2) * D;
    let mut add = |body: Body| -> Result<_, Failed> {
        let body = world.add_body(body)?;
        world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body))?;
        Ok(body)
    };
    let pose = |x: f32, y: f32| Pose::from_translation(Vec3::new(x, y, 3.0) * D);
    let box_body = Body::dynamic(pose(2.5, 5.2), Mass::cuboid(2.0, half)).velocity(Vec3::new(0.1, -1.0, 0.0));
    add(box_body.angular_velocity(Vec3::new(0.5, 1.0, 0.0)))?;
    add(Body::kinematic(pose(6.2, 5.2)))?;
    Ok(world)
}

/// Returns a fluid on two boxes side by side, around a post.
pub fn edges() -> Result<World, Failed> {
    let mut world = World::new(settings())?;
    let half = Vec3::new(3.3, 1.0, 6.0) * D;
    for x in [-3.0, 3.6] {
        let shape = SharedShape::cuboid(half.x, half.y, half.z);
        world.add_collider(Collider::new(shape).at(Vec3::new(x, -1.0, 0.0) * D))?;
    }
    let post = SharedShape::cylinder(1.5 * D, 1.2 * D);
    world.add_collider(Collider::new(post).at(Vec3::new(0.4, 1.5, 0.3) * D))?;
    let lattice = (0..256).map(|k| Vec3::new((k % 8) as f32 - 3.5, (k / 64) as f32 + 0.5, (k / 8 % 8) as f32 - 3.5));
    let outside = |x: &Vec3| (x - Vec3::new(0.4, 0.0, 0.3)).with_y(0.0).length() > 1.7 || x.y > 3.0;
    Fluid::particles(lattice.filter(outside).map(|x| x * D).collect()).add_to_world(&mut world)?;
    Ok(world)
}

/// Returns a fluid in a bowl of triangles.
pub fn bowl() -> Result<World, Failed> {
    let mut world = World::new(settings())?;
    let ring = |k: usize, y: f32, wide: f32| {
        let turn = glam::Quat::from_rotation_y(std::f32::consts::TAU * k as f32 / 8.0);
        turn * Vec3::new(wide, y, 0.0) * D
    };
    let mut points: Vec<Vec3> = (0..8).map(|k| ring(k, 0.0, 2.5)).collect();
    points.extend((0..8).map(|k| ring(k, 4.0, 6.0)));
    points.push(Vec3::ZERO);
    let triangles = (0..8u32).flat_map(|k| {
        let next = (k + 1) % 8;
        [[16, k, next], [k, k + 8, next], [next, k + 8, next + 8]]
    });
    world.add_collider(Collider::new(SharedShape::trimesh(points, triangles.collect())?))?;
    block([-2.0, 1.0, -2.0], [4.0, 4.0, 4.0]).add_to_world(&mut world)?;
    Ok(world)
}
