//! Pictures as arrays, for devices that draw triangles and balls themselves.

use glam::Vec3;

use super::color::to_linear;
use super::geometry::{Geometry, Sphere};
use super::liquid::Liquids;
use super::material::Material;

/// The surfaces of a picture, in words of 32 bits.
///
/// Colours are four bytes: the square roots of linear red, green and blue, and one number more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawList {
    /// [`DrawList::VERTEX_WORDS`] a vertex: position `[m]` and unit normal as bits of `f32`, the colour of the front with
    /// the gloss, the colour of the back with the sheen.
    pub vertices: Vec<u32>,
    /// Three vertices a triangle, counter-clockwise when seen from the front.
    pub indices: Vec<u32>,
    /// [`DrawList::SPHERE_WORDS`] a ball: middle and radius `[m]` as bits of `f32`, the colour with the gloss, the colour
    /// with the sheen.
    pub spheres: Vec<u32>,
    /// [`DrawList::DROP_WORDS`] a particle of a liquid: middle and radius `[m]` as bits of `f32`, the colour of white light
    /// after a depth with the cloudiness, that depth `[m]` as bits of `f32`.
    pub drops: Vec<u32>,
}

/// The place from which a picture is seen, and its surroundings. Lengths are in `[m]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// The eye.
    pub eye: Vec3,
    /// The point that it looks at.
    pub target: Vec3,
    /// Vertical field of view `[°]`.
    pub fov_y_degrees: f32,
    /// Unit vector toward the key light.
    pub toward_key: Vec3,
    /// Middle of the content.
    pub center: Vec3,
    /// Radius of the content.
    pub radius: f32,
    /// Height of the ground, if there is one.
    pub ground: Option<f32>,
}

impl DrawList {
    /// Number of words of a vertex.
    pub const VERTEX_WORDS: usize = 8;
    /// Number of words of a ball.
    pub const SPHERE_WORDS: usize = 6;
    /// Number of words of a particle of a liquid.
    pub const DROP_WORDS: usize = 6;

    /// Lists what a picture shows.
    pub(super) fn new(geometry: &Geometry, liquids: &Liquids) -> Self {
        let mut list = Self::default();
        let fronts = geometry.vertex_materials();
        for ((position, normal, color), material) in geometry.corner_vertices().zip(fronts) {
            let back = material.back.map_or(color, to_linear);
            list.vertices.extend(bits(position).into_iter().chain(bits(normal)));
            list.vertices.extend([packed(color, material.gloss), packed(back, material.sheen)]);
        }
        list.indices.extend(geometry.triangle_corners().flatten());
        for (sphere, material) in geometry.all_spheres().chain(liquids.foam.all_spheres()) {
            let Sphere { center, radius, color, .. } = *sphere;
            list.spheres.extend(bits(center));
            list.spheres.extend([radius.to_bits(), packed(color, material.gloss), packed(color, material.sheen)]);
        }
        for (drop, radius, look) in liquids.drops() {
            list.drops.extend(bits(drop));
            let color = packed(to_linear(look.color), look.cloudiness);
            list.drops.extend([radius.to_bits(), color, look.clear.to_bits()]);
        }
        list
    }
}

/// Returns the bits of a vector.
fn bits(vector: Vec3) -> [u32; 3] {
    vector.to_array().map(f32::to_bits)
}

/// Returns a linear colour and a number from 0 to 1 in four bytes.
fn packed(color: Vec3, number: f32) -> u32 {
    let byte = |share: f32| (255.0 * share.clamp(0.0, 1.0) + 0.5) as u8;
    let [red, green, blue] = color.max(Vec3::ZERO).map(f32::sqrt).to_array().map(byte);
    u32::from_le_bytes([red, green, blue, byte(number)])
}

impl Geometry {
    /// Returns the material of each vertex: that of its triangles.
    fn vertex_materials(&self) -> Vec<Material> {
        let plain = Material::matte(Vec3::ONE);
        let mut materials = vec![plain; self.vertices.len()];
        for triangle in &self.triangles {
            for corner in triangle.corners {
                materials[corner as usize] = self.materials[triangle.material as usize];
            }
        }
        materials
    }

    /// Returns position `[m]`, normal and linear colour of each vertex.
    fn corner_vertices(&self) -> impl Iterator<Item = (Vec3, Vec3, Vec3)> {
        self.vertices.iter().map(|vertex| (vertex.position, vertex.normal, vertex.color))
    }

    fn triangle_corners(&self) -> impl Iterator<Item = [u32; 3]> {
        self.triangles.iter().map(|triangle| triangle.corners)
    }

    fn all_spheres(&self) -> impl Iterator<Item = (&Sphere, &Material)> {
        self.spheres.iter().map(|sphere| (sphere, &self.materials[sphere.material as usize]))
    }
}
