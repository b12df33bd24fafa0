//! Reading a triangle mesh from a file.

#[cfg(feature = "gltf")]
mod gltf;
mod obj;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use glam::Vec3;
use thiserror::Error;

use super::Mesh;
use super::weld::weld;

/// An error in reading a mesh file. Every message names the file.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The file, or one that it refers to, cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file that was asked for.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The extension names no known format.
    #[error("{}: unknown extension, expected .obj, .glb or .gltf", .path.display())]
    UnknownExtension {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// The build does not read this format.
    #[cfg(not(feature = "gltf"))]
    #[error("{}: this build of xpbd reads no glTF; add `--features gltf` to the command of cargo", .path.display())]
    NotBuilt {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// The content breaks the rules of its format, or uses a part of it that is not read.
    #[error("{}: {reason}", .path.display())]
    Malformed {
        /// The file that was asked for.
        path: PathBuf,
        /// Reason of the refusal.
        reason: String,
    },
    /// The file holds no triangle with three different corners.
    #[error("{}: no triangles", .path.display())]
    NoTriangles {
        /// The file that was asked for.
        path: PathBuf,
    },
    /// A triangle names a vertex that does not exist.
    #[error("{}: triangle index {index} is out of range for {vertices} vertices", .path.display())]
    IndexOutOfRange {
        /// The file that was asked for.
        path: PathBuf,
        /// The offending vertex index, counted from zero.
        index: u32,
        /// Number of vertices in the file.
        vertices: usize,
    },
    /// A vertex position is infinite or not a number.
    #[error("{}: the position of vertex {vertex} is not finite", .path.display())]
    NonFinitePosition {
        /// The file that was asked for.
        path: PathBuf,
        /// The offending vertex, counted from zero.
        vertex: usize,
    },
}

/// Reads all triangles of the `.obj`, `.glb` or `.gltf` file at `path` into one mesh, in the
/// file's own unit of length, taken as `[m]`.
///
/// glTF node transforms are applied. Vertices at exactly equal positions become one, which closes
/// a surface that was cut along texture seams; triangles without three different corners and
/// vertices without a triangle are dropped.
///
/// # Errors
/// When the file cannot be read or understood, holds no triangle, or holds an index out of range
/// or a position that is not finite.
pub fn load(path: &Path) -> Result<Mesh, LoadError> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let mesh = match extension.as_deref() {
        Some("obj") => obj::read(path)?,
        #[cfg(feature = "gltf")]
        Some("glb" | "gltf") => gltf::read(path)?,
        #[cfg(not(feature = "gltf"))]
        Some("glb" | "gltf") => return Err(LoadError::NotBuilt { path: path.into() }),
        _ => return Err(LoadError::UnknownExtension { path: path.into() }),
    };
    check(path, &mesh)?;
    let welded = weld(&mesh);
    if welded.triangles.is_empty() {
        return Err(LoadError::NoTriangles { path: path.into() });
    }
    Ok(welded)
}

/// Refuses indices out of range and positions that are not finite.
fn check(path: &Path, mesh: &Mesh) -> Result<(), LoadError> {
    let vertices = mesh.positions.len();
    if let Some(vertex) = mesh.positions.iter().position(|p: &Vec3| !p.is_finite()) {
        return Err(LoadError::NonFinitePosition { path: path.into(), vertex });
    }
    let mut indices = mesh.triangles.iter().flatten();
    if let Some(&index) = indices.find(|&&index| index as usize >= vertices) {
        return Err(LoadError::IndexOutOfRange { path: path.into(), index, vertices });
    }
    Ok(())
}

/// Returns the bytes of `wanted`, blaming `path` when they cannot be read.
fn bytes_of(path: &Path, wanted: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(wanted).map_err(|source| LoadError::Read { path: path.into(), source })
}

/// Returns a [`LoadError::Malformed`] about `path`.
fn malformed(path: &Path, reason: impl Into<String>) -> LoadError {
    LoadError::Malformed { path: path.into(), reason: reason.into() }
}
