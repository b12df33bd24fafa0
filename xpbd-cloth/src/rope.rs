//! Rope: a builder that turns a line of points into an object of the world.

mod arc;
mod assemble;
pub mod cut;
pub mod error;
pub mod winch;

pub use cut::{cut, pieces_of};
pub use error::RopeError;
pub use winch::{Winch, WinchError};

use glam::Vec3;
use xpbd_core::world::{Friction, Object};

/// A rope: links between the points of a line, straight and without tension at rest.
///
/// What is not said is: 0.1 kg/m (a climbing rope 12 mm thick), links that do not stretch, no
/// bending stiffness, tethers if anything is pinned, no collision of the rope with itself.
#[derive(Debug, Clone)]
pub struct Rope {
    name: String,
    points: Vec<Vec3>,
    offset: Vec3,
    /// Rest length of every link \[m\], if it is not the distance of its ends.
    link: Option<f32>,
    density: f32,
    stretch: f32,
    bending: f32,
    damping: f32,
    drag: f32,
    pins: Vec<u32>,
    tethers: bool,
    spool: u32,
    self_collision: bool,
    friction: Friction,
    /// What a constructor could not do, kept for `build`.
    fault: Option<RopeError>,
}

impl Rope {
    /// Creates a rope through these points \[m\], whose distances are the rest lengths of its links. They are
    /// checked by [`Rope::build`].
    pub fn from_points(points: &[Vec3]) -> Self {
        Self {
            name: "rope".into(),
            points: points.to_vec(),
            offset: Vec3::ZERO,
            link: None,
            density: 0.1,
            stretch: f32::INFINITY,
            bending: 0.0,
            damping: 0.0,
            drag: 0.0,
            pins: Vec::new(),
            tethers: true,
            spool: 0,
            self_collision: false,
            friction: Friction::default(),
            fault: None,
        }
    }

    /// Creates a rope of this many equal links and `length` \[m\] from `a` to `b` \[m\]. One that is longer
    /// than the distance starts on the arc of a circle that sags (along −y, or along x where the
    /// ends are one above the other), with every link at its rest length.
    ///
    /// Refused by [`Rope::build`] when the length is not positive or less than the distance, when
    /// the ends are at one place, and without links.
    pub fn between(a: Vec3, b: Vec3, segments: u32, length: f32) -> Self {
        match arc::slack_points(b - a, segments, length) {
            Ok(points) => {
                let link = Some(length / segments as f32);
                Self { link, offset: a, ..Self::from_points(&points) }
            }
            Err(fault) => Self { fault: Some(fault), ..Self::from_points(&[]) },
        }
    }

    /// Name, for messages and reports.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves the rope by a vector \[m\].
    #[must_use]
    pub fn at(mut self, offset: Vec3) -> Self {
        self.offset += offset;
        self
    }

    /// Mass for each length \[kg/m\], usually 0.01 (string) to 1 (ship's rope). A particle has half
    /// the mass of each of its links.
    #[must_use]
    pub fn density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }

    /// Stretch stiffness EA \[N\], Young's modulus times cross-section: the force that would double
    /// its length. `f32::INFINITY` for a rope that does not stretch. A link of length l has the
    /// compliance l/EA.
    #[must_use]
    pub fn stretch(mut self, stiffness: f32) -> Self {
        self.stretch = stiffness;
        self
    }

    /// Bending stiffness EI \[N m²\], for a round rod of radius r: E π r⁴/4. 0 for none. A rope bends
    /// far more easily than a rod of its thickness: its threads slide.
    #[must_use]
    pub fn bending(mut self, stiffness: f32) -> Self {
        self.bending = stiffness;
        self
    }

    /// Damping time τ \[s\] of stretch and bending: a force k C gains the part k τ Ċ. It acts through
    /// the compliance, so what is rigid is not damped.
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

    /// Pins points; two neighbours clamp the direction of the rope there.
    #[must_use]
    pub fn pin(mut self, points: impl IntoIterator<Item = u32>) -> Self {
        self.pins.extend(points);
        self
    }

    /// Pins the first and the last point.
    #[must_use]
    pub fn pin_ends(mut self) -> Self {
        let last = self.points.len().saturating_sub(1) as u32;
        self.pins.extend([0, last]);
        self
    }

    /// Whether particles are tethered to the next pin on each side, on by default. The reach is the
    /// length of rope between them, for a rope that stretches as much longer as its whole weight at
    /// its end would stretch it. Switch them off for one that carries more and has to give.
    #[must_use]
    pub fn tethers(mut self, tethers: bool) -> Self {
        self.tethers = tethers;
        self
    }

    /// Room for this many links more, which a [`Winch`] at the last point can pay out: absent particles, and
    /// constraints that do not hold yet. A rope with a spool has no tethers.
    #[must_use]
    pub fn spool(mut self, links: u32) -> Self {
        self.spool = links;
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

    /// Returns the object, ready to be added to a world. Its particles are the points in their order, its
    /// batches the tethers, then stretch, then bending, as far as there are any.
    ///
    /// # Errors
    /// The number or the point that is at fault.
    pub fn build(self) -> Result<Object, RopeError> {
        assemble::object(self)
    }
}
