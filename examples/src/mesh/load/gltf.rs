//! Triangles of glTF 2.0 files: every node of the default scene, in world space.

use std::ops::Range;
use std::path::Path;

use ::gltf::accessor::{DataType, Dimensions};
use ::gltf::mesh::Mode;
use ::gltf::{Document, Gltf, Node, Primitive, Semantic, buffer::Source};
use glam::Mat4;

use super::{LoadError, bytes_of, malformed};
use crate::mesh::Mesh;

/// The bytes of a binary file that tell its length: the last ones of its header.
const LENGTH: Range<usize> = 8..12;

/// Deepest nesting of nodes followed; a file that nests deeper is taken for a cycle.
const MAX_DEPTH: u32 = 256;

/// A document, its buffers' bytes, and the mesh that is filled from them.
struct Reader<'a> {
    path: &'a Path,
    buffers: Vec<Vec<u8>>,
    mesh: Mesh,
}

/// Returns the triangles of the glTF file at `path`, neither checked nor welded.
pub(super) fn read(path: &Path) -> Result<Mesh, LoadError> {
    let bytes = bytes_of(path, path)?;
    let refuse = |error: ::gltf::Error| malformed(path, error.to_string());
    check_length(path, &bytes)?;
    check_accessors(path, &Gltf::from_slice_without_validation(&bytes).map_err(refuse)?.document)?;
    let Gltf { document, blob } = Gltf::from_slice(&bytes).map_err(refuse)?;
    let mut reader = Reader { path, buffers: buffers(path, &document, blob)?, mesh: Mesh::default() };
    let scene = document.default_scene().or_else(|| document.scenes().next());
    for node in scene.iter().flat_map(|scene| scene.nodes()) {
        reader.node(&node, Mat4::IDENTITY, 0)?;
    }
    Ok(reader.mesh)
}

/// Refuses a binary file that says to be shorter than its header, at which the reader panics.
fn check_length(path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    let length = bytes.get(LENGTH).filter(|_| bytes.starts_with(b"glTF"));
    match length.and_then(|length| length.try_into().ok()).map(u32::from_le_bytes) {
        Some(length) if (length as usize) < LENGTH.end => {
            Err(malformed(path, format!("its header says that it has {length} bytes, less than a header has")))
        }
        _ => Ok(()),
    }
}

/// Refuses a mesh that names an accessor that does not exist, at which the validation of the reader panics.
fn check_accessors(path: &Path, document: &Document) -> Result<(), LoadError> {
    let root = document.as_json();
    let count = root.accessors.len();
    for (number, mesh) in root.meshes.iter().enumerate() {
        let mut named = mesh.primitives.iter().flat_map(|part| part.attributes.values().chain(&part.indices));
        if let Some(missing) = named.find(|accessor| accessor.value() >= count) {
            return Err(malformed(path, format!("mesh {number} names accessor {missing}, and there are {count}")));
        }
    }
    Ok(())
}

/// Returns the bytes of every buffer: the binary part of a `.glb`, or files next to `path`.
fn buffers(path: &Path, document: &Document, mut blob: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, LoadError> {
    document
        .buffers()
        .map(|buffer| match buffer.source() {
            Source::Bin => blob.take().ok_or_else(|| malformed(path, "the binary part is missing")),
            Source::Uri(uri) if uri.starts_with("data:") => {
                Err(malformed(path, "embedded data URIs are not read, export as .glb instead"))
            }
            Source::Uri(uri) => bytes_of(path, &path.with_file_name("").join(uri)),
        })
        .collect()
}

impl Reader<'_> {
    /// Adds the triangles of `node` and of its children, placed by `parent`.
    fn node(&mut self, node: &Node, parent: Mat4, depth: u32) -> Result<(), LoadError> {
        if depth > MAX_DEPTH {
            return Err(malformed(self.path, "nodes are nested too deeply"));
        }
        let to_world = parent * Mat4::from_cols_array_2d(&node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            if primitive.mode() == Mode::Triangles {
                self.primitive(&primitive, to_world)?;
            }
        }
        node.children().try_for_each(|child| self.node(&child, to_world, depth + 1))
    }

    /// Adds one list of triangles. A mirroring transform swaps two corners, so that the outside
    /// stays outside.
    fn primitive(&mut self, primitive: &Primitive, to_world: Mat4) -> Result<(), LoadError> {
        if !has_plain_positions(primitive) {
            return Ok(());
        }
        let reader = primitive.reader(|buffer| Some(self.buffers.get(buffer.index())?.as_slice()));
        let points =
            reader.read_positions().ok_or_else(|| malformed(self.path, "positions lie outside of their buffer"))?;
        let base = self.mesh.positions.len() as u32;
        let placed = points.map(|point| to_world.transform_point3(point.into()));
        self.mesh.positions.extend(placed);
        let count = self.mesh.positions.len() as u32 - base;
        let indices: Vec<u32> = match (primitive.indices(), reader.read_indices()) {
            (None, _) => (0..count).collect(),
            (Some(accessor), _) if accessor.count() == 0 => Vec::new(),
            (Some(_), Some(indices)) => indices.into_u32().collect(),
            (Some(_), None) => {
                return Err(malformed(self.path, "indices lie outside of their buffer"));
            }
        };
        if let Some(&index) = indices.iter().find(|&&index| index >= count) {
            return Err(LoadError::IndexOutOfRange { path: self.path.into(), index, vertices: count as usize });
        }
        let mirrored = to_world.determinant() < 0.0;
        let (triangles, _) = indices.as_chunks::<3>();
        self.mesh.triangles.extend(triangles.iter().map(|&[a, b, c]| {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            [base + a, base + b, base + c]
        }));
        Ok(())
    }
}

/// Returns whether `primitive` has at least one position, of three 32-bit floats each.
fn has_plain_positions(primitive: &Primitive) -> bool {
    primitive.get(&Semantic::Positions).is_some_and(|accessor| {
        accessor.count() > 0 && accessor.data_type() == DataType::F32 && accessor.dimensions() == Dimensions::Vec3
    })
}
