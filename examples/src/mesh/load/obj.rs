//! Triangles of Wavefront OBJ files: all faces of all groups, polygons cut into fans. Everything else is left out.

use std::path::Path;

use glam::Vec3;

use super::{LoadError, bytes_of, malformed};
use crate::mesh::Mesh;

/// Returns the triangles of the OBJ file at `path`, neither checked nor welded.
pub(super) fn read(path: &Path) -> Result<Mesh, LoadError> {
    let bytes = bytes_of(path, path)?;
    let mut mesh = Mesh::default();
    for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
        let refuse = |what: &str| malformed(path, format!("line {number}: {what}, found `{}`", line.trim()));
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || words.next()?.parse().ok();
                let position = (|| Some(Vec3::new(number()?, number()?, number()?)))();
                mesh.positions.push(position.ok_or_else(|| refuse("expected three coordinates after `v`"))?);
            }
            Some("f") => {
                let corners: Option<Vec<u32>> = words.map(|word| corner(word, mesh.positions.len())).collect();
                let corners = corners.ok_or_else(|| refuse("expected numbers of vertices after `f`"))?;
                let rest = corners.windows(2).skip(1);
                mesh.triangles.extend(rest.map(|side| [corners[0], side[0], side[1]]));
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// Returns the vertex that a corner of a face names: it is counted from 1, or backwards from the last of the vertices so far.
fn corner(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number > 0 { number - 1 } else { i64::try_from(count).ok()? + number };
    u32::try_from(index).ok().filter(|_| number != 0)
}
