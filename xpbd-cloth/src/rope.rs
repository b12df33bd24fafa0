//! Rope: a description that turns a line of points into an object of the world.

mod arc;
mod assemble;
pub mod cut;
pub mod error;
pub mod winch;

pub use cut::{cut, pieces_of};
pub use error::RopeError;
pub use winch::{Winch, WinchError};

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::object::ParticleSettings;
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::Object;

/// A rope: links between the points of a line, straight and without tension at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rope {
    /// Settings of its particles, which are the points in their order.
    pub particles: ParticleSettings,
    /// Path on which it starts, in its frame.
    pub path: RopePath,
    /// Settings that do not depend on the geometry.
    pub settings: RopeSettings,
}

/// Settings of a rope apart from its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct RopeSettings {
    /// Mass per length \[kg/m\], usually 0.01 (string) to 1 (ship's rope). A particle has half the mass of each
    /// of its links.
    pub density: f32,
    /// Stretch stiffness EA \[N\], Young's modulus times cross-section: the force that would double
    /// its length. `f32::INFINITY` for a rope that does not stretch, which bodies of many times its mass can rest on
    /// ([`Support`](xpbd_core::object::Support)). A link of length l has the compliance l/EA.
    pub stretch: f32,
    /// Bending stiffness EI \[N m²\], for a round rod of radius r: E π r⁴/4. 0 for none. A rope bends
    /// far more easily than a rod of its thickness, because its threads slide.
    pub bending: f32,
    /// Damping time τ \[s\] of stretch and bending: a force k C gains the part k τ Ċ. It acts through
    /// the compliance, so what is rigid is not damped.
    pub damping_time: f32,
    /// True if particles are tethered to the next pin on each side where links are swept
    /// ([`ConstraintSolver::Sweep`]); a rope that is solved directly needs no tethers and has none. The length of a tether is that of the rope between
    /// them, for a rope that stretches as much longer as its whole weight at its end would stretch it. A rope that
    /// carries more and has to give needs to go without.
    pub tethers: bool,
    /// Number of further links that a [`Winch`] at the last point can pay out: inactive particles, and constraints
    /// that are broken until then. A rope with a spool has no tethers.
    pub spool: u32,
    /// Solver of stretch and bending. By default a rope stretches by F L/EA at any number of links and substeps, unless
    /// others tie it into a net ([`ConstraintSolver::Automatic`]).
    pub solver: ConstraintSolver,
}

/// The path of a rope at the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum RopePath {
    /// Through points \[m\], whose distances are the rest lengths of the links.
    Points(Vec<Vec3>),
    /// Equal links between two ends. A rope that is longer than their distance starts on the arc of a circle that
    /// sags (along −y, or along x where the ends are one above the other), with every link at its rest length.
    Between {
        /// First end \[m\].
        a: Vec3,
        /// Last end \[m\].
        b: Vec3,
        /// Number of links.
        segments: u32,
        /// Length \[m\], at least the distance of the ends.
        length: f32,
    },
}

/// A rope without points.
impl Default for Rope {
    fn default() -> Self {
        Self {
            particles: ParticleSettings::named("rope"),
            path: RopePath::Points(Vec::new()),
            settings: RopeSettings::default(),
        }
    }
}

/// A climbing rope 12 mm thick: 0.1 kg/m, without stretch and without bending stiffness.
impl Default for RopeSettings {
    fn default() -> Self {
        Self {
            density: 0.1,
            stretch: f32::INFINITY,
            bending: 0.0,
            damping_time: 0.0,
            tethers: true,
            spool: 0,
            solver: ConstraintSolver::Automatic,
        }
    }
}

xpbd_core::particle_setters!(Rope);
xpbd_core::setters!(Rope: RopeSettings { density: f32, stretch: f32, bending: f32, damping_time: f32, tethers: bool, spool: u32, solver: ConstraintSolver });

impl Rope {
    /// Creates a rope through these points \[m\], whose distances are the rest lengths of its links. They are
    /// checked by [`Rope::build`].
    pub fn from_points(points: &[Vec3]) -> Self {
        Self { path: RopePath::Points(points.to_vec()), ..Self::default() }
    }

    /// Creates a rope of this many equal links and `length` \[m\] from `a` to `b` \[m\], which
    /// [sags](RopePath::Between) if it is longer than their distance.
    ///
    /// [`Rope::build`] refuses a length that is not positive or less than the distance, ends at one position, and
    /// a rope without links.
    pub fn between(a: Vec3, b: Vec3, segments: u32, length: f32) -> Self {
        Self { path: RopePath::Between { a, b, segments, length }, ..Self::default() }
    }

    /// Pins the first and the last point.
    #[must_use]
    pub fn pin_ends(self) -> Self {
        let last = self.path.len().saturating_sub(1) as u32;
        self.pin([0, last])
    }

    /// Creates the object, ready to be added to a world. Its particles are the points in their order, its
    /// batches the tethers, then stretch, then bending, as far as there are any.
    ///
    /// # Errors
    /// The number or the point that is at fault.
    pub fn build(&self) -> Result<Object, RopeError> {
        assemble::object(self)
    }
}

impl RopePath {
    /// Returns the number of points.
    pub fn len(&self) -> usize {
        match self {
            Self::Points(points) => points.len(),
            Self::Between { segments, .. } => *segments as usize + 1,
        }
    }

    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the points \[m\].
    ///
    /// # Errors
    /// A path between two ends that no rope of this length and number of links can have.
    pub fn points(&self) -> Result<Vec<Vec3>, RopeError> {
        match *self {
            Self::Points(ref points) => Ok(points.clone()),
            Self::Between { a, b, segments, length } => {
                Ok(arc::slack_points(b - a, segments, length)?.into_iter().map(|x| x + a).collect())
            }
        }
    }

    /// Returns the rest length of every link \[m\], where it is not the distance of its ends.
    pub(crate) fn link_length(&self) -> Option<f32> {
        match *self {
            Self::Points(_) => None,
            Self::Between { segments, length, .. } => Some(length / segments as f32),
        }
    }
}
