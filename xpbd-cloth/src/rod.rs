//! Rod: a description of a line with bending and torsion that is added to a world.
//!
//! A Cosserat rod \[Kugelstadt16\]: particles at its points carry its mass, and every segment between two of
//! them has an orientation, that of a body which only rotates. [Stretch and shear](crate::constraint::rod_stretch_shear)
//! tie the direction of a segment to its orientation, [bending and twist](crate::constraint::rod_bend_twist) the
//! orientations of neighbours to each other.
//!
//! ```text
//!   x₀      x₁      x₂      x₃        particles, half the mass of each of their segments
//!   ●───┼───●───┼───●───┼───●        ┼ bodies, with locked translations: the rotations of the segments
//!       q₀  └C──────q₁  └C──────q₂     C bending and twist
//! ```
//!
//! **Largest stiffness.** A rod that is solved directly, as it is by default, has the stiffness of its material. In one sweep
//! per substep h a segment gives way as it does in free fall, which
//! adds h²/I to the compliance l/(E I₂) of bending and h²/I₃ to that of twist, with I and I₃ the moments of
//! inertia of a segment. A rod that is swept is as stiff as its material while E I₂ h² < l I, or about
//! E r²/ρ < l⁴/(3 h²); a stiffer one needs more substeps or fewer segments.

mod assemble;
pub mod attachment;
pub mod end;
mod error;
pub mod handle;
mod shape;
mod update;

pub use assemble::RodParts;
pub use end::{RodAttachment, RodEnd};
pub use error::RodError;
pub use handle::RodHandle;

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::object::ParticleSettings;
use xpbd_core::scalar::{Double, Real};
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{Object, World};

/// A round rod through a line of points, which is its rest shape unless it is straight at rest.
///
/// ```
/// use glam::Vec3;
/// use xpbd_cloth::{Rod, RodEnd};
/// use xpbd_core::world::World;
///
/// let mut world = World::default();
/// let spring = Rod::helix(0.1, 0.04, 6.0, 96).radius(0.005).youngs_modulus(5e7).clamp(RodEnd::First).linear_damping(1.0);
/// let spring = spring.add_to(&mut world)?;
/// assert_eq!(world.positions(spring.object())?.len(), 97);
/// spring.remove(&mut world)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rod {
    /// Settings of its particles, which are the points in their order. The velocities and the damping are also those of
    /// the rotation of its segments.
    pub particles: ParticleSettings,
    /// Points \[m\] in the frame of the rod, at least two, with a segment between neighbours.
    pub points: Vec<Vec3>,
    /// Direction of the first axis across the first segment, in the frame of the rod; any if there is none. It matters
    /// only for the [poses](RodHandle::segment_pose) of segments.
    pub normal: Option<Vec3>,
    /// Two flags that are true if the first and the last end are clamped: held at their position and rotation.
    pub clamps: [bool; 2],
    /// Settings that do not depend on the geometry.
    pub settings: RodSettings,
}

/// Settings of a rod apart from its points: its cross-section and its material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct RodSettings {
    /// True if the rod is straight without forces. Otherwise it is bent at rest as it is given, by frames that are
    /// carried along it without twist.
    pub straight_at_rest: bool,
    /// Radius r \[m\] of its round cross-section A = π r², with the second moments I = π r⁴/4 and
    /// J = π r⁴/2. Collisions use the radius of the world's particles.
    pub radius: f32,
    /// Density \[kg/m³\] of its material.
    pub density: f32,
    /// Young's modulus E \[Pa\] of its material, usually 1e6 (soft rubber) to 1e9 (plastic). The
    /// [module](self) says how much a substep can solve.
    pub youngs_modulus: f32,
    /// Shear modulus G \[Pa\] of its material. If there is none it is E/3, that of a material that keeps its volume.
    pub shear_modulus: Option<f32>,
    /// Damping time τ \[s\] of all strains: a force k C gains the part k τ Ċ. A sweep of a substep takes the recent
    /// corrections of neighbours for motion, so a time of many substeps softens a rod: a clamped one of five segments
    /// sags nearly twice as far with τ of a hundred substeps.
    pub damping_time: f32,
    /// True if a segment rotates about its own axis with its true inertia m r²/2. Otherwise that inertia is
    /// no less than about the other axes, m (r²/4 + l²/12): thin rods then twist as stiffly as they bend,
    /// but a wave of twist, which is hardly visible, is slower by up to l/(√6 r).
    pub true_inertia: bool,
    /// Solver of its constraints. By default it has its stiffness at any number of segments and substeps, unless others
    /// tie it into a net ([`ConstraintSolver::Automatic`]).
    pub solver: ConstraintSolver,
}

