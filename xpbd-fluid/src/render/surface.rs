//! Triangle meshes of liquids, by the crate `splashsurf_lib`.
//!
//! Marching cubes on the sum of smooth kernels around the particles, then \[Loeschner23\] F. Löschner,
//! T. Böttcher, S. Rhys Jeske, J. Bender, *Weighted Laplacian Smoothing for Surface Reconstruction of
//! Particle-based Fluids*, 2023: slivers are collapsed, and vertices go to the mean of their neighbours, the
//! more the more particles are around, so that bumps vanish and single drops stay.
//!
//! The mesh is made in spacings of particles relative to their lowest corner, and by one thread: dividing the
//! work, the library adds up in the order in which threads happen to come, and its vector instructions fuse.

mod smooth;

use glam::Vec3;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::postprocessing::{
    marching_cubes_cleanup, par_laplacian_smoothing_inplace, par_laplacian_smoothing_normals_inplace,
};
use splashsurf_lib::{Parameters, SurfaceReconstruction, reconstruct_surface};

use super::options::{OptionError, demand, positive};

/// Reach of kernels in spacings of particles `[1]`.
const REACH: f32 = 2.0;

/// Rounds of collapsing slivers, as the library recommends.
const CLEANUPS: usize = 5;

/// Cells along an axis, beyond which single precision does not tell them apart.
const WIDEST: f32 = 1_000_000.0;

/// The options by which a surface is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceOptions {
    /// Edge of the cubes that are marched in spacings of particles `[1]`, usually 0.3 to 0.75. The number of
    /// triangles grows with its inverse square; from about 1 on, drops get lost.
    pub cube_size: f32,
    /// Share of the density within `[1]` at which the surface lies, above 0 and below 1. With 0.58 a flat one
    /// lies half a spacing outside of its particles.
    pub threshold: f32,
    /// Rounds of smoothing of the vertices. More flatten bumps and take volume from what is curved: from a ball
    /// of radius 10 spacings 3 % in 15 rounds and 7 % in 25.
    pub smoothing: usize,
    /// Rounds of smoothing of the normals.
    pub normal_smoothing: usize,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        Self { cube_size: 0.5, threshold: 0.58, smoothing: 15, normal_smoothing: 10 }
    }
}

/// A closed triangle mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices `[m]`.
    pub positions: Vec<Vec3>,
    /// A smooth outward unit normal at each vertex.
    pub normals: Vec<Vec3>,
    /// Three vertices per triangle, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The reason why a surface cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SurfaceError {
    /// An option is out of its range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A particle is not finite.
    #[error("particle {0} is not at a finite position")]
    Position(usize),
    /// Particles are too far from each other.
    #[error("particles are spread over {spread} spacings; a surface can span at most {WIDEST} cubes")]
    Spread {
        /// Greatest distance of particles along an axis in spacings `[1]`.
        spread: f32,
    },
    /// There are too many vertices.
    #[error("the surface has {0} vertices; indices have 32 bits")]
    Vertices(usize),
    /// The reconstruction of the surface fails.
    #[error("the surface cannot be made: {0}")]
    Failed(String),
}

/// Returns the surface of a liquid whose particles are at `positions` `[m]`, `spacing` `[m]` apart; it is empty
/// without particles. The same input gives the same bits.
///
/// # Errors
/// A spacing or an option that makes no sense, a particle that is not finite, particles spread too far for
/// cubes of this size.
pub fn surface(positions: &[Vec3], spacing: f32, options: &SurfaceOptions) -> Result<SurfaceMesh, SurfaceError> {
    positive("spacing", spacing)?;
    demand("cube_size", options.cube_size, (0.05..=2.0).contains(&options.cube_size), "from 0.05 to 2")?;
    let inside = options.threshold > 0.0 && options.threshold < 1.0;
    demand("threshold", options.threshold, inside, "above 0 and below 1")?;
    if let Some(index) = positions.iter().position(|position| !position.is_finite()) {
        return Err(SurfaceError::Position(index));
    }
    let Some(low) = positions.iter().copied().reduce(Vec3::min) else {
        return Ok(SurfaceMesh::default());
    };
    let points: Vec<_> = positions.iter().map(|&position| ((position - low) / spacing).to_array().into()).collect();
    let spread = points.iter().map(|point: &Vector3<f32>| point.max()).fold(0.0, f32::max);
    if spread >= WIDEST * options.cube_size {
        return Err(SurfaceError::Spread { spread });
    }
    let failed = |error: &dyn std::fmt::Display| SurfaceError::Failed(error.to_string());
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| failed(&error))?;
    let (mesh, normals) = alone.install(|| mesh(&points, options)).map_err(|error| failed(&error))?;
    if u32::try_from(mesh.vertices.len()).is_err() {
        return Err(SurfaceError::Vertices(mesh.vertices.len()));
    }
    Ok(SurfaceMesh {
        positions: mesh.vertices.iter().map(|vertex| low + spacing * vec3(vertex)).collect(),
        normals,
        triangles: mesh.triangles.iter().map(|triangle| triangle.map(|corner| corner as u32)).collect(),
    })
}

type TriMesh = splashsurf_lib::mesh::TriMesh3d<f32>;

/// Returns the smoothed mesh around `points`, given in spacings, and its normals.
fn mesh(
    points: &[Vector3<f32>],
    options: &SurfaceOptions,
) -> Result<(TriMesh, Vec<Vec3>), splashsurf_lib::ReconstructionError<i64, f32>> {
    let mut parameters = Parameters::new(0.5, REACH, options.cube_size);
    parameters.iso_surface_threshold = options.threshold;
    parameters.enable_simd = false;
    parameters.enable_multi_threading = false;
    let mut made: SurfaceReconstruction<i64, f32> = reconstruct_surface(points, &parameters)?;
    let mut mesh = std::mem::take(&mut made.mesh);
    let around = marching_cubes_cleanup(&mut mesh, &made.grid, None, CLEANUPS, false);
    let weights = smooth::weights(points, &mesh.vertices, REACH);
    par_laplacian_smoothing_inplace(&mut mesh, &around, options.smoothing, 1.0, &weights);
    let mut normals = mesh.vertex_normal_directions();
    par_laplacian_smoothing_normals_inplace(&mut normals, &around, options.normal_smoothing);
    let normals = normals.iter().map(|normal| vec3(normal).normalize_or(Vec3::Y)).collect();
    Ok((mesh, normals))
}

fn vec3(vector: &Vector3<f32>) -> Vec3 {
    Vec3::new(vector.x, vector.y, vector.z)
}
