//! Spatial queries in a large world.

use std::time::Instant;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use serde::Serialize;
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::query::{QueryFilter, Ray, SpatialIndex};
use xpbd_core::world::World;

use crate::random::Random;
use crate::run::Times;

/// Number of bodies, and of rays.
const COUNT: usize = 10_000;

/// Repetitions that are measured.
const ROUNDS: usize = 40;

/// Times of one task.
#[derive(Debug, Clone, Serialize)]
pub struct QueryMeasurement {
    /// The task.
    pub label: &'static str,
    /// Its time \[ms\].
    pub time: Times,
    /// Rays that hit something, or 0.
    pub hits: usize,
}

/// Measures an index of 10,000 boxes and balls on bodies and a cloth of 100 × 100 particles: building it, bringing it up to
/// date after everything has moved, and 10,000 random rays on one thread and on all.
///
/// # Errors
/// The world cannot be built.
pub fn measure_queries() -> Result<Vec<QueryMeasurement>, Box<dyn std::error::Error>> {
    let mut world = crowded()?;
    let mut random = Random::new(1);
    let mut ray = || {
        let ends = [random.vector(), random.vector()].map(|x| x * Vec3::new(11.0, 13.5, 11.0));
        Ray::new(ends[0], ends[1] - ends[0], f32::INFINITY)
    };
    let rays: Vec<Ray> = (0..COUNT).map(|_| ray()).collect();
    let (mut index, filter, mut hits) = (SpatialIndex::default(), QueryFilter::default(), 0);
    let mut times: [Vec<f64>; 4] = Default::default();
    let mut timed = |task: usize, run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        times[task].push(1e3 * start.elapsed().as_secs_f64());
    };
    index.update(&world);
    for _ in 0..ROUNDS {
        timed(0, &mut || {
            SpatialIndex::default().update(&world);
        });
        move_all(&mut world, &mut random)?;
        timed(1, &mut || {
            index.update(&world);
        });
        let space = index.update(&world);
        timed(2, &mut || hits = rays.iter().filter(|ray| space.cast_ray(ray, &filter).is_some()).count());
        timed(3, &mut || drop(space.cast_rays(&rays, &filter)));
    }
    let [built, moved, single, together] = times.map(Times::of);
    let of = |label, time, hits| QueryMeasurement { label, time, hits };
    Ok(vec![
        of("build the index", built, 0),
        of("update it after motion", moved, 0),
        of("10,000 rays on one thread", single, hits),
        of("10,000 rays on all threads", together, hits),
    ])
}

/// Returns 20 × 25 × 20 boxes and balls of 0.2 to 0.6 m, 1 m apart, around a cloth of 4 m.
fn crowded() -> Result<World, Box<dyn std::error::Error>> {
    let (mut world, mut random) = (World::default(), Random::new(2));
    for k in 0..COUNT {
        let cell = Vec3::new((k % 20) as f32 - 9.5, (k / 400) as f32 - 12.0, (k / 20 % 20) as f32 - 9.5);
        let size = 0.2 + 0.1 * random.signed();
        let shape =
            if k % 2 == 0 { SharedShape::ball(size) } else { SharedShape::cuboid(size, 0.5 * size, 1.5 * size) };
        let pose = Pose::from_parts(cell + 0.3 * random.vector(), Quat::from_rotation_x(3.0 * random.signed()));
        let body = world.add_body(Body::dynamic(pose, Mass::from_shape(&*shape, 500.0)?))?;
        world.add_collider(Collider::new(shape).attached_to(body))?;
    }
    world.add(Cloth::grid(100, 100, 4.0, 4.0).build()?)?;
    Ok(world)
}

/// Displaces every body and every vertex by some centimetres.
fn move_all(world: &mut World, random: &mut Random) -> Result<(), Box<dyn std::error::Error>> {
    for body in world.state().body_handles.keys().to_vec() {
        let pose = world.body_pose(body)?;
        world.set_body_pose(body, Pose::from_parts(pose.translation + 0.02 * random.vector(), pose.rotation))?;
    }
    for object in world.objects().to_vec() {
        let count = world.positions(object)?.len();
        for particle in 0..count {
            let position = world.position(object, particle)? + 0.01 * random.vector();
            world.set_position(object, particle, position, Vec3::ZERO)?;
        }
    }
    Ok(())
}
