//! Cloth: a builder that turns a triangle mesh into an object of the world.

mod air;
mod assemble;
pub mod error;
mod fabric;
mod grid;
mod inflation;
pub mod material;
pub mod plastic;
pub mod plate;
pub mod tearing;

pub use air::{Air, AirSides};
pub use error::ClothError;
pub use material::{Bending, Stretch, bending_stiffness};
pub use plastic::Yielding;
pub use plate::Plate;
pub use tearing::TearSettings;

use glam::{Affine3A, Vec3};
use xpbd_core::world::{Friction, Object};

/// A sheet of cloth: the shape in which it is at rest, its material, and where it starts.
///
/// What is not said is: 0.2 kg/m² (a cotton shirt), 1 mm thick, edges that do not stretch, a
/// bending stiffness of 10⁻⁵ N m (isometric if the sheet is flat at rest, otherwise dihedral),
/// tethers if anything is pinned, no collision of the cloth with itself.
#[derive(Debug, Clone)]
pub struct Cloth {
    name: String,
    /// The rest shape near the origin, so that its lengths are exact wherever the cloth is.
    rest: Vec<Vec3>,
    offset: Vec3,
    indices: Vec<u32>,
    /// Columns, of a grid.
    columns: Option<u32>,
    density: f32,
    thickness: f32,
    stretch: Stretch,
    bending: Option<Bending>,
    /// Bending stiffness where no kind of bending was asked for \[N m\].
    stiffness: f32,
    damping: f32,
    drag: f32,
    pins: Vec<u32>,
    tethers: Tethers,
    self_collision: bool,
    surface: Option<f32>,
    friction: Friction,
    plastic: plastic::Plastic,
    tearing: Option<TearSettings>,
    air: Option<Air>,
    gas: Option<inflation::Gas>,
    warp: fabric::WarpDirection,
    /// One a vertex, or none.
    stiffness_factors: Vec<f32>,
}

/// Bending stiffness of cloth of which none is given \[N m\].
const DEFAULT_BENDING: f32 = 1e-5;

/// How many tethers a particle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tethers {
    None,
    /// To all pins if there are few, otherwise to the nearest.
    Automatic,
    /// To at most this many of the nearest pins.
    Nearest(usize),
}

impl Cloth {
    /// Cloth from vertex positions \[m\], which are its rest shape, and three indices a triangle.
    /// Both are checked by [`Cloth::build`].
    pub fn from_mesh(positions: &[Vec3], indices: &[u32]) -> Self {
        Self {
            name: "cloth".into(),
            rest: positions.to_vec(),
            offset: Vec3::ZERO,
            indices: indices.to_vec(),
            columns: None,
            density: 0.2,
            thickness: 1e-3,
            stretch: Stretch::default(),
            bending: None,
            stiffness: DEFAULT_BENDING,
            damping: 0.0,
            drag: 0.0,
            pins: Vec::new(),
            tethers: Tethers::Automatic,
            self_collision: false,
            surface: None,
            friction: Friction::default(),
            plastic: plastic::Plastic::default(),
            tearing: None,
            air: None,
            gas: None,
            warp: fabric::WarpDirection::Along(Vec3::X),
            stiffness_factors: Vec::new(),
        }
    }

    /// Creates a rectangle of `columns` × `rows` particles, `width` \[m\] along x and `depth` \[m\] along z,
    /// centred at the origin and facing up (y).
    ///
    /// Particle `row * columns + column` is in that place, row 0 at the smallest z and column 0
    /// at the smallest x. Every square is two triangles whose diagonal alternates from square to
    /// square: the sheet then shears alike in both diagonal directions, and bends alike in all.
    pub fn grid(columns: u32, rows: u32, width: f32, depth: f32) -> Self {
        let (positions, indices) = grid::rectangle(columns, rows, width, depth);
        Self { columns: Some(columns), ..Self::from_mesh(&positions, &indices) }
    }

