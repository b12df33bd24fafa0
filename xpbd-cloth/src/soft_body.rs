//! Soft bodies: a builder that turns a mesh of tetrahedra into an object of the world.

mod assemble;
pub mod elasticity;
pub mod error;

pub use elasticity::Elasticity;
pub use error::SoftBodyError;

use glam::{Affine3A, Vec3};
use xpbd_core::world::{Friction, Object};

use crate::cloth::Yielding;
use crate::tetra_mesh::TetraMesh;

/// A soft body: the shape in which it is at rest, its material, and where it starts.
///
/// What is not said is: 1000 kg/m³, Neo-Hookean with 10⁵ Pa and a Poisson ratio of 0.4 (a jelly that stands), no
/// damping, no collision of the body with itself.
///
/// ```
/// use glam::Vec3;
/// use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
///
/// let mesh = TetraMesh::block([4, 2, 4], Vec3::new(0.4, 0.2, 0.4))?;
/// let rubber = Elasticity::NeoHookean { youngs_modulus: 1e6, poisson_ratio: 0.45 };
/// let cushion = SoftBody::new(&mesh).elasticity(rubber).damping(0.01).at(Vec3::Y).build()?;
/// assert_eq!(cushion.positions.len(), mesh.positions().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SoftBody {
    name: String,
    /// The rest shape near the origin, so that its lengths are exact wherever the body is.
    rest: Vec<Vec3>,
    offset: Vec3,
    indices: Vec<u32>,
    density: f32,
    elasticity: Elasticity,
    /// Bulk modulus of the volume constraint \[Pa\].
    bulk: Option<f32>,
    plastic: Option<Yielding>,
    damping: f32,
    drag: f32,
    pins: Vec<u32>,
    self_collision: bool,
    friction: Friction,
}

impl SoftBody {
    /// Creates a soft body that is at rest in the shape of a mesh.
    pub fn new(mesh: &TetraMesh) -> Self {
        Self::from_mesh(mesh.positions(), mesh.tetrahedra().as_flattened())
    }

    /// Creates a soft body from vertex positions \[m\], which are its rest shape, and four indices a tetrahedron, as in
    /// a [`TetraMesh`]. Both are checked by [`SoftBody::build`].
    pub fn from_mesh(positions: &[Vec3], indices: &[u32]) -> Self {
        Self {
            name: "soft body".into(),
            rest: positions.to_vec(),
            offset: Vec3::ZERO,
            indices: indices.to_vec(),
            density: 1000.0,
            elasticity: Elasticity::default(),
            bulk: None,
            plastic: None,
            damping: 0.0,
            drag: 0.0,
            pins: Vec::new(),
            self_collision: false,
            friction: Friction::default(),
        }
    }

    /// Name, for messages and reports.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves the body by a vector \[m\].
    #[must_use]
    pub fn at(mut self, offset: Vec3) -> Self {
        self.offset += offset;
        self
    }

    /// Turns, scales and moves the body, about the origin. A scale changes the rest shape too; a reflection inverts
    /// its tetrahedra and is refused. The directions of a material with fibres stay those of the world.
    #[must_use]
    pub fn transform(mut self, transform: Affine3A) -> Self {
        self.rest.iter_mut().for_each(|x| *x = transform.transform_vector3(*x));
        self.offset = transform.transform_point3(self.offset);
        self
    }

    /// Density \[kg/m³\], usually 10 (foam) to 2000. A vertex has a quarter of the mass of each of its tetrahedra.
    #[must_use]
    pub fn density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }

    /// How it resists deformation.
    #[must_use]
    pub fn elasticity(mut self, elasticity: Elasticity) -> Self {
        self.elasticity = elasticity;
        self
    }

    /// Makes the volume of every tetrahedron a constraint of its own, with this bulk modulus \[Pa\] on top of that of
    /// the material; `f32::INFINITY` keeps it. Materials that do not recover from inversion by themselves do so
    /// with it.
    #[must_use]
    pub fn keep_volume(mut self, bulk_modulus: f32) -> Self {
        self.bulk = Some(bulk_modulus);
        self
    }

    /// Lets it keep what it is deformed beyond its yield strain, without a change of its volume. The strain is that of von
    /// Mises: in a bar under tension, the stretch. Its limit is at most 4, five times the length. A material of fibres
    /// does not yield. See [`PlasticNeoHookean`](crate::constraint::PlasticNeoHookean).
    #[must_use]
    pub fn plasticity(mut self, yielding: Yielding) -> Self {
        self.plastic = Some(yielding);
        self
    }

    /// Damping time τ \[s\]: a force k C gains the part k τ Ċ, as in a Kelvin–Voigt material. It acts through the
    /// compliance, so what is rigid is not damped. Where tetrahedra differ in volume the mean is taken.
    #[must_use]
    pub fn damping_time(mut self, time: f32) -> Self {
        self.damping = time;
        self
    }

    /// Drag \[1/s\]: velocity decays by about this part of itself a second.
    #[must_use]
    pub fn linear_damping(mut self, drag: f32) -> Self {
        self.drag = drag;
        self
    }

    /// Pins vertices.
    #[must_use]
    pub fn pin(mut self, vertices: impl IntoIterator<Item = u32>) -> Self {
        self.pins.extend(vertices);
        self
    }

    /// Pins the vertices that a predicate of index and position \[m\] holds for; positions are as the calls before
    /// this one have placed them.
    #[must_use]
    pub fn pin_where(mut self, holds: impl Fn(u32, Vec3) -> bool) -> Self {
        let placed = self.rest.iter().zip(0..).map(|(&x, index)| (index, x + self.offset));
        self.pins.extend(placed.filter(|&(index, x)| holds(index, x)).map(|(index, _)| index));
        self
    }

    /// Whether its particles collide with each other, off by default.
    #[must_use]
    pub fn self_collision(mut self, self_collision: bool) -> Self {
        self.self_collision = self_collision;
        self
    }

    /// Friction against colliders and particles.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Returns the object, ready to be added to a world. Its particles are the vertices in their order; to start in
    /// another shape than the one at rest, change its positions. Its batches are the material, then the volume.
    ///
    /// # Errors
    /// The number or the element of the mesh that is at fault.
    pub fn build(self) -> Result<Object, SoftBodyError> {
        assemble::object(self)
    }
}
