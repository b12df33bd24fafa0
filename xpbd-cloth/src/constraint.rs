//! The constraints of cloth, ropes, rods and soft bodies, one per file.
//!
//! | name | points | rows | compliance |
//! |---|---|---|---|
//! | `distance` | 2 | 1 | m/N |
//! | `triangle-strain` | 3 | 3 | 1/J |
//! | `dihedral` | 4 | 1 | rad²/J |
//! | `isometric-bending` | 4 | 3 | m/N |
//! | `plastic-distance` | 2 | 1 | m/N |
//! | `plastic-dihedral` | 4 | 1 | rad²/J |
//! | `cloth-face` | 3 | 1 | not solved |
//! | `rope-bending` | 3 | 3 | m/N |
//! | `tether` | 2 | 1 | m/N |
//! | `attachment` | 2 | 3 | m/N |
//! | `rod-stretch-shear` | 4 | 3 | m/N |
//! | `rod-bend-twist` | 4 | 3 | rad²/J |
//! | `aerodynamics` | 3 | 3 | m²/kg |
//! | `woven-strain` | 3 | 3 | 1/J |
//! | `backstop` | 2 | 1 | m/N |
//! | `frame-drag` | 1 | 3 | s/kg |
//! | `neo-hookean` | 4 | 2 | 1/J |
//! | `tetra-strain` | 4 | 6 | 1/J |
//! | `fibre-strain` | 4 | 6 | 1/J |
//! | `tetra-volume` | 4 | 1 | 1/J |
//! | `tetra-least-volume` | 4 | 1 | 1/J |
//! | `plastic-neo-hookean` | 4 | 2 | 1/J |
//! | `plastic-tetra-strain` | 4 | 6 | 1/J |

pub mod aerodynamics;
pub mod attachment;
pub mod backstop;
pub mod cloth_face;
pub mod dihedral;
pub mod distance;
pub mod fibre_strain;
pub mod frame_drag;
pub mod isometric_bending;
pub mod neo_hookean;
pub mod plastic_dihedral;
pub mod plastic_distance;
pub mod plastic_neo_hookean;
pub mod plastic_tetra_strain;
pub mod rod_bend_twist;
pub mod rod_stretch_shear;
pub mod rope_bending;
pub mod tether;
pub(crate) mod tetra;
pub mod tetra_least_volume;
pub mod tetra_plasticity;
pub mod tetra_strain;
pub mod tetra_volume;
pub mod triangle_strain;
pub mod woven_strain;

pub use aerodynamics::{Aerodynamics, AerodynamicsParameters};
pub use attachment::Attachment;
pub use backstop::{Backstop, BackstopParameters};
pub use cloth_face::{ClothFace, ClothFaceParameters};
pub use dihedral::{Dihedral, DihedralParameters};
pub use distance::{Distance, DistanceParameters};
pub use fibre_strain::{FibreStrain, FibreStrainParameters};
pub use frame_drag::{FrameDrag, FrameDragParameters};
pub use isometric_bending::{IsometricBending, IsometricBendingParameters};
pub use neo_hookean::{NeoHookean, NeoHookeanParameters};
pub use plastic_dihedral::{PlasticDihedral, PlasticDihedralParameters};
pub use plastic_distance::{PlasticDistance, PlasticDistanceParameters};
pub use plastic_neo_hookean::{PlasticNeoHookean, PlasticNeoHookeanParameters};
pub use plastic_tetra_strain::{PlasticTetraStrain, PlasticTetraStrainParameters};
pub use rod_bend_twist::{RodBendTwist, RodBendTwistParameters};
pub use rod_stretch_shear::{RodStretchShear, RodStretchShearParameters};
pub use rope_bending::{RopeBending, RopeBendingParameters};
pub use tether::{Tether, TetherParameters};
pub use tetra_least_volume::{TetraLeastVolume, TetraLeastVolumeParameters};
pub use tetra_plasticity::TetraPlasticityParameters;
pub use tetra_strain::{TetraStrain, TetraStrainParameters};
pub use tetra_volume::{TetraVolume, TetraVolumeParameters};
pub use triangle_strain::{TriangleStrain, TriangleStrainParameters};
pub use woven_strain::{WovenStrain, WovenStrainParameters};

use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::scalar::{Double, Real, Vec3};

/// Registers the constraints of this module.
pub(crate) fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register(Distance)?;
    registry.register(TriangleStrain)?;
    registry.register(Dihedral)?;
    registry.register(IsometricBending)?;
    registry.register(RopeBending)?;
    registry.register(Tether)?;
    registry.register(Attachment)?;
    registry.register(PlasticDistance)?;
    registry.register(PlasticDihedral)?;
    registry.register(ClothFace)?;
    registry.register(RodStretchShear)?;
    registry.register(RodBendTwist)?;
    registry.register(Aerodynamics)?;
    registry.register(WovenStrain)?;
    registry.register(Backstop)?;
    registry.register(FrameDrag)?;
    registry.register(NeoHookean)?;
    registry.register(TetraStrain)?;
    registry.register(FibreStrain)?;
    registry.register(TetraVolume)?;
    registry.register(TetraLeastVolume)?;
    registry.register(PlasticNeoHookean)?;
    registry.register(PlasticTetraStrain)?;
    Ok(())
}

/// Returns a rest position in double precision.
fn double(v: glam::Vec3) -> Vec3<Double> {
    let [x, y, z] = v.to_array().map(|component| Double(f64::from(component)));
    Vec3::new(x, y, z)
}

/// Rounds a weight to a multiple of 2⁻²², so that up to 4 it and 1 minus it are both exact: the
/// weights of a constraint then sum to 0 without an error, and a shift of all points cancels.
fn exact_weight(weight: f32) -> f32 {
    const UNIT: f32 = 4_194_304.0;
    (weight * UNIT).round() / UNIT
}

/// Returns a diagonal compliance matrix.
fn diagonal<S: Real, const M: usize>(entries: [S; M]) -> [[S; M]; M] {
    let entry = |row, column| if row == column { entries[row] } else { S::zero() };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}

/// Returns two perpendicular axes, for self-checks.
fn sample_axes(number: u32) -> [[f32; 3]; 2] {
    let k = 0.3 * number as f32;
    let turn = glam::Quat::from_xyzw(0.2 + 0.1 * k, 0.3 - 0.2 * k, 0.15 * k, 1.0).normalize();
    [(turn * glam::Vec3::X).to_array(), (turn * glam::Vec3::Y).to_array()]
}

/// Returns a point near the origin, for self-checks.
fn sample_point(number: u32) -> [f32; 3] {
    let k = 0.1 * number as f32;
    [0.3 - k, 0.2 * k, k - 0.5]
}