/// A rod without points.
impl Default for Rod {
    fn default() -> Self {
        Self {
            particles: ParticleSettings::named("rod"),
            points: Vec::new(),
            normal: None,
            clamps: [false; 2],
            settings: RodSettings::default(),
        }
    }
}

/// Hard rubber with a radius of 1 cm: 1100 kg/m³, and 10 MPa with a third of that in shear.
impl Default for RodSettings {
    fn default() -> Self {
        Self {
            straight_at_rest: false,
            radius: 0.01,
            density: 1100.0,
            youngs_modulus: 1e7,
            shear_modulus: None,
            damping_time: 0.0,
            true_inertia: false,
            solver: ConstraintSolver::Automatic,
        }
    }
}

xpbd_core::particle_setters!(Rod);
xpbd_core::setters!(Rod: RodSettings {
    radius: f32,
    density: f32,
    youngs_modulus: f32,
    shear_modulus: f32 => Some,
    damping_time: f32,
    true_inertia: bool,
    solver: ConstraintSolver,
});

impl Rod {
    /// Creates a rod through these points \[m\]. They are checked by [`Rod::build`].
    pub fn from_points(points: &[Vec3]) -> Self {
        Self { points: points.to_vec(), ..Self::default() }
    }

    /// Creates a straight rod of this many equal segments from `a` to `b` \[m\].
    pub fn between(a: Vec3, b: Vec3, segments: u32) -> Self {
        let point = |k: u32| if k == segments { b } else { a + (b - a) * (k as f32 / segments as f32) };
        Self { points: (0..=segments).map(point).collect(), ..Self::default() }
    }

    /// Creates a helix of this radius \[m\], pitch \[m\] per turn and number of turns \[1\] about the y axis, from
    /// (radius, 0, 0) upwards, by segments of equal length.
    pub fn helix(radius: f32, pitch: f32, turns: f32, segments: u32) -> Self {
        let point = |k: u32| {
            let turn = f64::from(turns) * f64::from(k) / f64::from(segments);
            let angle = Double(std::f64::consts::TAU * turn);
            let [x, z] = [angle.cos().0, -angle.sin().0].map(|c| (f64::from(radius) * c) as f32);
            Vec3::new(x, (f64::from(pitch) * turn) as f32, z)
        };
        Self { points: (0..=segments).map(point).collect(), ..Self::default() }
    }

    /// Sets the direction of the first axis across the first segment, in the frame of the rod.
    #[must_use]
    pub fn normal(mut self, normal: Vec3) -> Self {
        self.normal = Some(normal);
        self
    }

    /// Makes the rod straight without forces, however it starts.
    #[must_use]
    pub fn straight_at_rest(mut self) -> Self {
        self.settings.straight_at_rest = true;
        self
    }

    /// Clamps an end: holds it at the position and rotation at which it starts, as [`RodHandle::hold`] does.
    #[must_use]
    pub fn clamp(mut self, end: RodEnd) -> Self {
        self.clamps[end as usize] = true;
        self
    }

    /// Creates the object with its particles, ready to be added to a world, and the parts that are then added to it.
    ///
    /// # Errors
    /// The number or the point that is at fault.
    pub fn build(&self) -> Result<(Object, RodParts), RodError> {
        assemble::prepare(self)
    }

    /// Adds the rod to a world: an object with its particles, a body for each segment, and batches for
    /// stretch with shear and for bending with twist.
    ///
    /// # Errors
    /// The number or the point that is at fault; the world is then as it was.
    pub fn add_to(&self, world: &mut World) -> Result<RodHandle, RodError> {
        assemble::add(self, world)
    }
}
