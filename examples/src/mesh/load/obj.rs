//! Triangles of Wavefront OBJ files: all faces of all groups, polygons cut into fans, materials ignored.

use std::path::Path;

use glam::Vec3;
use tobj::LoadOptions;

use super::{LoadError, bytes_of, malformed};
use crate::mesh::Mesh;

/// Returns the triangles of the OBJ file at `path`, neither checked nor welded.
pub(super) fn read(path: &Path) -> Result<Mesh, LoadError> {
    let bytes = bytes_of(path, path)?;
    let options = LoadOptions { triangulate: true, ..LoadOptions::default() };
    let (models, _) = tobj::load_obj_buf(&mut bytes.as_slice(), &options, |_| Ok((Vec::new(), Default::default())))
        .map_err(|error| malformed(path, error.to_string()))?;
    let mut mesh = Mesh::default();
    for model in &models {
        append(&mut mesh, &model.mesh);
    }
    Ok(mesh)
}

/// Adds the triangles of one group; points and lines have no third corner and are left out.
fn append(mesh: &mut Mesh, group: &tobj::Mesh) {
    let base = mesh.positions.len() as u32;
    let (points, _) = group.positions.as_chunks::<3>();
    mesh.positions.extend(points.iter().map(|&p| Vec3::from(p)));
    let mut rest = group.indices.as_slice();
    let mut arities = group.face_arities.iter().map(|&arity| arity as usize);
    while !rest.is_empty() {
        let (face, tail) = rest.split_at(arities.next().unwrap_or(3).min(rest.len()));
        rest = tail;
        if let &[a, b, c] = face {
            mesh.triangles.push([base + a, base + b, base + c]);
        }
    }
}
