//! Particles on a tilted plane: they stick while tan θ ≤ μ, and slide with g (sin θ − μ cos θ).

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::scalar::trig;
use xpbd_core::world::{Friction, Object, ObjectHandle, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::mesh::Mesh;
use crate::picture::{Material, Picture, hex};

/// Particles in a row across the slope.
const PARTICLES: usize = 8;

pub(super) const RECIPE: Recipe = Recipe {
    name: "incline",
    summary: "particles on a slope stick or slide according to Coulomb friction",
    frames: 120,
    substeps: 20,
    keys: &[
        OptionKey { name: "deg", default: "30", help: "slope [degrees]" },
        OptionKey { name: "mu", default: "0.3", help: "friction coefficient [1]" },
    ],
    takes_mesh: false,
    build,
};

struct Incline {
    row: ObjectHandle,
    start: Vec<Vec3>,
    down: Vec3,
    normal: Vec3,
    radius: f32,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let degrees = setup.number("deg", "from 0 to 89", |value| (0.0..=89.0).contains(&value))?;
    let mu = setup.not_negative("mu")?;
    let settings = setup.settings();
    let radius = settings.particle_radius;
    let angle = degrees.to_radians();
    let (sin, cos) = (trig::sin(angle), trig::cos(angle));
    let (normal, down) = (Vec3::new(sin, cos, 0.0), Vec3::new(cos, -sin, 0.0));
    let mut world = World::new(settings)?;
    let plane = Collider::new(SharedShape::halfspace(Vector::Y)).rotation(solid::rotation_between(Vec3::Y, normal));
    world.add_collider(plane.friction(Friction::new(mu)))?;
    let positions = (0..PARTICLES).map(|k| normal * radius + Vec3::Z * (4.0 * radius * k as f32));
    let mut row = Object::new("row", positions.collect(), 0.1);
    row.friction = Friction::new(mu);
    let row = world.add(row)?;
    let start = world.positions(row)?.collect();
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Incline { row, start, down, normal, radius }) })
}

impl Observer for Incline {
    /// `slid_m`: mean way down the slope \[m\]; `acceleration_m_s2`: mean speed over time \[m/s²\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let ways =
            world.positions(self.row)?.zip(&self.start).map(|(now, start)| f64::from((now - start).dot(self.down)));
        let slid = ways.sum::<f64>() / PARTICLES as f64;
        let speeds = world.velocities(self.row)?.map(|velocity| f64::from(velocity.dot(self.down)));
        let time = world.state().frames as f64 * f64::from(FRAME);
        let acceleration = speeds.sum::<f64>() / PARTICLES as f64 / time;
        Ok(vec![("slid_m", slid), ("acceleration_m_s2", acceleration)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.row)?.collect();
        // The last part of the way, so that the particles are seen.
        let slid = (points[0] - self.start[0]).dot(self.down);
        let (top, bottom) = (points[0] - self.down * (slid + 0.3).min(0.8), points[0] + self.down * 0.3);
        let width = Vec3::Z * (4.0 * self.radius * (PARTICLES as f32 + 1.0));
        let edge = Vec3::Z * (-4.0 * self.radius) - self.normal * self.radius;
        let slope = Mesh {
            positions: [top, top + width, bottom + width, bottom].map(|corner| corner + edge).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        };
        let picture =
            picture.mesh(&slope, Material::matte(hex(0xD8CFBE)).with_back(hex(0xD8CFBE))).rotated(-20.0, 20.0);
        Ok(picture.spheres(&points, self.radius, Material::polished(hex(0xC8553D))))
    }
}
