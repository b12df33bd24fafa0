//! Cloth: a description that turns a triangle mesh into an object of the world.

mod air;
mod assemble;
pub mod error;
mod fabric;
mod grid;
mod inflation;
pub mod material;
pub mod plate;
mod tearing;
mod tethers;

pub use air::{Air, AirSides};
pub use error::ClothError;
pub use fabric::WarpDirection;
pub use inflation::{Gas, GasAmount};
pub use material::{Bending, Stretch, bending_stiffness};
pub use plate::Plate;
pub use tearing::TearSettings;

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::object::ParticleSettings;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::Object;

/// A sheet of cloth: its rest shape, its material, and where it starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cloth {
    /// Settings of its particles, which are the vertices in their order.
    pub particles: ParticleSettings,
    /// Positions of the vertices in the rest shape \[m\], in the frame of the cloth. They are near the origin, so
    /// that lengths are exact wherever the cloth is.
    pub rest_positions: Vec<Vec3>,
    /// Vertices of each triangle, three after another.
    pub indices: Vec<u32>,
    /// Number of columns of a [grid](Cloth::grid), whose edges share its bending stiffness evenly.
    pub columns: Option<u32>,
    /// Direction of the warp of [`Stretch::Woven`].
    pub warp: WarpDirection,
    /// Factors \[1\] of the stiffness of stretch and bending, one per vertex, or none. A constraint takes the mean of its
    /// vertices; what is rigid stays rigid.
    pub stiffness_factors: Vec<f32>,
    /// Settings that do not depend on the geometry.
    pub settings: ClothSettings,
}

/// Settings of a cloth apart from its mesh: the material, and what it takes part in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct ClothSettings {
    /// Mass per area \[kg/m²\], usually 0.05 (silk) to 1 (leather). A vertex has a third of the mass of each of
    /// its triangles.
    pub density: f32,
    /// Thickness \[m\] of the material, for [`Stretch::Strain`] and [`Stretch::Woven`]. The distance that the cloth
    /// keeps from other objects is the radius of the world's particles.
    pub thickness: f32,
    /// Resistance to stretching and shearing.
    pub stretch: Stretch,
    /// Resistance to bending.
    pub bending: Bending,
    /// Damping time τ \[s\] of stretch and bending: a force k C gains the part k τ Ċ, as in a Kelvin–Voigt
    /// material. It acts through the compliance, so what is rigid is not damped. Where the stiffness differs
    /// from place to place its mean is taken.
    pub damping_time: f32,
    /// Tethers of the particles to the pins.
    pub tethers: Tethers,
    /// True if sweeps over two coarse levels, about 16 and 4 edges apart, come before that over the mesh. They hold a sheet
    /// of many vertices together while it swings and falls, where a sweep over the mesh alone needs many more substeps,
    /// for about a tenth of its time. A sheet that hangs still needs tethers too, or what is slack trembles by some mm.
    /// They hold lengths along the sheet only, and do not know what it lies on. A sheet with fewer than about twenty
    /// vertices a side has no such level.
    pub coarse_levels: bool,
    /// Strain \[1\] beyond which vertices are made to weigh more than they do, up to 64 times, without more weight: for a sheet
    /// that lies on something or hangs from it, whose whole load comes together at a few vertices. 0.02 is usual. Only what is
    /// as good as at rest is scaled, so that what flies or falls moves as it would. It needs edges that do not stretch. A
    /// pinned sheet has [tethers](Tethers) against its weight.
    pub mass_scaling: Option<f32>,
    /// Distance \[m\] at which its triangles collide with each other and with those of other cloth, with particles of all
    /// other objects in place of its particles, and with corners and edges of colliders beside them: for cloth thinner than these, and for cloth that holds liquid or grains
    /// whatever the length of its edges. A quarter of the edges is usual; more than half of them lets
    /// neighbours in the sheet pass. See [`Surface`](xpbd_core::object::Surface).
    pub surface_collision: Option<f32>,
    /// Speed at which a liquid seeps through, for each metre of its height above the cloth \[1/s\]; 0 for a tight cloth. It
    /// needs `surface_collision`. See [`Surface::permeability`](xpbd_core::object::Surface::permeability).
    pub permeability: f32,
    /// Plasticity of folds, whose strains are angles \[rad\]. Bending is then that of
    /// [`PlasticDihedral`](crate::constraint::PlasticDihedral), with the same stiffness.
    pub bending_plasticity: Option<Plasticity>,
    /// Plasticity of edges, which stay longer or shorter. They are then
    /// [`PlasticDistance`](crate::constraint::PlasticDistance), with the same stiffness.
    pub stretch_plasticity: Option<Plasticity>,
    /// Limits beyond which the sheet [tears](crate::tear()); it can then be [cut](crate::cut), too. It has no
    /// tethers, which would hold what is torn off. Its faces are the last of its batches.
    pub tearing: Option<TearSettings>,
    /// Air around it, which pushes on every triangle. Its batch, `aerodynamics`, comes before all others.
    pub air: Option<Air>,
    /// Gas in a closed mesh.
    pub gas: Option<Gas>,
}