    /// Name, for messages and reports.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves the cloth by a vector \[m\].
    #[must_use]
    pub fn at(mut self, offset: Vec3) -> Self {
        self.offset += offset;
        self
    }

    /// Turns, scales and moves the cloth, about the origin. A scale changes the rest shape too.
    #[must_use]
    pub fn transform(mut self, transform: Affine3A) -> Self {
        self.rest.iter_mut().for_each(|x| *x = transform.transform_vector3(*x));
        self.offset = transform.transform_point3(self.offset);
        if let fabric::WarpDirection::Along(direction) = &mut self.warp {
            *direction = transform.transform_vector3(*direction);
        }
        self
    }

    /// Mass for each area \[kg/m²\], usually 0.05 (silk) to 1 (leather). A vertex has a third of
    /// the mass of each of its triangles.
    #[must_use]
    pub fn density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }

    /// Thickness \[m\], for [`Stretch::Strain`]. How near it comes to other things is the radius of
    /// the world's particles.
    #[must_use]
    pub fn thickness(mut self, thickness: f32) -> Self {
        self.thickness = thickness;
        self
    }

    /// How it resists stretching and shearing.
    #[must_use]
    pub fn stretch(mut self, stretch: Stretch) -> Self {
        self.stretch = stretch;
        self
    }

    /// How it resists bending.
    #[must_use]
    pub fn bending(mut self, bending: Bending) -> Self {
        self.bending = Some(bending);
        self
    }

    /// Damping time τ \[s\] of stretch and bending: a force k C gains the part k τ Ċ, as in a Kelvin–
    /// Voigt material. It acts through the compliance, so what is rigid is not damped. Where the
    /// stiffness differs from place to place its mean is taken.
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

    /// Pins the vertices that a predicate of index and position \[m\] holds for; positions are as
    /// the calls before this one have placed them.
    #[must_use]
    pub fn pin_where(mut self, holds: impl Fn(u32, Vec3) -> bool) -> Self {
        let placed = self.rest.iter().zip(0..).map(|(&x, index)| (index, x + self.offset));
        self.pins.extend(placed.filter(|&(index, x)| holds(index, x)).map(|(index, _)| index));
        self
    }

    /// Whether particles are tethered to the pins, on by default: to all of them if there are at
    /// most four, otherwise to the nearest.
    ///
    /// The reach is the shortest way along the sheet at rest ([`geodesic`](crate::mesh::geodesic)),
    /// for a sheet that stretches as much longer as its whole weight would stretch a strip one edge
    /// wide. Switch them off for one that carries more and has to give.
    #[must_use]
    pub fn tethers(mut self, tethers: bool) -> Self {
        self.tethers = if tethers { Tethers::Automatic } else { Tethers::None };
        self
    }

    /// Tethers each particle to at most this many of the nearest pins.
    #[must_use]
    pub fn tethers_to_nearest(mut self, count: usize) -> Self {
        self.tethers = Tethers::Nearest(count);
        self
    }

    /// Whether its particles collide with each other, off by default.
    #[must_use]
    pub fn self_collision(mut self, self_collision: bool) -> Self {
        self.self_collision = self_collision;
        self
    }

    /// Lets its triangles collide with each other and with those of other cloth, kept `thickness` \[m\]
    /// apart, in place of its particles: for cloth thinner than these. A quarter of the edges is usual, more
    /// than half of them lets neighbours in the sheet pass. See [`Surface`](xpbd_core::object::Surface).
    #[must_use]
    pub fn surface_collision(mut self, thickness: f32) -> Self {
        self.surface = Some(thickness);
        self
    }

    /// Friction against colliders and particles.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Returns the object, ready to be added to a world. Its particles are the vertices in their order; to
    /// start in another shape than the one at rest, change its positions. Its batches are the air, the
    /// tethers, then stretch, then bending, then the gas inside, as far as there are any: what reaches far
    /// is solved first, and what is near corrects it.
    ///
    /// # Errors
    /// The number or the element of the mesh that is at fault.
    pub fn build(self) -> Result<Object, ClothError> {
        assemble::object(self)
    }
}
