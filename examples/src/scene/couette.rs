//! A viscous fluid between a plate at rest and a moving plate: plane Couette flow.
//!
//! Nothing has weight, and the fluid is open at its sides, where nothing pulls at it: in steady flow every layer
//! moves along at its own speed, and none goes round.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, Friction, ObjectHandle, Settings, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture, hex, ramp};

/// Radius of a particle \[m\].
const RADIUS: f32 = 0.01;
/// Length and depth of the fluid, as parts of its height.
const ASPECT: (f32, f32) = (4.0, 0.5);
/// Half the thickness of the plate \[m\].
const PLATE: f32 = 0.01;

pub(super) const RECIPE: Recipe = Recipe {
    name: "couette",
    summary: "a viscous fluid between a plate at rest and a moving plate",
    frames: 180,
    substeps: 8,
    keys: &[
        OptionKey { name: "n", default: "3500", help: "particles, about" },
        OptionKey { name: "speed", default: "0.1", help: "of the plate [m/s]" },
        OptionKey { name: "viscosity", default: "15", help: "[Pa s]" },
    ],
    takes_mesh: false,
    build,
};

struct Couette {
    fluid: ObjectHandle,
    plate: BodyHandle,
    speed: f32,
    height: f32,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let (speed, viscosity) = (setup.positive("speed")?, setup.not_negative("viscosity")?);
    let settings =
        Settings { particle_radius: RADIUS, contact_margin: RADIUS, gravity: Vec3::ZERO, ..setup.settings() };
    let mut world = World::new(settings)?;
    let layers = libm::cbrtf(count as f32 / (ASPECT.0 * ASPECT.1)).round();
    let cells = Vec3::new((ASPECT.0 * layers).round(), layers, (ASPECT.1 * layers).round().max(1.0));
    let size = cells * (2.0 * RADIUS);
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).friction(Friction::new(0.0)))?;
    let half = Vec3::new(size.x, PLATE, size.z);
    let body = Body::kinematic(Pose::translation(0.0, size.y + PLATE, 0.0));
    let plate = solid::add(&mut world, body, SharedShape::cuboid(half.x, half.y, half.z), 0.0)?;
    let corner = Vec3::new(-0.5 * size.x, 0.0, -0.5 * size.z);
    let liquid = FluidMaterial::new(1000.0).viscosity(viscosity);
    let fluid = Fluid::block(corner, corner + size).material(liquid).name("syrup").add_to_world(&mut world)?;
    let observer = Couette { fluid, plate, speed, height: size.y };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(observer) })
}

impl Couette {
    /// Heights and velocities along the plate \[m/s\], means over layers of a particle in the middle half.
    fn profile(&self, world: &World) -> Result<Vec<(f64, f64)>, WorldError> {
        let layers = (self.height / (2.0 * RADIUS)).round() as usize;
        let mut sums = vec![(0.0_f64, 0.0_f64, 0.0_f64); layers];
        let quarter = 0.25 * ASPECT.0 * self.height;
        for (x, v) in world.positions(self.fluid)?.zip(world.velocities(self.fluid)?) {
            let middle = 0.5 * self.speed * (world.state().frames as f32 * FRAME) * (x.y / self.height);
            if (x.x - middle).abs() < quarter {
                let sum = &mut sums[((x.y / self.height * layers as f32) as usize).min(layers - 1)];
                *sum = (sum.0 + 1.0, sum.1 + f64::from(x.y), sum.2 + f64::from(v.x));
            }
        }
        Ok(sums.into_iter().filter(|sum| sum.0 > 0.0).map(|(count, y, v)| (y / count, v / count)).collect())
    }

    /// 1 − Σ (v − U y/H)² / Σ (v − v̄)² of the profile.
    fn fit(&self, profile: &[(f64, f64)]) -> f64 {
        let mean = profile.iter().map(|(_, v)| v).sum::<f64>() / profile.len().max(1) as f64;
        let exact = |y: f64| f64::from(self.speed) * y / f64::from(self.height);
        let error: f64 = profile.iter().map(|&(y, v)| (v - exact(y)) * (v - exact(y))).sum();
        1.0 - error / profile.iter().map(|(_, v)| (v - mean) * (v - mean)).sum::<f64>()
    }
}

impl Observer for Couette {
    /// Moves the plate.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let way = self.speed * ((world.state().frames + 1) as f32 * FRAME);
        world.move_body(self.plate, Pose::translation(way, self.height + PLATE, 0.0))
    }

    /// `profile_r2`: how much of the profile of velocities is the exact one, v = U y/H \[1\]; `lowest` and
    /// `highest`: its ends, over U \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let profile = self.profile(world)?;
        let end = |end: Option<&(f64, f64)>| end.map_or(f64::NAN, |(_, v)| v / f64::from(self.speed));
        Ok(vec![("profile_r2", self.fit(&profile)), ("lowest", end(profile.first())), ("highest", end(profile.last()))])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let places: Vec<Vec3> = world.positions(self.fluid)?.collect();
        let colors: Vec<Vec3> = world.velocities(self.fluid)?.map(|v| ramp(v.x / self.speed)).collect();
        let picture = picture.colored_spheres(&places, &colors, RADIUS, Material::matte(hex(0xC9A66B)));
        Ok(solid::draw(world, picture, |_| hex(0x8A8F98)).rotated(15.0, 12.0))
    }
}
