//! The constraints of cloth and ropes, one a file.
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

pub mod attachment;
pub mod bend;
pub mod dihedral;
pub mod distance;
pub mod face;
pub mod isometric;
pub mod plastic_dihedral;
pub mod plastic_distance;
pub mod strain;
pub mod tether;

pub use attachment::Attachment;
pub use bend::Bend;
pub use dihedral::Dihedral;
pub use distance::Distance;
pub use face::Face;
pub use isometric::IsometricBending;
pub use plastic_dihedral::PlasticDihedral;
pub use plastic_distance::PlasticDistance;
pub use strain::TriangleStrain;
pub use tether::Tether;

use xpbd_core::constraint::{ConstraintError, Registry};
use xpbd_core::scalar::{Double, Vec3};

/// Makes every constraint of this crate known to a registry, which reads them from snapshots.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register(Distance)?;
    registry.register(TriangleStrain)?;
    registry.register(Dihedral)?;
    registry.register(IsometricBending)?;
    registry.register(Bend)?;
    registry.register(Tether)?;
    registry.register(Attachment)?;
    registry.register(PlasticDistance)?;
    registry.register(PlasticDihedral)?;
    registry.register(Face)?;
    Ok(())
}

/// A rest position in double precision.
fn double(v: glam::Vec3) -> Vec3<Double> {
    let [x, y, z] = v.to_array().map(|component| Double(f64::from(component)));
    Vec3::new(x, y, z)
}

/// A weight rounded to a multiple of 2⁻²², so that up to 4 it and 1 minus it are both exact: the
/// weights of a constraint then sum to 0 without an error, and a shift of all points cancels.
fn exact_weight(weight: f32) -> f32 {
    const UNIT: f32 = 4_194_304.0;
    (weight * UNIT).round() / UNIT
}
