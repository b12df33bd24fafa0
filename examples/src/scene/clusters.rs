//! Boxes of particles that keep their shape fall on a heap.

use glam::{DMat3, DVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::world::{Friction, ObjectHandle, Settings, StepReport, World, WorldError};
use xpbd_rigid::{Cluster, cluster};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, polar, solid};
use crate::picture::{Material, Picture};
use crate::random::Random;

/// Distance of the particles \[m\].
const SPACING: f32 = 0.05;
/// Half extents of a box \[m\].
const HALF: Vec3 = Vec3::new(0.15, 0.1, 0.1);
/// Friction of boxes and floor \[1\].
const FRICTION: f32 = 0.4;
/// Boxes of a layer along each side.
const SIDE: usize = 3;

pub(super) const RECIPE: Recipe = Recipe {
    name: "clusters",
    summary: "shape-matched boxes of particles fall on a heap",
    frames: 240,
    substeps: 20,
    keys: &[OptionKey { name: "n", default: "40", help: "boxes" }],
    takes_mesh: false,
    build,
};

struct Clusters {
    boxes: Vec<ObjectHandle>,
    /// Particles of a box in its frame, from their centre of mass \[m\].
    rest: Vec<DVec3>,
    rotation_error: f64,
    shape_error: f64,
    /// Energy at the start, the least so far, and the largest rise above that \[J\].
    energy: [f64; 3],
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 10_000)?;
    let settings = Settings { particle_radius: 0.5 * SPACING, contact_margin: 0.5 * SPACING, ..setup.settings() };
    let mut world = World::new(settings)?;
    xpbd_rigid::register(world.registry_mut())?;
    solid::floor(&mut world, FRICTION)?;
    let mut random = Random::new(1);
    let (mut boxes, mut rest) = (Vec::with_capacity(count), Vec::new());
    for k in 0..count {
        let (column, row, layer) = (k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE));
        let place = Vec3::new(column as f32 - 1.0, layer as f32 + 0.8, row as f32 - 1.0) * 0.42;
        let turn = normalized(Quat::from_xyzw(random.signed(), random.signed(), random.signed(), 1.5));
        let pose = Pose::from_parts(place + 0.03 * random.vector(), turn);
        let cluster = Cluster::from_shape(&Cuboid::new(HALF), SPACING).friction(Friction::new(FRICTION)).at(pose);
        let object = cluster.build()?;
        rest = object.rest_positions.iter().map(|x| x.as_dvec3()).collect();
        boxes.push(world.add(object)?);
    }
    let centre = rest.iter().sum::<DVec3>() / rest.len() as f64;
    rest.iter_mut().for_each(|x| *x -= centre);
    let energy = world.energy().total();
    let clusters = Clusters { boxes, rest, rotation_error: 0.0, shape_error: 0.0, energy: [energy, energy, 0.0] };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(clusters) })
}

impl Clusters {
    /// Returns how far a box's rotation is from that of its particles \[rad\], and the farthest that one of them is
    /// from its place \[m\].
    fn errors(&self, world: &World, object: ObjectHandle) -> Result<[f64; 2], WorldError> {
        let places: Vec<DVec3> = world.positions(object)?.map(|x| x.as_dvec3()).collect();
        let centre = places.iter().sum::<DVec3>() / places.len() as f64;
        let outer = |x: DVec3, p: DVec3| DMat3::from_cols(x * p.x, x * p.y, x * p.z);
        let pairs = || places.iter().map(|x| x - centre).zip(&self.rest);
        let moment = pairs().fold(DMat3::ZERO, |sum, (x, &p)| sum + outer(x, p));
        let exact = polar::rotation(moment);
        let poses = cluster::poses(world, object).map_err(|_| WorldError::StaleHandle("cluster"))?;
        let apart = pairs().map(|(x, &p)| x.distance(exact * p)).fold(0.0, f64::max);
        let turned = poses.first().map_or(f64::NAN, |pose| polar::angle_between(exact, pose.rotation));
        Ok([turned, apart])
    }
}

impl Observer for Clusters {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        for &object in &self.boxes {
            let [rotation, shape] = self.errors(world, object)?;
            self.rotation_error = self.rotation_error.max(rotation);
            self.shape_error = self.shape_error.max(shape);
        }
        let [_, least, gained] = &mut self.energy;
        let now = world.energy().total();
        *least = least.min(now);
        *gained = gained.max(now - *least);
        Ok(())
    }

    /// `max_rotation_error_rad`: how far a box's rotation was from the polar decomposition in double
    /// precision at most \[rad\]; `max_shape_error_m`: how far a particle was from its place in the box at
    /// most \[m\]; `energy_gain`: how much energy they have gained again at most, as a part of that at the
    /// start \[1\]; `rms_speed_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut squares, mut count) = (0.0, 0.0);
        for &object in &self.boxes {
            for velocity in world.velocities(object)? {
                squares += f64::from(velocity.length_squared());
                count += 1.0;
            }
        }
        Ok(vec![
            ("max_rotation_error_rad", self.rotation_error),
            ("max_shape_error_m", self.shape_error),
            ("energy_gain", self.energy[2] / self.energy[0]),
            ("rms_speed_m_s", f64::sqrt(squares / count)),
        ])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        for (k, &object) in self.boxes.iter().enumerate() {
            let places: Vec<Vec3> = world.positions(object)?.collect();
            picture = picture.spheres(&places, world.settings().particle_radius, Material::polished(solid::color(k)));
        }
        Ok(picture.ground(0.0).rotated(32.0, 24.0).without_strays(0.03))
    }
}
