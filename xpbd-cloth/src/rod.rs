//! Rod: a builder that puts a line with bending and torsion into a world.
//!
//! A Cosserat rod \[Kugelstadt16\]: particles at its points carry its mass, and every segment between two of
//! them has an orientation, that of a body which only turns. [Stretch and shear](crate::constraint::stretch_shear)
//! tie the direction of a segment to its orientation, [bending and twist](crate::constraint::bend_twist) the
//! orientations of neighbours to each other.
//!
//! ```text
//!   x₀      x₁      x₂      x₃        particles, half the mass of each of their segments
//!   ●───┼───●───┼───●───┼───●        ┼ bodies, locked in place: their poses say how a segment is turned
//!       q₀  └C──────q₁  └C──────q₂     C bending and twist
//! ```
//!
//! **How stiff it can be.** One sweep a substep h lets a segment give way by what it does in free fall: it
//! adds h²/I to the compliance l/(E I₂) of bending and h²/I₃ to that of twist, with I and I₃ the moments of
//! inertia of a segment. A rod is as stiff as its material while E I₂ h² < l I, or about
//! E r²/ρ < l⁴/(3 h²); one that has to be stiffer takes more substeps or fewer segments.

mod assemble;
pub mod attachment;
pub mod error;
pub mod handle;
mod shape;

pub use assemble::RodParts;
pub use attachment::{RodAttachment, RodEnd};
pub use error::RodError;
pub use handle::RodHandle;

use glam::Vec3;
use xpbd_core::scalar::{Double, Real};
use xpbd_core::world::{Friction, Object, World};

/// A round rod through a line of points, at rest as it is given.
///
/// What is not said is: a radius of 1 cm, 1100 kg/m³, 10 MPa and a third of it in shear (hard rubber), no
/// damping, no collision of the rod with itself.
///
/// ```
/// use glam::Vec3;
/// use xpbd_cloth::{End, Rod};
/// use xpbd_core::world::World;
///
/// let mut world = World::default();
/// let spring = Rod::helix(0.1, 0.04, 6.0, 96).radius(0.005).youngs_modulus(5e7).clamp(End::First).drag(1.0);
/// let spring = spring.add_to(&mut world)?;
/// assert_eq!(world.positions(spring.object())?.len(), 97);
/// spring.remove(&mut world)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rod {
    name: String,
    points: Vec<Vec3>,
    offset: Vec3,
    straight: bool,
    normal: Option<Vec3>,
    radius: f32,
    density: f32,
    youngs_modulus: f32,
    shear_modulus: Option<f32>,
    damping: f32,
    drag: f32,
    true_inertia: bool,
    pins: Vec<u32>,
    clamps: [bool; 2],
    self_collision: bool,
    friction: Friction,
}

impl Rod {
    /// Creates a rod through these points \[m\]. They are checked by [`Rod::add_to`].
    pub fn from_points(points: &[Vec3]) -> Self {
        Self {
            name: "rod".into(),
            points: points.to_vec(),
            offset: Vec3::ZERO,
            straight: false,
            normal: None,
            radius: 0.01,
            density: 1100.0,
            youngs_modulus: 1e7,
            shear_modulus: None,
            damping: 0.0,
            drag: 0.0,
            true_inertia: false,
            pins: Vec::new(),
            clamps: [false; 2],
            self_collision: false,
            friction: Friction::default(),
        }
    }

    /// Creates a straight rod of this many equal segments from `a` to `b` \[m\].
    pub fn between(a: Vec3, b: Vec3, segments: u32) -> Self {
        let point = |k: u32| if k == segments { b } else { a + (b - a) * (k as f32 / segments as f32) };
        Self::from_points(&(0..=segments).map(point).collect::<Vec<_>>())
    }

    /// Creates a helix of this radius \[m\], rise a turn \[m\] and number of turns \[1\] about the y axis, from
    /// (radius, 0, 0) up, by segments of equal length.
    pub fn helix(radius: f32, pitch: f32, turns: f32, segments: u32) -> Self {
        let point = |k: u32| {
            let turn = f64::from(turns) * f64::from(k) / f64::from(segments);
            let angle = Double(std::f64::consts::TAU * turn);
            let [x, z] = [angle.cos().0, -angle.sin().0].map(|c| (f64::from(radius) * c) as f32);
            Vec3::new(x, (f64::from(pitch) * turn) as f32, z)
        };
        Self::from_points(&(0..=segments).map(point).collect::<Vec<_>>())
    }

