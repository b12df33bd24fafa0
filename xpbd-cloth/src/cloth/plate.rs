//! Sheets of a solid material: plates and shells, from Young's modulus, Poisson's ratio and a thickness.
//!
//! A plate of thickness t stretches like a membrane and bends about its middle surface. With the principal
//! curvatures κ₁ and κ₂ (or their changes, of a shell) and H = κ₁ + κ₂, K = κ₁ κ₂, it stores for each m²
//!
//! ```text
//! ½ D (H² − 2 (1 − ν) K),   D = E t³/(12 (1 − ν²))          (Kirchhoff and Love)
//! ```
//!
//! The membrane is [triangle strain](crate::constraint::triangle_strain), which knows E t and ν. Bending is that of
//! [hinges](crate::constraint::isometric_bending), one an edge, which know one number, D: on [`Cloth::grid`] and on equilateral
//! triangles they store
//!
//! ```text
//! ½ D (H² − 8/3 K)
//! ```
//!
//! at any angle to the mesh, as if ν were −1/3 (of equilateral triangles, a hinge across the direction n, with t along it,
//! feels κₙ − κₜ/3, and three of them make (H² − 8/3 K)/3). So a cylinder, which is what a wide plate is bent to, has the
//! right energy, ½ D κ². A narrow strip, whose sides are free to curve, has E I/b = (1 − ν²) D a width b by theory and
//! 8/9 D here: right for ν = 1/3, 2 % too soft for ν = 0.3, 11 % for ν = 0 and 19 % too stiff for ν = 1/2. A strip
//! is narrow where b² κ is less than t, and wide where it is ten times that.
//!
//! Bending depends on the mesh: of right-angled triangles whose diagonals all go one way it is right along the sides alone,
//! and irregular triangles (vertices moved by a fifth of an edge, diagonals at random) made a strip 8 % too soft. Stretch
//! does not.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E | Young's modulus | Pa |
//! | ν | Poisson ratio | 1 |
//! | t | thickness | m |
//! | D | bending stiffness | N m |

use serde::{Deserialize, Serialize};

use super::{Bending, Cloth, ClothSettings, Stretch, bending_stiffness};

/// A sheet of a solid material, whose [three numbers](self) give both its membrane and its bending.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plate {
    /// Young's modulus E \[Pa\]; 10⁶ (rubber) to 2·10¹¹ (steel). A stiff thin plate needs many substeps.
    pub youngs_modulus: f32,
    /// Poisson ratio ν \[1\], above −1 and at most ½; usually 0.2 to 0.5.
    pub poisson_ratio: f32,
    /// Thickness t \[m\].
    pub thickness: f32,
}

impl Plate {
    /// Returns the bending stiffness D \[N m\].
    pub fn bending_stiffness(self) -> f32 {
        bending_stiffness(self.youngs_modulus, self.poisson_ratio, self.thickness)
    }
}

impl ClothSettings {
    /// Makes the cloth a [plate](Plate): sets its thickness, its stretch to [`Stretch::Strain`] and its bending to
    /// [`Bending::Automatic`], with which a sheet that is not flat at rest is a shell. Its mass is that of
    /// [`ClothSettings::density`], ρ t for a material of density ρ.
    ///
    /// To clamp an edge, pin two rows of vertices: the plate is held halfway between them.
    #[must_use]
    pub fn plate(self, plate: Plate) -> Self {
        let Plate { youngs_modulus, poisson_ratio, thickness } = plate;
        let stretch = Stretch::Strain { youngs_modulus, poisson_ratio };
        let bending = Bending::Automatic { stiffness: plate.bending_stiffness() };
        Self { thickness, stretch, bending, ..self }
    }
}

impl Cloth {
    /// Makes the cloth a plate, as [`ClothSettings::plate`] does.
    #[must_use]
    pub fn plate(mut self, plate: Plate) -> Self {
        self.settings = self.settings.plate(plate);
        self
    }
}
