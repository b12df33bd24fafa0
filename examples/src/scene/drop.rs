//! A weightless block of liquid becomes a ball.

use glam::{DMat3, DVec3, Vec3};
use xpbd_core::world::{ObjectHandle, Settings, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Edges of the brick \[m\].
const BRICK: Vec3 = Vec3::new(0.048, 0.024, 0.024);

pub(super) const RECIPE: Recipe = Recipe {
    name: "drop",
    summary: "a weightless block of liquid becomes a ball",
    frames: 240,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "2000", help: "particles, about" },
        OptionKey { name: "tension", default: "0.0728", help: "surface tension [N/m]" },
        OptionKey { name: "viscosity", default: "0.1", help: "[Pa s]; water, 0.001, swings for long" },
    ],
    takes_mesh: false,
    build,
};

struct Drop {
    drop: ObjectHandle,
    radius: f32,
    liquid: FluidMaterial,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 2, 1_000_000)?;
    let (tension, viscosity) = (setup.not_negative("tension")?, setup.not_negative("viscosity")?);
    let across = libm::cbrtf(count as f32 * BRICK.y / BRICK.x).round().max(1.0);
    let radius = 0.5 * BRICK.y / across;
    let mut world = World::new(Settings {
        particle_radius: radius,
        contact_margin: radius,
        gravity: Vec3::ZERO,
        ..setup.settings()
    })?;
    let liquid = FluidMaterial::WATER.surface_tension(tension).viscosity(viscosity);
    let brick = Fluid::block(-0.5 * BRICK, 0.5 * BRICK).material(liquid).name("drop");
    let drop = brick.add_to_world(&mut world)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Drop { drop, radius, liquid }) })
}

/// Standard deviations of places along their principal axes, descending \[m\].
fn extents(places: &[Vec3]) -> [f64; 3] {
    let count = places.len().max(1) as f64;
    let middle = places.iter().map(|x| x.as_dvec3()).sum::<DVec3>() / count;
    let mut moments = DMat3::ZERO;
    for x in places {
        let from = x.as_dvec3() - middle;
        moments += DMat3::from_cols(from * from.x, from * from.y, from * from.z) * (1.0 / count);
    }
    eigenvalues(moments).map(f64::sqrt)
}

/// Returns the eigenvalues of a symmetric matrix, descending, by the cosines of the roots of its characteristic
/// polynomial.
fn eigenvalues(m: DMat3) -> [f64; 3] {
    let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let mean = trace(m) / 3.0;
    let rest = m - DMat3::IDENTITY * mean;
    let size = (trace(rest * rest) / 6.0).sqrt();
    if size == 0.0 {
        return [mean; 3];
    }
    let angle = libm::acos((rest.determinant() / (2.0 * size * size * size)).clamp(-1.0, 1.0)) / 3.0;
    let third = std::f64::consts::TAU / 3.0;
    [0.0, -third, third].map(|turn| mean + 2.0 * size * libm::cos(angle + turn))
}

impl Observer for Drop {
    /// `aspect`: the longest over the shortest extent \[1\]; `reach`: the farthest particle from the middle over the
    /// radius of a ball of this volume \[1\]; `momentum`: what it gained a second, over m √(γ/(ρ a)) \[1/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let places: Vec<Vec3> = world.positions(self.drop)?.collect();
        let [longest, _, shortest] = extents(&places);
        let middle = places.iter().map(|x| x.as_dvec3()).sum::<DVec3>() / places.len() as f64;
        let farthest = places.iter().map(|x| x.as_dvec3().distance(middle)).fold(0.0, f64::max);
        let volume = places.len() as f64 * f64::from(2.0 * self.radius).powi(3);
        let ball = libm::cbrt(0.75 * volume / std::f64::consts::PI);
        let FluidMaterial { density, surface_tension, .. } = self.liquid;
        let (density, tension) = (f64::from(density), f64::from(surface_tension));
        let scale = density * volume * (tension / (density * ball)).sqrt();
        let seconds = f64::from(FRAME) * world.state().frames.max(1) as f64;
        Ok(vec![
            ("aspect", longest / shortest),
            ("reach", (farthest + f64::from(self.radius)) / ball),
            ("momentum", world.momentum().linear.length() / scale / seconds),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let places: Vec<Vec3> = world.positions(self.drop)?.collect();
        Ok(picture.spheres(&places, self.radius, Material::matte(hex(0x3A7BD5))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_of_a_rotated_box_are_those_of_the_box() {
        let turn = glam::Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        let places: Vec<Vec3> = (0..8)
            .map(|k| turn * Vec3::new([-3.0, 3.0][k % 2], [-2.0, 2.0][k / 2 % 2], [-1.0, 1.0][k / 4]) + Vec3::ONE)
            .collect();
        for (found, expected) in extents(&places).into_iter().zip([3.0, 2.0, 1.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
    }
}
