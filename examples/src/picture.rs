//! A headless software renderer that saves pictures of scenes as PNG files.
//!
//! One picture is made in these steps:
//!
//! 1. `raster` finds, for every sample of a grid twice as fine as the pixels, the nearest
//!    surface and how near it is; the ground plane then covers what lies below it,
//! 2. `shadow` does the same as seen from the key light,
//! 3. `occlusion` estimates per pixel how much of the sky a point sees,
//! 4. `shade` meets the recorded surface once more with the sample's ray, lights the point, and
//!    averages the four samples of a pixel into the [`Image`]; `liquid` draws liquids over its light.
//!
//! The first step keeps only an index and a depth per sample, so triangles and exact spheres share
//! one buffer and every sample is lit once. That is why the rasteriser is our own: a pipeline that
//! draws triangles alone, like the one of the `euc` crate, has no way for a fragment to discard
//! itself or to set its own depth, which exact spheres need, does not clip at the near plane, and
//! runs on one thread.

mod camera;
mod color;
mod crease;
mod draw_list;
mod geometry;
mod image;
mod lighting;
mod liquid;
mod material;
mod noise;
mod occlusion;
mod raster;
mod shade;
mod shadow;
mod shape_pieces;
mod tube;
mod view;
mod viewed_scene;

#[cfg(test)]
mod tests;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use xpbd_fluid::render::FoamParticle;

use crate::mesh::{Bounds, Mesh};
use camera::Camera;
use geometry::Geometry;
use lighting::Lighting;
use liquid::{Glow, Liquids, Water};
use occlusion::Occlusion;
use shade::LiquidLayers;
use shadow::ShadowMap;
use shape_pieces::ShapePiece;
use viewed_scene::ViewedScene;

pub use color::{checker, hex, ramp};
pub use draw_list::{DrawList, Stage};
pub use image::Image;
pub use liquid::Liquid;
pub use material::Material;

/// Samples per pixel along each side `[1]`.
const SAMPLES: u32 = 2;

/// A picture in the making: its size, what it shows and from where. Lengths are in `[m]`.
///
/// Every method but [`Picture::render`] and [`Picture::content`] takes the picture and gives it
/// back changed, so that one expression can hold a whole scene.
#[derive(Clone, Debug)]
pub struct Picture {
    width: u32,
    height: u32,
    geometry: Geometry,
    liquids: Liquids,
    ground: Option<f32>,
    camera: Camera,
    light: Option<Vec3>,
}