/// Tethers of particles to pins, which keep a particle from going farther from a pin than the sheet allows.
///
/// The length of a tether is the shortest path along the sheet at rest ([`geodesic`](crate::mesh::geodesic)),
/// for a sheet that stretches as much longer as its whole weight would stretch a strip one edge wide. A sheet that
/// carries more and has to give needs [`Tethers::None`]. With tethers the sheet has [supports](xpbd_core::object::Support)
/// of the same lengths, by which it holds bodies that are much heavier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Tethers {
    /// The cloth has no tethers.
    None,
    /// Tethers to all pins if there are at most four, otherwise to the nearest.
    #[default]
    Automatic,
    /// Tethers to at most this many of the nearest pins.
    Nearest(usize),
}

/// A cloth without a mesh.
impl Default for Cloth {
    fn default() -> Self {
        Self {
            particles: ParticleSettings::named("cloth"),
            rest_positions: Vec::new(),
            indices: Vec::new(),
            columns: None,
            warp: WarpDirection::default(),
            stiffness_factors: Vec::new(),
            settings: ClothSettings::default(),
        }
    }
}

/// A cotton shirt: 0.2 kg/m², 1 mm thick, without stretch along its edges, with a bending stiffness of 10⁻⁵ N m, tethered to
/// its pins.
impl Default for ClothSettings {
    fn default() -> Self {
        Self {
            density: 0.2,
            thickness: 1e-3,
            stretch: Stretch::default(),
            bending: Bending::default(),
            damping_time: 0.0,
            tethers: Tethers::default(),
            coarse_levels: false,
            mass_scaling: None,
            surface_collision: None,
            permeability: 0.0,
            bending_plasticity: None,
            stretch_plasticity: None,
            tearing: None,
            air: None,
            gas: None,
        }
    }
}

xpbd_core::particle_setters!(Cloth);
xpbd_core::setters!(Cloth: ClothSettings {
    density: f32,
    thickness: f32,
    stretch: Stretch,
    bending: Bending,
    damping_time: f32,
    coarse_levels: bool,
    mass_scaling: f32 => Some,
    surface_collision: f32 => Some,
    permeability: f32,
    bending_plasticity: Plasticity => Some,
    stretch_plasticity: Plasticity => Some,
    air: Air => Some,
});

impl Cloth {
    /// Creates a cloth from vertex positions \[m\], which are its rest shape, and three indices per triangle.
    /// Both are checked by [`Cloth::build`].
    pub fn from_mesh(positions: &[Vec3], indices: &[u32]) -> Self {
        Self { rest_positions: positions.to_vec(), indices: indices.to_vec(), ..Self::default() }
    }

    /// Creates a rectangle of `columns` × `rows` particles, `width` \[m\] along x and `depth` \[m\] along z,
    /// centred at the origin and facing up (y).
    ///
    /// The particle in a row and a column has the index `row * columns + column`; row 0 is at the smallest z and
    /// column 0 at the smallest x. Every square is two triangles whose diagonal alternates from square to
    /// square: the sheet then shears alike in both diagonal directions, and bends alike in all.
    pub fn grid(columns: u32, rows: u32, width: f32, depth: f32) -> Self {
        let (positions, indices) = grid::rectangle(columns, rows, width, depth);
        Self { columns: Some(columns), ..Self::from_mesh(&positions, &indices) }
    }

    /// Transforms the cloth about the origin. A rotation and a scale change the rest shape itself, and with it the
    /// direction of the warp; [`Cloth::at`] does not.
    #[must_use]
    pub fn transform(mut self, transform: Affine3A) -> Self {
        if let WarpDirection::Along(direction) = &mut self.warp {
            *direction = transform.transform_vector3(self.particles.unit_pose().rotation * *direction);
        }
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

    /// Sets whether particles are tethered to the pins, [as usual](Tethers::Automatic); they are by default.
    #[must_use]
    pub fn tethers(mut self, tethers: bool) -> Self {
        self.settings.tethers = if tethers { Tethers::Automatic } else { Tethers::None };
        self
    }

    /// Tethers each particle to at most this many of the nearest pins.
    #[must_use]
    pub fn tethers_to_nearest(mut self, count: usize) -> Self {
        self.settings.tethers = Tethers::Nearest(count);
        self
    }

    /// Lets the sheet [tear](crate::tear()) beyond these limits, and be [cut](crate::cut).
    #[must_use]
    pub fn tearable(mut self, limits: TearSettings) -> Self {
        self.settings.tearing = Some(limits);
        self
    }

    /// Creates the object, ready to be added to a world. Its particles are the vertices in their order; to
    /// start in another shape than the one at rest, change its positions.
    ///
    /// Its batches are the coarse levels, the air, the tethers, then stretch, then bending, then the gas inside, as far as there are any:
    /// constraints that reach far are solved first, and near ones correct them.
    ///
    /// # Errors
    /// The number or the element of the mesh that is at fault.
    pub fn build(&self) -> Result<Object, ClothError> {
        assemble::object(self)
    }
}
