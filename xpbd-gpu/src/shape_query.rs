//! Collision shapes as words of a storage buffer, and the query for contact planes on them in WGSL.
//!
//! [`Geometry`] flattens shapes; the kernel text of [`wgsl`] reads the words. A kernel that includes the text declares
//! `var<storage, read> geometry: array<u32>` and calls `contact_planes(shape, start, end, radius, margin)`, the twin of
//! `xpbd_core::collide::particle_shape::touches` by the same operations in the same order. The planes are in
//! `plane_points` and `plane_normals`.
//!
//! The text is long, and drivers copy a function to each of its calls: a kernel should call `contact_planes` at one
//! place. Loops are as long as there are pieces near the path; a device that bounds the iterations of loops, as llvmpipe
//! does at 65,535 in sum, finds fewer planes on paths through very many.

mod bounds;
mod composite;
mod height;
mod hull;

use glam::Vec3;
use parry3d::shape::{Shape, Triangle, TypedShape};
use xpbd_core::collide::particle_shape;

use crate::layout::wgsl_constants;

/// The parts of the kernel text; each uses those before it.
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
    include_str!("shape_query/contact_planes.wgsl"),
];

/// Returns the functions that search the shapes of a [`Geometry`], which kernels declare as `geometry`.
pub fn wgsl() -> String {
    let kinds = wgsl_constants!(
        BALL = ShapeKind::Ball as u32,
        CAPSULE = ShapeKind::Capsule as u32,
        CUBOID = ShapeKind::Cuboid as u32,
        CYLINDER = ShapeKind::Cylinder as u32,
        CONE = ShapeKind::Cone as u32,
        HALF_SPACE = ShapeKind::HalfSpace as u32,
        TRIANGLE = ShapeKind::Triangle as u32,
        HULL = ShapeKind::Hull as u32,
        MESH = ShapeKind::Mesh as u32,
        HEIGHT_FIELD = ShapeKind::HeightField as u32,
        COMPOUND = ShapeKind::Compound as u32,
    );
    let words = wgsl_constants!(
        HEADER_WORDS = HEADER_WORDS,
        NODE_WORDS = bounds::NODE_WORDS,
        BRANCH = bounds::BRANCH,
        HULL_FACE_WORDS = hull::FACE_WORDS,
        PART_WORDS = composite::PART_WORDS,
        ZIGZAG = height::ZIGZAG,
        LEFT_REMOVED = height::LEFT_REMOVED,
        RIGHT_REMOVED = height::RIGHT_REMOVED,
    );
    let search = wgsl_constants!(
        MAX_CONTACT_PLANES = particle_shape::MAX_CONTACT_PLANES,
        MAX_COORDINATE = particle_shape::MAX_COORDINATE,
        PRUNING = particle_shape::PRUNING,
        STEPS = particle_shape::STEPS,
        ACCURACY = particle_shape::ACCURACY,
        DEPTH = particle_shape::DEPTH,
        SLACK = particle_shape::SLACK,
    );
    kinds + &words + &search + &SOURCES.join("\n")
}

/// Words before the numbers of a piece: its kind, 1 if it is round, and its border.
const HEADER_WORDS: usize = 3;

/// A shape that has no formula on the GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shape of type {kind} cannot be used on the GPU")]
pub struct UnsupportedShape {
    /// Name of the type.
    pub kind: String,
}

/// First word of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShapeKind {
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
    /// Returns a geometry without shapes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the words that the kernels read.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Adds a shape, and returns its index, the argument `shape` of `contact_planes`.
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

    /// Adds a shape that is one convex piece.
    fn piece(&mut self, shape: &dyn Shape) -> Result<u32, UnsupportedShape> {
        let at = self.place();
        match shape.as_typed_shape() {
            // The centre is stored: an addition of a known zero would be left out, and with it a sign.
            TypedShape::Ball(s) => self.solid(ShapeKind::Ball, &[0.0, 0.0, 0.0, s.radius]),
            TypedShape::Capsule(s) => {
                let (a, b) = (s.segment.a, s.segment.b);
                self.solid(ShapeKind::Capsule, &[a.x, a.y, a.z, b.x, b.y, b.z, s.radius]);
            }
            TypedShape::Cuboid(s) => self.solid(ShapeKind::Cuboid, &s.half_extents.to_array()),
            TypedShape::Cylinder(s) => self.solid(ShapeKind::Cylinder, &[s.radius, s.half_height]),
            TypedShape::Cone(s) => self.solid(ShapeKind::Cone, &[s.radius, s.half_height]),
            TypedShape::HalfSpace(s) => self.solid(ShapeKind::HalfSpace, &s.normal.to_array()),
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

    fn solid(&mut self, kind: ShapeKind, numbers: &[f32]) {
        self.words.extend([kind as u32, 0, 0]);
        self.words.extend(numbers.iter().map(|x| x.to_bits()));
    }

    fn triangle(&mut self, t: &Triangle) {
        self.solid(ShapeKind::Triangle, &[]);
        [t.a, t.b, t.c].into_iter().for_each(|v| self.vector(v));
    }

    fn vector(&mut self, v: Vec3) {
        self.words.extend(v.to_array().map(f32::to_bits));
    }

    /// Returns the index of the next word.
    fn place(&self) -> u32 {
        self.words.len() as u32
    }
}