    /// Name, for messages and reports.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Moves the rod by a vector \[m\].
    #[must_use]
    pub fn at(mut self, offset: Vec3) -> Self {
        self.offset += offset;
        self
    }

    /// Straight without forces, however it starts. Otherwise it is bent at rest as it is given, by frames that
    /// are carried along it without twist.
    #[must_use]
    pub fn straight_at_rest(mut self) -> Self {
        self.straight = true;
        self
    }

    /// The direction of the first axis across the first segment; any if not said, which matters only to
    /// those who ask for [frames](RodHandle::segment_pose).
    #[must_use]
    pub fn normal(mut self, normal: Vec3) -> Self {
        self.normal = Some(normal);
        self
    }

    /// Radius r \[m\] of its round cross-section A = π r², with the second moments I = π r⁴/4 and
    /// J = π r⁴/2. Collisions use the radius of the world.
    #[must_use]
    pub fn radius(mut self, radius: f32) -> Self {
        self.radius = radius;
        self
    }

    /// Density \[kg/m³\] of its material.
    #[must_use]
    pub fn density(mut self, density: f32) -> Self {
        self.density = density;
        self
    }

    /// Young's modulus E \[Pa\] of its material, usually 1e6 (soft rubber) to 1e9 (plastic); see the
    /// [module](self) for what a substep bears.
    #[must_use]
    pub fn youngs_modulus(mut self, modulus: f32) -> Self {
        self.youngs_modulus = modulus;
        self
    }

    /// Shear modulus G \[Pa\], E/3 (that of what keeps its volume) if not said.
    #[must_use]
    pub fn shear_modulus(mut self, modulus: f32) -> Self {
        self.shear_modulus = Some(modulus);
        self
    }

    /// Damping time τ \[s\] of all strains: a force k C gains the part k τ Ċ. One sweep a substep takes what
    /// neighbours have just moved for motion, so a time of many substeps softens a rod: a clamped one of five segments
    /// sags nearly twice as far with τ of a hundred substeps.
    #[must_use]
    pub fn damping_time(mut self, time: f32) -> Self {
        self.damping = time;
        self
    }

    /// Drag \[1/s\]: velocities and angular velocities decay by about this part of themselves a second.
    #[must_use]
    pub fn linear_damping(mut self, drag: f32) -> Self {
        self.drag = drag;
        self
    }

    /// Whether a segment turns about its own axis with its true inertia m r²/2, off by default: it is then
    /// no less than about the other axes, m (r²/4 + l²/12). Thin rods twist as stiffly as they bend so,
    /// but a wave of twist, which hardly anyone sees, is slower by up to l/(√6 r).
    #[must_use]
    pub fn true_inertia(mut self, true_inertia: bool) -> Self {
        self.true_inertia = true_inertia;
        self
    }

    /// Pins points; the rod can still turn there.
    #[must_use]
    pub fn pin(mut self, points: impl IntoIterator<Item = u32>) -> Self {
        self.pins.extend(points);
        self
    }

    /// Holds an end where and as it starts, as [`RodHandle::hold`] does.
    #[must_use]
    pub fn clamp(mut self, end: RodEnd) -> Self {
        self.clamps[end as usize] = true;
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

    /// Returns its points \[m\], as they are given or as a constructor has placed them, not yet moved.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the object with its particles, ready to be added to a world, and what is to be added to it then.
    ///
    /// # Errors
    /// The number or the point that is at fault.
    pub fn build(self) -> Result<(Object, RodParts), RodError> {
        assemble::prepare(self)
    }

    /// Puts the rod into a world: an object with its particles, a body for each segment, and batches for
    /// stretch with shear and for bending with twist.
    ///
    /// # Errors
    /// The number or the point that is at fault; the world is then as it was.
    pub fn add_to(self, world: &mut World) -> Result<RodHandle, RodError> {
        assemble::add(self, world)
    }
}