impl Picture {
    /// Creates an empty picture of `width` × `height` pixels, each at least one.
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            width: width.max(1),
            height: height.max(1),
            geometry: Geometry::default(),
            liquids: Liquids::default(),
            ground: None,
            camera: Camera::default(),
            light: None,
        }
    }

    /// Looks from `eye` toward `target` `[m]` with a vertical field of view of `fov_y_degrees`.
    pub fn camera(mut self, eye: Vec3, target: Vec3, fov_y_degrees: f32) -> Self {
        self.camera = Camera::Placed { eye, target, fov_y_degrees };
        self
    }

    /// Looks at all of `bounds` `[m]` in three-quarter view. Without this and [`Picture::camera`],
    /// the picture frames its whole content.
    pub fn frame(mut self, bounds: Bounds) -> Self {
        self.camera = self.camera.framed(bounds);
        self
    }

    /// Looks at the whole content but for the share `strays` `[1]` of its points that lies farthest out on each side.
    pub fn without_strays(mut self, strays: f32) -> Self {
        self.camera = self.camera.without_strays(strays);
        self
    }

    /// Turns the framing view: `azimuth_degrees` from +z toward +x around the content,
    /// `elevation_degrees` above the horizon.
    pub fn rotated(mut self, azimuth_degrees: f32, elevation_degrees: f32) -> Self {
        self.camera = self.camera.rotated(azimuth_degrees, elevation_degrees);
        self
    }

    /// Puts the key light in the direction `toward_light`; it is behind the viewer's left shoulder
    /// otherwise.
    pub fn light(mut self, toward_light: Vec3) -> Self {
        self.light = toward_light.try_normalize();
        self
    }

    /// Adds an infinite floor at the height `y` `[m]`.
    pub fn ground(mut self, y: f32) -> Self {
        self.ground = Some(y);
        self
    }

    /// Adds `mesh`, smoothly shaded. Triangles with a corner that is not finite are left out.
    pub fn mesh(self, mesh: &Mesh, material: Material) -> Self {
        self.colored_mesh(mesh, &[], material)
    }

    /// Adds `mesh`, its edges of more than 35° sharp.
    pub fn solid(mut self, mesh: &Mesh, material: Material) -> Self {
        self.geometry.add_solid(mesh, material);
        self
    }

    /// Adds `mesh` with one sRGB colour per vertex; vertices without one get the material's.
    pub fn colored_mesh(mut self, mesh: &Mesh, colors: &[Vec3], material: Material) -> Self {
        self.geometry.add_mesh(mesh, colors, material);
        self
    }

    /// Adds a sphere of `radius` `[m]` around each of `centers` `[m]`.
    pub fn spheres(self, centers: &[Vec3], radius: f32, material: Material) -> Self {
        self.colored_spheres(centers, &[], radius, material)
    }

    /// Adds spheres with one sRGB colour each; spheres without one get the material's.
    pub fn colored_spheres(mut self, centers: &[Vec3], colors: &[Vec3], radius: f32, material: Material) -> Self {
        self.geometry.add_spheres(centers, colors, radius, material);
        self
    }

    /// Adds a round tube of `radius` `[m]` along `points` `[m]`, with a ball at each end.
    pub fn tube(mut self, points: &[Vec3], radius: f32, material: Material) -> Self {
        let tube = tube::tube(points, radius);
        self.geometry.add_mesh(&tube, &[], material);
        let ends: Vec<Vec3> = points.first().into_iter().chain(points.last()).copied().collect();
        self.geometry.add_spheres(&ends, &[], tube::INNER * radius, material);
        self
    }

    /// Adds a collision shape at `pose`, its edges sharp. A level half-space is the floor.
    pub fn shape(mut self, shape: &dyn Shape, pose: Pose, material: Material) -> Self {
        for piece in shape_pieces::pieces(shape, pose) {
            match piece {
                ShapePiece::Ball(center, radius) => self.geometry.add_spheres(&[center], &[], radius, material),
                ShapePiece::Mesh(mesh) => self.geometry.add_solid(&mesh, material),
                ShapePiece::Floor(height) => self.ground = Some(height),
            }
        }
        self
    }

    /// Adds a liquid whose particles are at `positions` `[m]`, `spacing` `[m]` apart. Particles that are not
    /// finite are left out, and so is a liquid whose surface cannot be made.
    pub fn liquid(mut self, positions: &[Vec3], spacing: f32, look: Liquid) -> Self {
        self.liquids.add(positions, spacing, look);
        self
    }

    /// Adds the spray, foam and bubbles of a liquid whose particles are `spacing` `[m]` apart, as white dots.
    pub fn foam(mut self, foam: &[FoamParticle], spacing: f32) -> Self {
        self.liquids.add_foam(foam, spacing);
        self
    }

    /// Returns the smallest box `[m]` around everything added so far, without the ground.
    pub fn content(&self) -> Bounds {
        Bounds::from_points(&self.outline())
    }

    /// Points whose smallest box `[m]` holds all surfaces.
    fn outline(&self) -> Vec<Vec3> {
        let mut outline = self.geometry.outline();
        outline.extend(self.liquids.geometry.outline());
        outline
    }

    /// Lists the surfaces, for a device that draws them.
    pub fn draw_list(&self) -> DrawList {
        DrawList::new(&self.geometry, &self.liquids)
    }

    /// Returns from where the picture is seen, and how it is lit.
    pub fn stage(&self) -> Stage {
        let outline = self.outline();
        let content = Bounds::from_points(&outline);
        let view = self.camera.view(&outline, self.width, self.height);
        let Lighting { toward_key, radius, .. } = Lighting::new(&view, self.light, self.ground, content);
        let center = content.center();
        let target = view.origin + view.forward * (center - view.origin).dot(view.forward);
        let fov_y_degrees = self.camera.fov_y_degrees();
        Stage { eye: view.origin, target, fov_y_degrees, toward_key, center, radius, ground: self.ground }
    }

    /// Draws the picture.
    pub fn render(&self) -> Image {
        let outline = self.outline();
        let content = Bounds::from_points(&outline);
        let (columns, rows) = (self.width * SAMPLES, self.height * SAMPLES);
        let view = self.camera.view(&outline, columns, rows);
        let lighting = Lighting::new(&view, self.light, self.ground, content);
        let shadows = ShadowMap::new(&self.geometry, content, lighting.toward_key);
        let mut layer = raster::draw(&self.geometry, &view);
        if let Some(height) = self.ground {
            raster::cover(&mut layer, &view, height);
        }
        let stage = ViewedScene { geometry: &self.geometry, view: &view, layer: &layer, lighting: &lighting };
        let occlusion = Occlusion::new(&stage, lighting.radius);
        let wet = (!self.liquids.is_empty()).then(|| LiquidLayers {
            water: Water::new(&stage, &self.liquids),
            glow: Glow::new(&self.liquids, &shadows, self.ground),
        });
        shade::shade(&stage, &shadows, &occlusion, wet.as_ref())
    }
}
