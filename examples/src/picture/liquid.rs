//! Liquids: refraction and absorption of the background, reflection of the surroundings.
//!
//! A liquid is drawn over the finished light of everything else, in these steps:
//!
//! 1. `xpbd_fluid::render::surface` wraps a mesh around its particles (without the feature `surface` each is a ball);
//!    `raster` finds its nearest front,
//! 2. `raster::through` adds up how much liquid lies along each sight line before anything solid,
//! 3. `glow` follows the light of the key through the surface to the ground: tinted, and gathered where the
//!    surface is a lens,
//! 4. `water` blends what a sight line finds behind the surface with what it sees mirrored in it, and puts foam
//!    over that as dots, which are neither bent nor mirrored.

mod glow;
mod water;

use glam::{Vec3, Vec4};
use xpbd_fluid::render::{FoamKind, FoamParticle};
#[cfg(feature = "surface")]
use xpbd_fluid::render::{SurfaceOptions, surface};

use super::color::to_linear;
use super::geometry::Geometry;
use super::material::Material;

pub(super) use glow::Glow;
pub(super) use water::Water;

/// The look of a liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    /// Colour of white light after the depth `clear`, sRGB, each channel in [0, 1].
    pub color: Vec3,
    /// The depth `[m]` of that colour; half of it takes half as much.
    pub clear: f32,
    /// Cloudiness `[1]`, from 0 (water) to 1 (paint).
    pub cloudiness: f32,
}

impl Liquid {
    /// Creates a clear liquid that has the sRGB `color` where it is `depth` `[m]` deep.
    pub fn clear(color: Vec3, depth: f32) -> Self {
        Self { color, clear: depth, cloudiness: 0.03 }
    }

    /// The same liquid with a body that scatters, from 0 (none) to 1 (paint).
    pub fn cloudy(self, cloudiness: f32) -> Self {
        Self { cloudiness, ..self }
    }

    /// Returns what a metre takes from light `[1/m]`: absorbed per channel, and scattered last.
    fn extinction(&self) -> Vec4 {
        let scattered = 3.0 * self.cloudiness.clamp(0.0, 1.0);
        let absorbed =
            to_linear(self.color).clamp(Vec3::splat(1e-3), Vec3::splat(0.999)).map(|share| -libm::logf(share));
        absorbed.extend(scattered) / self.clear.max(1e-6)
    }
}

/// All liquids of a picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Liquids {
    /// Their surfaces.
    pub geometry: Geometry,
    /// Their foam.
    pub foam: Geometry,
    parts: Vec<LiquidPart>,
    particles: Vec<LiquidParticles>,
}

/// The particles of a liquid.
#[derive(Clone, Debug)]
struct LiquidParticles {
    positions: Vec<Vec3>,
    spacing: f32,
    look: Liquid,
}

/// A liquid and the number of its last surface: a triangle, or a ball where it has no mesh.
#[derive(Clone, Copy, Debug)]
struct LiquidPart {
    last: u32,
    look: Liquid,
}

impl Liquids {
    /// Adds a liquid; see [`super::Picture::liquid`].
    pub(super) fn add(&mut self, positions: &[Vec3], spacing: f32, look: Liquid) {
        let finite: Vec<Vec3> = positions.iter().copied().filter(|position| position.is_finite()).collect();
        if self.add_surface(&finite, spacing, Material::polished(look.color)) {
            self.parts.push(LiquidPart { last: self.geometry.surface_count(), look });
        }
        self.particles.push(LiquidParticles { positions: finite, spacing, look });
    }

    /// Returns position and radius `[m]` of all particles of liquids, and the look of their liquid.
    pub(super) fn drops(&self) -> impl Iterator<Item = (Vec3, f32, &Liquid)> {
        self.particles.iter().flat_map(|LiquidParticles { positions, spacing, look }| {
            positions.iter().map(move |&position| (position, 0.5 * spacing, look))
        })
    }

    /// Adds the surface of a liquid, and returns whether it has one.
    #[cfg(feature = "surface")]
    fn add_surface(&mut self, positions: &[Vec3], spacing: f32, material: Material) -> bool {
        // So fine that single drops are round.
        let options = SurfaceOptions { cube_size: 0.3, ..SurfaceOptions::default() };
        let Ok(mesh) = surface(positions, spacing, &options) else { return false };
        self.geometry.add_smooth(&mesh.positions, &mesh.normals, &mesh.triangles, material);
        true
    }

    /// Adds a ball for every particle of a liquid, and returns whether there are any.
    #[cfg(not(feature = "surface"))]
    fn add_surface(&mut self, positions: &[Vec3], spacing: f32, material: Material) -> bool {
        self.geometry.add_spheres(positions, &[], 0.5 * spacing, material);
        !positions.is_empty()
    }

    /// Adds foam; see [`super::Picture::foam`].
    pub(super) fn add_foam(&mut self, foam: &[FoamParticle], spacing: f32) {
        for (kind, share) in [(FoamKind::Spray, 0.11), (FoamKind::Foam, 0.14), (FoamKind::Bubble, 0.09)] {
            let of_kind = foam.iter().filter(|particle| particle.kind == kind);
            let centers: Vec<Vec3> = of_kind.map(|particle| particle.position).collect();
            self.foam.add_spheres(&centers, &[], share * spacing, Material::matte(Vec3::splat(0.97)));
        }
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.geometry.is_empty() && self.foam.is_empty()
    }

    /// Returns the liquid that the surface with this number belongs to.
    fn liquid(&self, number: u32) -> &Liquid {
        let part = self.parts.partition_point(|part| part.last < number);
        &self.parts[part].look
    }

    /// Returns what a metre of the liquid with this surface takes from light `[1/m]`; see [`Liquid::extinction`].
    fn extinctions(&self) -> impl Fn(u32) -> Vec4 {
        let each: Vec<(u32, Vec4)> = self.parts.iter().map(|part| (part.last, part.look.extinction())).collect();
        move |number| each[each.partition_point(|(last, _)| *last < number)].1
    }
}

/// Returns what is left of light after an optical depth `[1]`.
fn transmitted(depth: Vec4) -> Vec3 {
    (depth.truncate() + depth.w).map(|depth| libm::expf(-depth))
}
