//! Soft bodies: a description that turns a mesh of tetrahedra into an object of the world.

mod assemble;
pub mod elasticity;
pub mod error;

pub use elasticity::Elasticity;
pub use error::SoftBodyError;

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::object::ParticleSettings;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::Object;

use crate::tetra_mesh::TetraMesh;

/// A soft body: its rest shape, its material, and where it starts.
///
/// ```
/// use glam::Vec3;
/// use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
///
/// let mesh = TetraMesh::block([4, 2, 4], Vec3::new(0.4, 0.2, 0.4))?;
/// let rubber = Elasticity::NeoHookean { youngs_modulus: 1e6, poisson_ratio: 0.45 };
/// let cushion = SoftBody::new(&mesh).elasticity(rubber).damping_time(0.01).at(Vec3::Y).build()?;
/// assert_eq!(cushion.positions.len(), mesh.positions().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoftBody {
    /// Settings of its particles, which are the vertices in their order.
    pub particles: ParticleSettings,
    /// Positions of the vertices in the rest shape \[m\], in the frame of the body. They are near the origin, so
    /// that lengths are exact wherever the body is.
    pub rest_positions: Vec<Vec3>,
    /// Vertices of each tetrahedron, four after another, as in a [`TetraMesh`].
    pub indices: Vec<u32>,
    /// Settings that do not depend on the geometry.
    pub settings: SoftBodySettings,
}

/// Settings of a soft body apart from its mesh: its material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct SoftBodySettings {
    /// Density \[kg/m³\], usually 10 (foam) to 2000. A vertex has a quarter of the mass of each of its tetrahedra.
    pub density: f32,
    /// Resistance to deformation.
    pub elasticity: Elasticity,
    /// Bulk modulus \[Pa\] of a constraint on the volume of every tetrahedron, on top of that of the material;
    /// `f32::INFINITY` keeps the volume. Materials that do not recover from inversion by themselves do so with it.
    pub volume_bulk_modulus: Option<f32>,
    /// Least volume of a tetrahedron as a part of that at rest \[1\], at least 0 and below 1: what is pressed together farther takes it
    /// back after contacts, which are violated by so much. Without one tetrahedra may turn inside out, from which they recover by
    /// their material. It takes about a third of the time of a Neo-Hookean material. 0.35 is a good choice: where neighbours are pressed
    /// together too, they are left with a part of it.
    pub least_volume: Option<f32>,
    /// Plasticity: the body keeps its deformation beyond the yield strain, without a change of its volume. The strain is
    /// that of von Mises: in a bar under tension, the stretch. The limit is at most 4, five times the length. A material
    /// of fibres does not yield. See [`PlasticNeoHookean`](crate::constraint::PlasticNeoHookean).
    pub plasticity: Option<Plasticity>,
    /// Damping time τ \[s\]: a force k C gains the part k τ Ċ, as in a Kelvin–Voigt material. It acts through the
    /// compliance, so what is rigid is not damped. Where tetrahedra differ in volume the mean is taken.
    pub damping_time: f32,
    /// Distance \[m\] that the outer triangles keep from other surfaces, if the body collides with them rather than with its
    /// vertices; see [`Surface`](xpbd_core::object::Surface). It should not exceed half an edge of the mesh.
    pub surface_collision: Option<f32>,
}

/// A soft body without a mesh.
impl Default for SoftBody {
    fn default() -> Self {
        Self {
            particles: ParticleSettings::named("soft body"),
            rest_positions: Vec::new(),
            indices: Vec::new(),
            settings: SoftBodySettings::default(),
        }
    }
}

/// A jelly that stands: 1000 kg/m³, Neo-Hookean with 10⁵ Pa and a Poisson ratio of 0.4.
impl Default for SoftBodySettings {
    fn default() -> Self {
        Self {
            density: 1000.0,
            elasticity: Elasticity::default(),
            volume_bulk_modulus: None,
            least_volume: None,
            plasticity: None,
            damping_time: 0.0,
            surface_collision: None,
        }
    }
}

xpbd_core::particle_setters!(SoftBody);
xpbd_core::setters!(SoftBody: SoftBodySettings {
    density: f32,
    elasticity: Elasticity,
    volume_bulk_modulus: f32 => Some,
    least_volume: f32 => Some,
    plasticity: Plasticity => Some,
    damping_time: f32,
    surface_collision: f32 => Some,
});

impl SoftBody {
    /// Creates a soft body whose rest shape is a mesh.
    pub fn new(mesh: &TetraMesh) -> Self {
        Self::from_mesh(mesh.positions(), mesh.tetrahedra().as_flattened())
    }

    /// Creates a soft body from vertex positions \[m\], which are its rest shape, and four indices per tetrahedron, as in
    /// a [`TetraMesh`]. Both are checked by [`SoftBody::build`].
    pub fn from_mesh(positions: &[Vec3], indices: &[u32]) -> Self {
        Self { rest_positions: positions.to_vec(), indices: indices.to_vec(), ..Self::default() }
    }

    /// Transforms the body about the origin. A rotation and a scale change the rest shape itself, while the directions of
    /// an orthotropic material stay; [`SoftBody::at`] rotates both. A reflection inverts the tetrahedra and is refused.
    #[must_use]
    pub fn transform(mut self, transform: Affine3A) -> Self {
        self.particles.transform(&mut self.rest_positions, transform);
        self
    }

    /// Pins the vertices for which a predicate of the index and the position in the world \[m\] holds. Calls before this
    /// one have placed them.
    #[must_use]
    pub fn pin_where(mut self, holds: impl Fn(u32, Vec3) -> bool) -> Self {
        self.particles.pin_where(&self.rest_positions, holds);
        self
    }

    /// Creates the object, ready to be added to a world. Its particles are the vertices in their order; to start in
    /// another shape than the one at rest, change its positions. Its batches are the material, then the volume, then the least volume.
    ///
    /// # Errors
    /// The number or the element of the mesh that is at fault.
    pub fn build(&self) -> Result<Object, SoftBodyError> {
        assemble::object(self)
    }
}
