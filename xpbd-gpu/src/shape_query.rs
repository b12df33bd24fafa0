//! Collision shapes as words of a storage buffer, and the query for contact planes on them in WGSL.
//!
//! [`Geometry`] flattens shapes; the kernel text of [`wgsl`] reads the words. A kernel that includes
//! the text declares `var<storage, read> geometry: array<u32>` and calls
//! `touches(shape, start, end, radius, margin)`, which answers what
//! `xpbd_core::collide::particle_shape::touches` answers, by the same operations in the same order:
//! the planes are in `touch_points` and `touch_normals`.
//!
//! The text is long, and drivers copy a function to each of its calls: a kernel should call `touches`
//! at one place. Loops are as long as there are pieces near the path; a device that bounds the turns
//! of loops, as llvmpipe does at 65 535 in sum, finds fewer planes on paths through very many.

mod bounds;
mod composite;
mod height;
mod hull;

use glam::Vec3;
use parry3d::shape::{Shape, Triangle, TypedShape};

/// The kernel text, from what is used to what uses it.
const SOURCES: [&str; 20] = [
    include_str!("wgsl/vector.wgsl"),
    include_str!("shape_query/vector.wgsl"),
    include_str!("shape_query/geometry.wgsl"),
    include_str!("shape_query/near.wgsl"),
    include_str!("shape_query/triangle.wgsl"),
    include_str!("shape_query/primitive.wgsl"),
    include_str!("shape_query/hull.wgsl"),
    include_str!("shape_query/support.wgsl"),
    include_str!("shape_query/piece.wgsl"),
    include_str!("shape_query/path.wgsl"),
    include_str!("shape_query/tube.wgsl"),
    include_str!("shape_query/pieces.wgsl"),
    include_str!("shape_query/mesh.wgsl"),
    include_str!("shape_query/parity.wgsl"),
    include_str!("shape_query/height.wgsl"),
    include_str!("shape_query/compound.wgsl"),
    include_str!("shape_query/sweep.wgsl"),
    include_str!("shape_query/passed.wgsl"),
    include_str!("shape_query/visits.wgsl"),
    include_str!("shape_query/touches.wgsl"),
];

/// Returns the functions that answer for the shapes of a [`Geometry`]; they read `geometry`.
pub fn wgsl() -> String {
    SOURCES.join("\n")
}

/// A shape that has no formula on the GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shape of type {kind} cannot be used on the GPU")]
pub struct UnsupportedShape {
    /// Name of the type.
    pub kind: String,
}

/// First word of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ball,
    Capsule,
    Cuboid,
    Cylinder,
    Cone,
    HalfSpace,
    Triangle,
    Hull,
    Mesh,
    HeightField,
    Compound,
}

/// Shapes as words; lengths in `[m]`, floats by their bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Geometry {
    words: Vec<u32>,
}

impl Geometry {
    /// Without shapes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns what the kernels read.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Adds a shape; gives its place, the argument `shape` of the kernel's `touches`.
    ///
    /// # Errors
    /// The shape, or a part of it, has no formula on the GPU. The geometry is then as it was.
    pub fn add(&mut self, shape: &dyn Shape) -> Result<u32, UnsupportedShape> {
        let before = self.words.len();
        let added = match shape.as_typed_shape() {
            TypedShape::TriMesh(mesh) => Ok(self.mesh(mesh)),
            TypedShape::HeightField(field) => Ok(self.height_field(field)),
            TypedShape::Compound(parts) => self.compound(parts),
            _ => self.piece(shape),
        };
        if added.is_err() {
            self.words.truncate(before);
        }
        added
    }

    /// Returns a shape that is one convex piece.
    fn piece(&mut self, shape: &dyn Shape) -> Result<u32, UnsupportedShape> {
        let at = self.place();
        match shape.as_typed_shape() {
            // The centre is stored: an addition of a known zero would be left out, and with it a sign.
            TypedShape::Ball(s) => self.solid(Kind::Ball, &[0.0, 0.0, 0.0, s.radius]),
            TypedShape::Capsule(s) => {
                let (a, b) = (s.segment.a, s.segment.b);
                self.solid(Kind::Capsule, &[a.x, a.y, a.z, b.x, b.y, b.z, s.radius]);
            }
            TypedShape::Cuboid(s) => self.solid(Kind::Cuboid, &s.half_extents.to_array()),
            TypedShape::Cylinder(s) => self.solid(Kind::Cylinder, &[s.radius, s.half_height]),
            TypedShape::Cone(s) => self.solid(Kind::Cone, &[s.radius, s.half_height]),
            TypedShape::HalfSpace(s) => self.solid(Kind::HalfSpace, &s.normal.to_array()),
            TypedShape::Triangle(s) => self.triangle(s),
            TypedShape::ConvexPolyhedron(s) => self.hull(s),
            TypedShape::RoundCuboid(s) => return self.round(&s.inner_shape, s.border_radius),
            TypedShape::RoundCylinder(s) => return self.round(&s.inner_shape, s.border_radius),
            TypedShape::RoundCone(s) => return self.round(&s.inner_shape, s.border_radius),
            TypedShape::RoundTriangle(s) => return self.round(&s.inner_shape, s.border_radius),
            TypedShape::RoundConvexPolyhedron(s) => return self.round(&s.inner_shape, s.border_radius),
            _ => return Err(UnsupportedShape { kind: format!("{:?}", shape.shape_type()) }),
        }
        Ok(at)
    }

    fn round(&mut self, inner: &dyn Shape, border: f32) -> Result<u32, UnsupportedShape> {
        let at = self.piece(inner)?;
        self.words[at as usize + 1] = 1;
        self.words[at as usize + 2] = border.to_bits();
        Ok(at)
    }

    fn solid(&mut self, kind: Kind, numbers: &[f32]) {
        self.words.extend([kind as u32, 0, 0]);
        self.words.extend(numbers.iter().map(|x| x.to_bits()));
    }

    fn triangle(&mut self, t: &Triangle) {
        self.solid(Kind::Triangle, &[]);
        [t.a, t.b, t.c].into_iter().for_each(|v| self.vector(v));
    }

    fn vector(&mut self, v: Vec3) {
        self.words.extend(v.to_array().map(f32::to_bits));
    }

    /// Returns the place of the next word.
    fn place(&self) -> u32 {
        self.words.len() as u32
    }
}
