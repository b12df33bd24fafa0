//! Concave meshes as compounds of convex hulls.
//!
//! The mesh is filled with voxels, which are divided by planes until the parts are nearly convex (\[Mamou16\], as parry
//! implements it); each part becomes the convex hull of its triangles.
//!
//! \[Mamou16\]: K. Mamou, Volumetric hierarchical approximate convex decomposition, Game Engine Gems 3, 2016.

use glam::Vec3;
use parry3d::shape::SharedShape;
use parry3d::transformation::vhacd::{VHACD, VHACDParameters};

use super::{MeshError, check};

/// Settings of the division of a mesh into convex parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecompositionSettings {
    /// The greatest number of parts.
    pub max_parts: u32,
    /// Greatest part by which a part may fall short of its convex hull \[1\], from 0 to 1: smaller numbers follow the mesh
    /// more closely, with more parts.
    pub concavity: f32,
    /// Number of voxels along the longest side of the mesh; the time grows with its cube.
    pub resolution: u32,
}

impl Default for DecompositionSettings {
    fn default() -> Self {
        Self { max_parts: 32, concavity: 0.01, resolution: 64 }
    }
}

/// Returns a mesh as a compound of convex hulls, for colliders of dynamic bodies; positions in `[m]`.
///
/// A mesh need not be closed, but what it encloses should be. The same mesh gives the same hulls.
///
/// # Errors
/// See [`MeshError`]; the error names the element.
pub fn convex_decomposition(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    settings: DecompositionSettings,
) -> Result<SharedShape, MeshError> {
    check(positions, triangles)?;
    let proper: Vec<[u32; 3]> = triangles.iter().copied().filter(super::proper).collect();
    let extent = positions.iter().fold(Vec3::ZERO, |extent, &position| extent.max((position - positions[0]).abs()));
    if proper.is_empty() || extent.min_element() <= 0.0 {
        return Err(MeshError::Empty);
    }
    let parameters = VHACDParameters {
        max_convex_hulls: settings.max_parts.max(1),
        concavity: settings.concavity.clamp(0.0, 1.0),
        resolution: settings.resolution.clamp(8, 512),
        ..VHACDParameters::default()
    };
    let parts = VHACD::decompose(&parameters, positions, &proper, true).compute_exact_convex_hulls(positions, &proper);
    let hulls = parts.into_iter().filter_map(|(points, faces)| SharedShape::convex_mesh(points, &faces));
    let hulls: Vec<_> = hulls.map(|hull| (parry3d::math::Pose::IDENTITY, hull)).collect();
    if hulls.is_empty() { Err(MeshError::Empty) } else { Ok(SharedShape::compound(hulls)) }
}
